"""Reading by id, row, key, text and tag; switches and notes. Whatever is asked, another account's memories are not there."""

from __future__ import annotations

from datetime import timedelta

from recollect.ports import Store
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, MODEL, NOW, alter, axis, held, put, record, row_of
from recollect.values.enums import DELIVERIES, MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.link import Link
from recollect.values.memory import Breadcrumb, Provenance, Record, StoredText

LATER = NOW + timedelta(hours=1, microseconds=7)


def _full() -> Record:
    """A memory none of whose fields has its default."""
    return record(
        "das grüne Rad 🚲 läuft, 緑の車輪\n\tand \"quotes' too",
        updated_at=LATER,
        accessed_at=LATER + timedelta(seconds=1),
        type="procedure",
        scope="task",
        agent="ada",
        team="core",
        project="atlas",
        task="t1",
        tags=("straße", "b"),
        importance=0.1,
        weight=0.3,
        confidence=0.7,
        trust=0.9,
        score=-4,
        strength=7,
        access_count=11,
        hit_at=LATER,
        valid_from=NOW - timedelta(days=365 * 80),
        valid_until=NOW + timedelta(days=365 * 80),
        expires_at=LATER + timedelta(days=1),
        delivery="pinned",
        supersedes=record().id,
        links=(Link(record().id, "contradicts"), Link(record().id, "relates_to", 0.5)),
        triggers=("println!", "glob:*.env"),
        season="release-week",
        labels=("redacted:email",),
        breadcrumbs=(Breadcrumb("s0", 3, NOW), Breadcrumb(None, None, LATER)),
        key="idempotent",
        provenance=Provenance("tool", "s1", 0, (0, 2), "Zoë", NOW, ("src/a.py",), "the wheel", "was asked"),
    )


class IdentityContract:
    """The right memory, whole, or none."""

    def test_every_field_comes_back_as_it_was_given(self, store: Store) -> None:
        memory = _full()
        put(store, memory)
        assert held(store, memory) == memory

    def test_every_field_can_be_changed_but_counters_and_identity(self, store: Store) -> None:
        plain, full = record(), _full()
        put(store, plain)
        wanted = full.with_(id=plain.id, created_at=plain.created_at, accessed_at=plain.accessed_at, access_count=0)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.change(plain, wanted, "update")
        assert held(store, plain) == wanted
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.change(wanted, plain, "update")
        assert held(store, plain) == plain

    def test_every_word_of_every_vocabulary_can_be_stored(self, store: Store) -> None:
        made = [record(f"type {word}", type=word) for word in MEMORY_TYPES]
        made += [record(f"scope {word}", scope=word) for word in SCOPES]
        made += [record(f"status {word}", status=word) for word in STATUSES if word != "superseded"]
        made += [record(f"delivery {word}", delivery=word) for word in DELIVERIES]
        made += [record(f"source {word}", provenance=Provenance(word)) for word in PROVENANCE_KINDS]  # type: ignore[arg-type]
        put(store, *made)
        with store.view() as reader:
            assert reader.get(ACCOUNT, [memory.id for memory in made]) == made

    def test_get_answers_in_order_with_none_for_what_is_not_there(self, store: Store) -> None:
        one, two, foreign = record("one green"), record("two green"), record("three green", account="other")
        put(store, one, two)
        put(store, foreign)
        with store.view() as reader:
            wanted = [two.id, record().id, foreign.id, one.id, two.id]
            assert reader.get(ACCOUNT, wanted) == [two, None, None, one, two]
            assert reader.get(ACCOUNT, []) == []

    def test_fetch_answers_in_order_without_what_is_not_there(self, store: Store) -> None:
        one, two, foreign = record("one green"), record("two green"), record("three red", account="other")
        put(store, one, two)
        put(store, foreign)
        rows = [row_of(store, two), 99_999, row_of(store, one)]
        with store.view() as reader:
            assert reader.fetch(ACCOUNT, rows) == [two, one]
            assert reader.fetch("other", rows) == []

    def test_a_glimpse_says_which_memories_they_are_and_what_they_say(self, store: Store) -> None:
        one, two, foreign = record("one green"), record("two green"), record("three red", account="other")
        put(store, one, two)
        put(store, foreign)
        with store.view() as reader:
            rows = [row_of(store, two), 99_999, *reader.rows_of("other", [foreign.id]), row_of(store, one)]
            seen = reader.read_snippets(ACCOUNT, rows)
            assert [(glimpse.id, glimpse.content) for glimpse in seen] == [(m.id, m.content) for m in (two, one)]
            assert reader.read_snippets(ACCOUNT, []) == []
        with store.transaction(ACCOUNT, "me", NOW) as tx:
            tx.change(one, changed := one.with_(content="one blue"), "update")
            (glimpse,) = tx.read_snippets(ACCOUNT, rows[-1:])
            assert glimpse.content == changed.content

    def test_an_id_is_found_by_its_beginning_else_by_its_end(self, store: Store) -> None:
        one = record("one").with_(id="0190aaaa-0000-7000-8000-00000000beef")
        two = record("two").with_(id="0190aabb-0000-7000-8000-0000000a0190")
        foreign = record("three", account="other").with_(id="0190aaaa-0000-7000-8000-00000000ffff")
        put(store, one, two)
        put(store, foreign)
        with store.view() as reader:
            assert {one.id for one in reader.find_by_id(ACCOUNT, "0190")} == {one.id, two.id}
            assert [one.id for one in reader.find_by_id(ACCOUNT, "0190aab")] == [two.id]
            assert [one.id for one in reader.find_by_id(ACCOUNT, "0190AAAA-0000")] == [one.id]
            assert [one.id for one in reader.find_by_id(ACCOUNT, one.id)] == [one.id]
            assert [one.id for one in reader.find_by_id(ACCOUNT, "beef")] == [one.id]
            assert [one.id for one in reader.find_by_id(ACCOUNT, "a0190")] == [two.id]
            assert [one.id for one in reader.find_by_id(ACCOUNT, "ffff")] == []
            assert [one.id for one in reader.find_by_id("nobody", "0190")] == []

    def test_the_same_text_is_found_whatever_its_case_spacing_and_full_stop(self, store: Store) -> None:
        memory = record("The  Green Door\tis open.")
        put(store, memory, record("the green door is open now"))
        put(store, record("the green door is open", account="other"))
        with store.view() as reader:
            assert reader.same_text(ACCOUNT, "the green door IS open") == [memory]
            assert reader.same_text(ACCOUNT, "green door") == []
        alter(store, memory, content="the green door is shut")
        with store.view() as reader:
            assert reader.same_text(ACCOUNT, "the green door is open") == []

    def test_several_texts_are_looked_up_together(self, store: Store) -> None:
        kept, gone, hidden = record("the green door is open"), record("the green safe opens with 4712"), record("three")
        put(store, kept, gone, hidden)
        put(store, record("the green door is open", account="other"))
        alter(store, hidden, "forget", status="forgotten")
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.purge(gone)
        asked = ["The green door IS open.", "the green door is open", gone.content, "Three", "never said"]
        with store.view() as reader:
            found = reader.texts_of(ACCOUNT, asked)
            assert list(found) == asked
            assert [[one.id for one in found[text].memories] for text in asked] == [
                [kept.id], [kept.id], [], [hidden.id], [],
            ]  # fmt: skip
            assert [text for text in asked if found[text].purged] == [gone.content]
            assert found["Three"].memories[0].status == "forgotten"
            assert reader.texts_of(ACCOUNT, []) == {}
            assert not any(one.purged or one.memories for one in reader.texts_of("nobody", asked).values())

    def test_texts_are_looked_up_as_the_transaction_left_them(self, store: Store) -> None:
        old, other = record("green door"), record("green gate")
        put(store, old)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            assert [len(one.memories) for one in tx.texts_of(ACCOUNT, ["green door", "green gate"]).values()] == [1, 0]
            tx.insert(other, None)
            tx.insert(newer := record("green roof", supersedes=old.id), None)
            found = tx.texts_of(ACCOUNT, ["green door", "green gate", "green roof"])
            assert [[one.id for one in text.memories] for text in found.values()] == [[old.id], [other.id], [newer.id]]
            assert found["green door"].memories[0].superseded_by == newer.id
            tx.purge(other)
            assert tx.texts_of(ACCOUNT, ["green gate"])["green gate"] == StoredText((other.place,), memories=())
            tx.allow_again(ACCOUNT, "green gate", [other.place])
            assert tx.texts_of(ACCOUNT, ["green gate"])["green gate"] == StoredText((), memories=())

    def test_a_forgotten_text_is_still_found_as_the_same(self, store: Store) -> None:
        memory = record()
        put(store, memory)
        alter(store, memory, "forget", status="forgotten")
        with store.view() as reader:
            assert [m.status for m in reader.same_text(ACCOUNT, memory.content)] == ["forgotten"]

    def test_a_key_finds_its_memory_even_a_forgotten_one(self, store: Store) -> None:
        memory = record(key="once")
        put(store, memory)
        alter(store, memory, "forget", status="forgotten")
        with store.view() as reader:
            found = reader.by_key(ACCOUNT, "once")
            assert found is not None
            assert (found.id, found.status) == (memory.id, "forgotten")
            assert reader.by_key(ACCOUNT, "twice") is None
            assert reader.with_key(ACCOUNT, "twice") == []
            assert reader.by_key("other", "once") is None

    def test_every_memory_with_a_key_is_found(self, store: Store) -> None:
        one, other = record("one", key="k"), record("other", key="k", scope="agent", agent="ada")
        put(store, one, other)
        alter(store, one, "forget", status="forgotten")
        with store.view() as reader:
            found = [(memory.id, memory.status) for memory in reader.with_key(ACCOUNT, "k")]
            assert found == [(one.id, "forgotten"), (other.id, "active")]

    def test_switches_belong_to_an_account_and_can_be_thrown_twice(self, store: Store) -> None:
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.switch(ACCOUNT, "atlas", on=False)
            tx.switch(ACCOUNT, "atlas", on=False)
            tx.switch(ACCOUNT, "*", on=False)
            tx.switch(ACCOUNT, "never off", on=True)
        with store.view() as reader:
            assert reader.switched_off(ACCOUNT) == {"atlas", "*"}
            assert reader.switched_off("other") == frozenset()
            assert reader.events(ACCOUNT) == []
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.switch(ACCOUNT, "*", on=True)
        with store.view() as reader:
            assert reader.switched_off(ACCOUNT) == {"atlas"}

    def test_a_note_is_what_was_last_written(self, store: Store) -> None:
        with store.view() as reader:
            assert reader.note("scale") is None
        for value in ("first", "zweitens ü"):
            with store.transaction("", "tester", NOW) as tx:
                tx.set_note("scale", value)
        with store.view() as reader:
            assert reader.note("scale") == "zweitens ü"

    def test_the_notes_of_an_account_are_its_own(self, store: Store) -> None:
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.set_note("scale", "mine", ACCOUNT)
            assert tx.note("scale", ACCOUNT) == "mine"
        with store.view() as reader:
            assert reader.note("scale", ACCOUNT) == "mine"
            assert (reader.note("scale"), reader.note("scale", "other")) == (None, None)

    def test_counts_count_one_account(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        put(
            store,
            record("one", tags=("a", "b"), project="atlas", scope="project"),
            record("two", tags=("a",)),
            vectors=axis(0),
        )
        put(store, record("three", type="rule", status="forgotten"))
        put(store, record("four", account="other"))
        with store.view() as reader:
            assert reader.count(ACCOUNT, NOW) == {
                "statuses": {"active": 2, "forgotten": 1},
                "types": {"fact": 2},
                "scopes": {"project": 1, "global": 1},
                "projects": {"atlas": 1},
                "tags": {"a": 2, "b": 1},
                "models": {MODEL: 2},
                "events": 3,
                "unembedded": 1,
            }
            assert reader.count("nobody", NOW)["statuses"] == {}
