"""Opens a transcript, detects its form from its content, and streams its messages."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, cast, get_args

from recollect.companion.transcripts.chat_exports import (
    is_chatgpt_export,
    is_claude_export,
    read_chatgpt,
    read_claude,
)
from recollect.companion.transcripts.chat_messages import (
    is_chat_message,
    is_trajectory,
    messages_in,
    read_chat_messages,
    read_trajectory,
)
from recollect.companion.transcripts.claude_code import is_claude_code, read_claude_code
from recollect.companion.transcripts.codex import is_codex, read_codex
from recollect.companion.transcripts.json_stream import elements_of, lines_of
from recollect.companion.transcripts.markdown_log import read_markdown, style_of
from recollect.companion.transcripts.said import Said
from recollect.errors import InvalidInput

TranscriptFormat = Literal["claude-code", "codex", "messages", "markdown", "chatgpt", "claude", "swe-agent"]
TRANSCRIPT_FORMATS: tuple[str, ...] = get_args(TranscriptFormat)
TranscriptSource = str | os.PathLike[str] | BinaryIO
_FORMS = (
    "claude-code and codex (their .jsonl sessions), messages (JSON or JSON Lines of role and content), chatgpt and claude "
    "(conversations.json of an export), swe-agent (.traj), markdown (SpecStory, `## User` or `**User:**`)"
)
_GZIP = b"\x1f\x8b"
# Enough to see the first entries of any form; the lines of a log that show how it marks who speaks.
_HEAD_BYTES = 1 << 16
_HEAD_LINES = 400
# A JSON object that is no array has to be read as a whole.
_LARGEST_OBJECT = 256 << 20


def is_open(source: object) -> bool:
    """Whether a source is a stream that is open already."""
    return hasattr(source, "read")


def source_name(source: TranscriptSource) -> str:
    """What a report calls a source."""
    if is_open(source):
        return str(getattr(source, "name", "stdin"))
    return os.fspath(cast("str | os.PathLike[str]", source))


@contextmanager
def open_transcript(source: TranscriptSource, form: str | None = None) -> Iterator[Iterator[Said]]:
    """The messages of a transcript, while it is open. An unknown form is an error that lists those that are read."""
    with _opened(source) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline=None)
        try:
            yield _messages(text, form, source_name(source))
        finally:
            text.detach()


@contextmanager
def _opened(source: TranscriptSource) -> Iterator[BinaryIO]:
    """The bytes of a source, unpacked if it is compressed."""
    if is_open(source):
        stream = cast("BinaryIO", source)
        yield stream if hasattr(stream, "peek") else cast("BinaryIO", io.BufferedReader(cast("Any", stream)))
        return
    path = Path(source_name(source)).expanduser()
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(_GZIP)) == _GZIP
            raw.seek(0)
            if not packed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as plain:
                yield cast("BinaryIO", plain)
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise InvalidInput("source", f"{path} is damaged ({error})", "copy it again") from None
        raise InvalidInput("source", f"{path} cannot be read ({error.strerror})", "name a file") from None
    except (EOFError, zlib.error) as error:
        raise InvalidInput("source", f"{path} is damaged ({error})", "copy it again") from None


def _messages(file: TextIO, form: str | None, name: str) -> Iterator[Said]:
    head = file.read(_HEAD_BYTES)
    if not head.strip():
        return iter(())
    whole = cast("TextIO", _Joined(head, file))
    start = head.lstrip()[:1]
    found = form or _json_form(head, start)
    if found == "claude-code":
        return read_claude_code(lines_of(whole))
    if found == "codex":
        return read_codex(lines_of(whole))
    if found == "messages":
        return _chat_messages(whole, head, start)
    if found in ("chatgpt", "claude"):
        values = elements_of(whole) if start == "[" else iter([_object(whole, name)])
        return read_chatgpt(values) if found == "chatgpt" else read_claude(values)
    if found == "swe-agent":
        value = _object(whole, name)
        if not is_trajectory(value):
            raise _unknown(name)
        return read_trajectory(value)
    if found is None and start == "{":
        value = _object(whole, name)
        form = _form_of_object(value)
        if form is None:
            raise _unknown(name)
        return _of_object(form, value)
    lines = iter(whole)
    first = [line for _, line in zip(range(_HEAD_LINES), lines, strict=False)]
    style = style_of(first)
    if style is None:
        raise _unknown(name)
    return read_markdown(chain(first, lines), style)


def _json_form(head: str, start: str) -> str | None:
    """The form of JSON, by its first value; None for an object that is not complete in the head, and for other text."""
    if start == "[":
        first = _first_element(head)
        if is_chatgpt_export(first) or '"mapping"' in head[:4000]:
            return "chatgpt"
        if is_claude_export(first) or '"chat_messages"' in head[:4000]:
            return "claude"
        return "messages" if is_chat_message(first) or messages_in(first) is not None or '"role"' in head else None
    if start != "{":
        return None
    for line in head.split("\n")[:-1] or [head]:
        value = _parsed(line)
        if not isinstance(value, dict):
            break
        if is_trajectory(value):
            return "swe-agent"
        if is_claude_code(value):
            return "claude-code"
        if is_codex(value):
            return "codex"
        if is_chat_message(value) or messages_in(value) is not None:
            return "messages"
    return None


def _form_of_object(value: Any) -> str | None:
    if is_trajectory(value):
        return "swe-agent"
    if is_chatgpt_export(value):
        return "chatgpt"
    if is_claude_export(value):
        return "claude"
    return None if messages_in(value) is None else "messages"


def _of_object(form: str, value: Any) -> Iterator[Said]:
    if form == "swe-agent":
        return read_trajectory(value)
    if form == "messages":
        return read_chat_messages([value])
    return read_chatgpt([value]) if form == "chatgpt" else read_claude([value])


def _chat_messages(whole: TextIO, head: str, start: str) -> Iterator[Said]:
    if start == "[":
        return read_chat_messages(elements_of(whole))
    one_line = isinstance(_parsed(head.lstrip().partition("\n")[0]), dict)
    return read_chat_messages(lines_of(whole) if one_line else [_object(whole, "the transcript")])


def _first_element(head: str) -> Any:
    return next(elements_of(io.StringIO(head)), None)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _object(file: TextIO, name: str) -> Any:
    text = file.read(_LARGEST_OBJECT + 1)
    if len(text) > _LARGEST_OBJECT:
        raise InvalidInput("source", f"{name} is one JSON object of more than 256 MB", "split it, or write JSON Lines")
    value = _parsed(text)
    if value is None:
        raise _unknown(name)
    return value


def _unknown(name: str) -> InvalidInput:
    return InvalidInput("source", f"{name} has none of the forms that are read", f"these are: {_FORMS}")


class _Joined:
    """A text of which the beginning was read already."""

    def __init__(self, head: str, rest: TextIO) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int = -1) -> str:
        if size < 0:
            head, self._head = self._head, ""
            return head + self._rest.read()
        if self._head:
            head, self._head = self._head[:size], self._head[size:]
            return head if len(head) == size else head + self._rest.read(size - len(head))
        return self._rest.read(size)

    def __iter__(self) -> Iterator[str]:
        # Not splitlines(), which also breaks at characters that may stand inside a line.
        *whole, last = io.StringIO(self._head)
        self._head = ""
        yield from whole
        if last.endswith("\n"):
            yield last
        else:
            yield last + self._rest.readline()
        yield from self._rest
