"""Feedback: what a caller reports about the hits of a recall. Hits that helped gain confidence and are linked, others lose some.

After a confirmed recall: verified +0.05, rejected −0.02, links between hits that helped together, and a shared tag where there is
none. Appearing in the same recall is not enough: the caller has to confirm that they helped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from recollect.capture.edit import adjust_score, apply_feedback
from recollect.errors import InvalidInput
from recollect.ports import Calibrated, Transaction
from recollect.runtime import Runtime, ServedRecall
from recollect.unit_of_work import UnitOfWork
from recollect.upkeep.clusters import refine
from recollect.upkeep.links import strengthen
from recollect.validation import OUT_OF_USE, clean_list, require_kept, require_one_of, shown
from recollect.values.enums import VERDICTS, EventKind, Verdict
from recollect.values.judging import REJECTED, VERIFIED
from recollect.values.memory import Record
from recollect.values.scope import reaches
from recollect.values.terms import query_words

_SHORTEST = 4
_EVENT_OF_VERDICT: dict[Verdict, EventKind] = {
    "helpful": "feedback", "unhelpful": "feedback", "reinforce": "reinforce", "demote": "demote",
}  # fmt: skip


def confirm(tx: Transaction, helped: Sequence[Record], rejected: Sequence[Record], now: datetime) -> None:
    """Change confidence, and link what helped together."""
    for record in helped:
        tx.change(record, _with_confidence(record, VERIFIED).with_(hit_at=now), "confirm")
    for record in rejected:
        tx.change(record, _with_confidence(record, REJECTED), "reject")
    if len(helped) > 1:
        strengthen(tx, helped)


def shared_tag(question: str, helped: Sequence[Record]) -> str | None:
    """A word of the question that all hits that helped contain, when they share no tag yet."""
    if len(helped) < 2 or set.intersection(*(set(record.tags) for record in helped)):
        return None
    asked = query_words(question)
    counts = Counter(term for record in helped for term in set(query_words(record.content)) & set(asked))
    best = [term for term, count in counts.items() if count == len(helped) and len(asked[term]) >= _SHORTEST]
    return asked[max(best, key=lambda term: (len(asked[term]), term))].casefold() if best else None


def add_tag(tx: Transaction, records: Sequence[Record], tag: str) -> None:
    """Give some memories a tag they lack."""
    for record in tx.get(records[0].account, [record.id for record in records]):
        if record is not None and tag not in record.tags:
            tx.change(record, record.with_(tags=(*record.tags, tag)), "tag", reason="shared by what helped together")


def _with_confidence(record: Record, by: float) -> Record:
    return record.with_(confidence=min(1.0, max(0.0, round(record.confidence + by, 6))))


def judge_many(uow: UnitOfWork, ids: Sequence[str], verdict: Verdict) -> list[Record]:
    """One verdict on several memories, as one operation; if one id is unknown, none is changed."""
    wanted = clean_list("ids", ids)
    if not wanted:
        raise InvalidInput("ids", "there is none", "name the memories you judge")
    require_one_of("verdict", verdict, VERDICTS)
    with uow.transaction() as tx:
        records = list({record.id: record for record in (uow.find(tx, one) for one in wanted)}.values())
        for old in records:
            tx.change(old, _judged(uow, old, verdict), _EVENT_OF_VERDICT[verdict])
        if verdict in ("helpful", "reinforce"):
            for old in records:
                _link_together(uow, tx, old)
        return uow.redact(tx, [_reread(tx, old) for old in records])


def _judged(uow: UnitOfWork, old: Record, verdict: Verdict) -> Record:
    settings, now = uow.runtime.settings, uow.runtime.clock()
    if verdict in ("helpful", "unhelpful"):
        return apply_feedback(old, verdict == "helpful", now)
    return adjust_score(old, settings.reinforce_weight if verdict == "reinforce" else settings.demote_weight, now)


def confirm_hits(
    uow: UnitOfWork,
    helped: Sequence[str],
    rejected: Sequence[str],
    query: str | None,
    infer_tag: bool,
    recall: str | None,
) -> list[Record]:
    """Some hits of one recall helped, others did not: confidence changes, and hits that helped together are linked."""
    if not helped and not rejected:
        raise InvalidInput("helped", "there is none", "name the memories that helped, or those that did not")
    rejected = clean_list("rejected", rejected)
    if query is not None and not isinstance(query, str):
        raise InvalidInput("query", f"{type(query).__name__} is not text", "give the question that was asked")
    served = None if recall is None else _served(uow, recall)
    query = served.query if query is None and served is not None else query
    runtime, account, now = uow.runtime, uow.viewer.account, uow.runtime.clock()
    # Before the transaction: the calibration of a new embedder is measured and stored on first use.
    calibration = None if runtime.embedder is None or len(helped) < 2 else runtime.embedder.calibration
    with uow.transaction() as tx:
        good, bad = ({record.id: record for record in (uow.find(tx, one) for one in ids)} for ids in (helped, rejected))
        if good.keys() & bad.keys():
            raise InvalidInput("rejected", "a memory cannot have helped and not helped", "name it once")
        for record in good.values():
            require_kept("helped", record)
        if served is not None:
            _require_served(served, [*good, *bad])
        confirm(tx, list(good.values()), list(bad.values()), now)
        rows = tx.rows_of(account, list(good))
        tx.touch(account, dict.fromkeys(rows, (1, now)))
        _group(runtime, tx, list(good.values()), rows, query if infer_tag else None, calibration)
        found = tx.get(account, [*good, *bad])
        return uow.redact(tx, [record for record in found if record is not None])


def confirm_later(uow: UnitOfWork, helped: Sequence[str], rejected: Sequence[str], query: str | None) -> None:
    """The same for a companion: written in the background, and in the journal with the origin `companion`.

    Memories that are out of use by then are left alone.
    """
    runtime, account, now = uow.runtime, uow.viewer.account, uow.runtime.clock()
    if not runtime.store.writable or not (helped or rejected):
        return
    calibration = None if runtime.embedder is None or len(helped) < 2 else runtime.embedder.calibration

    def write(tx: Transaction) -> None:
        good, bad = (_in_use(uow, tx, ids) for ids in (helped, rejected))
        confirm(tx, good, bad, now)
        rows = tx.rows_of(account, [record.id for record in good])
        _group(runtime, tx, good, rows, query, calibration)

    runtime.deferred.defer_for("companion", account, now, write)


def _in_use(uow: UnitOfWork, tx: Transaction, ids: Sequence[str]) -> list[Record]:
    found = tx.get(uow.viewer.account, list(dict.fromkeys(ids)))
    kept = [record for record in found if record is not None and record.status not in OUT_OF_USE]
    return [record for record in kept if reaches(uow.viewer.identity, record.place)]


def _group(
    runtime: Runtime,
    tx: Transaction,
    helped: Sequence[Record],
    rows: Sequence[int],
    query: str | None,
    calibration: Calibrated | None,
) -> None:
    """Give what helped together a shared tag, and refine its clusters."""
    tag = shared_tag(query, helped) if query else None
    if tag is not None:
        add_tag(tx, helped, tag)
    if len(helped) > 1 and calibration is not None:
        refine(tx, helped[0].account, rows, calibration, runtime.settings.deep_merge, runtime.settings.cluster)


def _served(uow: UnitOfWork, recall: str) -> ServedRecall:
    """What a recall served to this identity."""
    served = uow.runtime.recent_recalls.served(uow.viewer.identity, recall) if isinstance(recall, str) else None
    if served is None:
        fix = "give the `id` of a recall of yours in this process, or leave it out"
        raise InvalidInput("recall", f"{shown(recall)} is no recent recall", fix)
    return served


def _require_served(served: ServedRecall, ids: Sequence[str]) -> None:
    for one in ids:
        if one not in served.hits:
            raise InvalidInput("recall", f"did not serve {one[-8:]}", "name hits of that recall, or leave it out")


def _link_together(uow: UnitOfWork, tx: Transaction, record: Record) -> None:
    """Link a memory that helped with those of the same recall that helped before."""
    others = uow.runtime.deferred.confirm(record.id)
    if others and record.status not in OUT_OF_USE:
        known = [other for other in tx.get(record.account, [record.id, *others[-3:]]) if other is not None]
        # Another one may have been forgotten since.
        used = [other for other in known if other.status not in OUT_OF_USE]
        strengthen(tx, [other for other in used if reaches(uow.viewer.identity, other.place)])


def _reread(tx: Transaction, record: Record) -> Record:
    """A memory after the changes of this transaction."""
    (now,) = tx.get(record.account, [record.id])
    assert now is not None
    return now
