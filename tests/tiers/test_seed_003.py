"""Every method the tiered design (seed 003) names, the call that does it here, and the test that proves it."""

from operator import attrgetter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
W, S, P, C, N, R = "working", "short_term", "pools", "contexts", "snapshots", "router"
TABLE = [
    # Ai::AgentShortTermMemory
    ("expired?", "short_term.exists", S, "test_an_entry_is_not_found_from_the_moment_it_expires"),
    ("touch_access!", "short_term.touch", S, "test_reading_and_touching_count_and_looking_does_not"),
    ("refresh_ttl!", "short_term.refresh_ttl", S, "test_refreshing_lets_an_entry_live_on_from_now"),
    ("cleanup_expired!", "short_term.cleanup_expired", S, "test_cleaning_up_deletes_what_expired_and_only_that"),
    # Ai::MemoryPool
    ("read_data", "pools.read", P, "test_a_pool_keeps_what_was_written"),
    ("write_data", "pools.write", P, "test_a_stale_version_changes_nothing_and_tells_what_is_there"),
    ("merge_data", "pools.merge", P, "test_merging_goes_into_objects_replaces_lists_and_keeps_none"),
    ("accessible_by?", "pools.accessible_by", P, "test_who_may_is_told"),
    ("pool.grant_access", "pools.grant", P, "test_a_grant_to_read_does_not_let_write_and_one_to_write_lets_read"),
    ("pool.revoke_access", "pools.revoke", P, "test_a_grant_is_revoked_and_undone"),
    ("statistics", "pools.statistics", P, "test_what_is_used_how_often_is_told_and_is_no_event"),
    ("pool expires_at", "pools.extend", P, "test_a_pool_ends_at_its_moment"),
    # Ai::PersistentContext and Ai::ContextEntry
    ("create_snapshot", "contexts.snapshot", N, "test_a_snapshot_is_named_counted_and_listed"),
    ("restore_from_snapshot", "contexts.restore", N, "test_a_restore_brings_the_entries_back_and_can_be_undone"),
    ("archive!", "contexts.archive", C, "test_an_archived_context_is_neither_searched_nor_written"),
    ("unarchive!", "contexts.unarchive", C, "test_an_archived_context_is_neither_searched_nor_written"),
    ("context.grant_access", "contexts.grant", C, "test_grants_give_reading_or_writing_and_are_taken_back"),
    ("context_access_logs", "contexts.access_log", C, "test_every_use_is_in_the_log_by_agent"),
    ("entry.semantic_search", "contexts.search", C, "test_a_search_stays_within_its_context"),
    ("update_content", "contexts.update_content", C, "test_an_update_is_a_new_version_and_the_old_one_stays"),
    ("previous_version", "contexts.versions", C, "test_an_update_is_a_new_version_and_the_old_one_stays"),
    ("boost_importance!", "contexts.boost_importance", C, "test_importance_is_boosted_and_reduced_within_bounds"),
    ("reduce_importance!", "contexts.reduce_importance", C, "test_importance_is_boosted_and_reduced_within_bounds"),
    ("effective_relevance_score", "contexts.effective_relevance", C, "test_effective_relevance_fades_and_a_search_renews_it"),
    # Ai::SharedContextPool
    ("workflow_run pools", "pools.workflow", P, "test_a_runs_pool_is_made_once_and_open_to_all_who_name_the_run"),
    # Ai::Memory::RouterService
    ("router.read", "router.read", R, "test_reads_go_from_the_quickest_tier_to_the_widest_and_say_which_answered"),
    ("router.write", "router.write", R, "test_reads_go_from_the_quickest_tier_to_the_widest_and_say_which_answered"),
    ("router.semantic_search", "router.semantic_search", R, "test_a_search_meets_all_tiers"),
    ("router.consolidate!", "router.consolidate", R, "test_entries_used_often_enough_become_memories_once"),
    ("router.stats", "router.stats", R, "test_stats_tell_of_all_tiers"),
    # Ai::Memory::WorkingMemoryService
    ("store", "working.store", W, "test_what_is_stored_comes_back_as_it_was"),
    ("retrieve", "working.retrieve", W, "test_what_is_stored_comes_back_as_it_was"),
    ("exists?", "working.exists", W, "test_a_value_lives_an_hour_unless_told_and_ends_at_that_moment"),
    ("remove", "working.remove", W, "test_remove_and_clear_say_what_went"),
    ("keys", "working.keys", W, "test_what_is_stored_comes_back_as_it_was"),
    ("clear", "working.clear", W, "test_remove_and_clear_say_what_went"),
    *(
        (name, f"working.{name}", W, "test_what_a_task_is_made_of_has_a_place_each")
        for name in (
            "store_task_state", "store_intermediate_result", "store_conversation_context", "append_to_conversation",
            "store_tool_state", "store_scratch_pad", "append_to_scratch_pad",
        )
    ),
    ("share_with_agent", "working.share_with_agent", W, "test_what_one_agent_shares_only_the_other_can_take"),
    ("retrieve_shared", "working.retrieve_shared", W, "test_what_one_agent_shares_only_the_other_can_take"),
    ("workflow_memory", "working.workflow", W, "test_a_run_of_a_workflow_is_shared_by_all_agents_of_the_account"),
    ("persist_to_database", "working.persist_to_database", W, "test_what_is_persisted_outlives_the_file_of_working_memory"),
    ("load_from_database", "working.load_from_database", W, "test_what_is_persisted_outlives_the_file_of_working_memory"),
    # Context assembly and narratives (seeds 000 and 001)
    ("context layers", "context", "../engine/test_context", "test_every_layer_takes_what_is_its_own_and_a_memory_appears_once"),
    ("context budget", "preview", "../engine/test_context", "test_every_character_counts_whatever_the_budget"),
    ("narrative chain", "narratives.chain", "narratives", "test_a_chain_belongs_to_its_place"),
    ("narrative_id", "narratives.of", "narratives", "test_a_narrative_is_linked_with_what_it_tells_of_in_both_directions"),
]  # fmt: skip


@pytest.mark.parametrize(("named", "call", "where", "proof"), TABLE, ids=[row[0] for row in TABLE])
def test_what_the_design_names_is_a_call_with_a_test(memory, named, call, where, proof) -> None:
    assert callable(attrgetter(call)(memory.with_identity(agent="ada")))
    path = ROOT / "tiers" / (f"{where}.py" if where.startswith("..") else f"test_{where}.py")
    assert f"def {proof}(" in path.read_text("utf-8")
