"""Twins: one call on several engines, and the answers compared. Ids are random, so each memory is known by when it was made.

The stateful test drives the reference back end and another one through it; any difference is an AssertionError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import isclose
from typing import Any

from recollect.engine import Memory
from recollect.errors import RecollectError
from recollect.unit_of_work import flush
from recollect.values.event import Event, to_image
from recollect.values.memory import Record
from recollect.values.outcome import Outcome
from recollect.values.recalled import Hit, Recalled, Trace

Act = Callable[[Memory, "Ids"], Any]
# Sums in single precision differ in their last digits with the order of adding; what is shown is rounded to four.
_CLOSE = 1.01e-4
_SIMILAR = 2e-3
_SHORT_ID = re.compile(r"\b[0-9a-f]{8}\b")


class Ids:
    """The ids one engine gave, numbered in the order of making; the numbers are the same on every engine."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._numbers: dict[str, int] = {}
        self._short: dict[str, int] = {}

    def __getitem__(self, number: int) -> str:
        return self._ids[number]

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, given: str) -> bool:
        return given in self._numbers

    def add(self, given: str) -> None:
        """Give the next number to an id."""
        self._numbers[given] = self._short[given[-8:]] = len(self._ids)
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
        return self._plain_text(value) if isinstance(value, str) else value

    def _plain_text(self, text: str) -> int | str:
        """The number of an id; in a longer text, such as a reason, the number of each short id."""
        if text in self._numbers:
            return self._numbers[text]
        return _SHORT_ID.sub(lambda found: f"#{self._short.get(found[0], found[0])}", text)

    def number(self, id: str) -> int:
        """The number of an id."""
        return self._numbers[id]


class Twins:
    """Engines that must not be told apart; the first is the reference."""

    def __init__(self, *engines: Memory, estimates: bool = False) -> None:
        """With `estimates`, the others count what is visible only when asked to explain."""
        self.engines, self.estimates = engines, estimates
        self.ids = tuple(Ids() for _ in engines)

    def __len__(self) -> int:
        return len(self.ids[0])

    def same(self, act: Act) -> Any:
        """Do one thing on all; what they answer, or the error they raise, must be the same. Returns the reference's."""
        answers = self._answers(act)
        self._assert_same(answers)
        return answers[0]

    def remember(self, content: str, *, supersedes: int | None = None, **draft: Any) -> None:
        """Remember on all; a memory new to all gets the next number."""

        def act(memory: Memory, ids: Ids) -> Outcome:
            return memory.remember(content, supersedes=None if supersedes is None else ids[supersedes], **draft)

        answers = self._answers(act)
        self._name_new(answers)
        self._assert_same(answers)

    def load(self, drafts: Sequence[str | Mapping[str, Any]], **fields: Any) -> None:
        """Store many drafts verbatim on all."""
        whole = [{**fields, **({"content": draft} if isinstance(draft, str) else draft)} for draft in drafts]
        stored = [memory.remember_many(whole, verbatim=True) for memory in self.engines]
        for answers in zip(*stored, strict=True):
            self._name_new(answers)

    def recall(self, ask: Callable[[Memory], Recalled]) -> None:
        """Recall on all: the same memories with the same scores and reasons, in the same order wherever scores differ."""
        expected, *others = self._answers(lambda memory, _: ask(memory))
        for ids, found in zip(self.ids[1:], others, strict=True):
            if isinstance(expected, str) or isinstance(found, str):
                assert expected == found
                continue
            self._assert_order(expected, found, ids)
            assert expected.notes == found.notes
            if expected.trace.hidden or not self.estimates:
                assert _gates(expected.trace) == _gates(found.trace)

    def _assert_order(self, expected: Recalled, found: Recalled, ids: Ids) -> None:
        """Place by place the same memory, or one of the same score; at the end, where a limit cuts, any of those tied."""
        assert len(expected) == len(found)
        wanted = {self.ids[0].number(hit.memory.id): hit for hit in expected}
        for place, hit in enumerate(found):
            assert _near(expected[place].score, hit.score), place
            number = ids.number(hit.memory.id)
            if number in wanted:
                self._assert_alike(wanted[number], hit, ids)
            else:
                assert _near(expected[-1].score, hit.score), number

    def _assert_alike(self, expected: Hit, found: Hit, ids: Ids) -> None:
        assert self.ids[0].plain(expected.memory) == ids.plain(found.memory)
        assert _near(expected.score, found.score)
        assert expected.trigger == found.trigger
        assert (expected.similarity is None) == (found.similarity is None)
        assert _near(expected.similarity or 0.0, found.similarity or 0.0)
        if expected.explain is None or found.explain is None:
            assert expected.explain is found.explain
            return
        for name in ("profile", "formula", "notes", "confidence"):
            assert getattr(expected.explain, name) == getattr(found.explain, name)
        assert set(expected.explain.terms) == set(found.explain.terms)
        for one, other in zip(expected.explain.signals, found.explain.signals, strict=True):
            assert (one.name, one.weight) == (other.name, other.weight)
            assert _near(one.value, other.value), one

    def _answers(self, act: Act) -> list[Any]:
        """What each engine answers, or the name of the error it raises."""
        answers: list[Any] = []
        for engine, ids in zip(self.engines, self.ids, strict=True):
            # Accesses are counted in the background: each engine would have counted others by now.
            flush(engine._runtime)  # noqa: SLF001
            try:
                answers.append(act(engine, ids))
            except RecollectError as error:
                answers.append(f"raised {type(error).__name__}")
        return answers

    def _assert_same(self, answers: Sequence[Any]) -> None:
        expected, *others = (ids.plain(answer) for ids, answer in zip(self.ids, answers, strict=True))
        for found in others:
            assert _agree(expected, found), (expected, found)

    def _name_new(self, answers: Sequence[Outcome | str]) -> None:
        made = [answer.memory for answer in answers if not isinstance(answer, str) and answer.memory is not None]
        new = [memory.id not in ids for memory, ids in zip(made, self.ids, strict=False)]
        if new == [True] * len(self.ids):
            for memory, ids in zip(made, self.ids, strict=True):
                ids.add(memory.id)


def _agree(one: Any, other: Any, name: str = "") -> bool:
    """Whether two plain values are equal; a similarity may differ by what the vectors of a back end are rounded to."""
    if name == "similarity" and isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, abs_tol=_SIMILAR)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_agree(one[key], other[key], key) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_agree, one, other))
    return bool(one == other)


def _near(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _gates(trace: Trace) -> tuple[int, int, tuple[tuple[str, int], ...]]:
    """What the gates held back; how many rows each leg brought depends on ties at its edge."""
    return trace.considered, trace.visible, trace.hidden
