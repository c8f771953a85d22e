"""What a detector reports: a kind and a span of the text; and how spans are merged and redacted.

`secrets.py` and `personal.py` return findings, `policy.py` decides what to do with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something sensitive at `text[start:end]`."""

    kind: str
    start: int
    end: int


def disjoint(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings in text order. Overlapping ones are merged, with the kind of the one that starts first."""
    joined: list[Finding] = []
    for found in sorted(findings, key=lambda f: (f.start, -f.end)):
        if joined and found.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = Finding(last.kind, last.start, max(last.end, found.end))
        else:
            joined.append(found)
    return tuple(joined)


def redact(text: str, findings: Iterable[Finding]) -> str:
    """The text with every finding replaced by `[redacted: kind]`."""
    pieces: list[str] = []
    cursor = 0
    for found in disjoint(findings):
        pieces += text[cursor : found.start], f"[redacted: {found.kind}]"
        cursor = found.end
    return "".join((*pieces, text[cursor:]))
