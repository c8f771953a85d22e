"""Spelling: what the sets of other systems share: tags in one text, durations in words, answers as our own tools give them."""

from __future__ import annotations

import re

from recollect.errors import InvalidInput
from recollect.serve.mcp.forms import DATA, hit_form, outcome_form
from recollect.serve.mcp.tool import Answer, Desk
from recollect.serve.mcp.wording import Ways, outcome_text, recalled_text
from recollect.values.hit import Recalled
from recollect.values.outcome import Outcome

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)([smhdw]))+", re.IGNORECASE)
_PART = re.compile(r"(\d+(?:\.\d+)?)([smhdw])", re.IGNORECASE)


def tags_in(text: str) -> list[str]:
    """Tags from one text, separated by commas."""
    return [tag for part in text.split(",") if (tag := part.strip())]


def seconds_in(text: str) -> float:
    """A time to live like 24h or 7d, in seconds."""
    if not _DURATION.fullmatch(text.strip()):
        raise InvalidInput("ttl", f"{text[:40]!r} is not a time to live", "write it like 24h, 7d or 30d")
    return sum(float(number) * _SECONDS[unit.lower()] for number, unit in _PART.findall(text))


def kept(desk: Desk, outcome: Outcome, ways: Ways) -> Answer:
    """What became of a draft, with the ways out in the calls of the set."""
    return Answer(outcome_text(outcome, desk.ids, desk.seed, ways), outcome_form(outcome, desk.ids))


def found(desk: Desk, recalled: Recalled) -> Answer:
    """What was recalled."""
    hits = [hit_form(hit, desk.ids) for hit in recalled]
    form = {"hits": hits, "notes": [*recalled.notes, *([DATA] if hits else [])]}
    return Answer(recalled_text(recalled, desk.ids, desk.seed), form)
