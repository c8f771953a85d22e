"""Metadata: a memory's own JSON, kept, changed, screened, journalled, carried and erased like everything else it has."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import pytest

import recollect
from recollect import InvalidInput
from recollect.testing.embedding import HashingEmbedder
from recollect.values.metadata import merged

FIELDS = {
    "customer": 42,
    "score": 2.5,
    "open": True,
    "closed": None,
    "labels": ["late", 7, ["inside", False]],
    "address": {"city": "Ålesund", "lines": []},
    "空": "核心",
}


def test_it_comes_back_as_it_was_given(memory) -> None:
    kept = memory.remember("The March invoice is late", metadata=FIELDS).memory
    bulk = memory.remember_many([{"content": "The April invoice is paid", "metadata": FIELDS}], verbatim=True)[0].memory
    for record in (kept, bulk, *memory.list(), memory.recall("invoice")[0].memory):
        assert record.metadata == FIELDS
        assert [type(value) for value in record.metadata.values()] == [type(value) for value in FIELDS.values()]
    assert memory.get(memory.remember("Nothing more is known").memory.id).metadata == {}


def test_what_the_caller_does_with_its_object_later_changes_nothing(memory) -> None:
    given = {"labels": ["late"]}
    kept = memory.remember("The March invoice is late", metadata=given).memory
    given["labels"].append("paid")
    assert memory.get(kept.id).metadata == {"labels": ["late"]}


@pytest.mark.parametrize(
    ("old", "change", "new"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": [1]}}, {"a": {"c": 2, "d": [1]}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": 1}, {"a": {"b": {"c": None}}}, {"a": {"b": {}}}),
        ({"a": {"b": 1}}, {"a": 2}, {"a": 2}),
        ({}, {}, {}),
    ],
)
def test_an_update_is_merged_as_a_json_merge_patch(memory, old, change, new) -> None:
    assert merged(old, change) == new
    kept = memory.remember("The March invoice is late", metadata=old).memory
    assert memory.update(kept.id, metadata=change).metadata == new
    assert memory.get(kept.id).metadata == new
    replaced = {name: value for name, value in change.items() if value is not None}
    assert memory.update(kept.id, metadata=replaced, replace_metadata=True).metadata == replaced


def test_a_statement_that_is_known_brings_its_metadata(memory) -> None:
    memory.remember("The March invoice is late", metadata={"seen": 1, "by": "mail"})
    again = memory.remember("The March invoice is late", metadata={"seen": 2, "to": None})
    assert again.kind == "reinforced"
    assert memory.get(again.memory.id).metadata == {"seen": 2, "by": "mail", "to": None}
    assert memory.remember("The March invoice is late").memory.metadata == {"seen": 2, "by": "mail", "to": None}


def test_the_journal_knows_it(memory, clock) -> None:
    kept = memory.remember("The March invoice is late", metadata={"step": 1}).memory
    before = clock()
    clock.advance(timedelta(hours=1))
    memory.update(kept.id, metadata={"step": 2})
    assert [event.after["metadata"] for event in memory.history(kept.id) if event.kind == "update"] == [{"step": 2}]
    with memory.as_of(before) as then:
        assert [record.id for record in then.list(metadata={"step": 1})] == [kept.id]
        assert then.list(metadata={"step": 2}) == []
    memory.undo()
    assert memory.get(kept.id).metadata == {"step": 1}
    assert [record.id for record in memory.list(metadata={"step": 1})] == [kept.id]
    assert memory.list(metadata={"step": 2}) == []


@pytest.mark.parametrize("format", ["jsonl", "markdown"])
def test_it_survives_the_way_through_a_file(memory, tmp_path, format) -> None:
    kept = memory.remember("The March invoice is late", metadata=FIELDS).memory
    there = tmp_path / ("all.jsonl" if format == "jsonl" else "pages.zip")
    memory.export(there, format=format)
    with recollect.open(tmp_path / "copy.db", embedder=HashingEmbedder()) as copy:
        copy.import_data(there)
        assert copy.get(kept.id).metadata == FIELDS
        found = copy.list(metadata={"address.city": "Ålesund", "score": {"$lt": 3}})
        assert [record.id for record in found] == [kept.id]


def test_a_table_has_it_as_json(memory) -> None:
    memory.remember("The March invoice is late", metadata=FIELDS)
    memory.remember("Nothing more is known")
    out = io.BytesIO()
    memory.export(out, format="csv")
    rows = {row["content"]: row["metadata"] for row in csv.DictReader(io.StringIO(out.getvalue().decode("utf-8-sig")))}
    assert json.loads(rows["The March invoice is late"]) == FIELDS
    assert rows["Nothing more is known"] == ""


@pytest.mark.parametrize(
    "wrong",
    [
        "text", 7, ["a"], {"a": object()}, {"a": float("nan")}, {"a": float("inf")}, {"a": 2**63}, {"a": b"bytes"}, {"": 1},
        {"a": "nul\x00"}, {"a": "half \ud800"}, {"half \ud800": 1}, {"$gt": 1}, {"a": {"$in": [1]}}, {7: 1}, {None: 1},
        {"two\nlines": 1}, {"a": "x" * 32_001}, {"n" * 300: 1}, {str(number): 1 for number in range(257)},
        {"ﬁeld": 1, "field": 2},
    ],
    ids=lambda wrong: repr(wrong)[:24],
)  # fmt: skip
def test_what_is_no_metadata_is_refused_and_changes_nothing(memory, wrong) -> None:
    kept = memory.remember("The March invoice is late", metadata={"step": 1}).memory
    for call in (
        lambda: memory.remember("The April invoice is paid", metadata=wrong),
        lambda: memory.update(kept.id, metadata=wrong),
        lambda: memory.remember_many([{"content": "The May invoice is new", "metadata": wrong}], verbatim=True),
    ):
        with pytest.raises(InvalidInput) as refused:
            call()
        assert str(refused.value).startswith(("metadata", "drafts"))
    assert [record.metadata for record in memory.list()] == [{"step": 1}]


def test_what_contains_itself_is_refused(memory) -> None:
    circle: dict[str, object] = {}
    circle["again"] = [circle]
    with pytest.raises(InvalidInput, match="nested deeper"):
        memory.remember("The March invoice is late", metadata=circle)


def test_merging_ends_at_the_same_bounds(memory) -> None:
    kept = memory.remember("The March invoice is late", metadata={f"a{number}": 1 for number in range(200)}).memory
    with pytest.raises(InvalidInput, match="400 fields"):
        memory.update(kept.id, metadata={f"b{number}": 1 for number in range(200)})
    memory.remember("The harbour closes at ten", metadata={f"a{number}": 1 for number in range(200)})
    again = memory.remember("The harbour closes at ten", metadata={f"b{number}": 1 for number in range(200)})
    assert "its metadata is not added: together it has 400 fields" in again.notes[-1]
    assert len(memory.get(again.memory.id).metadata) == 200


SECRET = "ghp_" + "x7Kq2mVbT9wLr4NzPd8sHf3JcYg6RtAe1UoW"


@pytest.mark.parametrize(
    "metadata", [{"token": SECRET}, {"a": {"b": [SECRET]}}, {SECRET: 1}, {"password": "Tr0ub4dor&3"}, {"pin": 4711}]
)
def test_a_secret_is_refused_wherever_it_is_in_it(memory, metadata) -> None:
    assert memory.remember("The March invoice is late", metadata=metadata).kind == "refused"
    (bulk,) = memory.remember_many([{"content": "The April invoice is paid", "metadata": metadata}], verbatim=True)
    assert bulk.kind == "refused"
    kept = memory.remember("The May invoice is new").memory
    with pytest.raises(InvalidInput):
        memory.update(kept.id, metadata=metadata)
    assert memory.get(kept.id).metadata == {}


GONE = "Priya is interviewing at Globex behind our manager's back"


def test_what_was_forgotten_does_not_come_back_in_metadata(memory) -> None:
    memory.forget(memory.remember(GONE).memory.id)
    kept = memory.remember("The March invoice is late").memory
    refused = memory.remember("The April invoice is paid", metadata={"note": {"said": [GONE]}})
    assert refused.kind == "refused"
    with pytest.raises(InvalidInput, match="forgotten"):
        memory.update(kept.id, metadata={"note": GONE})
    assert memory.list(metadata={"note": {"$exists": True}}, status="all") == []


def test_a_purge_finds_what_metadata_repeats(memory) -> None:
    holder = memory.remember("The April invoice is paid", metadata={"note": [{"said": GONE}]}).memory
    gone = memory.remember(GONE).memory
    told = memory.purge(gone.id)
    assert holder.id in {repeat.id for repeat in told.repeats}
    assert GONE not in json.dumps([dict(record.metadata) for record in memory.list()]) or told.repeats


def test_purging_a_memory_leaves_nothing_of_its_metadata(memory) -> None:
    word = "zanzibarmarzipan"
    kept = memory.remember("The April invoice is paid", metadata={word: [word], "n": {word: 3}}).memory
    memory.update(kept.id, metadata={word: "other"})
    memory.purge(kept.id)
    assert memory.list(metadata={word: {"$exists": True}}, status="all") == []
    assert word not in repr(memory.log(limit=50))
    with memory._runtime.store.view() as reader:
        assert word not in repr(reader.events("default", limit=-1))
