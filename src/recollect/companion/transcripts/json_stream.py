"""Reads the elements of a JSON array, or the lines of a JSON Lines file, one by one, however long the file is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

_CHUNK = 1 << 18
_SPACE = " \t\r\n"


def lines_of(file: TextIO) -> Iterator[Any]:
    """The values of a JSON Lines file; a line that is cut or damaged is left out, because programs crash while they write."""
    for line in file:
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def elements_of(file: TextIO) -> Iterator[Any]:
    """The elements of a JSON array. Only one element, and as much again, is in memory."""
    decode = json.JSONDecoder().raw_decode
    buffer, at, wanted, ended = file.read(_CHUNK), 0, _CHUNK, False
    at = buffer.find("[") + 1
    while True:
        while at < len(buffer) and buffer[at] in _SPACE + ",":
            at += 1
        if at < len(buffer):
            if buffer[at] == "]":
                return
            try:
                value, at = decode(buffer, at)
            except ValueError:
                if ended:
                    return  # the file is cut in the middle of an element
            else:
                yield value
                wanted = _CHUNK
                continue
        elif ended:
            return
        # Twice as much each time: an element is parsed again only a few times before it is complete.
        more = file.read(wanted)
        wanted *= 2
        ended = not more
        buffer, at = buffer[at:] + more, 0
