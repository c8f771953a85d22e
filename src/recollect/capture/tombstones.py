"""Tombstones: what was forgotten or purged on purpose does not come back, whichever verb brings it.

A forgotten memory is its own tombstone. It holds for what the memory says, in these or other words, in every place, for everyone
who could see the memory: as a whole text, as a run of words inside another, and in the fields beside it. Of a purged text only
digests are left, which hold for the same people; each clause of a text is looked up by its own. `restore` and `revive=True` lift a
tombstone, nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.access import with_contexts
from recollect.capture.neighbours import DraftEmbedding, Neighbour, NeighbourLookup, read_records
from recollect.capture.restating import restates
from recollect.ports import Calibrated, Judge, Reader
from recollect.values.memory import Record, StoredText, side_texts
from recollect.values.scope import Identity, Viewer, identity_of, reaches
from recollect.values.search import Filter, Search
from recollect.values.statements import holds, label_statements, says_something, statements_in, windows_of

FORGOTTEN = "forgotten: this was forgotten on purpose"
PURGED = "purged: this text was erased for good"
# How many memories may hold three words in a row of a text before these words say nothing; how many of them are looked up at once.
_MOST_HOLDERS, _WINDOWS_AT_ONCE = 200, 1000
Key = TypeVar("Key")

# Texts that are about to be stored, each as a memory with its vectors of any precision.
Incoming = Sequence[tuple[Record, NDArray[Any] | None]]
# Whether a text says what another one says.
Says = Callable[[str, str], bool]
StoredTexts = Mapping[str, StoredText]


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Why a text may not be stored: the forgotten memory that says the same, or None if the text was purged."""

    memory: Record | None

    @property
    def reason(self) -> str:
        """The words with which every verb refuses."""
        return PURGED if self.memory is None else FORGOTTEN


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Compares texts with what was forgotten and purged: by which judge, and from which similarity on.

    `calibration` is asked only when there is something to compare with.
    """

    judge: Judge
    floor: float
    calibration: Callable[[], Calibrated | None] = lambda: None

    def of(
        self,
        reader: Reader,
        identity: Identity,
        incoming: Incoming,
        now: datetime,
        ignored: Callable[[Record], bool] = lambda _: False,
        stored: StoredTexts | None = None,
    ) -> dict[str, Tombstone]:
        """By id, those of some texts that must not be stored; `ignored` forgotten memories do not count.

        `stored` is what the caller has looked up of the texts just before.
        """
        if not incoming or not reader.has_tombstones(identity.account):
            return {}
        wide = with_contexts(reader, identity)
        found: dict[str, Tombstone] = {}
        for owner, texts in _by_owner(wide, incoming).items():
            whole, parts = {record.id: record.content for record, _ in texts}, _parts_of([one for one, _ in texts])
            there = _look_up(reader, owner.account, [*whole.values(), *parts.values()], stored)
            exact = _exact(there, owner, whole, ignored)
            exact |= {key: found for (key, _), found in _exact(there, owner, parts, ignored).items()}
            said = {record.id: [record.content, *(text for _, text in side_texts(record))] for record, _ in texts}
            exact = self._held(reader, owner, said, now, ignored) | exact
            # What is stored in the same place already does not come back by being said once more.
            known = {record.id for record, _ in texts if _is_active(there[record.content], record)}
            rest = [(record, vectors) for record, vectors in texts if record.id not in exact.keys() | known]
            found |= {key: one for key, one in exact.items() if key not in known}
            found |= self._restated(reader, owner, rest, now, ignored)
        return found

    def of_texts(
        self,
        reader: Reader,
        identity: Identity,
        texts: Mapping[Key, str],
        now: datetime,
        ignored: Callable[[Record], bool] = lambda _: False,
        says: Says = holds,
    ) -> dict[Key, Tombstone]:
        """The same by the words alone: those of the whole text, of a clause in it, or in a row anywhere in it.

        `says` decides whether a text says what another one says that has some words in common with it.
        """
        if not texts or not reader.has_tombstones(identity.account):
            return {}
        parts = {
            (key, part): part for key, text in texts.items() for part in filter(says_something, label_statements(text))
        }
        there = _look_up(reader, identity.account, [*texts.values(), *parts.values()])
        found = {key: one for (key, _), one in _exact(there, identity, parts, ignored).items()}
        found |= _exact(there, identity, texts, ignored)
        rest = {key: [text] for key, text in texts.items() if key not in found}
        return found | self._held(reader, identity, rest, now, ignored, says)

    def _held(
        self,
        reader: Reader,
        identity: Identity,
        texts: Mapping[Key, Sequence[str]],
        now: datetime,
        ignored: Callable[[Record], bool],
        says: Says = holds,
    ) -> dict[Key, Tombstone]:
        """Those of which a text says all that a forgotten memory says, and more, in the same words."""
        windows = {
            key: list(dict.fromkeys(w for text in some for w in windows_of(text))) for key, some in texts.items()
        }
        rows = _rows_with(
            reader, Viewer(identity, everywhere=True), now, {w for some in windows.values() for w in some}
        )
        every = list(dict.fromkeys(row for some in rows.values() for row in some))
        snippets = dict(zip(every, reader.read_snippets(identity.account, every), strict=True)) if every else {}
        found: dict[Key, Tombstone] = {}
        for key, some in texts.items():
            near = [snippets[row] for row in dict.fromkeys(row for w in windows[key] for row in rows.get(w, ()))]
            held = [one for one in near if one.id != key and any(says(text, one.content) for text in some)]
            neighbours = [Neighbour(one, "forgotten", 1.0) for one in held]
            old = next((old for old in read_records(reader, identity.account, neighbours) if not ignored(old)), None)
            if old is not None:
                found[key] = Tombstone(old)
        return found

    def _restated(
        self, reader: Reader, identity: Identity, incoming: Incoming, now: datetime, ignored: Callable[[Record], bool]
    ) -> dict[str, Tombstone]:
        """Those of some texts that say in other words what a forgotten memory says."""
        if not incoming:
            return {}
        everywhere = Viewer(identity, everywhere=True)
        lookup = NeighbourLookup(now, self.floor, statuses=("forgotten",), viewer=everywhere, matters=self._says_again)
        scale = self.calibration() if any(vectors is not None for _, vectors in incoming) else None
        drafts = [(record, _embedding(vectors, scale)) for record, vectors in incoming]
        lookup.prefetch(reader, drafts)
        found: dict[str, Tombstone] = {}
        for record, embedding in drafts:
            near = [one for one in lookup.of(reader, record, embedding) if self._says_again(one, record)]
            blocking = [old for old in read_records(reader, record.account, near) if not ignored(old)]
            if blocking:
                found[record.id] = Tombstone(blocking[0])
        return found

    def _says_again(self, old: Neighbour, new: Record) -> bool:
        if old.snippet.id == new.id:
            return False
        text, similarity = old.snippet.content, old.similarity
        return restates(text, new.content, similarity, self.judge.compare(text, new.content, similarity).relation)


def _look_up(reader: Reader, account: str, texts: Iterable[str], known: StoredTexts | None = None) -> StoredTexts:
    """What there is of some texts, read together as far as it is not known."""
    stored = dict(known or {})
    return stored | reader.texts_of(account, [text for text in dict.fromkeys(texts) if text not in stored])


def _exact(
    stored: StoredTexts, identity: Identity, texts: Mapping[Key, str], ignored: Callable[[Record], bool]
) -> dict[Key, Tombstone]:
    """The tombstones of some texts, of which is known what there is of them."""
    found: dict[Key, Tombstone] = {}
    for key, text in texts.items():
        if any(reaches(identity, place) for place in stored[text].purged):
            found[key] = Tombstone(None)
            continue
        gone = (old for old in stored[text].memories if old.status == "forgotten")
        old = next((one for one in gone if reaches(identity, one.place) and not ignored(one)), None)
        if old is not None:
            found[key] = Tombstone(old)
    return found


def _parts_of(records: Iterable[Record]) -> dict[tuple[str, str], str]:
    """By id, what could be the words of a purged text inside some others: a clause, or a tag, a reason, a name."""
    return {
        (record.id, part): part
        for record in records
        for part in filter(says_something, [*statements_in(record.content), *_beside(record)])
    }


def _beside(record: Record) -> Iterable[str]:
    for _, text in side_texts(record):
        yield from (text, *label_statements(text))


def _rows_with(
    reader: Reader, viewer: Viewer, now: datetime, windows: Iterable[tuple[str, ...]]
) -> dict[tuple[str, ...], list[int]]:
    """For each of some windows, the forgotten memories that hold its words; windows without any are left out."""
    search = Search(viewer, Filter(statuses=("forgotten",)), now.timestamp())
    every = list(windows)
    found: dict[tuple[str, ...], list[int]] = {}
    for start in range(0, len(every), _WINDOWS_AT_ONCE):
        page = every[start : start + _WINDOWS_AT_ONCE]
        rows = reader.rows_with_terms(search, page, _MOST_HOLDERS)
        found |= {window: some for window, some in zip(page, rows, strict=True) if some}
    return found


def _embedding(vectors: NDArray[Any] | None, scale: Calibrated | None) -> DraftEmbedding:
    if vectors is None or scale is None:
        return DraftEmbedding()
    return DraftEmbedding(vectors.astype(np.float32), scale)


def _by_owner(identity: Identity, incoming: Incoming) -> dict[Identity, list[tuple[Record, NDArray[Any] | None]]]:
    """Texts by the identity whose tombstones count: the writer's, or (in an import of everything) that of the room it goes to."""
    groups: dict[Identity, list[tuple[Record, NDArray[Any] | None]]] = {}
    for record, vectors in incoming:
        owner = identity
        if not reaches(identity, record.place):
            owner = identity_of(record.account, record.place)
        groups.setdefault(owner, []).append((record, vectors))
    return groups


def _is_active(stored: StoredText, record: Record) -> bool:
    """Whether another memory with the same text is active in the same place."""
    same = (old for old in stored.memories if old.place == record.place and old.id != record.id)
    return any(old.status == "active" for old in same)
