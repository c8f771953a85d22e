"""Output: the one place that writes to stdout and stderr, where text is made harmless to a terminal.

A memory may hold anything, also the bytes with which a terminal is told to recolour, retitle or retype; they are shown,
never sent.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from typing import Any, NoReturn

# Joiners build letters and emoji; the Arabic number signs are visible marks although Unicode calls them format characters.
_HARMLESS = frozenset("\u200c\u200d") | frozenset(map(chr, range(0x600, 0x606))) | {"\u06dd", "\u070f", "\u08e2"}
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# JSON escapes C0 itself; the rest of what a terminal obeys or no encoder accepts is escaped here.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BROKEN_PIPE, _CANNOT_WRITE = 141, 3


def visible(text: str) -> str:
    """One line of text with every control and hidden character spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(c) for c in text)


def _spelled(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN or character in _HARMLESS:
        return character
    return character.encode("unicode_escape").decode("ascii")


def json_text(value: Any) -> str:
    """One JSON document: indented for a terminal, one line for a pipe."""
    text = json.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def emit(text: str) -> None:
    """Write to stdout, now; a reader that went away ends the command quietly."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_stdout(_BROKEN_PIPE)
    except OSError as error:
        complain(f"the answer cannot be written: {error.strerror}")
        _abandon_stdout(_CANNOT_WRITE)


def emit_bytes(data: bytes) -> None:
    """Write bytes to stdout as they are, for a file or a program; a reader that went away ends the command quietly."""
    try:
        sys.stdout.buffer.write(data)
    except BrokenPipeError:
        _abandon_stdout(_BROKEN_PIPE)


def note(text: str) -> None:
    """A remark on stderr; its lines stay lines."""
    _say("note: " + _lines(text))


def complain(text: str) -> None:
    """An error on stderr; its lines stay lines."""
    _say("error: " + _lines(text))


def complain_json(error: dict[str, Any]) -> None:
    """An error on stderr, as JSON."""
    _say(json_text({"error": error}))


def _lines(text: str) -> str:
    return "\n".join(visible(line) for line in text.split("\n"))


def _say(text: str) -> None:
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:
        pass  # nobody can be told


def _abandon_stdout(code: int) -> NoReturn:
    # What is still buffered would fail again, loudly, when the interpreter flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)
