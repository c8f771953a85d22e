"""The arguments of tool calls: what a client is told about each, as a schema, and how what a model sends for it is read.

Strict in meaning and lenient in form. Models fill what they do not use with `""`, `null`, `[]` or 0, send numbers, lists and
objects as text, one value for a list, words in any case, dates in words, and ids in the brackets they were shown in. All of that
means the same as the plain form; a word, an argument or a value that does not exist stays an error that says what does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from recollect.errors import InvalidInput
from recollect.serve.times import EXAMPLES, parse_duration, parse_time

Schema = dict[str, Any]
Arguments = dict[str, Any]
# Reads what was sent for an argument of this name at this time. None means that it is absent.
Reader = Callable[[str, Any, datetime], Any]

_MAX_QUOTED, _MAX_DEPTH = 60, 100
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_NOTHING = ("null", "none", "undefined")
_EVERYTHING = ("all", "any", "*")
_SYNONYMS = {
    "useful": "helpful", "not_useful": "unhelpful", "not_helpful": "unhelpful",
    "keyword": "lexical", "vector": "semantic", "replace": "supersede", "keep": "keep_both", "both": "keep_both",
    "related": "relates_to", "related_to": "relates_to",
}  # fmt: skip
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ID = re.compile(r"\W*(?:(?:id|memory)\W+)*([0-9a-f][0-9a-f-]{3,})\W*", re.IGNORECASE)
_BARE_ID = re.compile(r"[0-9a-f-]{8,}", re.IGNORECASE)
_BRACKETED_ID = re.compile(r"\[([0-9a-f][0-9a-f-]{3,})\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool."""

    schema: Schema
    read: Reader
    # Whether "", [], {} and null are values of it; otherwise they mean that it is absent.
    keeps_blank: bool = False
    # The words, in lower case, that mean that it is absent, where it may be.
    absent: tuple[str, ...] = _NOTHING
    # Other names that models give it.
    also: tuple[str, ...] = ()
    # What an object has in it; what stands beside it in the call is taken as if it stood in it.
    inside: Mapping[str, Argument] | None = None


# What an argument may be.


def text(description: str = "", *, blank: bool = False) -> Argument:
    """Any text; with `blank`, an empty one too."""
    schema = _schema("string", description)
    return Argument(schema, _read_blank if blank else _read_text, blank, absent=() if blank else _NOTHING)


def name(description: str = "") -> Argument:
    """The name of a project, a session, a person …; "null" is not one."""
    return Argument(_schema("string", description), _read_name)


def key(description: str = "") -> Argument:
    """A key of JSON data, which may be the word none."""
    return Argument(_schema("string", description), _read_text, absent=("null", "undefined"))


def texts(description: str = "", *, commas: bool = False) -> Argument:
    """A list of texts; with `commas`, one text is split at them."""
    return Argument(_list_schema(description), partial(_read_texts, commas=commas))


def comma_list(description: str = "") -> Argument:
    """A list of texts that a client is told to send as one text, separated by commas."""
    return Argument(_schema("string", description), partial(_read_texts, commas=True))


def id_(description: str = "id") -> Argument:
    """The id of a memory, short or long."""
    return Argument(_schema("string", description), _read_id)


def ids(description: str = "") -> Argument:
    """The ids of memories."""
    return Argument(_list_schema(description), _read_ids)


def choice(words: Sequence[str], description: str = "", *, listed: bool = False) -> Argument:
    """One of some words.

    Models that must fill every argument choose a word even when they want none: `listed` names the words in the description only,
    for an argument that means something else when it is absent.
    """
    if listed:
        schema = _schema("string", f"{', '.join(words)}{f': {description}' if description else ''}")
    else:
        schema = _schema("string", description) | {"enum": list(words)}
    return Argument(schema, partial(_read_word, words=tuple(words)))


def choices(words: Sequence[str], description: str = "") -> Argument:
    """Any of some words; `all` means no restriction unless it is one of them."""
    return Argument(_list_schema(description), partial(_read_words, words=tuple(words)))


def whole(description: str = "", *, low: int | None = None) -> Argument:
    """A whole number. Where 0 is below `low`, it means absent."""
    return Argument(_schema("integer", description), partial(_read_number, whole=True, low=low))


def wholes(description: str = "") -> Argument:
    """A list of whole numbers."""
    schema = _schema("array", description) | {"items": {"type": "integer"}}
    return Argument(schema, _read_wholes)


def number(description: str = "", *, low: float | None = None) -> Argument:
    """A number. Where 0 is below `low`, it means absent."""
    return Argument(_schema("number", description), partial(_read_number, whole=False, low=low))


def flag(description: str = "") -> Argument:
    """True or false."""
    return Argument(_schema("boolean", description), _read_flag)


def past(description: str = "") -> Argument:
    """A time; a bare duration is counted back from now."""
    return Argument(_schema("string", description), partial(_read_time, future=False))


def future(description: str = "") -> Argument:
    """A time; a bare duration is counted forward from now."""
    return Argument(_schema("string", description), partial(_read_time, future=True))


def seconds(description: str = "") -> Argument:
    """A duration, as seconds or like 7d."""
    return Argument(_schema("string", description), _read_seconds)


# Objects without fixed properties cannot be said in the strict mode of some vendors, so they are text; an object is taken as well.


def json_object(description: str = "") -> Argument:
    """A JSON object."""
    return Argument(_schema("string", description), _read_object)


def json_value(description: str = "") -> Argument:
    """Any JSON value; text that is not JSON is that text."""
    return Argument(_schema("string", description), _read_json, keeps_blank=True, absent=())


def fields(table: Mapping[str, Argument], description: str = "", *, nulls: bool = False) -> Argument:
    """A JSON object with some of these arguments in it; with `nulls`, null is a value of each."""
    return Argument(_schema("string", description), partial(_read_fields, table=table, nulls=nulls), inside=table)


def where(table: Mapping[str, Argument], description: str = "") -> Argument:
    """A filter: an object with these conditions, and `AND`, `OR` and `NOT` over filters."""
    return Argument(_schema("string", description), partial(_read_where, table=table))


def drafts(table: Mapping[str, Argument], description: str = "", *, also: tuple[str, ...] = ()) -> Argument:
    """A list of facts: each a text, or an object with these fields."""
    return Argument(_list_schema(description), partial(_read_drafts, table=table), also=also)


def _schema(type_: str, description: str) -> Schema:
    return {"type": type_, "description": description} if description else {"type": type_}


def _list_schema(description: str) -> Schema:
    return _schema("array", description) | {"items": {"type": "string"}}


# The arguments of a call.


def read_arguments(
    tool: str,
    table: Mapping[str, Argument],
    given: Mapping[str, Any] | None,
    now: datetime,
    required: Sequence[str] = (),
) -> Arguments:
    """What a call of a tool gives, as its plain values; what is absent is left out."""
    sent = mend(dict(given or {}))
    beside = _taken_out(table, sent)
    found = _read_table(table, sent, now, tool, required=required)
    for owner, fields_ in beside.items():
        read = table[owner].read(owner, fields_, now)
        found[owner] = {**read, **found.get(owner, {})} if read else found.get(owner, {})
    for missing in (name for name in required if name not in found):
        raise InvalidInput(missing, f"is missing; {tool} needs it", f"give {_expected(table[missing])}")
    return found


def _taken_out(table: Mapping[str, Argument], sent: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The arguments that belong into another one, such as the rarer fields in `more`, taken out of a call."""
    found: dict[str, dict[str, Any]] = {}
    for owner, argument in table.items():
        inside = argument.inside or {}
        names = [name for name in sent if _known_name(name, table) is None and _known_name(name, inside) is not None]
        if names:
            found[owner] = {name: sent.pop(name) for name in names}
    return found


def action_arguments(action: str, given: Arguments, required: Sequence[str], optional: Sequence[str]) -> Arguments:
    """The arguments of an action, of a tool whose `action` decides which of them it takes."""
    takes = ", ".join((*required, *optional)) or "no arguments"
    for name in required:
        if name not in given:
            raise InvalidInput(name, f"is missing; {action} needs it", f"{action} takes {takes}")
    for name, value in given.items():
        if name not in (*required, *optional) and not _means_nothing(value) and value not in ("0", ["0"]):
            raise InvalidInput(name, f"is not an argument of {action}", f"{action} takes {takes}")
    return {
        name: value for name, value in given.items() if name in required or (name in optional and not is_blank(value))
    }


def is_blank(value: Any) -> bool:
    """Whether a value says nothing: null, empty, or a list of such values."""
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, list):
        return all(map(is_blank, value))
    return value is None or value == {}


def _means_nothing(value: Any) -> bool:
    """Whether a value is what models send for an argument they do not use: nothing, 0, or a word for nothing."""
    value = _single(value)
    if isinstance(value, str):
        return value.strip().strip("\"'").lower() in ("", *_NOTHING, "[]", "{}")
    return is_blank(value) or (isinstance(value, int | float) and value == 0)


def mend(value: Any, depth: int = 0) -> Any:
    """The same JSON with the halves of surrogate pairs joined; a half without its other one becomes a replacement character."""
    if depth > _MAX_DEPTH:
        raise InvalidInput("arguments", f"are nested deeper than {_MAX_DEPTH}", "make them flatter")
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [mend(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {mend(key): mend(one, depth + 1) for key, one in value.items()}
    return value


def split_commas(given: str) -> list[str]:
    """The parts of a comma-separated text."""
    return [part for each in given.split(",") if (part := each.strip())]


def _read_table(
    table: Mapping[str, Argument],
    given: Mapping[str, Any],
    now: datetime,
    owner: str,
    *,
    path: str = "",
    nulls: bool = False,
    required: Sequence[str] = (),
) -> Arguments:
    found: Arguments = {}
    for sent, value in given.items():
        name = _known_name(sent, table)
        if name is None:
            if _means_nothing(value):
                continue
            what = "is unknown" if path else f"is not an argument of {owner}"
            raise InvalidInput(
                f"{path}{sent}"[:_MAX_QUOTED], what, f"{'known' if path else 'arguments'}: {', '.join(table)}"
            )
        if is_blank(value) and not table[name].keeps_blank:
            if nulls and value is None:
                found[name] = None
            continue
        if name not in required and _is_unused(table[name], value):
            continue
        if name in found:
            raise InvalidInput(f"{path}{sent}"[:_MAX_QUOTED], f"is given twice, also as {name}", "give it once")
        read = table[name].read(f"{path}{name}", value, now)
        if read is not None or table[name].keeps_blank:
            found[name] = read
    return found


def _is_unused(argument: Argument, value: Any) -> bool:
    """Whether a value means that an argument which may be left out is absent, though it is not blank."""
    value, type_ = _single(value), argument.schema["type"]
    if isinstance(value, str):
        said = value.strip().strip("\"'")
        empty = type_ == "array" and said in ("[]", "{}")
        return said.lower() in argument.absent or empty
    zero_is_a_value = type_ in ("integer", "number", "boolean") or argument.keeps_blank
    return not zero_is_a_value and _means_nothing(value)


def _known_name(sent: str, table: Mapping[str, Argument]) -> str | None:
    """The argument that a name means: in another case, in the singular or plural, or another word for it."""
    snake = _HUMP.sub("_", sent).lower().replace("-", "_")
    known = (name for name in (sent, snake, f"{snake}s", snake.removesuffix("s")) if name in table)
    others = (name for name, argument in table.items() if snake in argument.also)
    return next(known, None) or next(others, None)


# The readers.


def _read_text(name: str, value: Any, _: datetime) -> str | None:
    value = _single(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise _wrong(name, value, "text")
    return value


def _read_blank(name: str, value: Any, now: datetime) -> str | None:
    return "" if is_blank(value) and not isinstance(value, str) else _read_text(name, value, now)


def _read_name(name: str, value: Any, now: datetime) -> str | None:
    read = _read_text(name, value, now)
    return None if read is None or read.strip().lower() in _NOTHING else read


def _read_texts(name: str, value: Any, now: datetime, *, commas: bool = False) -> list[str] | None:
    found = _items(value, commas=commas)
    return [each for one in found if not is_blank(one) and (each := _read_text(name, one, now)) is not None]


def _read_id(name: str, value: Any, now: datetime) -> str | None:
    value = _single(value)
    read = _read_name(name, value["id"] if isinstance(value, dict) and "id" in value else value, now)
    if read is None:
        return None
    bare = read.strip().removeprefix("recollect://memory/")
    shown = set(_BRACKETED_ID.findall(bare))
    found = _ID.fullmatch(bare)
    if found is not None:
        return found[1].lower()
    return shown.pop().lower() if len(shown) == 1 else bare


def _read_ids(name: str, value: Any, now: datetime) -> list[str] | None:
    found = _items(value, commas=True)
    if isinstance(value, str) and '"' not in value:
        # Before JSON: [12345678] and [123e4567] are ids in brackets, not lists of numbers.
        words = value.split()
        if (shown := _BRACKETED_ID.findall(value)) and len(shown) >= value.count("["):
            found = shown
        elif len(words) > 1 and all(map(_BARE_ID.fullmatch, words)):
            found = words
    return [each for one in found if not is_blank(one) and (each := _read_id(name, one, now)) is not None] or None


def _read_word(name: str, value: Any, _: datetime, *, words: tuple[str, ...]) -> str | None:
    value = _single(value)
    if not isinstance(value, str):
        raise _wrong(name, value, f"one of {', '.join(words)}")
    known, said = {_folded(word): word for word in words}, _folded(value)
    if said in known:
        return known[said]
    if said in _NOTHING:
        return None
    plural = f"{said[:-3]}y" if said.endswith("ies") else said.removesuffix("s")
    for meant in (_SYNONYMS.get(said), plural):
        if meant in known:
            return known[meant]
    raise InvalidInput(name, f"{_quoted(value)} is unknown", f"use one of {', '.join(words)}")


def _read_words(name: str, value: Any, now: datetime, *, words: tuple[str, ...]) -> list[str] | str | None:
    found = [one for one in _items(value, commas=True) if not is_blank(one)]
    if "all" not in words and any(isinstance(one, str) and _folded(one) in _EVERYTHING for one in found):
        return None
    read = [word for one in found if (word := _read_word(name, one, now, words=words)) is not None]
    return "all" if "all" in read else read or None


def _read_number(name: str, value: Any, _: datetime, *, whole: bool, low: float | None) -> int | float | None:
    value, expected = _single(value), "a whole number" if whole else "a number"
    if isinstance(value, str):
        if value.strip().lower() in _NOTHING:
            return None
        try:
            value = json.loads(value.strip().removeprefix("+"))
        except ValueError:
            raise _wrong(name, value, expected) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, value, expected)
    if value == 0 and low is not None and low > 0:
        return None
    if whole and isinstance(value, float):
        if not value.is_integer():
            raise _wrong(name, value, expected)
        return int(value)  # 5.0 is an integer in JSON Schema, and some clients send it
    return value


def _read_wholes(name: str, value: Any, now: datetime) -> list[int | float | None]:
    return [_read_number(name, one, now, whole=True, low=None) for one in _items(value, commas=True)]


def _read_flag(name: str, value: Any, _: datetime) -> bool | None:
    value = _single(value)
    said = str(value).strip().lower() if isinstance(value, str | int) else ""
    if said in (*_TRUE, *_FALSE):
        return said in _TRUE
    if said in _NOTHING:
        return None
    raise _wrong(name, value, "true or false")


def _read_time(name: str, value: Any, now: datetime, *, future: bool) -> datetime | None:
    value = _single(value)
    if value == 0:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    try:
        said = value.strip().strip("\"'")
        return None if said.lower() in _NOTHING else parse_time(said, now, future=future)
    except (AttributeError, ValueError, OverflowError, OSError):
        raise InvalidInput(name, f"{_quoted(value)} is not a time", EXAMPLES) from None


def _read_seconds(name: str, value: Any, _: datetime) -> float | None:
    value = _single(value)
    if isinstance(value, str):
        if value.strip().lower() in _NOTHING:
            return None
        try:
            value = json.loads(value) if value.strip().replace(".", "", 1).isdigit() else _duration(value)
        except (ValueError, OverflowError):
            raise InvalidInput(
                name, f"{_quoted(value)} is not a time to live", "write it like 24h, 7d or 30d"
            ) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, value, "seconds, or a duration like 7d")
    return value or None


def _duration(said: str) -> float:
    return parse_duration(said).total_seconds()


def _read_object(name: str, value: Any, _: datetime) -> dict[str, Any]:
    value = _single(value)
    if isinstance(value, str):
        value = _loaded(value)
    if not isinstance(value, dict):
        raise InvalidInput(name, f"{_quoted(value)} is not a JSON object", 'give one, like {"team": "core"}')
    return value


def _read_json(_: str, value: Any, __: datetime) -> Any:
    return _loaded(value) if isinstance(value, str) else value


def _read_fields(name: str, value: Any, now: datetime, *, table: Mapping[str, Argument], nulls: bool) -> Arguments:
    return _read_table(table, _read_object(name, value, now), now, name, path=f"{name}.", nulls=nulls)


def _read_where(
    name: str, value: Any, now: datetime, *, table: Mapping[str, Argument], depth: int = 0
) -> dict[str, Any]:
    if depth > _MAX_DEPTH:
        raise InvalidInput(name, f"is nested deeper than {_MAX_DEPTH}", "make it flatter")
    given, inside = _read_object(name, value, now), partial(_read_where, name, now=now, table=table, depth=depth + 1)
    made: dict[str, Any] = {}
    for key in [key for key in given if key.upper() in ("AND", "OR")]:
        parts = [part for part in _items(given.pop(key), commas=False) if not _means_nothing(part)]
        made |= {key.upper(): [inside(part) for part in parts]} if parts else {}
    for key in [key for key in given if key.upper() == "NOT"]:
        if not _means_nothing(part := given.pop(key)):
            made["NOT"] = inside(part)
    return made | _read_table(table, given, now, name, path=f"{name}.")


def _read_drafts(name: str, value: Any, now: datetime, *, table: Mapping[str, Argument]) -> list[Arguments] | None:
    made: list[Arguments] = []
    for one in [value] if isinstance(value, dict) else _items(value, commas=False):
        loaded = _loaded(one) if isinstance(one, str) and one.lstrip().startswith("{") else one
        if isinstance(loaded, dict):
            made.append(_read_fields(f"{name}[{len(made)}]", loaded, now, table=table, nulls=False))
        elif not is_blank(loaded):
            made.append({"content": _read_text(name, one, now)})
    return made or None


def _single(value: Any) -> Any:
    """One value for a list of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _items(value: Any, *, commas: bool) -> list[Any]:
    """The values of a list, of the JSON text of one, or of one value."""
    if isinstance(value, str):
        loaded = _loaded(value) if value.lstrip().startswith("[") else value
        if isinstance(loaded, list):
            return loaded
        return split_commas(value) if commas else [value]
    return value if isinstance(value, list) else [value]


def _loaded(value: str) -> Any:
    try:
        return mend(json.loads(value))
    except (ValueError, RecursionError):
        return value


def _folded(word: str) -> str:
    return re.sub(r"[\s-]+", "_", word.strip().strip("\"'`").lower())


def _expected(argument: Argument) -> str:
    schema = argument.schema
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    return {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}.get(
        schema["type"], "a list"
    )


def _wrong(name: str, value: Any, expected: str) -> InvalidInput:
    return InvalidInput(name, f"{_quoted(value)} is not {expected}", f"give {expected}")


def _quoted(value: Any) -> str:
    try:
        quoted = repr(value)
    except (RecursionError, ValueError):
        return type(value).__name__
    return quoted if len(quoted) <= _MAX_QUOTED else f"{quoted[:_MAX_QUOTED]}…"
