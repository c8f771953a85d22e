"""InMemoryWorking: the reference of working memory. Dicts and one lock; it says plainly what the file must answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from recollect import errors
from recollect.ports import Namespace


class InMemoryWorking:
    """Values for a while, in this process only."""

    def __init__(self) -> None:
        self._rooms: dict[Namespace, dict[str, tuple[str, float]]] = {}
        self._lock = threading.RLock()
        self._closed = False

    def get(self, room: Namespace, key: str, now: float) -> str | None:
        with self._lock:
            value, expires_at = self._held(room).get(key, ("", now))
            return value if expires_at > now else None

    def put(self, room: Namespace, key: str, value: str, now: float, expires_at: float) -> None:
        self.change(room, key, now, expires_at, lambda _: value)

    def change(
        self, room: Namespace, key: str, now: float, expires_at: float, change: Callable[[str | None], str]
    ) -> str:
        with self._lock:
            value = change(self.get(room, key, now))
            self._rooms.setdefault(room, {})[key] = (value, expires_at)
            return value

    def remove(self, room: Namespace, key: str, now: float) -> bool:
        with self._lock:
            _, expires_at = self._held(room).pop(key, ("", now))
            return expires_at > now

    def items(self, room: Namespace, now: float) -> list[tuple[str, str, float]]:
        with self._lock:
            held = sorted(self._held(room).items())
            return [(key, value, expires_at) for key, (value, expires_at) in held if expires_at > now]

    def clear(self, room: Namespace) -> int:
        with self._lock:
            count = len(self._held(room))
            self._rooms.pop(room, None)
            return count

    def sweep(self, now: float) -> int:
        with self._lock:
            self._open_or_raise()
            gone = [
                (room, key)
                for room, held in self._rooms.items()
                for key, (_, expires_at) in held.items()
                if expires_at <= now
            ]
            for room, key in gone:
                del self._rooms[room][key]
            return len(gone)

    def namespaces(self, account: str, owner: str | None = None) -> list[Namespace]:
        with self._lock:
            return sorted(
                room for room, held in self._rooms.items() if held and room[0] == account and owner in (None, room[1])
            )

    def erase_traces(self, now: float) -> None:
        self.sweep(now)

    def check(self) -> dict[str, Any]:
        return {"place": "this process", "problem": None}

    def close(self) -> None:
        """Closing twice is fine."""
        self._closed = True

    def _held(self, room: Namespace) -> dict[str, tuple[str, float]]:
        self._open_or_raise()
        return self._rooms.get(room, {})

    def _open_or_raise(self) -> None:
        if self._closed:
            raise errors.StoreError("working memory is closed; open it again")
