"""Links between memories: add, strengthen, remove. A link is part of its source memory, so each change edits that memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from recollect.errors import InvalidInput, NotFound
from recollect.ports import Reader, Transaction
from recollect.unit_of_work import UnitOfWork, chain_of, own_chain
from recollect.validation import one_of, require_kept, require_number
from recollect.values.enums import LINK_RELATIONS, LinkRelation
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import ProvenanceChain, Record
from recollect.values.scope import shares

# The weight of a link between memories that helped together: the first time, then each time a quarter of the rest to 1.
FIRST_WEIGHT, STEP = 0.3, 0.25
_MOST_TOGETHER = 6


def with_link(reader: Reader, source: Record, target: Record, relation: LinkRelation, weight: float) -> Record:
    """The source with a link to the target; an existing link gets the new weight."""
    _check(reader, source, target, relation)
    made = Link(target.id, relation, weight)
    kept = tuple(link for link in source.links if (link.target, link.relation) != (target.id, relation))
    if len(kept) >= MOST_LINKS:
        raise InvalidInput("source", f"{source.short_id} has {MOST_LINKS} links", "remove one first, or use a tag")
    changed = source.with_(links=(*kept, made))
    # A derived memory is never trusted more than its source.
    return changed.with_(trust=min(source.trust, target.trust)) if relation == "derived_from" else changed


def _check(reader: Reader, source: Record, target: Record, relation: LinkRelation) -> None:
    if source.id == target.id:
        raise InvalidInput("target", "a memory cannot be linked to itself", "name another memory")
    require_kept("source", source)
    require_kept("target", target)
    if relation == "derived_from" and source.id in {record.id for record in sources_of(reader, target)}:
        raise InvalidInput(
            "target", "that would make a circle", "a memory cannot be derived from what was derived from it"
        )


def without_links(source: Record, target: Record, relation: LinkRelation | None) -> Record | None:
    """The source without its links to the target, of one relation or of all; None when it has none."""
    kept = tuple(x for x in source.links if x.target != target.id or relation not in (None, x.relation))
    replaces = source.supersedes == target.id and relation in (None, "supersedes")
    if len(kept) == len(source.links) and not replaces:
        return None
    return source.with_(links=kept, supersedes=None if replaces else source.supersedes)


def unlink(tx: Transaction, one: Record, other: Record, relation: LinkRelation | None) -> list[Record]:
    """Remove the links between two memories, in both directions."""
    changed = []
    for source, target in ((one, other), (other, one)):
        without = without_links(source, target, relation)
        if without is not None:
            tx.change(source, without, "unlink")
            changed.append(without)
    if not changed:
        raise NotFound("link", f"between {one.short_id} and {other.short_id}", "`related` shows what is linked")
    return changed


def strengthen(tx: Transaction, together: Sequence[Record]) -> list[tuple[Record, Record, float]]:
    """Link memories that were confirmed useful together, or strengthen their link; returns the links with their weights."""
    account, ids = together[0].account, list(dict.fromkeys(record.id for record in together))[:_MOST_TOGETHER]
    found = []
    for one_id, other_id in combinations(ids, 2):
        one, other = tx.get(account, [one_id, other_id])
        if one is None or other is None:
            continue
        source, target = (other, one) if _between(other, one) else (one, other)
        known = _between(source, target)
        weight = FIRST_WEIGHT if known is None else round(known.weight + STEP * (1 - known.weight), 4)
        if known is None and len(source.links) >= MOST_LINKS:
            continue
        tx.change(
            source, with_link(tx, source, target, "relates_to", weight), "link", reason="confirmed useful together"
        )
        found.append((source, target, weight))
    return found


def _between(source: Record, target: Record) -> Link | None:
    return next((x for x in source.links if (x.target, x.relation) == (target.id, "relates_to")), None)


def sources_of(reader: Reader, memory: Record) -> list[Record]:
    """A memory and everything it was derived from, directly or through others, nearest first."""
    found, level = {memory.id: memory}, [memory]
    while level:
        ids = list(dict.fromkeys(source for record in level for source in record.derived_from if source not in found))
        level = [record for record in reader.get(memory.account, ids) if record is not None] if ids else []
        found |= {record.id: record for record in level}
    return list(found.values())


def link(uow: UnitOfWork, source: str, target: str, relation: LinkRelation, weight: float) -> Record:
    """Link one memory to another; an existing link of the same relation gets the new weight."""
    one_of("relation", relation, LINK_RELATIONS)
    require_number("weight", weight, 0.01, 1.0)
    if relation == "supersedes":
        return supersede(uow, target, source)
    with uow.transaction() as tx:
        one, other = uow.find(tx, source), uow.find(tx, target)
        if relation == "relates_to" and any(x.target == one.id and x.relation == relation for x in other.links):
            one, other = other, one
        made = with_link(tx, one, other, relation, float(weight))
        tx.change(one, made, "link")
        return uow.redact(tx, made)


def unlink_memories(uow: UnitOfWork, source: str, target: str, relation: LinkRelation | None) -> list[Record]:
    """Remove the links between two memories, of one relation or of all; returns the changed memories."""
    one_of("relation", relation, LINK_RELATIONS)
    with uow.transaction() as tx:
        return uow.redact(tx, unlink(tx, uow.find(tx, source), uow.find(tx, target), relation))


def supersede(uow: UnitOfWork, old: str, new: str) -> Record:
    """Let one stored memory supersede another; the old one is kept with its history and no longer recalled."""
    with uow.transaction() as tx:
        target, newest = uow.find(tx, old), uow.find(tx, new)
        require_kept("old", target)
        require_kept("new", newest)
        chain = own_chain(tx, uow.viewer.identity, newest)
        below = {record.id for record in chain_of(tx, target)}
        if target.id in {record.id for record in chain} or newest.id in below:
            raise InvalidInput("id", "that would make a circle", "name a memory that is not part of its own history")
        # If it supersedes another already, the old one is appended at the end of that chain.
        last = chain[-1]
        tx.change(last, last.with_(supersedes=target.id), "supersede")
        return uow.redact(tx, newest.with_(supersedes=target.id) if last.id == newest.id else newest)


def provenance(uow: UnitOfWork, id: str) -> ProvenanceChain:
    """Where a memory comes from: everything it was derived from, down to turns and files, and the lowest trust among them."""
    with uow.view() as reader:
        # Walk the stored links first: a hidden source may itself be derived from a visible one.
        named, *every = sources_of(reader, uow.find(reader, id))
        chain = uow.redact(reader, [named, *(source for source in every if shares(uow.viewer, source.place))])
    return ProvenanceChain(chain[0], tuple(chain[1:]), min(source.trust for source in chain))
