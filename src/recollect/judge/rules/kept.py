"""The analyses made last, one a text: the ten candidates of a new memory cost one analysis of the new text, and a text that
stays a candidate costs nothing.

Before it: `analysis`. After it: `compare`, which asks first whether an old text was analysed already.
"""

from __future__ import annotations

from threading import Lock

from recollect.judge.rules.analysis import Analysed, read

_MOST = 4096


def analyse(text: str) -> Analysed:
    """The analysis of `text`; equal texts share one."""
    return _kept[text]


def analysed(text: str) -> Analysed | None:
    """The analysis of `text` if it was made already."""
    return _kept.get(text)


class _Kept(dict[str, Analysed]):
    """A plain dict, which can tell what is not in it; the oldest gives way."""

    def __init__(self) -> None:
        super().__init__()
        self._changing = Lock()

    def __missing__(self, text: str) -> Analysed:
        made = read(text)
        with self._changing:
            if len(self) >= _MOST:
                del self[next(iter(self))]
            self[text] = made
        return made


_kept = _Kept()
