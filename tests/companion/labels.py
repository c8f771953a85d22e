"""The labelled messages: which sentences a user stated explicitly. `labels/RULE.md` says by which rule they were labelled."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Half = Literal["tuning", "held"]
Span = tuple[int, int]
_FOLDER = Path(__file__).with_name("labels")
_BREAK = re.compile(r"(?<=[.!?])[\"”)]*\s+(?=\S)|\n+")


@dataclass(frozen=True)
class Labelled:
    """A message with the spans of its explicit and of its borderline sentences."""

    text: str
    explicit: tuple[Span, ...] = ()
    borderline: tuple[Span, ...] = ()

    @property
    def half(self) -> Half:
        return "held" if digest(self.text)[-1] in "02468ace" else "tuning"


def digest(text: str) -> str:
    """What identifies a text without containing it."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def sentences(text: str) -> list[Span]:
    """The sentences that the numbers in `turns.tsv` count. It is older than the rules and independent of them."""
    found, start = [], 0
    for each in _BREAK.finditer(text):
        if text[start : each.start()].strip():
            found.append((start, each.start()))
        start = each.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def statements(file: str = "statements.txt") -> Iterator[Labelled]:
    """The sentences written for this test."""
    for line in (_FOLDER / file).read_text("utf-8").splitlines():
        sign, _, text = line.partition(" ")
        if sign not in ("+", "-"):
            continue
        start, end = text.find("⟦"), text.find("⟧")
        bare = text.replace("⟦", "").replace("⟧", "")
        marked = (start, end - 1) if start >= 0 else (0, len(bare))
        yield Labelled(bare, (marked,) if sign == "+" else ())


def turns(texts: dict[tuple[str, str], str]) -> Iterator[Labelled]:
    """The labelled messages of public sets; `texts` are those of the sets by (set, id)."""
    for line in (_FOLDER / "turns.tsv").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        _, name, id, known, explicit, borderline = line.split("\t")
        text = texts[name, id]
        assert digest(text) == known, f"{name} {id} is not the text that was labelled"
        spans = sentences(text)
        yield Labelled(text, _chosen(spans, explicit), _chosen(spans, borderline))


def folders() -> dict[str, list[tuple[str, str]]]:
    """The labelled messages (set, id) by the folder of their set."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in (_FOLDER / "turns.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            folder, name, id, *_ = line.split("\t")
            found.setdefault(folder, []).append((name, id))
    return found


def _chosen(spans: list[Span], numbers: str) -> tuple[Span, ...]:
    return tuple(spans[int(number)] for number in numbers.split(",") if number)
