"""Links: made, strengthened and taken away. A link is part of the memory it starts from, so each change is an edit of that."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from recollect.errors import InvalidInput, NotFound
from recollect.ports import Reader, Transaction
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import Record
from recollect.values.words import LinkRelation

# Two memories confirmed useful together: linked at first, then each time a quarter of the way to certainty.
FIRST_WEIGHT, STEP = 0.3, 0.25
_MOST_TOGETHER = 6
_HIDDEN = ("forgotten", "archived")


def linked(reader: Reader, source: Record, target: Record, relation: LinkRelation, weight: float) -> Record:
    """The source with a link to the target; one that is there already gets the new weight."""
    _check(reader, source, target, relation)
    made = Link(target.id, relation, weight)
    kept = tuple(link for link in source.links if (link.target, link.relation) != (target.id, relation))
    if len(kept) >= MOST_LINKS:
        raise InvalidInput("source", f"{source.short_id} has {MOST_LINKS} links", "take one away first, or use a tag")
    changed = source.with_(links=(*kept, made))
    # What is derived is never more trusted than what it comes from.
    return changed.with_(trust=min(source.trust, target.trust)) if relation == "derived_from" else changed


def _check(reader: Reader, source: Record, target: Record, relation: LinkRelation) -> None:
    if source.id == target.id:
        raise InvalidInput("target", "a memory cannot be linked to itself", "name another memory")
    for field, memory in (("source", source), ("target", target)):
        if memory.status in _HIDDEN:
            raise InvalidInput(field, f"{memory.short_id} is {memory.status}", f"`restore {memory.short_id}` first")
    if relation == "derived_from" and source.id in {record.id for record in origins(reader, target)}:
        raise InvalidInput("target", "that would make a circle", "a memory cannot come from what was made of it")


def unlinked(source: Record, target: Record, relation: LinkRelation | None) -> Record | None:
    """The source without its links to the target, of one relation or of all; None when it has none."""
    kept = tuple(x for x in source.links if x.target != target.id or relation not in (None, x.relation))
    replaces = source.supersedes == target.id and relation in (None, "supersedes")
    if len(kept) == len(source.links) and not replaces:
        return None
    return source.with_(links=kept, supersedes=None if replaces else source.supersedes)


def unlink(tx: Transaction, one: Record, other: Record, relation: LinkRelation | None) -> list[Record]:
    """Take the links between two memories away, whichever of them carries them."""
    changed = []
    for source, target in ((one, other), (other, one)):
        without = unlinked(source, target, relation)
        if without is not None:
            tx.change(source, without, "unlink")
            changed.append(without)
    if not changed:
        raise NotFound("link", f"between {one.short_id} and {other.short_id}", "`related` shows what is linked")
    return changed


def strengthen(tx: Transaction, together: Sequence[Record]) -> list[tuple[Record, Record, float]]:
    """Link memories that were confirmed useful together, or make their link stronger; says which, and how strong."""
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
        tx.change(source, linked(tx, source, target, "relates_to", weight), "link", reason="confirmed useful together")
        found.append((source, target, weight))
    return found


def _between(source: Record, target: Record) -> Link | None:
    return next((x for x in source.links if (x.target, x.relation) == (target.id, "relates_to")), None)


def origins(reader: Reader, memory: Record) -> list[Record]:
    """A memory and everything it was derived from, directly or through others, nearest first."""
    found, level = {memory.id: memory}, [memory]
    while level:
        ids = list(dict.fromkeys(source for record in level for source in record.derived_from if source not in found))
        level = [record for record in reader.get(memory.account, ids) if record is not None] if ids else []
        found |= {record.id: record for record in level}
    return list(found.values())
