"""Replaying: a journal line by line into an account that has none, with its own operations, times and actors."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from recollect.portable.deciding import Terms
from recollect.portable.tallying import Tally
from recollect.ports import Reader, Transaction
from recollect.values.document import Document
from recollect.values.event import Event, Image

_PAGE = 5000
_SAID = ("content", "snippet")


class Replay:
    """A history on its way in; `done` of its events are in already."""

    def __init__(self, terms: Terms, tally: Tally, done: int) -> None:
        self._terms, self._tally = terms, tally
        self.done, self._skip = done, done
        self._seqs: array[int] | None = None

    def events(self, reader: Reader, tx: Transaction | None, events: Sequence[Event], refused: Collection[str]) -> None:
        """Write some lines; those that an earlier run wrote are passed over, and those of what was refused."""
        for event in events:
            if self._skip:
                self._skip -= 1
                continue
            self.done += 1
            if event.memory_id in refused:
                # What comes after it in the file still counts it.
                seqs = self._numbers(reader)
                seqs.append(seqs[-1] if seqs else 0)
                continue
            made = self._pointed_event(reader, self._cleaned(event))
            if tx is not None:
                self._numbers(reader).append(tx.replay(self._terms.account, made))
            self._tally.others["event"] += 1

    def pointed(self, reader: Reader, document: Document) -> Document:
        """A snapshot as a point of this journal."""
        return replace(document, body=self._point(reader, document.body or {}))

    def _numbers(self, reader: Reader) -> array[int]:
        """The number each event got here; those of an earlier run are read back once."""
        if self._seqs is None:
            self._seqs, after = array("q"), 0
            while page := reader.events(self._terms.account, after=after, limit=_PAGE):
                self._seqs.extend(event.seq for event in page)
                after = page[-1].seq
        return self._seqs

    def _point(self, reader: Reader, body: Mapping[str, Any]) -> dict[str, Any]:
        before, seqs = body.get("seq"), self._numbers(reader)
        known = isinstance(before, int) and 0 < before <= len(seqs)
        return {**body, "seq": seqs[int(before or 0) - 1] if known else 0}

    def _pointed_event(self, reader: Reader, event: Event) -> Event:
        if event.document != "snapshot":
            return event
        sides = [self._pointed_image(reader, image) for image in (event.before, event.after)]
        return replace(event, before=sides[0], after=sides[1])

    def _pointed_image(self, reader: Reader, image: Image | None) -> Image | None:
        return None if image is None else {**image, "body": self._point(reader, image["body"])}

    def _cleaned(self, event: Event) -> Event:
        """What must not be kept is not kept by the journal either: such an event loses its images, like after a purge."""
        told = [part for image in (event.before, event.after) if image and (part := self._told(event, image))]
        if not told or self._terms.clean(told):
            return self._own(event)
        reason = "its images held what must not be kept"
        self._tally.leave(f"event {event.operation}", event.memory_id, reason, memory=False)
        return replace(event, before=None, after=None, reason=None)

    def _own(self, event: Event) -> Event:
        """The whole image of a memory names its account: this one from now on."""
        if not any("account" in image for image in (event.before, event.after) if image):
            return event
        sides = [
            {**image, "account": self._terms.account} if image and "account" in image else image
            for image in (event.before, event.after)
        ]
        return replace(event, before=sides[0], after=sides[1])

    def _told(self, event: Event, image: Image) -> Any:
        if event.document is None:
            return [image[name] for name in _SAID if image.get(name)]
        return {**image["body"], "vector": None}
