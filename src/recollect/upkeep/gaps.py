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
_MOST = 500


def note(tx: Transaction, miss: Miss) -> None:
    """Keep a need; asked again in the same words, it is counted."""
    if not miss.terms or tx.purged(miss.viewer.account, miss.question):
        return
    account, place = miss.viewer.account, place_of_miss(miss.viewer)
    name = fingerprint(" ".join(sorted(set(miss.terms))), b"gap").hex()
    held = next((gap for gap in tx.documents(account, "gap", name) if gap.place == place), None)
    if held is not None:
        asked = {"count": _body(held)["count"] + 1, "last_at": miss.at.isoformat(), "answered_by": None}
        again = held.with_body(miss.at, **asked)
        # Asking once more only counts, unless it opens the gap again.
        tx.put_document(held, again, None if _body(held)["answered_by"] is None else "miss")
        return
    known = tx.documents(account, "gap")
    if len(known) >= _MOST:
        oldest = min(known, key=lambda gap: gap.updated_at)
        tx.put_document(oldest, None, "miss", "too many; the longest unasked goes")
    body = {
        "question": miss.question[:_LONGEST],
        "terms": list(miss.terms),
        "vector": None if miss.vector is None else base64.b64encode(miss.vector.astype("<f2").tobytes()).decode(),
        "count": 1,
        "last_at": miss.at.isoformat(),
        "session": miss.viewer.session,
        "answered_by": None,
    }
    tx.put_document(None, Document(new_id(miss.at), account, "gap", name, miss.at, miss.at, place, body), "miss")


def answer(tx: Transaction, account: str, stored: Sequence[Stored], scale: Scale, at: datetime) -> None:
    """Close the open gaps that some new memories answer, for those who asked."""
    for gap in tx.documents(account, "gap"):
        if _body(gap)["answered_by"] is not None:
            continue
        places = _asked_from(gap.account, gap.place).places()
        for record, vectors in stored:
            if record.place in places and _answers(gap, record, vectors, scale):
                tx.put_document(gap, gap.with_body(at, answered_by=record.id), "answer")
                break


def _answers(gap: Document, record: Record, vectors: Floats | None, scale: Scale) -> bool:
    terms, held = set(_body(gap)["terms"]), set(terms_of(record.content))
    if terms and len(terms & held) >= _COVERED * len(terms):
        return True
    asked = _vector(gap)
    if asked is None or vectors is None or len(asked) != np.atleast_2d(vectors).shape[1]:
        return False
    # Asked for only here: a question that has a vector was measured on that scale before.
    calibration = scale()
    if calibration is None:
        return False
    alike = float(calibration.similarity(float(np.vecdot(np.atleast_2d(vectors), asked).max())))
    return alike >= ANSWERS and bool(terms & held)


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
