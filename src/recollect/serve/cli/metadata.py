"""Metadata on the command line: `team=core` sets a field, `score>=3` is a condition on one.

A value that is JSON (a number, true, a list) is taken as that, anything else as text; quotes make text of a number: `id="7"`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from recollect.errors import InvalidInput

_OPERATORS = {"=": "$eq", "!=": "$ne", ">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte"}
_CONDITION = re.compile(r"([^=!<>]+?)\s*(!=|>=|<=|=|>|<)\s*(.*)", re.DOTALL)


def metadata_fields(given: Iterable[str]) -> dict[str, Any]:
    """The metadata that `key=value` options set. Without a value a field is null, which removes it from what there is."""
    fields: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InvalidInput("--meta", f"{text!r} is not key=value", "write it like --meta team=core")
        fields[name.strip()] = _value(value.strip()) if value.strip() else None
    return fields


def metadata_conditions(given: Iterable[str]) -> dict[str, Any]:
    """The conditions that `--meta` options of a reading command ask for; several on one field must all hold."""
    conditions: dict[str, Any] = {}
    for text in given:
        name, operator, operand = _condition(text)
        asked = conditions.setdefault(name, {})
        if operator in asked:
            raise InvalidInput("--meta", f"asks twice for {text!r}", 'give alternatives as --where with "$in" or OR')
        asked[operator] = operand
    return conditions


def _condition(text: str) -> tuple[str, str, Any]:
    found = _CONDITION.fullmatch(text.strip())
    if found is not None:
        name, operator, value = found.groups()
        return name.strip(), _OPERATORS[operator], _value(value.strip())
    name = text.strip().removeprefix("!").strip()
    if not name or _CONDITION.match(text):
        raise InvalidInput("--meta", f"{text!r} is not a condition", "write team=core, score>=3, reviewer or !reviewer")
    return name, "$exists", not text.strip().startswith("!")


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
