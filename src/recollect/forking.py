"""What open stores do when the process forks: the child shares no connection, no lock and no background thread with its parent."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from functools import cache
from typing import Protocol
from weakref import WeakSet


class FollowsForks(Protocol):
    """Something that must not be shared with a forked process as it is."""

    def before_fork(self) -> None:
        """Let go of what a fork would break, and let no other thread have it back before the fork is done."""
        ...

    def after_fork(self, *, child: bool) -> None:
        """Go on, in the parent or in the child; other threads do not exist in the child, and what they locked stays locked."""
        ...


def follow_forks(one: FollowsForks) -> None:
    """Call the methods of an object around every fork, for as long as it exists."""
    if hasattr(os, "register_at_fork"):  # a system without it does not fork
        _followers().add(one)


@cache
def _followers() -> WeakSet[FollowsForks]:
    """All of them. The interpreter cannot forget a hook, so it gets one for all, once per process."""
    followers: WeakSet[FollowsForks] = WeakSet()
    # Per thread, because two threads may fork at once: those that were told before the fork are told after it.
    told = _Told()

    def before() -> None:
        # Threads come to rest before what they work with is let go of.
        told.followers = sorted(followers, key=lambda one: not getattr(one, "forks_first", False))
        for one in told.followers:
            one.before_fork()

    def after(*, child: bool) -> None:
        for one in told.followers:
            one.after_fork(child=child)
        told.followers = ()

    os.register_at_fork(
        before=before, after_in_parent=lambda: after(child=False), after_in_child=lambda: after(child=True)
    )
    return followers


class _Told(threading.local):
    followers: Iterable[FollowsForks] = ()
