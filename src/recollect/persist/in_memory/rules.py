"""The rules of sight, one memory at a time: whether it is current, whether something in force replaces it, how it stands.

The index and the SQL filter say the same with masks and joins; where they differ from this file, they are wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from recollect.values.filter import Filter
from recollect.values.memory import Record
from recollect.values.supersession import covers

Counts = Callable[[Record, Record], bool]


def expired(memory: Record, now: datetime) -> bool:
    """From its last moment on."""
    return memory.expires_at is not None and memory.expires_at <= now


def valid(memory: Record, now: datetime) -> bool:
    """From `valid_from` on, and until just before `valid_until`."""
    begun = memory.valid_from is None or memory.valid_from <= now
    ended = memory.valid_until is not None and memory.valid_until <= now
    return begun and not ended


def in_force(memory: Record, now: datetime | None) -> bool:
    """Whether it may replace another one; without a moment only its status counts."""
    return memory.status == "active" and (now is None or (valid(memory, now) and not expired(memory, now)))


def heirs(memories: Iterable[Record], counts: Counts, now: datetime | None) -> dict[str, str]:
    """For each replaced memory, the one in force that replaces it, directly or through a chain of replaced ones.

    `counts` says of a replacing and a replaced memory whether that replacement matters to who asks.
    """
    known = {memory.id: memory for memory in memories}
    links = [
        memory
        for memory in known.values()
        if memory.supersedes is not None and memory.supersedes in known and counts(memory, known[memory.supersedes])
    ]
    found = {str(memory.supersedes): memory.id for memory in links if in_force(memory, now)}
    while True:
        further = {
            str(memory.supersedes): found[memory.id]
            for memory in links
            if memory.id in found and memory.supersedes not in found
        }
        if not further:
            return found
        found |= further


def anywhere(new: Record, old: Record) -> bool:
    """For one who asks from nowhere in particular: it counts where whoever sees the old one also sees the new."""
    return covers(new.place, old.place)


def standing(memory: Record, replaced: dict[str, str]) -> Record:
    """The memory as it is shown: superseded when it is active and something in force replaces it."""
    if memory.status != "active" or memory.id not in replaced:
        return memory
    return memory.with_(status="superseded", superseded_by=replaced[memory.id])


def narrowed(memory: Record, wanted: Filter) -> bool:
    """The caller's own conditions, status and tags aside."""
    when = memory.occurred_at or memory.created_at
    return (
        (not wanted.types or memory.type in wanted.types)
        and (not wanted.scopes or memory.scope in wanted.scopes)
        and (not wanted.sources or memory.provenance.kind in wanted.sources)
        and (wanted.project is None or memory.project == wanted.project)
        and (wanted.session is None or memory.session == wanted.session)
        and (wanted.since is None or when >= wanted.since)
        and (wanted.until is None or when < wanted.until)
        and memory.trust >= wanted.min_trust
        and memory.project not in wanted.without
    )


def tagged(memory: Record, wanted: Filter) -> bool:
    """Whether it carries every tag asked for."""
    return set(wanted.tags) <= set(memory.tags)
