"""Contradictions: found by a scan, flagged by a link, listed, and resolved in one of four ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from recollect.capture.duplicates import as_forgotten, let_supersede
from recollect.capture.edit import edited
from recollect.errors import InvalidInput, NotFound
from recollect.ports import Calibrated, Judge, Progress, Reader, Transaction
from recollect.unit_of_work import Embed, UnitOfWork, chain_of, own_chain
from recollect.validation import one_of, require_kept, shown
from recollect.values.enums import RESOLUTIONS, Resolution
from recollect.values.ids import new_id, normalised
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import Record
from recollect.values.outcome import Conflict, Contradiction
from recollect.values.scope import Identity, Viewer, reaches, shares
from recollect.values.search import Filter, Search
from recollect.values.transfer import StoredRow

_BATCH, _NEIGHBOURS = 64, 12
Rewrite = Callable[[Record], Record]
Pair = tuple[Record, Record, float]
# Anything that names two memories, the newer first: a contradiction, a conflict of an outcome, or two ids.
Disputed = Contradiction | Conflict | tuple[str, str] | Sequence[str]


@dataclass(frozen=True, slots=True)
class Comparer:
    """How two texts are compared: the judge, the calibration of the embedder, and the similarity from which to compare."""

    judge: Judge
    calibration: Calibrated | None
    floor: float


def list_flagged(reader: Reader, viewer: Viewer, comparer: Comparer) -> list[Contradiction]:
    """The unresolved contradictions of which both sides are active and shown to a viewer, newest first."""
    found = []
    for one in reader.get(viewer.account, reader.linked_by(viewer.account, "contradicts")):
        if one is None or one.status != "active" or not shares(viewer, one.place) or not one.contradicts:
            continue
        for other in reader.get(one.account, one.contradicts):
            if other is None or other.status != "active" or not shares(viewer, other.place):
                continue
            if not _says_the_same(one, other):
                found.append(_describe(reader, *_by_age(reader, one, other), comparer))
    return found


def _describe(reader: Reader, newer: Record, older: Record, comparer: Comparer) -> Contradiction:
    vectors = reader.vectors(newer.account, [newer.id, older.id])
    similarity = 0.0
    if comparer.calibration is not None and len(vectors) == 2:
        similarity = float(comparer.calibration.similarity(vectors[newer.id][0] @ vectors[older.id][0]))
    verdict = comparer.judge.compare(older.content, newer.content, similarity)
    reason = verdict.reason if verdict.relation in ("changed", "contradicts") else "flagged by hand"
    return Contradiction(newer, older, round(similarity, 3), reason)


def _scan(uow: UnitOfWork, comparer: Comparer, progress: Progress | None) -> None:
    """Compare every memory with its nearest neighbours, page by page: others read and write between two pages."""
    if comparer.calibration is None:
        raise InvalidInput("embedder", "there is none to compare by", "set one up first (`recollect doctor`)")
    account, after, done, total = uow.viewer.account, 0, 0, 0
    operation = new_id(uow.runtime.clock())
    while True:
        with uow.view() as reader:
            total = total or reader.how_many_embedded(account)
            page = reader.scan(account, after, _BATCH)
            pairs = _similar_pairs(reader, uow.viewer.identity, comparer, uow.runtime.clock(), page)
        if not page:
            return
        found = [contradiction for pair in pairs if (contradiction := _judge(comparer, *pair)) is not None]
        if found:
            with uow.transaction(operation=operation) as tx:
                flag(tx, found)
        after, done = page[-1].row, done + len(page)
        if progress is not None:
            progress(min(done, max(total, done)), max(total, done))


def _similar_pairs(
    reader: Reader, identity: Identity, comparer: Comparer, now: datetime, page: Sequence[StoredRow]
) -> list[Pair]:
    """The newer and the older of each two memories of a page that are similar enough to be compared."""
    assert comparer.calibration is not None
    ids = [kept.record.id for kept in page if reaches(identity, kept.record.place)]
    active = [record for record in reader.get(identity.account, ids) if record is not None and _is_live(record, now)]
    vectors = reader.vectors(identity.account, [record.id for record in active])
    pairs: list[Pair] = []
    for record in active:
        if record.id not in vectors:
            continue
        viewer = Viewer(identity, record.project, record.session if record.scope == "session" else None, record.task)
        near = reader.near(Search(viewer, Filter(), now.timestamp(), depth=_NEIGHBOURS), [vectors[record.id][0]])[0]
        likeness = np.asarray(comparer.calibration.similarity(near.cosine))
        similarity = {
            row: one for row, one in zip(near.rows.tolist(), likeness.tolist(), strict=True) if one >= comparer.floor
        }
        for row, other in zip(similarity, reader.fetch(identity.account, list(similarity)), strict=True):
            newer, older = _by_age(reader, record, other)
            if newer.id == record.id and other.id != record.id and not _already_linked(newer, older):
                pairs.append((newer, older, similarity[row]))
    return pairs


def _is_live(record: Record, now: datetime) -> bool:
    return record.status == "active" and (record.expires_at is None or record.expires_at > now)


def _says_the_same(one: Record, other: Record) -> bool:
    """Whether two texts are identical; such a pair is no contradiction, whatever a judge or a link says."""
    return normalised(one.content) == normalised(other.content)


def _judge(comparer: Comparer, newer: Record, older: Record, similarity: float) -> Contradiction | None:
    if _says_the_same(newer, older):
        return None
    verdict = comparer.judge.compare(older.content, newer.content, similarity)
    if verdict.relation not in ("changed", "contradicts"):
        return None
    return Contradiction(newer, older, round(similarity, 3), verdict.reason)


def _by_age(reader: Reader, one: Record, other: Record) -> tuple[Record, Record]:
    """The newer and the older of two; at equal times, the one stored later is the newer."""
    ages = [record.occurred_at or record.created_at for record in (one, other)]
    if ages[0] == ages[1]:
        first, second = reader.rows_of(one.account, [one.id, other.id])
        return (one, other) if first > second else (other, one)
    return (one, other) if ages[0] > ages[1] else (other, one)


def _already_linked(one: Record, other: Record) -> bool:
    """Whether the two are linked as contradicting already, resolved or not."""
    links = [(one, other.id), (other, one.id)]
    return any(x.relation == "contradicts" and x.target == target for record, target in links for x in record.links)


def flag(tx: Transaction, found: Sequence[Contradiction]) -> None:
    """Store contradictions: the newer side gets a link to the older."""
    for conflict in found:
        (newer,) = tx.get(conflict.newer.account, [conflict.newer.id])
        if newer is not None and not _already_linked(newer, conflict.older):
            link = Link(conflict.older.id, "contradicts")
            # Without the reason: it may quote the older text, and would survive its purge in the journal of the newer one.
            tx.change(newer, newer.with_(links=(*newer.links, link)), "contradict")


def apply_resolution(
    tx: Transaction, newer: Record, older: Record, resolution: Resolution, rewrite: Rewrite
) -> list[Record]:
    """Apply one of the four resolutions; returns the memories it changed.

    `update` writes the newer text (or another one) into the older memory and archives the newer, which is a duplicate then.
    """
    match resolution:
        case "keep_both":
            return [_keep_both(tx, newer, older)]
        case "supersede":
            return let_supersede(tx, newer, older)
        case "forget":
            gone = as_forgotten(tx, older)
            tx.change(older, gone, "resolve", reason="forget")
            return [gone]
        case "update":
            done = newer.with_(status="archived")
            tx.change(newer, done, "resolve", reason="update")
            return [rewrite(older), done]


def _keep_both(tx: Transaction, newer: Record, older: Record) -> Record:
    """Settle a contradiction, or take back that one supersedes the other: from now on both hold."""
    if newer.supersedes == older.id:
        settled = Link(older.id, "contradicts", settled=True)
        after = newer.with_(supersedes=None, links=(*newer.links, settled)[:MOST_LINKS])
        tx.change(newer, after, "resolve", reason="keep_both")
        return after
    for source, target in ((newer, older), (older, newer)):
        links = tuple(
            replace(x, settled=True) if (x.relation, x.target) == ("contradicts", target.id) else x
            for x in source.links
        )
        if links != source.links:
            after = source.with_(links=links)
            tx.change(source, after, "resolve", reason="keep_both")
            return after
    raise NotFound("contradiction", f"between {newer.short_id} and {older.short_id}", "`contradictions` lists them")


def list_contradictions(uow: UnitOfWork, *, scan: bool, progress: Progress | None) -> list[Contradiction]:
    """The unresolved contradictions; `scan` first compares all memories, page by page, and flags what it finds."""
    comparer = _comparer(uow)
    if scan:
        _scan(uow, comparer, progress)
    with uow.view() as reader:
        return uow.redact(reader, list_flagged(reader, uow.viewer, comparer))


def resolve(uow: UnitOfWork, conflict: Disputed, resolution: Resolution, content: str | None) -> list[Record]:
    """Resolve a contradiction in one of four ways."""
    if resolution is None:
        raise InvalidInput("resolution", "is missing", f"use one of {', '.join(RESOLUTIONS)}")
    one_of("resolution", resolution, RESOLUTIONS)
    if content is not None and resolution != "update":
        raise InvalidInput("content", f"is given, but the resolution is {resolution}", "leave it out, or use update")
    sides = _sides(conflict)

    def write(tx: Transaction, embed: Embed) -> list[Record]:
        newer, older = (uow.find(tx, side) for side in sides)
        if newer.id == older.id:
            raise InvalidInput("conflict", "names one memory twice", "name two memories")
        if resolution in ("update", "supersede"):
            require_kept("conflict", older)
        if resolution != "keep_both":
            # Without the newer one, nothing would be left of the two.
            require_kept("conflict", newer)
        if resolution == "supersede":
            own_chain(tx, uow.viewer.identity, newer)
        if resolution == "keep_both":
            # Between the two there may be others, each of which superseded the one before.
            between = (uow.find(tx, one.id) for one in chain_of(tx, newer) if one.supersedes == older.id)
            newer = next(between, newer)

        def rewrite(old: Record) -> Record:
            gate = uow.runtime.gate.for_identity(uow.viewer.identity)
            new = edited(old, {"content": content or newer.content}, gate, uow.runtime.clock())
            if not isinstance(new, Record):
                raise InvalidInput("content", new.reason, "give another text")
            if new.content != newer.content:
                uow.require_no_tombstone(tx, "content", new, embed)
            tx.change(old, new, "resolve", vectors=embed(new), reason="update")
            return new

        return uow.redact(tx, apply_resolution(tx, newer, older, resolution, rewrite))

    return uow.transact(write)


def _comparer(uow: UnitOfWork) -> Comparer:
    embedder = uow.runtime.embedder
    scale = None if embedder is None else embedder.calibration
    return Comparer(uow.runtime.judge, scale, uow.runtime.settings.contradiction)


def _sides(conflict: Disputed) -> tuple[str, str]:
    if isinstance(conflict, Contradiction):
        return conflict.newer.id, conflict.older.id
    if isinstance(conflict, Conflict):
        return conflict.new_id, conflict.memory.id
    if isinstance(conflict, str) or not isinstance(conflict, Sequence) or len(conflict) != 2:
        raise InvalidInput(
            "conflict", f"{shown(conflict)} does not name two memories", "give a contradiction, or two ids"
        )
    newer, older = conflict
    return newer, older
