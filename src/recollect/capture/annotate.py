"""Annotate, the third stage: infer type, importance, tags and triggers from the text where the caller gave none."""

from __future__ import annotations

import re
from functools import cache

from recollect.capture.infer_tags import inferred_tags
from recollect.capture.infer_triggers import inferred_triggers
from recollect.values.draft import Draft
from recollect.values.enums import MemoryType
from recollect.values.memory import Record

# Only openings that leave little doubt; everything else is a fact. (pattern, type)
_OPENINGS: tuple[tuple[str, MemoryType], ...] = (
    (r"(?:never|do not|don't|avoid|must not)\b", "negative"),
    (r"(?:always|must)\b", "rule"),
    (r"(?:correction\b|no, (?:it|that|the|we|i)\b|actually,)", "correction"),
    (r"(?:we|i|the team) (?:decided|chose|agreed|settled on)\b|decision:", "decision"),
    (r"(?:to [a-z]+[^.:]{0,60}[:,] ?(?:run|first|use|do|open|call|type)\b|how to\b|steps:|step 1\b)", "procedure"),
    (
        r"(?:i|the user|user|we) (?:prefers?|likes?|loves?|hates?|dislikes?|favou?rs?)\b|my favou?rite\b|prefers?\b",
        "preference",
    ),
)
_IMPORTANCE = {"correction": 0.8, "negative": 0.7, "rule": 0.7, "decision": 0.7, "preference": 0.6, "procedure": 0.6}


def annotate(record: Record, draft: Draft, *, infer: bool = True) -> Record:
    """The memory with what the draft left open inferred from its text."""
    kind = record.type if draft.type or draft.procedure else type_of(record.content)
    if record.provenance.kind == "user_corrected" and draft.type is None:
        kind = "correction"
    importance = _IMPORTANCE.get(kind, 0.5) if draft.importance is None else record.importance
    tags, triggers = record.tags, record.triggers
    # Turns of a conversation are raw material: tags belong to the memories extracted from them.
    if infer and not tags and draft.position is None:
        tags = inferred_tags(record.content, record.provenance.file_paths)
    if infer and kind == "negative" and not triggers:
        triggers = inferred_triggers(record.content)
    inferred = {"type": kind, "importance": importance, "tags": tags, "triggers": triggers}
    changes = {name: value for name, value in inferred.items() if value != getattr(record, name)}
    return record.with_(**changes) if changes else record


def type_of(text: str) -> MemoryType:
    """The type of a text, by how it begins."""
    start = text.lstrip(" \t\n-*•>\"'").casefold()[:200]
    return next((kind for pattern, kind in _compiled() if pattern.match(start)), "fact")


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], MemoryType], ...]:
    return tuple((re.compile(pattern), kind) for pattern, kind in _OPENINGS)
