"""What was forgotten or purged stays so whatever else is undone, restored or stored under the same key."""

from __future__ import annotations

import io

GONE = "Priya is interviewing at Globex behind our manager's back"


def last_operation(memory) -> str:
    return memory.log(limit=1)[0].operation


def assert_gone(memory) -> None:
    outcome = memory.remember(GONE)
    assert outcome.kind == "refused"
    assert outcome.reason.startswith(("forgotten", "purged"))
    assert GONE not in {record.content for record in memory.list(limit=50)}


def test_undoing_the_operation_that_stored_it_leaves_the_tombstone(memory) -> None:
    (stored, _) = memory.remember_many([GONE, "Invoices are due in May"])
    operation = last_operation(memory)
    memory.forget(stored.memory.id)
    memory.undo(operation)
    assert_gone(memory)
    assert memory.list(limit=50) == []


def test_undoing_a_revival_erases_it_again(memory) -> None:
    memory.purge(memory.remember(GONE).memory.id)
    revived = memory.remember(GONE, revive=True)
    assert revived.kind == "stored"
    memory.undo()
    assert_gone(memory)
    assert GONE not in repr(memory.log(limit=50))


def test_undoing_a_revival_elsewhere_forgets_it_again(memory) -> None:
    memory.forget(memory.remember(GONE, project="atlas").memory.id)
    assert memory.remember(GONE, project="zephyr", revive=True).kind == "stored"
    memory.undo()
    assert_gone(memory)


def test_a_context_that_is_restored_keeps_the_tombstones_of_later_entries(memory) -> None:
    contexts = memory.contexts
    contexts.create("handbook", type="knowledge_base")
    contexts.snapshot("handbook", "start")
    entry = contexts.add("handbook", GONE).memory
    contexts.remove_entry("handbook", entry.id)
    contexts.restore("handbook", "start")
    assert contexts.add("handbook", GONE).kind == "refused"
    assert_gone(memory)


def test_undoing_an_update_does_not_change_what_a_tombstone_says(memory) -> None:
    stored = memory.remember("A harmless first sentence").memory
    memory.update(stored.id, content=GONE)
    operation = last_operation(memory)
    memory.forget(stored.id)
    memory.undo(operation)
    assert_gone(memory)


def test_a_purge_holds_for_every_text_the_memory_has_had(memory) -> None:
    stored = memory.remember(GONE).memory
    memory.update(stored.id, content="A sentence without a secret")
    memory.purge(stored.id)
    assert_gone(memory)


def test_the_key_of_a_forgotten_memory_does_not_bring_it_back(memory) -> None:
    gone = memory.remember(GONE, key="ci").memory
    memory.forget(gone.id)
    outcome = memory.remember(GONE, key="ci")
    assert outcome.kind == "refused"
    assert outcome.forgotten == gone.id
    other = memory.remember("The ferries leave from pier nine", key="ci")
    assert (other.kind, other.memory.content) == ("stored", "The ferries leave from pier nine")
    assert [record.content for record in memory.list(limit=50)] == ["The ferries leave from pier nine"]
    assert_gone(memory)
    memory.undo()
    assert memory.remember("Invoices are due in May", key="ci").kind == "stored"
    assert_gone(memory)


def test_the_key_of_another_text_says_that_the_new_one_is_not_stored(memory) -> None:
    memory.remember("The ferries leave from pier nine", key="ci")
    again = memory.remember("The ferries leave from pier nine", key="ci")
    other = memory.remember("Invoices are due in May", key="ci")
    assert again.notes == ()
    assert "is not stored" in other.notes[-1]


def test_the_tags_of_a_session_are_not_counted_for_others(memory) -> None:
    memory.remember("The heron sits on the roof", scope="session", session="s1", tags=["herontag"])
    memory.remember("The heron eats at noon", scope="task", task="t1", tags=["herontask"])
    assert "heron" not in repr(memory.with_identity(agent="eve").stats()["tags"])


def test_a_question_of_a_session_is_not_in_the_export_of_others(memory) -> None:
    memory.remember("Invoices are due in May")
    memory.recall("Which zanzibar fresco was painted?", session="s1")
    memory.flush()
    for options in ({}, {"history": True}):
        for viewer in (memory, memory.with_identity(agent="eve")):
            out = io.BytesIO()
            viewer.export(out, **options)
            assert b"zanzibar" not in out.getvalue()
        out = io.BytesIO()
        memory.export(out, session="s1", **options)
        assert b"zanzibar" in out.getvalue()


def test_the_ids_of_a_session_are_shown_only_to_those_who_name_it(memory) -> None:
    public = memory.remember("Invoices are due in May").memory
    hidden = memory.remember("The heron sits on the roof", scope="session", session="s1").memory
    beside = memory.remember("The heron eats at noon", scope="session", session="s1").memory
    memory.link(public.id, hidden.id)
    memory.link(beside.id, hidden.id)
    derived = memory.remember("Herons like roofs", derived_from=[hidden.id]).memory
    for viewer in (memory, memory.with_identity(agent="eve")):
        told = [viewer.get(public.id), viewer.get(derived.id), viewer.history(public.id), viewer.recall("invoices")]
        assert hidden.id not in repr([one.to_dict() if hasattr(one, "to_dict") else one for one in told])
    assert hidden.id in repr(memory.recall("invoices", session="s1").to_dict())
    assert hidden.id in repr(memory.get(beside.id).to_dict())


def test_reviving_a_text_that_contains_a_forgotten_one_stores_the_whole_text(memory) -> None:
    gone = memory.remember(GONE).memory
    memory.forget(gone.id)
    whole = f"Lunch with the board was moved to noon on Thursday. {GONE}."
    assert memory.remember(whole).kind == "refused"
    assert memory.remember(whole, revive=True).memory.content == whole
    assert [record.content for record in memory.list(limit=50)] == [whole]
    memory.undo()
    assert_gone(memory)
