"""A recall has an id, by which feedback refers to what it served."""

from __future__ import annotations

import pytest

import recollect
from recollect.errors import InvalidInput


@pytest.fixture
def ids(memory: recollect.Memory) -> list[str]:
    texts = ("The gateway listens on port 8080", "The gateway restarts every night", "Bread is baked on Fridays")
    return [memory.remember(text).memory.id for text in texts]


def test_feedback_on_a_recall_knows_its_query_and_links_what_helped(memory: recollect.Memory, ids: list[str]) -> None:
    found = memory.recall("gateway", limit=2)
    assert {hit.memory.id for hit in found} == set(ids[:2])
    helped = memory.confirm(*ids[:2], recall=found.id)
    assert all("gateway" in record.tags for record in helped), "a word of the query that both have"
    assert memory.related(ids[0])[0].memory.id == ids[1]


def test_every_recall_has_an_id_of_its_own(memory: recollect.Memory, ids: list[str]) -> None:
    assert len({memory.recall("gateway").id for _ in range(3)}) == 3 == len(ids)


def test_what_the_recall_did_not_serve_is_refused_and_nothing_changes(memory: recollect.Memory, ids: list[str]) -> None:
    found = memory.recall("gateway", limit=2)
    for helped, rejected in (([ids[2]], []), ([ids[0]], [ids[2]])):
        with pytest.raises(InvalidInput, match="did not serve"):
            memory.confirm(*helped, rejected=rejected, recall=found.id)
    assert memory.get(ids[0]).confidence == memory.get(ids[2]).confidence


@pytest.mark.parametrize("unknown", ["", "nonsense", 7])
def test_a_recall_nobody_knows_is_an_error(memory: recollect.Memory, ids: list[str], unknown: object) -> None:
    with pytest.raises(InvalidInput, match="no recent recall"):
        memory.confirm(ids[0], recall=unknown)


def test_the_recall_of_another_is_not_known(memory: recollect.Memory, ids: list[str]) -> None:
    found = memory.with_identity(agent="eve").recall("gateway")
    with pytest.raises(InvalidInput, match="no recent recall"):
        memory.confirm(ids[0], recall=found.id)


def test_after_a_purge_no_recall_is_known(memory: recollect.Memory, ids: list[str]) -> None:
    found = memory.recall("gateway")
    memory.purge(ids[2])
    with pytest.raises(InvalidInput, match="no recent recall"):
        memory.confirm(ids[0], recall=found.id)
