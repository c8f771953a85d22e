"""Query, the first stage of recall: what was asked, taken apart. Next: candidates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from recollect.errors import InvalidInput
from recollect.recall.intent import Intent, intent_of
from recollect.recall.moments import Window, windows
from recollect.values.terms import query_words

MAX_QUERY = 100_000
_TAG = re.compile(r"(?<!\S)#([^\s#]+)")
_MANY_TERMS = 64


@dataclass(frozen=True, slots=True)
class Query:
    """A question: its words, its terms, the tags it asks for, when it was asked, and what it is after."""

    text: str
    terms: tuple[str, ...]
    tags: tuple[str, ...]
    now: datetime
    intent: Intent
    windows: tuple[Window, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)


def parse(text: str, now: datetime, *, exact: bool = False) -> Query:
    """Read a question. Anything may be asked but nothing; `exact` says that `now` is the moment of asking, not the clock."""
    if not isinstance(text, str):
        raise InvalidInput("query", f"{type(text).__name__} is not text", "give a string")
    if not text.strip():
        raise InvalidInput("query", "is empty", "ask something, or use `list` to see everything")
    if len(text) > MAX_QUERY:
        raise InvalidInput("query", f"has {len(text):,} characters", f"ask in at most {MAX_QUERY:,}")
    plain = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    tags = tuple(dict.fromkeys(tag.rstrip(".,;:!?").casefold() for tag in _TAG.findall(plain)))
    words = _TAG.sub(r"\1", plain)
    said = dict(islice(query_words(words).items(), _MANY_TERMS))
    return Query(words, tuple(said), tags, now, intent_of(words), windows(words, now, exact=exact), said)
