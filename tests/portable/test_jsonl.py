"""JSON lines: everything comes back, byte for byte; what was cut, changed or made up is refused by its line."""

import asyncio
import io
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect import InvalidInput
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder


def lines_of(raw: bytes) -> list[dict]:
    return [json.loads(line) for line in raw.decode().splitlines()]


def told(raw: bytes, kind: str) -> list[dict]:
    return [line[kind] for line in lines_of(raw) if kind in line]


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("history", [False, True])
def test_export_import_export_gives_the_same_bytes(rich, another, exported, tmp_path, history, everything) -> None:
    first = tmp_path / "first.jsonl"
    rich.export(first, history=history, everything=everything)
    empty = another("empty")
    done = empty.import_data(first, everything=everything)
    assert done.refused == 0
    assert done.left_out == ()
    assert exported(empty, history=history, everything=everything) == first.read_bytes()


words = st.sampled_from(["ship", "porto", "invoice", "kestrel", "zoltán", "monday", "attic", "🚀", "日本", "ledger"])
texts = st.lists(words, min_size=1, max_size=6).map(lambda some: " ".join(["note", *some]))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), texts, st.sampled_from([None, "shop", "ümläut/../x"])),
        st.tuples(
            st.sampled_from(["forget", "purge", "reinforce", "tag", "update", "supersede", "undo"]), st.integers(0, 30)
        ),
        st.tuples(st.just("link"), st.integers(0, 30), st.integers(0, 30)),
    ),
    min_size=1,
    max_size=14,
)


def play(memory: recollect.Memory, clock: FixedClock, step: tuple) -> None:
    clock.advance(timedelta(seconds=1, microseconds=7))
    held = sorted(record.id for record in memory.list(status="all", limit=100))
    if step[0] == "remember":
        memory.remember(step[1], project=step[2], tags=["t1"])
    elif step[0] == "undo" or not held:
        if memory.log(limit=1):
            with suppress(InvalidInput, recollect.NotFound):
                memory.undo()
    else:
        change(memory, step, held)


def change(memory: recollect.Memory, step: tuple, held: list[str]) -> None:
    one, other = held[step[1] % len(held)], held[step[-1] % len(held)]
    actions = {
        "forget": lambda: memory.forget(one, "no longer"),
        "purge": lambda: memory.purge(one),
        "reinforce": lambda: memory.reinforce(one),
        "tag": lambda: memory.tag(one, "t2"),
        "update": lambda: memory.update(one, content=f"another text {step[1]}", importance=0.25),
        "supersede": lambda: memory.remember(f"instead of {step[1]}", supersedes=one),
        "link": lambda: memory.link(one, other, weight=0.3),
    }
    with suppress(InvalidInput):  # a memory cannot be linked with itself, and the like
        actions[step[0]]()


@given(steps=steps, history=st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_done_to_a_store_survives_the_way_out_and_in(steps, history) -> None:
    clock = FixedClock()
    opened = {"embedder": HashingEmbedder(16), "clock": clock}
    with recollect.open(":memory:", **opened) as one, recollect.open(":memory:", **opened) as other:
        for step in steps:
            play(one, clock, step)
        first, second = io.BytesIO(), io.BytesIO()
        one.export(first, history=history, everything=True)
        first.seek(0)
        assert other.import_data(first, everything=True).left_out == ()
        other.export(second, history=history, everything=True)
        assert second.getvalue() == first.getvalue()


def test_links_survive_export(rich, another, tmp_path) -> None:
    rich.export(tmp_path / "all.jsonl")
    empty = another("empty")
    empty.import_data(tmp_path / "all.jsonl")
    for record in rich.list(limit=100):
        assert empty.get(record.id).links == record.links
    ship = next(record for record in empty.list(limit=100) if "make ship" in record.content)
    assert [(link.relation, link.weight) for link in ship.links] == [("relates_to", 0.5)]
    assert any("invoices" in found.memory.content for found in empty.related(ship.id))


def test_recall_and_clusters_answer_the_same_after_the_way_in(rich, another, tmp_path) -> None:
    rich.export(tmp_path / "all.jsonl", everything=True)
    empty = another("empty")
    empty.import_data(tmp_path / "all.jsonl", everything=True)
    assert [hit.memory.id for hit in empty.recall("invoices on Mondays")] == [
        hit.memory.id for hit in rich.recall("invoices on Mondays")
    ]
    assert [(c.id, c.name, c.size) for c in empty.clusters()] == [(c.id, c.name, c.size) for c in rich.clusters()]
    assert empty.stats()["unembedded"] == 0


def test_a_history_brings_time_travel_undo_and_snapshots_along(rich, another, tmp_path, clock) -> None:
    rich.export(tmp_path / "all.jsonl", history=True, everything=True)
    other = another("other")
    # The other store had events of another account: numbers of the journal differ.
    other.with_identity(account="neighbour").remember("Something of another account")
    done = other.import_data(tmp_path / "all.jsonl", everything=True)
    assert done.operation is None
    assert [event.operation for event in other.log(limit=500)] == [event.operation for event in rich.log(limit=500)]
    moment = datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)
    assert {r.content for r in other.as_of(moment).list(limit=100)} == {
        r.content for r in rich.as_of(moment).list(limit=100)
    }
    difference = other.contexts.diff("base", "first")
    assert [(str(c.before), str(c.after)) for c in difference.changed] == [
        (str(c.before), str(c.after)) for c in rich.contexts.diff("base", "first").changed
    ]
    assert other.contexts.restore("base", "first")
    assert "Kestrel builds run nightly" in {entry.content for entry in other.contexts.entries("base")}


def test_without_history_the_whole_import_is_undone_at_once(rich, another, tmp_path) -> None:
    rich.export(tmp_path / "all.jsonl")
    other = another("other")
    kept = other.remember("This was here before").memory
    done = other.import_data(tmp_path / "all.jsonl")
    assert done.stored > 20
    assert {event.operation for event in other.log(limit=500)} > {done.operation}
    other.undo(done.operation, force=True)
    assert [record.id for record in other.list(status="all", limit=500)] == [kept.id]
    assert other.pools.list() == []


def test_vectors_can_be_left_out_and_are_made_anew(rich, another, exported, tmp_path) -> None:
    rich.export(tmp_path / "bare.jsonl", vectors=False)
    raw = (tmp_path / "bare.jsonl").read_bytes()
    assert not any("vectors" in memory for memory in told(raw, "memory"))
    assert told(raw, "cluster") == []
    other = another("other")
    done = other.import_data(tmp_path / "bare.jsonl")
    assert "reembed" in done.notes[0]
    assert other.reembed() == done.stored
    assert other.search("invoices", mode="semantic")


def test_vectors_of_another_model_travel_and_wait_for_it(rich, another, exported, tmp_path) -> None:
    rich.export(tmp_path / "all.jsonl", everything=True)
    plain = another("plain", embedder="none")
    plain.import_data(tmp_path / "all.jsonl", everything=True)
    assert exported(plain, everything=True) == (tmp_path / "all.jsonl").read_bytes()
    plain.close()
    again = another("plain")
    assert again.stats()["unembedded"] == 0
    assert again.search("invoices", mode="semantic")


def test_a_file_is_for_its_owner_alone_and_appears_when_it_is_whole(rich, tmp_path) -> None:
    target = tmp_path / "all.jsonl"
    target.write_text("what was there before")

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rich.export(target, progress=stop)
    assert target.read_text() == "what was there before"
    assert [path.name for path in tmp_path.glob(".all*")] == []
    rich.export(target)
    assert target.stat().st_mode & 0o777 == 0o600


def test_the_header_and_the_last_line_say_what_is_between(rich, exported) -> None:
    lines = lines_of(exported(rich, everything=True))
    header, end = lines[0]["recollect"], lines[-1]["end"]
    assert (header["version"], header["account"], header["vectors"], header["history"]) == (1, "default", True, False)
    assert header["counts"]["memory"] == end["counts"]["memory"] == sum("memory" in line for line in lines)


def test_no_secret_leaves_a_store_in_which_nothing_was_purged(memory, exported) -> None:
    memory.remember("The office is in Porto")
    assert told(exported(memory, everything=True), "secrets") == []


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda raw: raw[: len(raw) // 2], "is truncated"),
        (lambda raw: raw.rsplit(b"\n", 2)[0] + b"\n", "is truncated"),
        (lambda raw: raw.replace(b"Porto", b"Lisbon"), "changed or damaged"),
        (lambda raw: b"", "is truncated"),
        (lambda raw: b"# Memories\n\n- one\n", "is not an export"),
    ],
)
def test_a_cut_or_changed_file_is_noticed_before_anything_is_taken(rich, another, tmp_path, spoil, problem) -> None:
    rich.export(tmp_path / "all.jsonl")
    (tmp_path / "bad.jsonl").write_bytes(spoil((tmp_path / "all.jsonl").read_bytes()))
    other = another("other")
    with pytest.raises(InvalidInput, match=problem):
        other.import_data(tmp_path / "bad.jsonl")
    assert other.list(status="all") == []


def test_a_cut_stream_is_noticed_at_its_end_and_taking_it_again_goes_on(rich, another, exported) -> None:
    raw = exported(rich)
    other = another("other")
    with pytest.raises(InvalidInput, match="is truncated"):
        other.import_data(io.BytesIO(raw.rsplit(b"\n", 2)[0] + b"\n"))
    other.import_data(io.BytesIO(raw))
    assert exported(other) == raw


HEADER = {"recollect": {"account": "default", "version": 1}}
AT = "2026-01-01T12:00:00+00:00"
FINE = {
    "id": "019b796d-d600-793d-a368-1a07f08cff48", "content": "The office is in Porto", "created_at": AT, "updated_at": AT,
    "accessed_at": AT,
}  # fmt: skip


def stream(*lines: object) -> io.BytesIO:
    return io.BytesIO(
        b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{not json", "line 2.* is not JSON"),
        (b"[" * 100_000, "line 2.* is not JSON"),
        (b'{"memory": "\xff"}', "line 2.* is not UTF-8"),
        (b'"text"', "line 2.* not a line of an export"),
        ({"nonsense": {}}, "line 2: nonsense.* not a kind of line"),
        ({"memory": []}, "line 2: memory.* is not an object"),
        ({"memory": {**FINE, "colour": "red"}}, "line 2.*'colour' is not a known field"),
        ({"memory": {**FINE, "content": " "}}, "line 2: content.* is empty"),
        ({"memory": {**FINE, "content": 7}}, "line 2: content.* is not text"),
        ({"memory": {**FINE, "content": "\ud800"}}, "line 2: content.* lone surrogate"),
        ({"memory": {**FINE, "content": "a\x00b"}}, "line 2: content.* NUL"),
        ({"memory": {**FINE, "content": "x" * 500_001}}, "line 2: content.* 500,001 characters"),
        ({"memory": {**FINE, "id": "../../etc/passwd"}}, "line 2: id.* is not an id"),
        ({"memory": {**FINE, "type": "rumour"}}, "line 2: type.* is unknown"),
        ({"memory": {**FINE, "status": "superseded"}}, "line 2: status.* is unknown"),
        ({"memory": {**FINE, "importance": 7}}, "line 2: importance.* out of range"),
        ({"memory": {**FINE, "importance": "high"}}, "line 2: importance.* not a number"),
        ({"memory": {**FINE, "strength": 2**40}}, "line 2: strength.* not an integer"),
        ({"memory": {**FINE, "updated_at": "yesterday"}}, "line 2: updated_at.* not a time"),
        ({"memory": {**FINE, "updated_at": "2026-01-01T12:00:00"}}, "line 2: updated_at.* not a time"),
        ({"memory": {**FINE, "triggers": ["re:(unclosed"]}}, "line 2: trigger"),
        ({"memory": {**FINE, "links": [{"target": FINE["id"], "relation": "owns"}]}}, "line 2: relation.* is unknown"),
        ({"memory": {**FINE, "vectors": {"model": "m", "dimensions": 2, "half": "AAAA"}}}, "line 2: vectors.* of 2"),
        ({"memory": {**FINE, "vectors": {"model": "m", "dimensions": 1, "half": "AHw="}}}, "line 2: vectors.* unit length"),
        ({"memory": {**FINE, "vectors": {"model": "m", "dimensions": 1, "half": "!"}}}, "line 2: vectors.* base64"),
        ({"event": {"kind": "update", "after": {"importance": "x"}}}, "line 2: event"),
        ({"document": {**FINE, "kind": "pool"}}, "line 2: document"),
        ({"end": {"counts": {"memory": 5}}}, "changed or damaged"),
        (HEADER, "line 2.* in the wrong place"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named_and_nothing_of_it_gets_in(memory, line, problem) -> None:
    with pytest.raises(InvalidInput, match=f"(?s){problem}"):
        memory.import_data(stream(HEADER, line))
    assert memory.list(status="all") == []


def test_an_id_or_a_key_told_twice_is_refused_the_second_time(memory) -> None:
    twice = [FINE, {**FINE, "content": "The same again"}]
    keyed = [{**FINE, "id": FINE["id"][:-1] + end, "content": f"Number {end}", "key": "k"} for end in "ab"]
    lines = [{"memory": one} for one in (*twice, *keyed)]
    done = memory.import_data(stream(HEADER, *lines, {"end": {"counts": {"memory": 4}}}))
    assert (done.stored, done.refused) == (2, 2)
    assert {record.content for record in memory.list()} == {"The office is in Porto", "Number a"}


def test_a_line_without_end_is_not_read_into_memory(memory) -> None:
    with pytest.raises(InvalidInput, match=r"line 2.* longer than 10,000,000 bytes"):
        memory.import_data(stream(HEADER, b'{"memory": "' + b"x" * 10_000_001))


@pytest.mark.parametrize(("version", "fix"), [(2, "upgrade recollect"), (0, "export it again"), (None, "export")])
def test_an_unknown_version_is_a_clear_error(memory, version, fix) -> None:
    with pytest.raises(InvalidInput, match=f"line 1: version.*{fix}"):
        memory.import_data(stream({"recollect": {"account": "default", "version": version}}))


def test_what_is_no_export_is_told_so(memory, tmp_path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        memory.import_data(tmp_path / "nothing.jsonl")
    with pytest.raises(InvalidInput, match=r"unknown.*jsonl, markdown, csv"):
        memory.export(tmp_path / "a", format="xml")
    with pytest.raises(InvalidInput, match="cannot be written"):
        memory.export(tmp_path / "no" / "folder" / "a.jsonl")


def test_async_callers_have_the_same_verbs(tmp_path, clock, embedder) -> None:
    async def moved() -> int:
        opened = {"embedder": embedder, "clock": clock}
        async with (
            recollect.open_async(tmp_path / "a.db", **opened) as one,
            recollect.open_async(tmp_path / "b.db", **opened) as other,
        ):
            await one.remember("The office is in Porto")
            await one.export(tmp_path / "all.jsonl", everything=True)
            return (await other.import_data(tmp_path / "all.jsonl")).stored

    assert asyncio.run(moved()) == 1


@pytest.mark.parametrize(
    "wrong", [None, 7, "x", [], {"a": "b"}, {"memory": "many"}, {"memory": None}, {"memory": 1e400}]
)
@pytest.mark.parametrize("field", ["counts", "vectors", "history", "account", "version"])
def test_a_header_with_a_wrong_type_is_refused_by_name(tmp_path, field, wrong) -> None:
    header = {"version": 1, "account": "default", "counts": {"memory": 0}, "vectors": True, "history": False}
    path = tmp_path / "wrong.jsonl"
    path.write_text(json.dumps({"recollect": {**header, field: wrong}}) + "\n")
    with recollect.open(tmp_path / "m.db", embedder="none") as memory:
        with suppress(recollect.RecollectError):
            memory.import_data(path)
        assert memory.list() == []
