"""Narratives: the chain of session summaries, and what each of them tells of. Each is a memory, derived from what it tells of.

A session has one narrative in a place: telling it again supersedes the earlier one, whose history stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import InvalidInput
from recollect.ports import Reader, Transaction, Vectors
from recollect.values.filter import Filter
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import Record
from recollect.values.narrative import TAG, TYPE, is_narrative
from recollect.values.scope import Identity, Viewer, reaches
from recollect.values.search import Search

_EVERY = 100_000
_HIDDEN = ("forgotten", "archived")


def narratives(off: Sequence[str] = (), session: str | None = None) -> Filter:
    """Which memories are narratives, of one session or of all, without those of projects that are switched off."""
    return Filter(types=(TYPE,), tags=(TAG,), session=session, without=tuple(sorted(off)))


def chain(reader: Reader, search: Search, limit: int) -> list[Record]:
    """The narratives of the place a viewer stands in, newest first."""
    # Rows are numbered as they are stored, so the newest have the highest; only these are read.
    rows = sorted(reader.standing(search, limit=_EVERY), reverse=True)
    found: list[Record] = []
    while rows and len(found) < limit:
        some, rows = rows[: 2 * limit], rows[2 * limit :]
        told = reader.fetch(search.viewer.account, some)
        found += [memory for memory in told if memory.project == search.viewer.project]
    return sorted(found, key=lambda memory: (memory.created_at, memory.id), reverse=True)[:limit]


def write(
    tx: Transaction, record: Record, vectors: Vectors | None, sources: Sequence[Record], viewer: Viewer
) -> Record:
    """Store a narrative of a session, in the place of the one told of it before, linked with what it tells of."""
    _check(tx, record, sources)
    search = Search(viewer, narratives(session=record.session), record.created_at.timestamp())
    rows = sorted(tx.standing(search, limit=_EVERY))
    told = [memory for memory in tx.fetch(record.account, rows) if memory.place == record.place]
    earlier = told[-1] if told else None
    links = tuple(dict.fromkeys(Link(source.id, "derived_from") for source in sources))
    if (
        earlier is not None
        and earlier.content == record.content
        and set(earlier.derived_from) == {x.target for x in links}
    ):
        return earlier
    trust = min((record.trust, *(source.trust for source in sources)))
    made = record.with_(links=links, trust=trust, supersedes=None if earlier is None else earlier.id)
    tx.insert(made, vectors)
    return made


def telling_of(reader: Reader, identity: Identity, memory: Record) -> list[Record]:
    """The narratives that tell of a memory, newest first."""
    (row,) = reader.rows_of(memory.account, [memory.id])
    edges = reader.edges(memory.account, [("memory", row)], _EVERY, upwards=False)
    rows = [int(edge.target[1]) for edge in edges if edge.relation == "derived_from"]
    ids = [found.id for found in reader.fetch(memory.account, rows) if memory.id in found.derived_from]
    told = [found for found in _seen(reader, identity, memory.account, ids) if is_narrative(found)]
    active = [found for found in told if found.status == "active"]
    return sorted(active, key=lambda found: (found.created_at, found.id), reverse=True)


def told_by(reader: Reader, identity: Identity, narrative: Record) -> list[Record]:
    """The memories a narrative tells of, as it names them; what was forgotten since is left out."""
    return _seen(reader, identity, narrative.account, narrative.derived_from)


def _seen(reader: Reader, identity: Identity, account: str, ids: Sequence[str]) -> list[Record]:
    off = reader.switched_off(account)
    return [
        memory
        for memory in reader.get(account, ids)
        if memory is not None
        and memory.status not in _HIDDEN
        and memory.project not in off
        and reaches(identity, memory.place)
    ]


def _check(tx: Transaction, record: Record, sources: Sequence[Record]) -> None:
    if len(sources) > MOST_LINKS:
        raise InvalidInput("memories", f"there are {len(sources):,}", f"name the {MOST_LINKS} that matter most")
    for source in sources:
        if source.status in _HIDDEN:
            raise InvalidInput("memories", f"{source.short_id} is {source.status}", "leave it out, or restore it first")
    same = tx.same_text(record.account, record.content)
    gone = any(old.status == "forgotten" and old.place == record.place for old in same)
    if gone or tx.purged(record.account, record.content):
        raise InvalidInput("text", "was forgotten on purpose", "tell it in another way")
