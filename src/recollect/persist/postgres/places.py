"""Places as one comparable text, as the tables keep them: a list in JSON, so that no name can pass for another."""

from __future__ import annotations

import json
from functools import lru_cache

from recollect.values.scope import Place


@lru_cache(maxsize=4096)
def place_text(place: Place) -> str:
    """A place as stored."""
    return json.dumps(place, ensure_ascii=False, separators=(",", ":"))


def room_text(scope: str, room: str) -> str:
    """How the places of one room begin, whatever their project."""
    return place_text((scope, room, "")).removesuffix('""]')


def place_of_text(text: str) -> Place:
    """The place a text stands for."""
    scope, key, project = json.loads(text)
    return scope, key, project
