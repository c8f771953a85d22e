"""The journal: one event a change, with exactly what changed before and after, and nothing for what is no change."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from recollect.ports import Store
from recollect.testing.contract.samples import (
    ACCOUNT,
    DIMENSIONS,
    MODEL,
    NOW,
    alter,
    axis,
    held,
    purged_in,
    put,
    recalled,
    record,
    row_of,
)
from recollect.values.document import Access, Document, document_image
from recollect.values.event import Event, to_image
from recollect.values.ids import new_id
from recollect.values.memory import Breadcrumb, Record
from recollect.values.purge import ERASED

LATER = NOW + timedelta(hours=1)


def _events(store: Store, memory: Record) -> list[Event]:
    with store.view() as reader:
        return reader.events(memory.account, memory_id=memory.id)


class JournalContract:
    """Who changed what, when, and how it was before."""

    def test_a_creation_has_no_before_and_is_its_own_after(self, store: Store) -> None:
        memory = record()
        put(store, memory)
        (event,) = _events(store, memory)
        assert (event.kind, event.before, event.after) == ("remember", None, {})
        assert (event.actor, event.at, event.memory_id, event.undoes) == ("tester", NOW, memory.id, None)

    def test_a_change_keeps_only_the_fields_that_changed(self, store: Store) -> None:
        memory = record(tags=("one",), importance=0.25)
        put(store, memory)
        crumb = Breadcrumb("s9", 4, LATER)
        with store.transaction(ACCOUNT, "someone", LATER) as tx:
            changed = memory.with_(
                tags=("one", "two"), importance=0.75, hit_at=LATER, breadcrumbs=(crumb,), session="s2"
            )
            tx.change(memory, changed, "update", reason="because")
        event = _events(store, memory)[-1]
        assert event.before == {
            "tags": ["one"], "importance": 0.25, "hit_at": None, "breadcrumbs": [], "session": None,
        }  # fmt: skip
        assert event.after == {
            "tags": ["one", "two"], "importance": 0.75, "hit_at": LATER.isoformat(), "session": "s2",
            "breadcrumbs": [{"session": "s9", "message": 4, "at": LATER.isoformat()}],
        }  # fmt: skip
        assert (event.kind, event.actor, event.at, event.reason) == ("update", "someone", LATER, "because")

    def test_a_removal_keeps_the_whole_memory(self, store: Store) -> None:
        memory = record(tags=("one",))
        put(store, memory)
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.remove(memory)
        event = _events(store, memory)[-1]
        assert (event.kind, event.before, event.after) == ("undo", to_image(memory), None)
        assert held(store, memory) is None
        assert recalled(store) == set()

    def test_a_purge_leaves_the_skeleton_of_the_journal_and_a_hash(self, store: Store) -> None:
        memory, other = record("the green safe opens with 4711"), record("the green door is open")
        put(store, memory, other)
        alter(store, memory, content="the green safe opens with 4712")
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            (now,) = tx.get(ACCOUNT, [memory.id])
            assert now is not None
            tx.purge(now)
        store.erase_traces(ACCOUNT)
        events = _events(store, memory)
        assert [event.kind for event in events] == ["remember", "update", "purge"]
        assert {(event.before, event.reason) for event in events} == {(None, None)}
        assert [event.after for event in events] == [None, None, {"place": list(memory.place)}]
        assert recalled(store) == {"the green door is open"}
        with store.view() as reader:
            assert purged_in(reader, ACCOUNT, "The green safe opens with 4712.") == (memory.place,)
            assert not purged_in(reader, "other", "the green safe opens with 4712")
            assert not purged_in(reader, ACCOUNT, "the green door is open")
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.allow_again(ACCOUNT, "the green safe opens with 4712", [memory.place])
            assert not purged_in(tx, ACCOUNT, "the green safe opens with 4712")

    def test_a_purge_of_what_was_removed_before_scrubs_its_images(self, store: Store) -> None:
        memory = record("the green safe opens with 4711")
        put(store, memory)
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.remove(memory)
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.purge(memory)
        events = _events(store, memory)
        assert [(event.kind, event.before) for event in events] == [("remember", None), ("undo", None), ("purge", None)]
        with store.view() as reader:
            assert purged_in(reader, ACCOUNT, "the green safe opens with 4711")
            assert reader.places_of(ACCOUNT, [memory.id]) == {memory.id: memory.place}

    def test_mentions_are_found_in_memories_documents_and_events_whatever_their_case(self, store: Store) -> None:
        said, other = record("the Falcon is grey", snippet="he said so"), record("the door is open")
        beside = record("another text", snippet="a grey FALCON, he said")
        changed = record("the falcon was white")
        note = Document(new_id(NOW), ACCOUNT, "tag", "bird", NOW, NOW, body={"text": "like the Falcon"})
        gap = Document(new_id(NOW), ACCOUNT, "gap", "asked", NOW, NOW, body={"question": "which bird?"})
        context = Document(new_id(NOW), ACCOUNT, "context", "office", NOW, NOW, body={"owner": "ada"})
        put(store, said, other, beside, changed)
        put(store, record("the falcon of others", account="other"))
        alter(store, changed, content="the owl was white")
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.put_document(None, note, "describe")
            tx.put_document(None, gap, "miss")
            tx.put_document(None, context, None)
        with store.view() as reader:
            found = reader.mentions(ACCOUNT, ["falcon", "unheard"], [new_id(NOW)])
            assert [one.id for one in found.memories] == [said.id, beside.id]
            assert {one.id for one in found.documents} == {note.id, gap.id, context.id}
            assert [event.memory_id for event in found.events] == [changed.id, note.id, gap.id]
            assert [one.id for one in reader.mentions(ACCOUNT, ["falcon", "door"], [other.id]).memories] == [
                said.id,
                other.id,
                beside.id,
            ]
            own = reader.mentions(ACCOUNT, ["unheard"], [changed.id]).events
            assert {event.memory_id for event in own} == {changed.id, gap.id}
            assert len(reader.mentions(ACCOUNT, [""], [said.id]).memories) == 4
            assert reader.mentions("nobody", ["falcon"], [said.id]).memories == []

    def test_a_name_is_erased_from_every_row_that_has_it(self, store: Store) -> None:
        mine = record("the green door is open", scope="user", user="ada")
        like = record("the green safe is shut", scope="user", user="adam")
        context = Document(new_id(NOW), ACCOUNT, "context", "office", NOW, NOW, body={"owner": "bob"})
        for actor, memory in (("user:ada", mine), ("user:adam", like)):
            with store.transaction(ACCOUNT, actor, NOW) as tx:
                tx.insert(memory, None)
                tx.change(memory, memory.with_(importance=0.9), "update", reason="it matters")
                tx.log_access(ACCOUNT, context.id, Access(NOW, actor, "read"))
                tx.purge(memory.with_(importance=0.9))
        with store.view() as reader:
            others = reader.rows_naming(ACCOUNT, "adam")
            assert reader.rows_naming(ACCOUNT, "ada") == others
            assert (others["actor"], others["access"], others["counter"], others["purged"] > 0) == (3, 1, 0, True)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.erase_name(ACCOUNT, "ada")
        with store.view() as reader:
            assert reader.rows_naming(ACCOUNT, "ada") == dict.fromkeys(others, 0)
            assert reader.rows_naming(ACCOUNT, "adam") == others
            assert {event.actor for event in reader.events(ACCOUNT, memory_id=mine.id)} == {ERASED}
            assert [line.agent for line in reader.accesses(ACCOUNT, context.id, 9)] == ["user:adam", None]
            assert not purged_in(reader, ACCOUNT, "the green door is open")
            assert purged_in(reader, ACCOUNT, "the green safe is shut")

    def test_a_purge_without_a_trace_keeps_no_digest_and_no_place(self, store: Store) -> None:
        memory = record("the green safe opens with 4711", scope="user", user="ada")
        put(store, memory)
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.purge(memory, keep=False)
        assert [(event.kind, event.before, event.after) for event in _events(store, memory)] == [
            ("remember", None, None),
            ("purge", None, None),
        ]
        with store.view() as reader:
            assert reader.get(ACCOUNT, [memory.id]) == [None]
            assert not purged_in(reader, ACCOUNT, memory.content)
            assert reader.places_of(ACCOUNT, [memory.id]) == {}
            assert not any(reader.rows_naming(ACCOUNT, "ada").values())

    def test_the_last_event_is_known_also_while_changes_are_made(self, store: Store) -> None:
        memory = record("the green door is open")
        with store.view() as reader:
            assert reader.last_event(ACCOUNT) == 0
        put(store, record("the door of others", account="other"))
        put(store, memory)
        with store.view() as reader:
            before = reader.last_event(ACCOUNT)
            assert [event.seq for event in reader.events(ACCOUNT, embeds=True)][-1] == before
            assert reader.last_event("nobody") == 0
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            assert tx.last_event(ACCOUNT) == before
            tx.change(memory, memory.with_(importance=0.9), "update")
            assert tx.last_event(ACCOUNT) > before

    def test_an_event_is_rewritten_in_its_place(self, store: Store) -> None:
        memory = record("the green safe opens with 4711")
        put(store, memory)
        alter(store, memory, content="the green safe opens with 4712")
        first, second = _events(store, memory)
        assert second.before is not None
        cut = replace(second, before={**second.before, "content": "[erased]"}, reason="[erased]")
        with store.transaction("other", "tester", LATER) as tx:
            tx.rewrite_event("other", cut)
        assert _events(store, memory) == [first, second]
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.rewrite_event(ACCOUNT, cut)
        assert _events(store, memory) == [first, cut]

    def test_the_events_of_one_transaction_share_its_operation(self, store: Store) -> None:
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            operation = tx.operation
            tx.insert(record("the green door is open"), None)
            tx.insert(record("the green lamp is broken"), None)
        put(store, record("the green kettle boils"))
        with store.view() as reader:
            both = reader.events(ACCOUNT, operation=operation.id)
            assert [event.operation for event in both] == [operation.id] * 2
            assert len({event.operation for event in reader.events(ACCOUNT)}) == 2
        assert (operation.actor, operation.at) == ("tester", NOW)

    def test_events_are_numbered_upwards_and_can_be_read_from_either_end(self, store: Store) -> None:
        memories = [record(f"the green door number {number}") for number in range(5)]
        for number, memory in enumerate(memories):
            put(store, memory, at=NOW + timedelta(minutes=number))
        put(store, record("the green lamp is broken", account="other"))
        with store.view() as reader:
            events = reader.events(ACCOUNT)
            numbers = [event.seq for event in events]
            assert [event.memory_id for event in events] == [memory.id for memory in memories]
            assert numbers == sorted(set(numbers))
            assert reader.events(ACCOUNT, newest_first=True) == events[::-1]
            assert reader.events(ACCOUNT, newest_first=True, limit=2) == events[:2:-1]
            assert reader.events(ACCOUNT, after=numbers[1], limit=2) == events[2:4]
            assert reader.events(ACCOUNT, since=NOW + timedelta(minutes=3)) == events[4:]
            assert reader.events("nobody") == []

    def test_an_operation_that_undoes_another_marks_it_as_undone(self, store: Store) -> None:
        memory = record()
        put(store, memory)
        (event,) = _events(store, memory)
        with store.view() as reader:
            assert reader.undone(ACCOUNT, [event.operation]) == frozenset()
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.set_undoes(event.operation)
            assert tx.operation.undoes == event.operation
            tx.remove(memory)
        with store.view() as reader:
            assert reader.undone(ACCOUNT, [event.operation, memory.id]) == frozenset((event.operation,))
            assert reader.undone("other", [event.operation]) == frozenset()
            assert reader.events(ACCOUNT)[-1].undoes == event.operation

    def test_of_a_changed_pool_only_the_keys_of_its_data_that_differ_are_journaled(self, store: Store) -> None:
        made = Document(new_id(NOW), ACCOUNT, "pool", "board", NOW, NOW, body={"data": {"kept": 1, "gone": 2}})
        changed = made.with_body(LATER, data={"kept": 1, "new": 3})
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.put_document(None, made, "pool")
            tx.put_document(made, changed, "pool")
        with store.view() as reader:
            first, second = reader.events(ACCOUNT)
        assert (first.before, first.after) == (None, document_image(made))
        assert second.before is not None
        assert second.after is not None
        assert (second.before["body"], second.after["body"]) == ({"data": {"gone": 2}}, {"data": {"new": 3}})

    def test_touching_counts_and_is_not_journaled(self, store: Store) -> None:
        memory = record("the green door is open")
        put(store, memory)
        row = row_of(store, memory)
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.touch(ACCOUNT, {row: (3, LATER), 10_000: (1, LATER)})
        found = held(store, memory)
        assert found is not None
        assert (found.access_count, found.accessed_at, found.updated_at) == (3, LATER, NOW)
        assert len(_events(store, memory)) == 1
        with store.transaction("other", "tester", LATER) as tx:
            tx.touch("other", {row: (3, LATER)})
        assert held(store, memory) == found

    def test_a_change_never_sets_the_counters_back(self, store: Store) -> None:
        memory = record("the green door is open")
        put(store, memory)
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.touch(ACCOUNT, {row_of(store, memory): (2, LATER)})
            # Decided on a reading from before the touch.
            tx.change(memory, memory.with_(score=3), "reinforce")
        found = held(store, memory)
        assert found is not None
        assert (found.score, found.access_count, found.accessed_at) == (3, 2, LATER)

    def test_a_vector_given_later_is_an_event_shown_only_on_request(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memory = record()
        put(store, memory)
        with store.transaction(ACCOUNT, "tester", LATER) as tx:
            tx.set_vectors(ACCOUNT, memory.id, axis(0))
            tx.set_vectors(ACCOUNT, record().id, axis(0))
        assert [event.kind for event in _events(store, memory)] == ["remember"]
        with store.view() as reader:
            events = reader.events(ACCOUNT, embeds=True)
            assert [(event.kind, event.before, event.after) for event in events[1:]] == [("embed", {}, {})]
