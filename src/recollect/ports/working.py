"""Working memory: values with a time to live, quick to set, shared by processes, lost with their store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

# Whose values: account, then owner (an agent, or one for a user), then task or workflow; "" where there is none.
Namespace = tuple[str, str, str]


class Working(Protocol):
    """Values by namespace and key. Times are epoch seconds; an expired value is never returned, swept or not."""

    def get(self, namespace: Namespace, key: str, now: float) -> str | None: ...
    def put(self, namespace: Namespace, key: str, value: str, now: float, expires_at: float) -> None: ...
    def change(
        self, namespace: Namespace, key: str, now: float, expires_at: float, change: Callable[[str | None], str]
    ) -> str:
        """Replace a value by what `change` makes of it (None when there is none), atomically."""

    def remove(self, namespace: Namespace, key: str, now: float) -> bool: ...
    def items(self, namespace: Namespace, now: float) -> list[tuple[str, str, float]]:
        """Every key with its value and when it expires, by key."""

    def clear(self, namespace: Namespace) -> int: ...
    def sweep(self, now: float) -> int:
        """Drop what expired; returns how many."""

    def namespaces(self, account: str, owner: str | None = None) -> list[Namespace]:
        """The namespaces of an account, or of one owner in it, that contain something, expired or not."""

    def erase_traces(self, now: float) -> None:
        """Drop what expired, and leave no copy of what was removed in any file."""

    def check(self) -> dict[str, Any]:
        """Its `place`, the `problem` that needs a person or None, and other facts for `doctor`; raises nothing."""

    def close(self) -> None: ...
