"""Wording: answers as an agent reads them. Whatever a memory says stands inside a fence, as data; our own words outside."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from recollect.serve.mcp.forms import why
from recollect.serve.mcp.short_ids import ShortIds
from recollect.values.hit import Recalled
from recollect.values.memory import Record
from recollect.values.outcome import Conflict, Outcome, Refused, Superseded

_UNSEEN = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def fence(lines: Sequence[str], seed: str) -> str:
    """Lines that hold recalled text, between two fence lines."""
    from recollect.recall.rendering import fenced  # needs numpy, which a server need not load to say hello

    return fenced("".join(f"{line}\n" for line in lines), seed)


def told(record: Record, ids: ShortIds) -> str:
    """One memory as a list item, with its labels and its short id."""
    from recollect.recall.rendering import item

    short = ids.give(record)
    text = item(record)
    return text if short == record.short_id else f"{text.removesuffix(f'[{record.short_id}]')}[{short}]"


def recalled_text(found: Recalled, ids: ShortIds, seed: str) -> str:
    """Hits with their reasons, best first, and what is to be said about them."""
    notes = [f"note: {note}" for note in found.notes]
    if not found:
        return "\n".join(["Nothing is known about this. Other words may find it; do not ask a third time.", *notes])
    lines = [f"{told(hit.memory, ids)}\n  why: {_UNSEEN.sub(' ', why(hit))}" for hit in found]
    return "\n".join([fence(lines, seed), *notes])


def memories_text(records: Sequence[Record], ids: ShortIds, seed: str) -> str:
    """Memories, one below the other."""
    if not records:
        return "Nothing here."
    return fence([told(record, ids) + _standing(record) for record in records], seed)


def _standing(record: Record) -> str:
    return "" if record.status == "active" else f" · {record.status}"


def _reason(outcome: Outcome, ids: ShortIds) -> str:
    if isinstance(outcome, Superseded):
        return f"it replaces [{ids.give(outcome.old)}], which is kept with its history"
    return _UNSEEN.sub(" ", outcome.reason)


def ways_out(new: str, old: str) -> tuple[str, ...]:
    """The four ways out of a contradiction, as calls of the tool `resolve`."""
    call = f'resolve(new="{new}", old="{old}", way='
    return (
        f'both hold, each in its own case: {call}"keep_both")',
        f'the old one needs another text: {call}"update", content="…")',
        f'the new one takes its place from now on: {call}"supersede")',
        f'the old one was wrong: {call}"forget")',
    )


Ways = Callable[[str, str], Sequence[str]]


def outcome_text(outcome: Outcome, ids: ShortIds, seed: str, ways: Ways = ways_out) -> str:
    """What became of a draft, and what to do about contradictions, in the calls of the tools at hand."""
    if isinstance(outcome, Refused):
        return f"refused: {outcome.reason}. Nothing was stored."
    short = ids.give(outcome.memory)
    lines = [f"{outcome.kind} [{short}] ({_UNSEEN.sub(' ', where(outcome.memory))}): {_reason(outcome, ids)}"]
    lines += [f"note: {note}" for note in outcome.notes]
    if outcome.conflicts:
        lines.append(_conflicts_text(outcome.conflicts, short, ids, seed, ways))
    return "\n".join(lines)


def _conflicts_text(conflicts: Sequence[Conflict], new: str, ids: ShortIds, seed: str, ways: Ways) -> str:
    lines = [
        f"{told(conflict.memory, ids)}\n  {conflict.similarity:.0%} alike: {_UNSEEN.sub(' ', conflict.reason)}"
        for conflict in conflicts
    ]
    old = ids.give(conflicts[0].memory)
    return "\n".join(
        [
            "It may contradict what is known already:",
            fence(lines, seed),
            "Both are kept for now. Ask the user which one holds, unless they have just said so. Four ways out:",
            *(f"- {way}" for way in ways(new, old)),
        ]
    )


def where(record: Record) -> str:
    """Where a memory belongs."""
    named = {"project": record.project, "agent": record.agent, "team": record.team, "task": record.task}
    named["session"] = record.session
    return f"{record.scope} {named[record.scope]}" if named.get(record.scope) else record.scope
