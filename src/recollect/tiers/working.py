"""Working memory without its place: how long a value lives, in which room, under which key, and its copy in the store.

Before it: `verbs/working.py`, which checks names and screens values. After it: `ports.Working`, and documents of kind `working`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import InvalidInput
from recollect.ports import Reader, Room, Transaction
from recollect.tiers.jsonable import json_text
from recollect.values.document import Document
from recollect.values.ids import new_id
from recollect.values.scope import GLOBAL, Identity, Place

Item = tuple[str, str, float]

HOUR = 3600.0
DAY = timedelta(days=1)
# The unit separator joins what no caller may mix up: names are refused when they hold a control character.
JOIN = "\x1f"
STATE, CONVERSATION, SCRATCH_PAD = f"{JOIN}state", f"{JOIN}conversation", f"{JOIN}scratch_pad"
RESULT, TOOL = f"{JOIN}result{JOIN}", f"{JOIN}tool{JOIN}"


def room_of(identity: Identity, task: str = "") -> Room:
    """The room of an agent, or of one of its tasks."""
    return identity.account, identity.agent or "", task


def workflow_room(account: str, run: str) -> Room:
    """The room that all agents of an account share in one run of a workflow."""
    return account, "", f"{JOIN}workflow{JOIN}{run}"


def shared_room(account: str, giver: str, taker: str) -> Room:
    """What one agent keeps for another."""
    return account, giver, f"{JOIN}for{JOIN}{taker}"


def lifetime(ttl: Any, most: timedelta) -> timedelta:
    """How long a value lives, from seconds or a timedelta: above zero, and not too long."""
    fix = f"give seconds above 0, at most {int(most.total_seconds())}, or a timedelta"
    if isinstance(ttl, bool) or not isinstance(ttl, int | float | timedelta):
        raise InvalidInput("ttl", f"{ttl!r} is not a time to live", fix)
    try:
        held = ttl if isinstance(ttl, timedelta) else timedelta(seconds=ttl)
    except (OverflowError, ValueError):  # infinity, nan, and numbers beyond any time
        raise InvalidInput("ttl", "is not a time to live", fix) from None
    if not timedelta(0) < held <= most:
        raise InvalidInput("ttl", f"{held.total_seconds():g} seconds is out of range", fix)
    return held


def with_message(held: str | None, message: str) -> str:
    """A conversation and one more message, both as JSON."""
    return json_text("message", [*json.loads(held or "[]"), json.loads(message)])


def with_line(held: str | None, text: str) -> str:
    """A scratch pad and more text, on a line of its own."""
    before = "" if held is None else str(json.loads(held))
    return json_text("text", f"{before}\n{text}" if before else text)


def expired(reader: Reader, room: Room, now: datetime) -> list[Document]:
    """The copies in the store, of this agent's rooms, whose time is over."""
    place = _place(room)
    return [
        document
        for document in reader.documents(room[0], "working")
        if document.place == place and _body(document)["expires_at"] <= now.timestamp()
    ]


def persist(tx: Transaction, room: Room, items: Sequence[Item], now: datetime) -> int:
    """Let the store hold exactly what the room holds; returns how many values."""
    held = {_body(document)["key"]: document for document in _copies(tx, room)}
    account, _, task = room
    for key, text, expires_at in items:
        old = held.pop(key, None)
        body = {"task": task, "key": key, "value": json.loads(text), "expires_at": expires_at}
        if old is not None and old.body == body:
            continue
        new = old or Document(new_id(now), account, "working", f"{task}{JOIN}{key}", now, now, _place(room))
        tx.put_document(old, replace(new, body=body, updated_at=now), "persist")
    for old in held.values():
        tx.put_document(old, None, "persist")
    return len(items)


def persisted(reader: Reader, room: Room, now: datetime) -> list[Item]:
    """What the store holds of a room and has not expired."""
    bodies = [_body(document) for document in _copies(reader, room)]
    return [
        (body["key"], json_text("value", body["value"]), body["expires_at"])
        for body in bodies
        if body["expires_at"] > now.timestamp()
    ]


def _copies(reader: Reader, room: Room) -> list[Document]:
    account, _, task = room
    found = reader.documents(account, "working", prefix=f"{task}{JOIN}")
    return [held for held in found if held.place == _place(room) and _body(held)["task"] == task]


def _place(room: Room) -> Place:
    return ("agent", room[1], "") if room[1] else GLOBAL


def _body(document: Document) -> dict[str, Any]:
    return dict(document.body or {})
