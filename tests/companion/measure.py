"""Measures extraction against labelled messages: how much of what it keeps is junk, how much of the explicit it finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.companion.labels import Labelled, Span

from recollect.companion.extraction import extract
from recollect.values.conversation import Message


@dataclass
class Measured:
    """Counts over some messages, and what was wrong."""

    explicit: int = 0
    found: int = 0
    kept: int = 0
    right: int = 0
    borderline: int = 0
    missed: list[str] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.explicit)

    @property
    def junk_share(self) -> float:
        return len(self.junk) / max(1, self.kept)

    @property
    def strict_junk_share(self) -> float:
        return (len(self.junk) + self.borderline) / max(1, self.kept)


def measure(messages: Iterable[Labelled]) -> Measured:
    """Each message is a session of its own."""
    counted = Measured()
    for each in messages:
        kept = extract([Message("user", each.text, 0)]).kept
        spans = [(one.start, one.end) for one in kept]
        counted.kept += len(kept)
        counted.explicit += len(each.explicit)
        for label in each.explicit:
            if any(_overlap(label, span) for span in spans):
                counted.found += 1
            else:
                counted.missed.append(each.text[slice(*label)])
        for one, span in zip(kept, spans, strict=True):
            if any(_overlap(label, span) for label in each.explicit):
                counted.right += 1
            elif any(_overlap(label, span) for label in each.borderline):
                counted.borderline += 1
            else:
                counted.junk.append(f"{one.content}  ({one.cue})")
    return counted


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
