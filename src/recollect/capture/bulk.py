"""Bulk: how a verb changes many memories. A plan says of each memory of a page how it changes, or why it does not.

A plan only reads, so a dry run asks the same plan as the change itself. What is changed passes the same checks as one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.access import with_contexts
from recollect.capture.duplicates import COPY, forgotten
from recollect.capture.edit import edited
from recollect.capture.intake import check_target
from recollect.errors import InvalidInput
from recollect.ports import Reader, Transaction
from recollect.unit_of_work import UnitOfWork, chain_of
from recollect.values.enums import EventKind
from recollect.values.ids import normalised
from recollect.values.memory import Record, covers, side_texts
from recollect.values.outcome import Refused
from recollect.values.scope import Identity, Place

# What is one memory's own: given to several, they would be the same memory.
_OWN_FIELDS = ("content", "triggers")
_FORGOTTEN = "it is forgotten; restore it first"
MOVED = ("scope", "project", "team", "agent", "user", "session", "task")


@dataclass(frozen=True, slots=True)
class Planned:
    """One memory and how it changes; without `new`, why it is left as it is (nothing, if it is as wanted already).

    `also` are others that change with it, each before and after, and `why` is the reason the journal gives for those.
    """

    old: Record
    new: Record | None = None
    refused: str | None = None
    also: tuple[tuple[Record, Record], ...] = ()
    why: str | None = None


# It is asked for one page after the other, and may keep in mind what it planned before.
Plan = Callable[[Reader, Sequence[Record]], list[Planned]]


def carry_out(tx: Transaction, planned: Planned, kind: EventKind, reason: str | None = None) -> None:
    """Write what was planned for one memory."""
    if planned.new is None:
        return
    tx.change(planned.old, planned.new, kind, reason=reason)
    for old, new in planned.also:
        tx.change(old, new, kind, reason=planned.why)


def change_one(uow: UnitOfWork, id: str, kind: EventKind, plan: Plan, *projects: str | None) -> Record | Refused:
    """Carry out a plan for one memory."""
    with uow.transaction(*projects) as tx:
        old = uow.find(tx, id)
        (planned,) = plan(tx, [old])
        if planned.refused is not None:
            return Refused(planned.refused)
        carry_out(tx, planned, kind)
        return uow.redact(tx, planned.new or old)


def plan_fields(uow: UnitOfWork, change: Callable[[Record], Record | Refused]) -> Plan:
    """Change fields beside the text; every change passes the gate."""
    gate = uow.runtime.gate

    def one(old: Record) -> Planned:
        try:
            new = change(old)
            new = new if isinstance(new, Refused) else gate.changed(old, new)
        except InvalidInput as error:
            return Planned(old, refused=str(error))
        if isinstance(new, Refused):
            return Planned(old, refused=new.reason)
        same = new.with_(updated_at=old.updated_at, hit_at=old.hit_at) == old
        return Planned(old) if same else Planned(old, new)

    def plan(reader: Reader, records: Sequence[Record]) -> list[Planned]:
        made = [one(old) for old in records]
        known = {text for each in made for _, text in side_texts(each.old)}
        added = {text for each in made if each.new is not None for _, text in side_texts(each.new)} - known
        uow.require_no_tombstones(reader, "text", sorted(added))
        return made

    return plan


def plan_update(uow: UnitOfWork, changes: Mapping[str, Any]) -> Plan:
    """Change the fields of several memories to the same values."""
    for name in _OWN_FIELDS:
        if name in changes:
            raise InvalidInput(name, "cannot be given to several memories at once", "update them one by one")
    gate, now = uow.runtime.gate.for_identity(uow.viewer.identity), uow.runtime.clock()
    # A wrong value is an error at once, also where nothing is selected.
    edited(Record("", "", uow.viewer.account, now, now, now), changes, gate, now)
    return plan_fields(uow, lambda old: edited(old, changes, gate, now))


def plan_archive(uow: UnitOfWork) -> Plan:
    """Take memories out of use without forgetting them: the same may be stored again."""

    def archived(old: Record) -> Record | Refused:
        return Refused(_FORGOTTEN) if old.status == "forgotten" else old.with_(status="archived")

    return plan_fields(uow, archived)


def plan_unarchive(uow: UnitOfWork) -> Plan:
    """Use archived memories again, unless what they say is stored anew, or was forgotten or purged since."""
    used: set[tuple[Place, str]] = set()
    uow.runtime.calibrate()  # what tombstones are compared with, which cannot be measured inside a transaction

    def plan(reader: Reader, records: Sequence[Record]) -> list[Planned]:
        archived = [old for old in records if old.status == "archived"]
        refused = _why_not_there(uow, reader, [(old, old.with_(status="active")) for old in archived], used)

        def one(old: Record) -> Planned:
            if old.status != "archived":
                return Planned(old, refused=_FORGOTTEN if old.status == "forgotten" else None)
            why = refused.get(old.id)
            return Planned(old, refused=why) if why else Planned(old, old.with_(status="active"))

        return [one(old) for old in records]

    return plan


def plan_forget(uow: UnitOfWork) -> Plan:
    """Forget memories, with their copies, as one by one."""
    account = uow.viewer.account
    done: dict[str, Record] = {}

    def plan(reader: Reader, records: Sequence[Record]) -> list[Planned]:
        stored = reader.texts_of(account, [old.content for old in records]) if records else {}
        wide = with_contexts(reader, uow.viewer.identity)
        return [one(old, stored[old.content].memories, wide) for old in records]

    def one(old: Record, same: Sequence[Record], wide: Identity) -> Planned:
        old = done.get(old.id, old)
        if old.status == "forgotten":
            return Planned(old)
        gone, copies = forgotten(old, [done.get(copy.id, copy) for copy in same], wide)
        also = tuple((copy, copy.with_(status="forgotten")) for copy in copies)
        done.update({new.id: new for new in (gone, *(new for _, new in also))})
        return Planned(old, gone, also=also, why=COPY)

    return plan


def plan_move(uow: UnitOfWork, given: Mapping[str, Any]) -> Plan:
    """Move memories to another place. What they supersede moves along, so that it does not hold again where it was."""
    target = _target(uow, given)
    moved: dict[str, Record] = {}
    used: set[tuple[Place, str]] = set()
    uow.runtime.calibrate()  # what tombstones are compared with, which cannot be measured inside a transaction

    def plan(reader: Reader, records: Sequence[Record]) -> list[Planned]:
        current = [moved.get(old.id, old) for old in records]
        pairs = [(old, old.with_(**target)) for old in current]
        refused = _why_not_there(uow, reader, [(old, new) for old, new in pairs if new != old], used)
        return [one(reader, old, new, refused.get(old.id)) for old, new in pairs]

    def one(reader: Reader, old: Record, new: Record, why: str | None) -> Planned:
        if new == old:
            return Planned(old)
        chain = [moved.get(each.id, each) for each in chain_of(reader, old)[1:]]
        why = why or _why_not_moved(reader, old, new, chain, moved)
        if why is not None:
            return Planned(old, refused=why)
        along = [each for each in chain if each.place == old.place and each.place != new.place]
        also = tuple((each, each.with_(**target)) for each in along)
        moved.update({each.id: each for each in (new, *(after for _, after in also))})
        return Planned(old, new, also=also, why="moved with what superseded it")

    return plan


def _target(uow: UnitOfWork, given: Mapping[str, Any]) -> dict[str, str]:
    """Where to, as the caller may write there."""
    for name in given:
        if name not in MOVED:
            raise InvalidInput(name, "is not a place", f"name at least one of {', '.join(MOVED)}")
    named = {name: uow.name(name, value) for name, value in given.items() if name != "scope"}
    target = {name: value for name, value in {"scope": given.get("scope"), **named}.items() if value is not None}
    if not target:
        raise InvalidInput("move", "no place is named", f"name at least one of {', '.join(MOVED)}")
    return check_target(target, uow.viewer.identity)


def _why_not_moved(
    reader: Reader, old: Record, new: Record, chain: Sequence[Record], moved: Mapping[str, Record]
) -> str | None:
    """Why a memory may not go where others would see what was hidden from them, or would see again what was superseded."""
    if old.status == "forgotten":
        return _FORGOTTEN
    if new.scope != "global" and not getattr(new, new.scope):
        return f"it names no {new.scope}"
    if any(not covers(new.place, each.place) for each in chain if each.place != old.place):
        return "what it supersedes is in another place and would hold again there"
    if old.superseded_by is not None and old.status == "superseded":
        (newer,) = reader.get(old.account, [old.superseded_by])
        newer = moved.get(old.superseded_by, newer)
        if newer is not None and not covers(newer.place, new.place):
            return "what superseded it is in another place, so that it would hold again"
    return None


def _why_not_there(
    uow: UnitOfWork, reader: Reader, pairs: Sequence[tuple[Record, Record]], used: set[tuple[Place, str]]
) -> dict[str, str]:
    """By id, why some memories cannot be in use where they shall be: the same is there, or was forgotten or purged.

    `used` are the places and texts of those that were planned before.
    """
    if not pairs:
        return {}
    account, identity = uow.viewer.account, uow.viewer.identity
    active = [(old, new) for old, new in pairs if new.status == "active"]
    stored = reader.texts_of(account, [new.content for _, new in pairs])
    refused: dict[str, str] = {}
    for old, new in active:
        spot = (new.place, normalised(new.content))
        there = [one for one in stored[new.content].memories if one.status == "active" and one.place == new.place]
        copy = next((one for one in there if one.id != new.id), None)
        if copy is not None or spot in used:
            refused[old.id] = f"the same text is stored there already{f', as {copy.short_id}' if copy else ''}"
        used.add(spot)
    for old, new in pairs:
        taken = new.key is not None and new.place != old.place and reader.by_key(account, new.key, new.place)
        if taken and taken.id != old.id:
            refused.setdefault(old.id, f"its key {new.key!r} is used there already")
    if reader.has_tombstones(account):
        waiting = [new for old, new in active if old.id not in refused]
        vectors = reader.vectors(account, [new.id for new in waiting])
        incoming = [(new, vectors.get(new.id)) for new in waiting]
        found = uow.runtime.gate.tombstones.of(reader, identity, incoming, uow.runtime.clock())
        refused |= {memory_id: tombstone.reason for memory_id, tombstone in found.items()}
    return refused
