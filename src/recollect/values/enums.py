"""The closed vocabularies: the words that the API, the tables and the documents use. Unknown words are refused."""

from __future__ import annotations

from typing import Literal, get_args

MemoryType = Literal[
    "fact", "preference", "procedure", "correction", "negative", "decision", "observation", "reflection",
    "plan", "insight", "task", "episode", "summary", "entity", "rule", "tool_output",
]  # fmt: skip
# Stores keep the place of a scope in this list: new ones go to the end.
Scope = Literal["global", "team", "agent", "project", "session", "task", "user"]
Status = Literal["active", "superseded", "archived", "forgotten"]
# On whose behalf a change was made. Only what a person or an agent did is undone by an `undo` without a name.
ChangeOrigin = Literal["person", "agent", "import", "companion", "upkeep", "judge"]
ProvenanceKind = Literal[
    "user_stated", "user_corrected", "observed", "inferred", "extracted", "migrated", "tool", "system", "derived",
]  # fmt: skip
Delivery = Literal["bootstrap", "pinned", "on_demand"]
SearchMode = Literal["lexical", "semantic", "hybrid"]
OutcomeKind = Literal["stored", "reinforced", "superseded", "refused"]
EventKind = Literal[
    "remember", "update", "reinforce", "demote", "feedback", "tag", "untag", "supersede",
    "forget", "restore", "revive", "archive", "purge", "undo", "embed",
    "link", "unlink", "confirm", "reject", "contradict", "resolve", "describe", "miss", "answer",
    "pool", "context", "snapshot", "persist", "import", "move", "unarchive",
]  # fmt: skip
LinkRelation = Literal["relates_to", "supersedes", "contradicts", "derived_from"]
DocumentKind = Literal["tag", "gap", "working", "short_term", "pool", "context", "snapshot"]
Resolution = Literal["keep_both", "update", "supersede", "forget"]
ShortTermType = Literal[
    "task_context", "conversation", "tool_result", "reflection", "observation", "plan", "state", "general",
]  # fmt: skip
PoolType = Literal["shared", "agent_private", "team_shared", "task_scoped", "blackboard", "tool_cache", "workflow"]
ContextType = Literal["agent_memory", "knowledge_base", "shared_context", "tool_cache", "project_context"]
AccessLevel = Literal["read", "write"]
# When a configured judge takes a second look at what was remembered.
JudgeWhen = Literal["now", "later", "off"]
Tier = Literal["working", "short_term", "long_term", "shared"]

MEMORY_TYPES: tuple[str, ...] = get_args(MemoryType)
SCOPES: tuple[str, ...] = get_args(Scope)
Verdict = Literal["helpful", "unhelpful", "reinforce", "demote"]
VERDICTS: tuple[str, ...] = get_args(Verdict)
STATUSES: tuple[str, ...] = get_args(Status)
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
DOCUMENT_KINDS: tuple[str, ...] = get_args(DocumentKind)
CHANGE_ORIGINS: tuple[str, ...] = get_args(ChangeOrigin)
PROVENANCE_KINDS: tuple[str, ...] = get_args(ProvenanceKind)
DELIVERIES: tuple[str, ...] = get_args(Delivery)
SEARCH_MODES: tuple[str, ...] = get_args(SearchMode)
LINK_RELATIONS: tuple[str, ...] = get_args(LinkRelation)
RESOLUTIONS: tuple[str, ...] = get_args(Resolution)
SHORT_TERM_TYPES: tuple[str, ...] = get_args(ShortTermType)
POOL_TYPES: tuple[str, ...] = get_args(PoolType)
CONTEXT_TYPES: tuple[str, ...] = get_args(ContextType)
ACCESS_LEVELS: tuple[str, ...] = get_args(AccessLevel)
TIERS: tuple[str, ...] = get_args(Tier)
JUDGE_WHEN: tuple[str, ...] = get_args(JudgeWhen)

# The source decides the trust of a memory; a derived memory is never trusted more than its source.
TRUST_OF_SOURCE: dict[str, float] = {
    "user_stated": 1.0,
    "user_corrected": 1.0,
    "system": 0.9,
    "migrated": 0.8,
    "observed": 0.8,
    "tool": 0.7,
    "extracted": 0.7,
    "derived": 0.6,
    "inferred": 0.5,
}
LOW_TRUST = 0.3
