"""Reads the part of YAML that people write in front matter; a whole YAML parser would be a dependency for this alone.

Read: mappings and lists, as blocks or in brackets, nested; plain, quoted and folded text; comments. Not read: anchors, aliases and
tags (`&a`, `*a`, `!tag` stay text) and several documents. More is accepted than YAML allows: a plain value may contain `: `.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'\[\]{},#&*!|>%@`-][^:#]{0,200}?|-[^\s:#][^:#]{0,200}?)\s*:(?=\s|$)"""
)
_FLOW_KEY = re.compile(
    r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'\[\]{},:][^\[\]{},:]{0,200}?)\s*:(?=[\s"'\[{]|$)"""
)
_BLOCK_TEXT = re.compile(r"[|>](?:[+-]?\d?|\d[+-])$")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(?:#.*)?$""", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d+|\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}
_DEEPEST = 16


class YamlError(ValueError):
    """The text is not in the part of YAML that is read; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line, self.problem = line, problem


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is neither empty nor a comment."""

    number: int
    indent: int
    text: str


def parse_yaml(lines: Sequence[str], *, typed: bool = True) -> dict[str, Any]:
    """A mapping from some lines. Without `typed`, numbers, booleans and null stay the text they are written as."""
    parser = _Parser(lines, typed=typed)
    return parser.whole()


class _Parser:
    """One pass over the lines; `_place` is the next one."""

    def __init__(self, lines: Sequence[str], *, typed: bool) -> None:
        self._raw, self._typed, self._place = list(lines), typed, 0

    def whole(self) -> dict[str, Any]:
        first = self._peek()
        found = {} if first is None else self._block(first.indent, 0)
        if not isinstance(found, dict):
            raise YamlError(1, "is not `name: value`")
        if (rest := self._peek()) is not None:
            raise YamlError(rest.number, "is not `name: value`, or is indented differently from the lines above")
        return found

    def _peek(self) -> _Line | None:
        while self._place < len(self._raw):
            raw = self._raw[self._place]
            bare = raw.strip()
            if bare and not bare.startswith("#"):
                indent = len(raw) - len(raw.lstrip(" "))
                if raw[indent] == "\t":
                    raise YamlError(self._place + 1, "is indented with a tab; use spaces")
                return _Line(self._place + 1, indent, bare)
            self._place += 1
        return None

    def _block(self, indent: int, depth: int) -> Any:
        """The mapping or the list that begins at the next line."""
        first = self._peek()
        if depth > _DEEPEST or first is None:
            raise YamlError(self._place, "is nested too deeply")
        return self._list(indent, depth) if _is_item(first.text) else self._mapping(indent, depth)

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (line := self._peek()) is not None and line.indent == indent and not _is_item(line.text):
            key = _KEY.match(line.text)
            if key is None:
                raise YamlError(line.number, "is not `name: value`")
            name = _unquoted(key[1], line.number)
            if name in found:
                raise YamlError(line.number, f"repeats {name!r}")
            self._place += 1
            found[name] = self._value(line.text[key.end() :].strip(), indent, depth)
        return found

    def _list(self, indent: int, depth: int) -> list[Any]:
        found: list[Any] = []
        while (line := self._peek()) is not None and line.indent == indent and _is_item(line.text):
            rest = line.text[1:].strip()
            if _is_item(rest) or (_KEY.match(rest) and not _QUOTED.match(rest)):
                # What follows the dash is a block of its own, indented by what stands before it.
                inner = indent + len(line.text) - len(line.text[1:].lstrip())
                self._raw[self._place] = " " * inner + rest
                found.append(self._block(inner, depth + 1))
            else:
                self._place += 1
                found.append(self._value(rest, indent, depth, in_list=True))
        return found

    def _value(self, text: str, indent: int, depth: int, *, in_list: bool = False) -> Any:
        """The value that begins after a name or a dash, with the lines that belong to it."""
        number = self._place
        if text.startswith("#"):
            text = ""
        if _BLOCK_TEXT.match(text.partition(" #")[0].strip()):
            return self._block_text(indent, folded=text[0] == ">")
        if not text:
            return self._nested(indent, depth, in_list=in_list)
        if text[0] in "[{":
            return self._flow(text, number)
        if text[0] in "\"'":
            return self._quoted(text, indent, number)
        return _scalar(" ".join([_COMMENT.sub("", text).strip(), *self._continuation(indent)]), typed=self._typed)

    def _nested(self, indent: int, depth: int, *, in_list: bool) -> Any:
        line = self._peek()
        deeper = line is not None and line.indent > indent
        # A list may stand below its name without being indented.
        beside = line is not None and line.indent == indent and not in_list and _is_item(line.text)
        if line is None or not (deeper or beside):
            return None if self._typed else ""
        if not _is_item(line.text) and _KEY.match(line.text) is None:
            return _scalar(" ".join(self._continuation(indent)), typed=self._typed)
        return self._block(line.indent, depth + 1)

    def _continuation(self, indent: int) -> list[str]:
        """The further lines of a value, which are indented more than its name."""
        found: list[str] = []
        while (line := self._peek()) is not None and line.indent > indent:
            found.append(_COMMENT.sub("", line.text).strip())
            self._place += 1
        return found

    def _block_text(self, indent: int, *, folded: bool) -> str:
        start = self._place
        while self._place < len(self._raw):
            raw = self._raw[self._place]
            if raw.strip() and len(raw) - len(raw.lstrip(" ")) <= indent:
                break
            self._place += 1
        lines = self._raw[start : self._place]
        margin = min((len(raw) - len(raw.lstrip(" ")) for raw in lines if raw.strip()), default=0)
        text = "\n".join(raw[margin:].rstrip() for raw in lines).strip("\n")
        return re.sub(r"(?<!\n)\n(?!\n)", " ", text) if folded else text

    def _quoted(self, text: str, indent: int, number: int) -> str:
        while (found := _QUOTED.match(text)) is None:
            line = self._peek()
            if line is None or line.indent <= indent:
                raise YamlError(number, "has a quote that is not closed")
            text = f"{text} {line.text}"
            self._place += 1
        return _unquoted(found[1], number)

    def _flow(self, text: str, number: int) -> Any:
        """A list or a mapping in brackets, which may go on over lines; most often it is JSON."""
        if self._typed:
            with suppress(ValueError, RecursionError):
                return json.loads(text, parse_constant=_no_constant)
        while True:
            try:
                found, rest = _read_flow(text, 0, number, typed=self._typed)
            except _Open:
                line = self._peek()
                if line is None:
                    raise YamlError(number, "has a bracket that is not closed") from None
                text = f"{text} {line.text}"
                self._place += 1
                continue
            if rest.strip() and not rest.strip().startswith("#"):
                raise YamlError(number, "goes on after its closing bracket")
            return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


class _Open(Exception):
    """A bracket or a quote is still open at the end of the text."""


def _read_flow(text: str, depth: int, number: int, *, typed: bool) -> tuple[Any, str]:
    """A value in brackets and the text after it."""
    if depth > _DEEPEST:
        raise YamlError(number, "is nested too deeply")
    mapping, closing = text[0] == "{", "}" if text[0] == "{" else "]"
    items: list[Any] = []
    fields: dict[str, Any] = {}
    rest = text[1:].lstrip()
    while not rest.startswith(closing):
        key = _FLOW_KEY.match(rest)
        if key is not None:
            rest = rest[key.end() :].lstrip()
        elif mapping and rest:
            raise YamlError(number, "has a field without a value")
        value, rest = _flow_value(rest, depth, number, typed=typed)
        if key is not None:
            name = _unquoted(key[1], number)
            items.append({name: value})
            fields[name] = value
        else:
            items.append(value)
        if rest.startswith(","):
            rest = rest[1:].lstrip()
        elif not rest:
            raise _Open
        elif not rest.startswith(closing):
            raise YamlError(number, "has brackets that do not match")
    return (fields if mapping else items), rest[1:]


def _flow_value(rest: str, depth: int, number: int, *, typed: bool) -> tuple[Any, str]:
    if not rest:
        raise _Open
    if rest[0] in "[{":
        value, rest = _read_flow(rest, depth + 1, number, typed=typed)
        return value, rest.lstrip()
    if rest[0] in "\"'":
        found = re.match(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*""", rest)
        if found is None:
            raise _Open
        return _unquoted(found[1], number), rest[found.end() :]
    plain = re.match(r"[^,\[\]{}]*", rest)
    end = plain.end() if plain else 0
    return _scalar(rest[:end].strip(), typed=typed), rest[end:]


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _unquoted(text: str, number: int) -> str:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if not text.startswith('"'):
        return text.strip()
    try:
        return str(json.loads(re.sub(r"\\x([0-9a-fA-F]{2})", r"\\u00\1", text), strict=False))
    except ValueError:
        raise YamlError(number, "has an unknown escape in quotes") from None


def _scalar(text: str, *, typed: bool) -> Any:
    if not typed:
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.fullmatch(text) and not re.match(r"[-+]?0\d", text):
        number = float(text)
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else number if math.isfinite(number) else text
    return text
