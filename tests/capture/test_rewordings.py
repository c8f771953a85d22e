"""A forgotten or purged statement does not come back in other words; other statements in nearly the same words are stored."""

from __future__ import annotations

import pytest
from tests.capture.rewordings import CASES

import recollect


@pytest.mark.parametrize("verb", ["forget", "purge"])
def test_rewordings_of_what_is_gone_are_refused_and_other_statements_are_not(verb: str) -> None:
    refused = {"same": 0, "other": 0}
    for case in CASES:
        with recollect.open(":memory:") as memory:
            getattr(memory, verb)(memory.remember(case.gone).memory.id)
            for kind, texts in (("same", case.same), ("other", case.other)):
                refused[kind] += sum(isinstance(memory.remember(text), recollect.Refused) for text in texts)
    assert refused["same"] >= 0.75 * sum(len(case.same) for case in CASES)
    assert refused["other"] <= 0.04 * sum(len(case.other) for case in CASES)


@pytest.mark.parametrize("text", ["Carol owes Peter 500 euros", "In March Carol owed 500 euros to Peter"])
def test_what_a_purge_refuses_wrongly_is_stored_when_a_person_wants_it(memory: recollect.Memory, text: str) -> None:
    memory.purge(memory.remember("Peter owes Carol 500 euros").memory.id)
    kept = memory.remember(text, revive=True)
    assert not isinstance(kept, recollect.Refused)
    assert memory.get(kept.memory.id).content == text


def test_a_purged_text_wanted_again_is_stored_in_any_words(memory: recollect.Memory) -> None:
    memory.purge(memory.remember("Peter owes Carol 500 euros").memory.id)
    memory.forget(memory.remember("Peter owes Carol 500 euros", revive=True).memory.id)
    assert not isinstance(memory.remember("Peter owes 500 euros to Carol", revive=True), recollect.Refused)


@pytest.mark.parametrize("text", ["部署用make", "本番サーバーが落ちた", "#1234-5678", "x/y"])
def test_a_text_in_any_script_can_be_purged(memory: recollect.Memory, text: str) -> None:
    memory.purge(memory.remember(text).memory.id)
    assert isinstance(memory.remember(text), recollect.Refused)
