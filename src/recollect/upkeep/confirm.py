"""Confirm: what a caller says of the hits of one recall. Those that helped are firmed and linked, the others fade a little.

Seed 002's maintenance after a retrieval: verified +0.05, rejected −0.02, links between what was useful together, a shared
tag where there is none. Appearing together is not enough; somebody has to say that it helped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from recollect.ports import Transaction
from recollect.upkeep.links import strengthen
from recollect.values.memory import Record
from recollect.values.terms import query_words

VERIFIED, REJECTED = 0.05, -0.02
_SHORTEST = 4


def confirm(tx: Transaction, helped: Sequence[Record], rejected: Sequence[Record], now: datetime) -> None:
    """Move confidence, and link what helped together."""
    for record in helped:
        tx.change(record, _moved(record, VERIFIED).with_(hit_at=now), "confirm")
    for record in rejected:
        tx.change(record, _moved(record, REJECTED), "reject")
    if len(helped) > 1:
        strengthen(tx, helped)


def shared_tag(question: str, helped: Sequence[Record]) -> str | None:
    """A word of the question that most of what helped contains, when they share no tag yet."""
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


def _moved(record: Record, by: float) -> Record:
    return record.with_(confidence=min(1.0, max(0.0, round(record.confidence + by, 6))))
