"""Named: the memories a draft names, what it supersedes and what it was derived from. They must exist within reach."""

from __future__ import annotations

from recollect.errors import InvalidInput
from recollect.ports import Reader
from recollect.values.link import Link
from recollect.values.memory import Record
from recollect.values.scope import Identity, reaches


def names_any(record: Record) -> bool:
    """Whether a draft names another memory at all; most do not."""
    return record.supersedes is not None or bool(record.links)


def sourced(reader: Reader, identity: Identity, record: Record, place: int) -> Record:
    """A draft with the whole ids of what it was derived from, trusted no more than the least of it."""
    if record.supersedes is not None:
        target(reader, identity, record.supersedes, place)
    if not record.links:
        return record
    field = f"drafts[{place}].derived_from" if place else "derived_from"
    sources = [_one(reader, identity, link.target, field) for link in record.links]
    links = tuple(Link(source.id, "derived_from") for source in sources)
    return record.with_(links=links, trust=min(record.trust, *(source.trust for source in sources)))


def target(reader: Reader, identity: Identity, wanted: str, place: int = 0) -> Record:
    """The one memory a draft is to supersede."""
    return _one(reader, identity, wanted, f"drafts[{place}].supersedes" if place else "supersedes")


def _one(reader: Reader, identity: Identity, wanted: str, field: str) -> Record:
    """The one memory an id names; what the identity does not reach is not there."""
    found = reader.get(identity.account, reader.resolve(identity.account, wanted))
    mine = [record for record in found if record is not None and reaches(identity, record.place)]
    if len(mine) != 1:
        raise InvalidInput(field, f"{wanted!r} is not one memory here", "give the id of an existing one")
    return mine[0]
