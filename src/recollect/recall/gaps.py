"""Gaps: queries that recall could not answer. They are listed by topic, and closed by new memories that answer them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from recollect.ports import Calibrated, Reader, Transaction
from recollect.values.document import Document
from recollect.values.gap import Gap, Miss, Topic, asked_here, place_of_miss
from recollect.values.ids import fingerprint, new_id
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place, Viewer, reaches
from recollect.values.search import Floats
from recollect.values.terms import terms_of

NewMemory = tuple[Record, Floats | None]
CalibrationSource = Callable[[], Calibrated | None]
SAME_TOPIC = 0.5
# A new memory answers a gap if it has this part of its terms, or this much of terms and similarity together.
_COVERED, _ANSWERS = 0.6, 1.0
_LONGEST = 300
# The most gaps of an account: every `remember` compares with them, and nobody reads a longer list.
MOST_GAPS = 50


def record_misses(tx: Transaction, misses: Sequence[Miss]) -> None:
    """Store the misses of one account as gaps. A query with the same terms as a known gap increments its count."""
    account = misses[0].viewer.account
    known = {(gap.name, gap.place): gap for gap in tx.documents(account, "gap")}
    asked = [miss for miss in misses if miss.terms]
    stored = tx.texts_of(account, [miss.question for miss in asked])
    for miss in asked:
        if any(reaches(miss.viewer.identity, place) for place in stored[miss.question].purged):
            continue
        name = fingerprint(" ".join(sorted(set(miss.terms))), b"gap").hex()
        key = (name, place_of_miss(miss.viewer))
        known[key] = _count_again(tx, known[key], miss) if key in known else _open_gap(tx, account, key, miss)
        if len(known) > MOST_GAPS:
            # Answered gaps are dropped first, then those not asked for the longest time.
            dropped = min(known, key=lambda k: (_body(known[k])["answered_by"] is None, known[k].updated_at))
            tx.put_document(known.pop(dropped), None, "miss", "too many")


def _count_again(tx: Transaction, gap: Document, miss: Miss) -> Document:
    body = _body(gap)
    # Asked in two sessions, it belongs to neither.
    where = {
        name: asked if asked == body.get(name) else None
        for name, asked in (("session", miss.viewer.session), ("task", miss.viewer.task))
    }
    again = gap.with_body(miss.at, count=body["count"] + 1, last_at=miss.at.isoformat(), answered_by=None, **where)
    # Only a count that reopens the gap is written to the journal.
    tx.put_document(gap, again, None if body["answered_by"] is None else "miss")
    return again


def _open_gap(tx: Transaction, account: str, key: tuple[str, Place], miss: Miss) -> Document:
    body = {
        "question": miss.question[:_LONGEST],
        "terms": list(miss.terms),
        "vector": None if miss.vector is None else base64.b64encode(miss.vector.astype("<f2").tobytes()).decode(),
        "count": 1,
        "last_at": miss.at.isoformat(),
        "session": miss.viewer.session,
        "task": miss.viewer.task,
        "answered_by": None,
    }
    made = Document(new_id(miss.at), account, "gap", key[0], miss.at, miss.at, key[1], body)
    tx.put_document(None, made, "miss")
    return made


def close_answered(
    tx: Transaction, account: str, stored: Sequence[NewMemory], calibration_of: CalibrationSource, at: datetime
) -> None:
    """Close the open gaps that new memories answer, if whoever asked can see the memory."""
    unanswered = [gap for gap in tx.documents(account, "gap") if (gap.body or {})["answered_by"] is None]
    if not unanswered:
        return
    parsed = [(record, vectors, frozenset(terms_of(record.content))) for record, vectors in stored]
    for gap in unanswered:
        terms = frozenset((gap.body or {})["terms"])
        # A memory that shares no term with the query cannot answer it; this rules out most of them.
        related = [(record, vectors, own) for record, vectors, own in parsed if terms & own]
        places = _asked_from(gap.account, gap.place).places() if related else frozenset()
        for record, vectors, own in related:
            if record.place in places and _answers(gap, terms, own, vectors, calibration_of):
                tx.put_document(gap, gap.with_body(at, answered_by=record.id), "answer")
                break


def _answers(
    gap: Document,
    terms: frozenset[str],
    own: frozenset[str],
    vectors: Floats | None,
    calibration_of: CalibrationSource,
) -> bool:
    covered = len(terms & own) / len(terms)
    return covered >= _COVERED or covered + _similarity(gap, vectors, calibration_of) >= _ANSWERS


def _similarity(gap: Document, vectors: Floats | None, calibration_of: CalibrationSource) -> float:
    asked = _vector(gap)
    if asked is None or vectors is None or len(asked) != np.atleast_2d(vectors).shape[1]:
        return 0.0
    # Loaded only when needed: a gap with a vector means that the model was calibrated before.
    calibration = calibration_of()
    if calibration is None:
        return 0.0
    return float(calibration.similarity(float(np.vecdot(np.atleast_2d(vectors), asked).max())))


def topics(reader: Reader, viewer: Viewer, *, answered: bool = False) -> list[Topic]:
    """The gaps a viewer may see, grouped by shared terms, the most asked topic first."""
    visible = [gap for gap in reader.documents(viewer.account, "gap") if _is_shown(viewer, gap)]
    shown = [gap for gap in visible if answered or _body(gap)["answered_by"] is None]
    groups: list[list[Document]] = []
    for gap in sorted(shown, key=lambda gap: (-_body(gap)["count"], gap.id)):
        topic = next((group for group in groups if _same_topic(group[0], gap)), None)
        if topic is None:
            groups.append([gap])
        else:
            topic.append(gap)
    found = [Topic(_body(group[0])["question"], tuple(_gap_of(gap) for gap in group)) for group in groups]
    return sorted(found, key=lambda topic: -topic.count)


def _is_shown(viewer: Viewer, gap: Document) -> bool:
    return asked_here(viewer, _body(gap)) and reaches(viewer.identity, gap.place)


def erase_gaps(tx: Transaction, memory: Record) -> None:
    """After a purge: erase the gaps that repeat the words of the purged memory."""
    for gap in tx.documents(memory.account, "gap"):
        if asks_about(_body(gap), memory.content):
            tx.purge_document(gap)


def asks_about(body: Mapping[str, Any], text: str) -> bool:
    """Whether the question of a gap, by the body of its document, repeats the words of a text."""
    terms = set(body.get("terms") or ())
    return bool(terms) and len(terms & set(terms_of(text))) >= SAME_TOPIC * len(terms)


def _same_topic(one: Document, other: Document) -> bool:
    mine, theirs = (set(_body(gap)["terms"]) for gap in (one, other))
    return len(mine & theirs) >= SAME_TOPIC * min(len(mine), len(theirs))


def _gap_of(gap: Document) -> Gap:
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
    """A viewer who sees the same memories as whoever asked, as far as the place of a gap says."""
    scope, key, project = place
    if scope == "agent":
        return Viewer(Identity(account, key), project or None)
    return Viewer(Identity(account), key if scope == "project" else None)


def _vector(gap: Document) -> Floats | None:
    stored = _body(gap)["vector"]
    return None if stored is None else np.frombuffer(base64.b64decode(stored), "<f2").astype(np.float32)


def _body(gap: Document) -> dict[str, Any]:
    return dict(gap.body or {})
