"""Gaps: recalls that found nothing relevant are kept as needs, told grouped by topic, and closed by memories that answer them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from recollect.ports import Calibrated, Reader, Transaction
from recollect.values.document import Document
from recollect.values.gap import Gap, Miss, Topic, place_of_miss
from recollect.values.ids import fingerprint, new_id
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place, Viewer, reaches
from recollect.values.search import Floats
from recollect.values.terms import terms_of

Stored = tuple[Record, Floats | None]
Scale = Callable[[], Calibrated | None]
ANSWERS, SAME_TOPIC = 0.5, 0.5
_COVERED = 0.6
_LONGEST = 300
# So many open questions an account keeps: every remember looks at them, and nobody reads a longer list.
MOST = 50


def note(tx: Transaction, misses: Sequence[Miss]) -> None:
    """Keep the needs of one account; one asked again in the same words is counted."""
    account = misses[0].viewer.account
    known = {(gap.name, gap.place): gap for gap in tx.documents(account, "gap")}
    for miss in misses:
        if not miss.terms or tx.purged(account, miss.question):
            continue
        name = fingerprint(" ".join(sorted(set(miss.terms))), b"gap").hex()
        key = (name, place_of_miss(miss.viewer))
        known[key] = _again(tx, known[key], miss) if key in known else _first(tx, account, key, miss)
        if len(known) > MOST:
            # What was answered goes first, then what nobody asked for the longest time.
            gone = min(known, key=lambda k: (_body(known[k])["answered_by"] is None, known[k].updated_at))
            tx.put_document(known.pop(gone), None, "miss", "too many")


def _again(tx: Transaction, held: Document, miss: Miss) -> Document:
    body = _body(held)
    again = held.with_body(miss.at, count=body["count"] + 1, last_at=miss.at.isoformat(), answered_by=None)
    # Asking once more only counts, unless it opens the gap again.
    tx.put_document(held, again, None if body["answered_by"] is None else "miss")
    return again


def _first(tx: Transaction, account: str, key: tuple[str, Place], miss: Miss) -> Document:
    body = {
        "question": miss.question[:_LONGEST],
        "terms": list(miss.terms),
        "vector": None if miss.vector is None else base64.b64encode(miss.vector.astype("<f2").tobytes()).decode(),
        "count": 1,
        "last_at": miss.at.isoformat(),
        "session": miss.viewer.session,
        "answered_by": None,
    }
    made = Document(new_id(miss.at), account, "gap", key[0], miss.at, miss.at, key[1], body)
    tx.put_document(None, made, "miss")
    return made


def answer(tx: Transaction, account: str, stored: Sequence[Stored], scale: Scale, at: datetime) -> None:
    """Close the open gaps that some new memories answer, for those who asked."""
    waiting = [gap for gap in tx.documents(account, "gap") if (gap.body or {})["answered_by"] is None]
    if not waiting:
        return
    told = [(record, vectors, frozenset(terms_of(record.content))) for record, vectors in stored]
    for gap in waiting:
        terms = frozenset((gap.body or {})["terms"])
        # Whoever shares no word with the question does not answer it; most are told apart by this alone.
        near = [(record, vectors, held) for record, vectors, held in told if terms & held]
        places = _asked_from(gap.account, gap.place).places() if near else frozenset()
        for record, vectors, held in near:
            if record.place in places and (_covers(terms, held) or _means(gap, vectors, scale)):
                tx.put_document(gap, gap.with_body(at, answered_by=record.id), "answer")
                break


def _covers(terms: frozenset[str], held: frozenset[str]) -> bool:
    return len(terms & held) >= _COVERED * len(terms)


def _means(gap: Document, vectors: Floats | None, scale: Scale) -> bool:
    asked = _vector(gap)
    if asked is None or vectors is None or len(asked) != np.atleast_2d(vectors).shape[1]:
        return False
    # Asked for only here: a question that has a vector was measured on that scale before.
    calibration = scale()
    if calibration is None:
        return False
    return float(calibration.similarity(float(np.vecdot(np.atleast_2d(vectors), asked).max()))) >= ANSWERS


def topics(reader: Reader, identity: Identity, *, answered: bool = False) -> list[Topic]:
    """The gaps an identity may see, grouped by the words they share, the most asked topic first."""
    mine = [gap for gap in reader.documents(identity.account, "gap") if reaches(identity, gap.place)]
    shown = [gap for gap in mine if answered or _body(gap)["answered_by"] is None]
    groups: list[list[Document]] = []
    for gap in sorted(shown, key=lambda gap: (-_body(gap)["count"], gap.id)):
        home = next((group for group in groups if _alike(group[0], gap)), None)
        if home is None:
            groups.append([gap])
        else:
            home.append(gap)
    found = [Topic(_body(group[0])["question"], tuple(_shown(gap) for gap in group)) for group in groups]
    return sorted(found, key=lambda topic: -topic.count)


def erase(tx: Transaction, memory: Record) -> None:
    """After a purge: a question in the words of what was erased goes with it."""
    held = set(terms_of(memory.content))
    for gap in tx.documents(memory.account, "gap"):
        terms = set(_body(gap)["terms"])
        if terms and len(terms & held) >= SAME_TOPIC * len(terms):
            tx.purge_document(gap)


def _alike(one: Document, other: Document) -> bool:
    mine, theirs = (set(_body(gap)["terms"]) for gap in (one, other))
    return len(mine & theirs) >= SAME_TOPIC * min(len(mine), len(theirs))


def _shown(gap: Document) -> Gap:
    body = _body(gap)
    return Gap(
        id=gap.id,
        question=body["question"],
        count=body["count"],
        first_at=gap.created_at,
        last_at=datetime.fromisoformat(body["last_at"]),
        session=body["session"],
        project=_asked_from(gap.account, gap.place).project,
        answered_by=body["answered_by"],
    )


def _asked_from(account: str, place: Place) -> Viewer:
    """Who asked, as far as a place tells: the same memories are within reach."""
    scope, key, project = place
    if scope == "agent":
        return Viewer(Identity(account, key), project or None)
    return Viewer(Identity(account), key if scope == "project" else None)


def _vector(gap: Document) -> Floats | None:
    held = _body(gap)["vector"]
    return None if held is None else np.frombuffer(base64.b64decode(held), "<f2").astype(np.float32)


def _body(gap: Document) -> dict[str, Any]:
    return dict(gap.body or {})
