"""An object with a `decide` of its own as the judge: counted, waited for until a deadline, and left alone while it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recollect.errors import JudgeError
from recollect.judge.models.breaker import CircuitBreaker
from recollect.judge.models.callable import Deadline, name_of
from recollect.judge.models.questions import form_of
from recollect.ports import TokenLedger
from recollect.values.judging import Decision, Question, WritingTask, Written


@dataclass(frozen=True, slots=True)
class GivenJudge:
    """Somebody else's judge on the account of one ledger."""

    inner: Any
    ledger: TokenLedger
    breaker: CircuitBreaker
    deadline: Deadline

    @property
    def name(self) -> str:
        return name_of(self.inner)

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
        """One answer per question."""
        if not questions:
            return []
        found = self._call(lambda: self.inner.decide(list(questions)), form_of(questions[0]).prompt, len(questions))
        return [each if isinstance(each, Decision) else None for each in found]

    def write(self, tasks: Sequence[WritingTask]) -> list[Written | None]:
        """One text per task; None if the judge only decides."""
        if not tasks or not hasattr(self.inner, "write"):
            return [None] * len(tasks)
        found = self._call(lambda: self.inner.write(list(tasks)), tasks[0].kind, len(tasks))
        return [each if isinstance(each, Written) else None for each in found]

    def _call(self, work: Any, question: str, asked: int) -> list[Any]:
        self.breaker.require_closed()
        self.ledger.require(0)
        try:
            found = list(self.deadline.call(lambda: list(work())))
            if len(found) != asked:
                raise JudgeError(f"{self.name} gave {len(found)} answers to {asked} questions")
        except JudgeError as error:
            self.breaker.failed(str(error))
            self.ledger.add(question, calls=1, asked=asked, kept=0, tokens_in=0, tokens_out=0)
            raise
        self.breaker.succeeded()
        kept = sum(each is not None for each in found)
        self.ledger.add(question, calls=1, asked=asked, kept=kept, tokens_in=0, tokens_out=0)
        return found
