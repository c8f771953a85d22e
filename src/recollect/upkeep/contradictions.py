"""Contradictions: found over the whole store, flagged by a link, listed, and settled in one of four ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from recollect.errors import InvalidInput, NotFound
from recollect.ports import Calibrated, Judge, Progress, Reader, Transaction
from recollect.values.filter import Filter
from recollect.values.link import Link
from recollect.values.memory import Record
from recollect.values.outcome import Contradiction
from recollect.values.scope import Identity, Viewer, reaches
from recollect.values.search import Search
from recollect.values.words import WayOut

_BATCH, _LOOK_AT = 256, 12
Rewrite = Callable[[Record], Record]


@dataclass(frozen=True, slots=True)
class Comparer:
    """How two texts are compared: the judge, the scale of the embedder, and from which similarity on it is worth it."""

    judge: Judge
    calibration: Calibrated | None
    floor: float


def flagged(reader: Reader, identity: Identity, comparer: Comparer, now: datetime) -> list[Contradiction]:
    """The contradictions on record that nobody settled, newest first, as far as both sides are within reach and active."""
    found = []
    for one in reader.find(identity, Filter(), now, limit=-1):
        for other in reader.get(one.account, one.contradicts) if one.contradicts else ():
            if other is not None and other.status == "active" and reaches(identity, other.place):
                found.append(_described(reader, *_by_age(reader, one, other), comparer))
    return found


def _described(reader: Reader, newer: Record, older: Record, comparer: Comparer) -> Contradiction:
    vectors = reader.vectors(newer.account, [newer.id, older.id])
    alike = 0.0
    if comparer.calibration is not None and len(vectors) == 2:
        alike = float(comparer.calibration.similarity(vectors[newer.id][0] @ vectors[older.id][0]))
    verdict = comparer.judge.compare(older.content, newer.content, alike)
    reason = verdict.reason if verdict.relation in ("changed", "contradicts") else "flagged by hand"
    return Contradiction(newer, older, round(alike, 3), reason)


def search(
    reader: Reader, identity: Identity, comparer: Comparer, now: datetime, progress: Progress | None = None
) -> list[Contradiction]:
    """Contradictions nobody flagged yet, over everything within reach."""
    if comparer.calibration is None:
        raise InvalidInput("embedder", "there is none to compare by", "set one up first (`recollect doctor`)")
    records = reader.find(identity, Filter(), now, limit=-1)
    found: list[Contradiction] = []
    for first in range(0, len(records), _BATCH):
        found += _in_batch(reader, identity, comparer, now, records[first : first + _BATCH])
        if progress is not None:
            progress(min(first + _BATCH, len(records)), len(records))
    return found


def _in_batch(
    reader: Reader, identity: Identity, comparer: Comparer, now: datetime, batch: Sequence[Record]
) -> Iterator[Contradiction]:
    assert comparer.calibration is not None
    vectors = reader.vectors(identity.account, [record.id for record in batch])
    for record in batch:
        if record.id not in vectors:
            continue
        viewer = Viewer(identity, record.project, record.session if record.scope == "session" else None, record.task)
        near = reader.near(Search(viewer, Filter(), now.timestamp(), depth=_LOOK_AT), [vectors[record.id][0]])[0]
        likeness = np.asarray(comparer.calibration.similarity(near.cosine))
        rows = [int(row) for row, alike in zip(near.rows, likeness, strict=True) if alike >= comparer.floor]
        alike = dict(zip(near.rows.tolist(), likeness.tolist(), strict=True))
        for row, other in zip(rows, reader.fetch(identity.account, rows), strict=True):
            newer, older = _by_age(reader, record, other)
            if newer.id != record.id or other.id == record.id or _known(newer, older):
                continue
            verdict = comparer.judge.compare(older.content, newer.content, alike[row])
            if verdict.relation in ("changed", "contradicts"):
                yield Contradiction(newer, older, round(alike[row], 3), verdict.reason)


def _by_age(reader: Reader, one: Record, other: Record) -> tuple[Record, Record]:
    """The newer and the older of two; of two kept in the same moment, the one stored later is the newer."""
    ages = [record.occurred_at or record.created_at for record in (one, other)]
    if ages[0] == ages[1]:
        first, second = reader.rows_of(one.account, [one.id, other.id])
        return (one, other) if first > second else (other, one)
    return (one, other) if ages[0] > ages[1] else (other, one)


def _known(one: Record, other: Record) -> bool:
    """Whether the two are linked as contradicting already, settled or not."""
    links = [(one, other.id), (other, one.id)]
    return any(x.relation == "contradicts" and x.target == target for record, target in links for x in record.links)


def flag(tx: Transaction, found: Sequence[Contradiction]) -> None:
    """Put contradictions on record: the newer side is linked to the older."""
    for conflict in found:
        (newer,) = tx.get(conflict.newer.account, [conflict.newer.id])
        if newer is not None and not _known(newer, conflict.older):
            link = Link(conflict.older.id, "contradicts")
            # Without the reason: it may quote the older side, and would outlive its purge in the journal of this one.
            tx.change(newer, newer.with_(links=(*newer.links, link)), "contradict")


def settle(tx: Transaction, newer: Record, older: Record, way: WayOut, rewrite: Rewrite | None) -> list[Record]:
    """Take one of the four ways out; returns the memories it changed.

    `update` puts the newer text (or another one) into the older memory and archives the newer, now a repetition of it.
    """
    match way:
        case "keep_both":
            return [_kept_both(tx, newer, older)]
        case "supersede":
            return _superseded(tx, newer, older)
        case "forget":
            gone = older.with_(status="forgotten")
            tx.change(older, gone, "resolve", reason="forget")
            return [gone]
        case "update":
            assert rewrite is not None
            done = newer.with_(status="archived")
            tx.change(newer, done, "resolve", reason="update")
            return [rewrite(older), done]


def _kept_both(tx: Transaction, newer: Record, older: Record) -> Record:
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


def _superseded(tx: Transaction, newer: Record, older: Record) -> list[Record]:
    """A newer one that replaces another already hands the second one down to the oldest it replaces."""
    last, changed = _unflagged(newer, older), []
    if last != newer:
        tx.change(newer, last, "resolve", reason="supersede")
        changed.append(last)
    seen = {last.id}
    while last.supersedes is not None and last.supersedes not in seen:
        (below,) = tx.get(newer.account, [last.supersedes])
        if below is None:
            break
        last = below
        seen.add(last.id)
    if older.id not in seen:
        after = last.with_(supersedes=older.id)
        tx.change(last, after, "resolve", reason="supersede")
        changed = [record for record in changed if record.id != after.id] + [after]
    return changed


def _unflagged(newer: Record, older: Record) -> Record:
    return newer.with_(links=tuple(x for x in newer.links if (x.relation, x.target) != ("contradicts", older.id)))
