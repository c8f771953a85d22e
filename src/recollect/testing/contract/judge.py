"""The contract of whoever decides and writes: one answer per question, in order, of the right type, or nothing."""

from __future__ import annotations

from typing import get_args

import pytest

from recollect.ports import TextJudge
from recollect.values.judging import (
    Evidence,
    HowRelated,
    IsRelevant,
    Question,
    WorthKeeping,
    WritingKind,
    WritingTask,
)
from recollect.values.outcome import Relation

_OLD, _NEW = Evidence("The vault is in Bern"), Evidence("The vault is in Bern now, behind the old mill")


class JudgeContract:
    """A judge is held to it by a fixture `judge` that gives one."""

    def test_each_question_has_one_answer_of_its_type_or_none(self, judge: TextJudge) -> None:
        questions: list[Question] = [
            HowRelated(_OLD, _NEW),
            IsRelevant("Where is the vault?", _OLD),
            WorthKeeping(_OLD),
            HowRelated(_OLD, _NEW, newer_first=True),
        ] * 5
        decisions = judge.decide(questions)
        assert len(decisions) == len(questions)
        for question, decision in zip(questions, decisions, strict=True):
            if decision is not None:
                assert decision.by.provider
                match question:
                    case HowRelated():
                        assert decision.answer in get_args(Relation)
                    case IsRelevant():
                        assert isinstance(decision.answer, bool)
                    case WorthKeeping():
                        assert 0 <= float(decision.answer) <= 1

    def test_nothing_asked_is_nothing_answered(self, judge: TextJudge) -> None:
        assert judge.decide([]) == []
        assert judge.write([]) == []

    @pytest.mark.parametrize("kind", get_args(WritingKind))
    def test_each_task_has_one_text_or_none(self, judge: TextJudge, kind: WritingKind) -> None:
        written = judge.write([WritingTask(kind, texts=[_OLD, _NEW]), WritingTask(kind)])
        assert len(written) == 2
        for one in written:
            assert one is None or one.text or one.facts or one.summary is not None or kind == "extract"

    def test_it_has_a_name(self, judge: TextJudge) -> None:
        assert judge.name
