"""Watching: a stream that tells how far it got, while it goes by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.portable.stream import Header, Item, Remembered
from recollect.ports import Progress

_STEP = 500


def watched(items: Iterable[Item], progress: Progress | None) -> Iterator[Item]:
    """The same items; every so many memories, the progress is told how many of how many."""
    done = total = 0
    for item in items:
        yield item
        if progress is None:
            continue
        if isinstance(item, Header):
            total = item.counts.get("memory", 0)
        elif isinstance(item, Remembered):
            done += 1
            if done % _STEP == 0 or done == total:
                progress(done, max(total, done))
