"""RedisWorking: working memory in a Redis. A value is a string with its end in front; a room has a sorted set of its ends.

A value is gone at its end by the caller's clock, which every read asks. The server's own expiry comes a minute later, counted
from when the value was put: clocks that differ drop nothing early, and nothing stays when nobody asks for it again.
"""

from __future__ import annotations

import hashlib
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import redis
from redis.exceptions import ConnectionError, NoPermissionError

from recollect import errors
from recollect.forking import follow_forks
from recollect.ports import Namespace
from recollect.store.redis.client import Names, names_of, pool_of, read_address, translated

_Result = TypeVar("_Result")
_SCRIPTS = Path(__file__).with_name("scripts")
_GRACE_SECONDS = 60.0
_CHANGE_SECONDS = 5.0
_MANY_ROOMS, _BATCH = 10_000, 500
_ANY, _NONE = "", "-"


class RedisWorking:
    """Values for a while. Threads share it, processes share the Redis; nothing is connected before it is used."""

    def __init__(self, url: str) -> None:
        address = read_address(url)
        self._prefix, self._place = address.prefix, address.shown
        self._redis: Any = redis.Redis(connection_pool=pool_of(address))
        self._put = self._redis.register_script((_SCRIPTS / "put.lua").read_text("utf-8"))
        self._drop = self._redis.register_script((_SCRIPTS / "drop.lua").read_text("utf-8"))
        self._lock = threading.Lock()
        # The rooms this process wrote to, with the next end in each: `sweep` visits only those where one has come.
        self._next_ends: dict[Namespace, float] = {}
        self._closed = False
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of: the driver makes new connections in a child by itself."""

    def after_fork(self, *, child: bool) -> None:
        """Another thread may have held the lock; it does not exist in the child."""
        if child:
            self._lock = threading.Lock()

    def get(self, room: Namespace, key: str, now: float) -> str | None:
        held = self._run(lambda: self._redis.get(self._names(room).value(key)), again=True)
        return _live(held, now)

    def put(self, room: Namespace, key: str, value: str, now: float, expires_at: float) -> None:
        self._run(lambda: self._write(room, key, _packed(value, expires_at), now, expires_at, _ANY), again=True)

    def change(
        self, room: Namespace, key: str, now: float, expires_at: float, change: Callable[[str | None], str]
    ) -> str:
        """Compare and set: read, make the new value here, and have the server write it if the old one is still there."""
        held = self._run(lambda: self._redis.get(self._names(room).value(key)), again=True)
        until, patience = time.monotonic() + _CHANGE_SECONDS, 0.0005
        while True:
            value = change(_live(held, now))
            made, expected = _packed(value, expires_at), _digest(held)
            written, *others = self._run(lambda: self._write(room, key, made, now, expires_at, expected))  # noqa: B023 - run at once
            if written:
                return value
            if time.monotonic() > until:
                raise errors.StoreBusy(
                    f"working memory at {self._place}: others changed {key!r} for more than {_CHANGE_SECONDS:g} s; try again"
                )
            held = others[0]
            time.sleep(random.random() * patience)  # noqa: S311 - so that those who collided do not collide again
            patience = min(2 * patience, 0.02)

    def remove(self, room: Namespace, key: str, now: float) -> bool:
        _, live = self._run(lambda: self._dropped(self._names(room), [_bytes(key)], now, "all"))
        return bool(live)

    def items(self, room: Namespace, now: float) -> list[tuple[str, str, float]]:
        names = self._names(room)

        def work() -> list[tuple[bytes, bytes | None]]:
            keys = self._redis.zrangebyscore(names.ends, f"({now!r}", "+inf")
            return [
                pair
                for batch in _batches(keys)
                for pair in zip(batch, self._redis.mget([names.value(_text(key)) for key in batch]), strict=True)
            ]

        found = [(_text(key), *_unpacked(held)) for key, held in self._run(work, again=True) if held is not None]
        return sorted(item for item in found if item[2] > now)

    def clear(self, room: Namespace) -> int:
        names = self._names(room)

        def work() -> int:
            keys = self._redis.zrange(names.ends, 0, -1)
            return sum(self._dropped(names, batch, 0.0, "all")[0] for batch in _batches(keys))

        return self._run(work)

    def sweep(self, now: float) -> int:
        """Drop what expired in the rooms this process wrote to; everything else the server drops by itself."""
        with self._lock:
            due = [room for room, ends in self._next_ends.items() if ends <= now]
        return self._run(lambda: sum(self._swept(room, now) for room in due))

    def namespaces(self, account: str, owner: str | None = None) -> list[Namespace]:
        ends = self._names((account, owner or "", "")).ends.rpartition(":")[0] + ":"
        if owner is None:
            ends = ends.removesuffix("%:")
        pattern = re.sub(r"([*?\[\]\\])", r"\\\1", ends) + "*"
        keys = self._run(lambda: sorted(self._redis.scan_iter(match=pattern, count=1000)), again=True)
        rest = [_text(key).removeprefix(ends).split(":") for key in keys]
        return [(account, _unquoted(parts[0]) if owner is None else owner, _unquoted(parts[-1])) for parts in rest]

    def erase_traces(self, now: float) -> None:
        """A Redis removes what is removed; what it writes to its disk is its own."""
        self.sweep(now)

    def check(self) -> dict[str, Any]:
        """Where it is and how it is, for `doctor`; a Redis that is away is a finding, not an error."""
        try:
            found = self._run(self._told, again=True)
        except errors.RecollectError as error:
            return {"place": self._place, "problem": str(error)}
        return {"place": self._place, "problem": self._worry(found), **found}

    def close(self) -> None:
        """Let go of the connections. Closing twice is fine."""
        self._closed = True
        self._redis.connection_pool.disconnect()

    def _run(self, work: Callable[[], _Result], *, again: bool = False) -> _Result:
        """Do something there; what may be done twice is, when the connection was cut in the middle of it."""
        if self._closed:
            raise errors.StoreError(f"working memory at {self._place} is closed; open it again")
        with translated(self._place):
            try:
                return work()
            except ConnectionError as error:
                if not again or "No connection available" in str(error):
                    raise
            return work()

    def _write(self, room: Namespace, key: str, made: bytes, now: float, expires_at: float, expected: str) -> Any:
        names = self._names(room)
        lifetime = max(1, round((expires_at - now + _GRACE_SECONDS) * 1000))
        done = self._put(
            keys=[names.value(key), names.ends],
            args=[_bytes(key), made, repr(expires_at), lifetime, repr(now - _GRACE_SECONDS), expected],
        )
        self._note(room, expires_at)
        return done

    def _note(self, room: Namespace, ends: float) -> None:
        with self._lock:
            if room not in self._next_ends and len(self._next_ends) >= _MANY_ROOMS:
                self._next_ends.pop(next(iter(self._next_ends)))
            self._next_ends[room] = min(ends, self._next_ends.get(room, ends))

    def _swept(self, room: Namespace, now: float) -> int:
        names = self._names(room)
        with self._lock:
            self._next_ends.pop(room, None)
        keys = self._redis.zrangebyscore(names.ends, "-inf", repr(now))
        dropped = sum(self._dropped(names, batch, now, "ended")[0] for batch in _batches(keys))
        for _, ends in self._redis.zrange(names.ends, 0, 0, withscores=True):
            self._note(room, ends)
        return dropped

    def _dropped(self, names: Names, keys: Sequence[bytes], now: float, which: str) -> tuple[int, int]:
        places = [names.ends, *(names.value(_text(key)) for key in keys)]
        dropped, live = self._drop(keys=places, args=[repr(now), which, *keys])
        return dropped, live

    def _told(self) -> dict[str, Any]:
        try:
            server, memory = self._redis.info("server"), self._redis.info("memory")
        except NoPermissionError:
            self._redis.ping()
            return {}
        return {
            "server": f"Redis {server['redis_version']}",
            "bytes": memory["used_memory"],
            "eviction": memory.get("maxmemory_policy", "noeviction"),
        }

    def _worry(self, found: dict[str, Any]) -> str | None:
        if str(found.get("eviction", "")).startswith("allkeys"):
            return (
                f"working memory at {self._place} may lose values before their time (maxmemory-policy {found['eviction']}); "
                "set noeviction or volatile-ttl there"
            )
        return None

    def _names(self, room: Namespace) -> Names:
        return names_of(self._prefix, room)


def _unquoted(part: str) -> str:
    return "" if part == "%" else unquote(part, errors="surrogatepass")


def _packed(value: str, expires_at: float) -> bytes:
    return f"{expires_at!r} ".encode() + _bytes(value)


def _unpacked(held: bytes) -> tuple[str, float]:
    ends, _, value = held.partition(b" ")
    return _text(value), float(ends)


def _live(held: bytes | None, now: float) -> str | None:
    if held is None:
        return None
    value, ends = _unpacked(held)
    return value if ends > now else None


def _digest(held: bytes | None) -> str:
    return _NONE if held is None else hashlib.sha1(held, usedforsecurity=False).hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(held: bytes) -> str:
    return held.decode("utf-8", "surrogatepass")


def _batches(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH))
