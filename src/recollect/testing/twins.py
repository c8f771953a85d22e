"""Twins: one call on two engines, and the answers compared. Ids are random, so each memory is known by when it was made.

The stateful test drives the reference back end and another one through it; any difference is an AssertionError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import isclose
from typing import Any

from recollect.engine import Memory
from recollect.errors import RecollectError
from recollect.values.event import Event
from recollect.values.hit import Hit, Recalled, Trace
from recollect.values.image import to_image
from recollect.values.memory import Record
from recollect.values.outcome import Outcome

Act = Callable[[Memory, "Ids"], Any]
# Sums in single precision differ in their last digits with the order of adding.
_CLOSE = 1e-4


class Ids:
    """The ids one engine gave, numbered in the order of making; the numbers are the same on both engines."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._numbers: dict[str, int] = {}

    def __getitem__(self, number: int) -> str:
        return self._ids[number]

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, given: str) -> bool:
        return given in self._numbers

    def add(self, given: str) -> None:
        """Give the next number to an id."""
        self._numbers[given] = len(self._ids)
        self._ids.append(given)

    def plain(self, value: Any) -> Any:
        """A value with every id it holds replaced by its number, so that two engines' answers can be equal."""
        if isinstance(value, Record):
            return self.plain(to_image(value))
        if isinstance(value, Event):
            shown = ("at", "actor", "kind", "memory_id", "before", "after", "reason")
            return {name: self.plain(getattr(value, name)) for name in shown} | {"undoes": value.undoes is not None}
        if is_dataclass(value) and not isinstance(value, type):
            return {"is": type(value).__name__} | {f.name: self.plain(getattr(value, f.name)) for f in fields(value)}
        if isinstance(value, Mapping):
            return {key: self.plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        return self._numbers.get(value, value) if isinstance(value, str) else value

    def number(self, id: str) -> int:
        """The number of an id."""
        return self._numbers[id]


class Twins:
    """Two engines that must not be told apart."""

    def __init__(self, reference: Memory, subject: Memory, *, estimates: bool = False) -> None:
        """With `estimates`, the subject counts what is visible only when asked to explain."""
        self.engines, self.estimates = (reference, subject), estimates
        self.ids = (Ids(), Ids())

    def __len__(self) -> int:
        return len(self.ids[0])

    def same(self, act: Act) -> Any:
        """Do one thing on both; what they answer, or the error they raise, must be the same. Returns the reference's."""
        answers = self._answers(act)
        expected, found = (ids.plain(answer) for ids, answer in zip(self.ids, answers, strict=True))
        assert expected == found
        return answers[0]

    def remember(self, content: str, *, supersedes: int | None = None, **draft: Any) -> None:
        """Remember on both; a memory new to both gets the next number."""

        def act(memory: Memory, ids: Ids) -> Outcome:
            return memory.remember(content, supersedes=None if supersedes is None else ids[supersedes], **draft)

        answers = self._answers(act)
        self._name_new(answers)
        plain = [ids.plain(answer) for ids, answer in zip(self.ids, answers, strict=True)]
        assert plain[0] == plain[1]

    def load(self, texts: Sequence[str], **draft: Any) -> None:
        """Store many texts verbatim on both."""
        drafts = [{"content": text, **draft} for text in texts]
        for answers in zip(*self._answers(lambda memory, _: memory.remember_many(drafts, verbatim=True)), strict=True):
            self._name_new(answers)

    def recall(self, ask: Callable[[Memory], Recalled]) -> None:
        """Recall on both: the same memories with the same scores and reasons, each list best first."""
        answers = self._answers(lambda memory, _: ask(memory))
        if any(isinstance(answer, str) for answer in answers):
            assert answers[0] == answers[1]
            return
        expected, found = (
            {ids.number(hit.memory.id): hit for hit in answer} for ids, answer in zip(self.ids, answers, strict=True)
        )
        assert set(expected) == set(found)
        for number, hit in expected.items():
            self._assert_alike(hit, found[number])
        for answer in answers:
            scores = [hit.score for hit in answer]
            assert scores == sorted(scores, reverse=True)
        assert answers[0].notes == answers[1].notes
        if answers[0].trace.hidden or not self.estimates:
            assert _gates(answers[0].trace) == _gates(answers[1].trace)

    def _assert_alike(self, expected: Hit, found: Hit) -> None:
        assert self.ids[0].plain(expected.memory) == self.ids[1].plain(found.memory)
        assert _near(expected.score, found.score)
        assert (expected.similarity is None) == (found.similarity is None)
        assert _near(expected.similarity or 0.0, found.similarity or 0.0)
        if expected.explain is None or found.explain is None:
            assert expected.explain is found.explain
            return
        assert set(expected.explain.terms) == set(found.explain.terms)
        assert expected.explain.notes == found.explain.notes
        signals = {signal.name: signal.value for signal in found.explain.signals}
        for signal in expected.explain.signals:
            assert _near(signal.value, signals[signal.name]), signal

    def _answers(self, act: Act) -> list[Any]:
        """What each engine answers, or the name of the error it raises."""
        answers: list[Any] = []
        for engine, ids in zip(self.engines, self.ids, strict=True):
            try:
                answers.append(act(engine, ids))
            except RecollectError as error:
                answers.append(f"raised {type(error).__name__}")
        return answers

    def _name_new(self, answers: Sequence[Outcome | str]) -> None:
        made = [answer.memory for answer in answers if not isinstance(answer, str) and answer.memory is not None]
        new = [memory.id not in ids for memory, ids in zip(made, self.ids, strict=False)]
        if new == [True, True]:
            for memory, ids in zip(made, self.ids, strict=True):
                ids.add(memory.id)


def _near(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _gates(trace: Trace) -> tuple[int, int, tuple[tuple[str, int], ...]]:
    """What the gates held back; how many rows each leg brought depends on ties at its edge."""
    return trace.considered, trace.visible, trace.hidden
