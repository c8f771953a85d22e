"""A judge whose every answer is given by the test, and two statements that the rules cannot decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event

from recollect.values.judging import Decision, HowRelated, IsRelevant, JudgedBy, Question

OLD = "The backup of the shop database runs on the blue server at night"
NEW = "The backup of the shop database happens on the green machine at night"
OTHER = "The backup of the shop database happens on the red machine at night"
BY = JudgedBy("scripted", "m1", "how_related/1")


@dataclass
class ScriptedJudge:
    """Answers with a value, or with what a function says of a question; `gate` keeps it busy until it is set."""

    answer: object = None
    gate: Event | None = None
    asked: list[Question] = field(default_factory=list)
    busy: Event = field(default_factory=Event)
    before: Callable[[], object] = lambda: None
    model: str = "m1"
    calls: int = 0

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
        self.asked += questions
        self.calls += 1
        self.busy.set()
        self.before()
        if self.gate is not None:
            self.gate.wait(60)
        answers = [self.answer(each) if callable(self.answer) else self.answer for each in questions]
        return [None if answer is None else Decision(answer, "because", BY) for answer in answers]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """What it compared, the old text first."""
        return [(each.old.text, each.new.text) for each in self.asked if isinstance(each, HowRelated)]

    @property
    def read(self) -> list[str]:
        """The memories it read for a recall."""
        return [each.memory.text for each in self.asked if isinstance(each, IsRelevant)]
