"""The second look: a configured judge decides about pairs of memories that the rules left open, after they were stored.

Look up in a view, ask with nothing open, then write in a transaction that checks again what the answer relied on. Where a memory
would be hidden (`same`, `changed`) the judge is asked twice, the second time with the newer text first; both must agree.
If the judge fails or the store moved, everything stays as the rules decided, and the open question stays told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from recollect.capture.commit import reinforced
from recollect.capture.judge_queue import JudgeQueue
from recollect.errors import RecollectError
from recollect.ports import Decider, Reader, Transaction
from recollect.unit_of_work import UnitOfWork
from recollect.values.enums import LOW_TRUST, JudgeWhen
from recollect.values.judging import Decision, Evidence, HowRelated
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import Record
from recollect.values.outcome import CONFLICTING, Conflict, Outcome, Reinforced, Relation, Stored, Superseded
from recollect.values.scope import Identity, reaches

NO_JUDGE = "not judged: no judge is configured (set `judge`)"
_BEHIND = "not judged: too many second looks are waiting already"
_MOST_PAIRS = 40
# Relations that hide one of two memories; and those that the rules leave open.
_HIDING: tuple[Relation, ...] = ("same", "changed")
_OPEN: tuple[Relation, ...] = ("related", "contradicts")


@dataclass(frozen=True, slots=True)
class OpenPair:
    """A new memory and an old one whose relation the rules could not decide."""

    new: str
    old: str


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """The two memories as the judge read them, what it answered, and the relation that follows."""

    new: Record
    old: Record
    relation: Relation
    decision: Decision

    @property
    def reason(self) -> str:
        """For the journal: without the words of the model, which may quote a text that is purged later."""
        return f"judged {self.relation} by {self.decision.by}"


def second_look(uow: UnitOfWork, outcomes: list[Outcome], when: JudgeWhen) -> list[Outcome]:
    """The outcomes after the second look, or as they are while it waits in the queue."""
    queue = uow.runtime.judge_queue
    if when == "off" or (queue is None and when == "later"):
        return outcomes
    if queue is None:
        return _noted(outcomes, NO_JUDGE)
    looked: list[Outcome] = []
    for batch in _batches(outcomes):
        pairs = [pair for outcome in batch for pair in _open_pairs(outcome)]
        looked += _later(uow, queue, batch, pairs) if when == "later" else _now(uow, batch, pairs)
    return looked


def _batches(outcomes: Sequence[Outcome]) -> Iterator[list[Outcome]]:
    """Some outcomes at a time, so that no correction waits until thousands of others are judged."""
    batch: list[Outcome] = []
    count = 0
    for outcome in outcomes:
        batch.append(outcome)
        count += len(_open_pairs(outcome))
        if count >= _MOST_PAIRS:
            yield batch
            batch, count = [], 0
    if batch:
        yield batch


def _later(uow: UnitOfWork, queue: JudgeQueue, outcomes: list[Outcome], pairs: list[OpenPair]) -> list[Outcome]:
    if not pairs or queue.put(partial(_look_again, uow, pairs)):
        return outcomes
    return _noted(outcomes, _BEHIND)


def _now(uow: UnitOfWork, outcomes: list[Outcome], pairs: list[OpenPair]) -> list[Outcome]:
    if not pairs:
        return outcomes
    try:
        done = _look_again(uow, pairs)
    except RecollectError as error:
        return _noted(outcomes, f"not judged: {error}")
    return [_after(outcome, done) for outcome in outcomes]


def _open_pairs(outcome: Outcome) -> list[OpenPair]:
    if not isinstance(outcome, Stored | Superseded):
        return []
    return [OpenPair(outcome.memory.id, one.memory.id) for one in outcome.related if one.relation in _OPEN]


def _noted(outcomes: Sequence[Outcome], note: str) -> list[Outcome]:
    """The same with a note where something is left open."""
    return [replace(one, notes=(*one.notes, note)) if _open_pairs(one) else one for one in outcomes]


# Look up, ask, write


def _look_again(uow: UnitOfWork, pairs: Sequence[OpenPair]) -> list[JudgedPair]:
    """Judge some pairs and write what follows; returns what was written."""
    runtime, account = uow.runtime, uow.viewer.account
    judge = runtime.text_judge(account)
    with uow.view() as reader:
        found = _in_use(reader, uow.viewer.identity, pairs)
    judged = [] if judge is None or not found else judge_pairs(judge, found)
    if not any(pair.relation in (*_HIDING, "contradicts") for pair in judged):
        return judged  # nothing to write, so nobody has to wait for a transaction
    # Without `on_commit`: it tells a client what it did itself, and may undo.
    identity = replace(uow.viewer.identity, on_commit=None)
    mine = replace(uow, viewer=replace(uow.viewer, identity=identity), on_behalf_of="judge")
    with mine.transaction() as tx:
        latest = _read(tx, account, [one.id for pair in judged for one in (pair.old, pair.new)])
        now = runtime.clock()
        return uow.redact(tx, [done for pair in judged if (done := _write(tx, pair, latest, now)) is not None])


def _read(reader: Reader, account: str, ids: Sequence[str]) -> dict[str, Record]:
    """Some memories by id, in one read."""
    wanted = list(dict.fromkeys(ids))
    return {record.id: record for record in reader.get(account, wanted) if record is not None}


def _in_use(reader: Reader, identity: Identity, pairs: Sequence[OpenPair]) -> list[tuple[Record, Record]]:
    """The old and the new memory of each pair of which both are in use, where whoever remembered may still see them."""
    known = _read(reader, identity.account, [one for pair in pairs for one in (pair.old, pair.new)])
    used = {one: each for one, each in known.items() if each.status == "active" and reaches(identity, each.place)}
    return [(used[pair.old], used[pair.new]) for pair in pairs if pair.old in used and pair.new in used]


def judge_pairs(judge: Decider, pairs: Sequence[tuple[Record, Record]]) -> list[JudgedPair]:
    """What a judge says of some pairs of an old and a new memory; pairs it gives no answer to are left out."""
    questions = [HowRelated(_evidence(old), _evidence(new)) for old, new in pairs]
    first = judge.decide(questions)
    hiding = [place for place, each in enumerate(first) if each is not None and each.answer in _HIDING]
    again = judge.decide([replace(questions[place], newer_first=True) for place in hiding]) if hiding else []
    second: Mapping[int, Decision | None] = dict(zip(hiding, again, strict=True))
    found = []
    for place, ((old, new), decision) in enumerate(zip(pairs, first, strict=True)):
        if decision is None:
            continue
        relation = _agreed(decision, second[place]) if place in second else _relation(decision)
        if relation is not None:
            found.append(JudgedPair(new, old, _allowed(old, new, relation), decision))
    return found


def _evidence(record: Record) -> Evidence:
    return Evidence(record.content, record.id, _since(record), record.provenance.kind)


def _since(record: Record) -> datetime:
    return record.valid_from or record.occurred_at or record.created_at


def _relation(decision: Decision) -> Relation:
    answer = decision.answer
    assert isinstance(answer, str)
    return answer


def _agreed(first: Decision, second: Decision | None) -> Relation | None:
    """What two opinions have in common: the relation, or that the two texts cannot both be true, or nothing."""
    if second is None:
        return None
    if first.answer == second.answer:
        return _relation(first)
    return "contradicts" if {first.answer, second.answer} <= CONFLICTING else None


def _allowed(old: Record, new: Record, relation: Relation) -> Relation:
    """The relation that a model may decide: a memory is hidden only by a newer one in the same place that is trusted.

    A text of low trust may have been written to bury another one, as the newer or as the older of the two.
    """
    if relation not in _HIDING:
        return relation
    if old.place != new.place:
        return "contradicts" if relation == "changed" else "related"
    if relation == "changed" and (new.trust <= LOW_TRUST or _since(new) < _since(old) or new.supersedes is not None):
        return "contradicts"
    if relation == "same" and (old.trust <= LOW_TRUST or new.supersedes is not None):
        return "related"
    return relation


def _write(tx: Transaction, pair: JudgedPair, latest: dict[str, Record], now: datetime) -> JudgedPair | None:
    """Write what follows from one answer, if both memories are still as the judge read them; returns them as they are then.

    `latest` has the memories as they are in this transaction.
    """
    old, new = latest.get(pair.old.id), latest.get(pair.new.id)
    if old is None or new is None or _moved(old, pair.old) or _moved(new, pair.new):
        return None
    match pair.relation:
        case "same":
            stronger, _ = reinforced(old, new, now)
            tx.change(old, stronger, "reinforce", reason=pair.reason)
            tx.change(new, new.with_(status="archived"), "archive", reason=pair.reason)
            latest |= {old.id: stronger, new.id: new.with_(status="archived")}
            return replace(pair, old=stronger)
        case "changed" if new.supersedes is None:
            links = tuple(link for link in new.links if (link.relation, link.target) != ("contradicts", old.id))
            newest = new.with_(supersedes=old.id, links=links)
            tx.change(new, newest, "supersede", reason=pair.reason)
            latest |= {old.id: old.with_(status="superseded"), new.id: newest}
            return replace(pair, new=newest)
        case "changed" | "contradicts":
            flagged = _flag(tx, replace(pair, old=old, new=new, relation="contradicts"))
            latest[new.id] = flagged.new
            return flagged
        case _:
            return pair


def _flag(tx: Transaction, pair: JudgedPair) -> JudgedPair:
    """Link two memories that cannot both be true, unless they are linked so already, settled or not."""
    link, links = Link(pair.old.id, "contradicts"), pair.new.links
    if any((each.relation, each.target) == (link.relation, link.target) for each in links) or len(links) >= MOST_LINKS:
        return pair
    newest = pair.new.with_(links=(*links, link))
    tx.change(pair.new, newest, "contradict", reason=pair.reason)
    return replace(pair, new=newest)


def _moved(now: Record, then: Record) -> bool:
    return now.status != "active" or now.content != then.content or now.place != then.place


# What the caller is told


def _after(outcome: Outcome, done: Sequence[JudgedPair]) -> Outcome:
    """An outcome as it is after the corrections that concern it."""
    if not isinstance(outcome, Stored | Superseded):
        return outcome
    mine = {pair.old.id: pair for pair in done if pair.new.id == outcome.memory.id}
    if not mine:
        return outcome
    told = (_told(one, mine.get(one.memory.id)) for one in outcome.related)
    related = tuple(one for one in told if one is not None)
    for pair in mine.values():
        if pair.relation == "same":
            return Reinforced(pair.old, pair.reason, related, outcome.notes)
        if pair.relation == "changed":
            return Superseded(pair.new, pair.old, pair.reason, related, outcome.notes)
    return replace(outcome, memory=list(mine.values())[-1].new, related=related)


def _told(one: Conflict, pair: JudgedPair | None) -> Conflict | None:
    """What is still to be told of a related memory. A contradiction that the rules linked stays told, whatever the model says."""
    if pair is None or (one.relation == "contradicts" and pair.relation not in (*_HIDING, "contradicts")):
        return one
    if pair.relation in (*_HIDING, "different"):
        return None
    return replace(one, relation=pair.relation, reason=f"{pair.decision.reason} ({pair.reason})")
