"""The messages in a line (or a request body) of JSON-RPC, and the errors for what is not a message.

A request that cannot be read is answered under its own id wherever that can be found: a client that waits for it learns why. The
SDK takes a request with an id of the wrong type for a notification, and does not read half of a surrogate pair.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

import mcp_types as types
from pydantic import ValidationError

from recollect.errors import InvalidInput
from recollect.serve.mcp.arguments import mend

# Batches were part of this revision only.
BATCH_VERSION = "2025-03-26"
Message = types.JSONRPCRequest | types.JSONRPCNotification | types.JSONRPCResponse | types.JSONRPCError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+')
_MOST_TOKENS = 100_000
_INTEGER = re.compile(r"-?\d{1,18}")
_NOT_A_MESSAGE = "this is not a JSON-RPC message; send one JSON object per line, in UTF-8"
_NO_BATCHES = "this protocol version has no batches; send one message per line"
_WRONG_ID = "the id of a request is a text or a whole number; send the request again with one"


class ErrorMessage(types.JSONRPCError):
    """An error whose id is that of the request, also where it is none that the protocol allows."""

    id: Any


@dataclass(frozen=True, slots=True)
class Line:
    """What a line holds: messages for the server, and errors to answer with. `batch` says that it was an array."""

    messages: tuple[Message, ...] = ()
    errors: tuple[ErrorMessage, ...] = ()
    batch: bool = False


def read_line(text: str, *, batches: bool = False) -> Line:
    """The messages and errors in a line; `batches` says that the protocol version in use has them."""
    if not text.strip():
        return Line()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Line(errors=(_error(types.PARSE_ERROR, _NOT_A_MESSAGE, _readable_id(text)),))
    if isinstance(value, list) and value:
        parts = [_read(part) if batches else _error(types.INVALID_REQUEST, _NO_BATCHES, _id_of(part)) for part in value]
        if not batches:
            parts = [part for part in parts if isinstance(part, ErrorMessage) and part.id is not None] or parts[:1]
        return _line(parts, batch=batches)
    return _line([_read(value)])


def _line(parts: list[Message | ErrorMessage], *, batch: bool = False) -> Line:
    errors = tuple(part for part in parts if isinstance(part, ErrorMessage))
    return Line(tuple(part for part in parts if not isinstance(part, ErrorMessage)), errors, batch)


def _read(value: Any) -> Message | ErrorMessage:
    if not isinstance(value, dict):
        return _error(types.INVALID_REQUEST, _NOT_A_MESSAGE, None)
    given = value.get("id")
    if "method" in value and "id" in value:
        if isinstance(given, float) and given.is_integer():
            value["id"] = int(given)
        elif not isinstance(given, str | int) or isinstance(given, bool):
            return _error(types.INVALID_REQUEST, _WRONG_ID, given if isinstance(given, float) else None)
    _mend_arguments(value.get("params"))
    try:
        message: Message = types.jsonrpc_message_adapter.validate_python(mend(value), by_name=False)
    except ValidationError:
        return _error(types.INVALID_REQUEST, _NOT_A_MESSAGE, _id_of(value))
    except InvalidInput as error:
        return _error(types.INVALID_REQUEST, str(error), _id_of(value))
    return message


def _mend_arguments(params: Any) -> None:
    """Arguments of a tool as JSON text, which some models write, or as the empty list that PHP writes for an empty object."""
    given = params.get("arguments") if isinstance(params, dict) else None
    if given in ([], ""):
        params["arguments"] = {}
    elif isinstance(given, str):
        try:
            loaded = json.loads(given)
        except (ValueError, RecursionError):
            return
        params["arguments"] = loaded if isinstance(loaded, dict) else given


def _id_of(value: Any) -> str | int | None:
    given = value.get("id") if isinstance(value, dict) else None
    return given if isinstance(given, str | int) and not isinstance(given, bool) else None


def _readable_id(text: str) -> str | int | None:
    """The id in a text that is not JSON: the value after the name `id` of the outermost object."""
    depth, parts = 0, [match.group() for match in islice(_TOKEN.finditer(text), _MOST_TOKENS)]
    for at, part in enumerate(parts):
        depth += (part in ("{", "[")) - (part in ("}", "]"))
        if depth == 1 and part == '"id"' and parts[at + 1 : at + 2] == [":"]:
            return _id_from(parts[at + 2]) if at + 2 < len(parts) else None
    return None


def _id_from(part: str) -> str | int | None:
    if _INTEGER.fullmatch(part):
        return int(part)
    if not part.startswith('"'):
        return None
    try:
        return str(mend(json.loads(part)))
    except ValueError:
        return None


def _error(code: int, message: str, id: str | float | None) -> ErrorMessage:
    return ErrorMessage(jsonrpc="2.0", id=id, error=types.ErrorData(code=code, message=message))
