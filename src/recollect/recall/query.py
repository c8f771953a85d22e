"""Query, the first stage of recall: what was asked, taken apart. Next: candidates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice, pairwise

from recollect.errors import InvalidInput
from recollect.recall.intent import Intent, intent_of
from recollect.recall.moments import Window, windows
from recollect.recall.past import moment_asked
from recollect.values.terms import query_words

MAX_QUERY = 100_000
_TAG = re.compile(r"(?<!\S)#([^\s#]+)")
_WORD = re.compile(r"\w+")
_MANY_TERMS, _START = 64, 400


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
    true_at: datetime | None = None
    seasons: frozenset[str] = frozenset()


def parse(text: str, now: datetime, *, exact: bool = False) -> Query:
    """Read a question. Anything may be asked but nothing; `exact` says that `now` is the moment of asking, not the clock."""
    if not isinstance(text, str):
        raise InvalidInput("query", f"{type(text).__name__} is not text", "give a string")
    if not text.strip():
        raise InvalidInput("query", "is empty", "ask something, or use `list` to see everything")
    if len(text) > MAX_QUERY:
        raise InvalidInput("query", f"has {len(text):,} characters", f"ask in at most {MAX_QUERY:,}")
    plain = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    tags, words = _tags(plain) if "#" in plain else ((), plain)
    said = dict(islice(query_words(words).items(), _MANY_TERMS))
    past = moment_asked(words, now)
    # A question of what was true then is not after what was said then.
    times = () if past else windows(words, now, exact=exact)
    return Query(words, tuple(said), tags, now, intent_of(words), times, said, past, _seasons(words))


def _tags(text: str) -> tuple[tuple[str, ...], str]:
    """The tags a question asks for, and the question with them as plain words."""
    tags = dict.fromkeys(tag.rstrip(".,;:!?").casefold() for tag in _TAG.findall(text))
    return tuple(tags), _TAG.sub(r"\1", text)


def _seasons(text: str) -> frozenset[str]:
    """Every one to three words in a row, spelled as a season's label would be: "in the release week" holds "release-week"."""
    words = _WORD.findall(text[:_START].casefold())
    runs = (pairwise(words), zip(words, words[1:], words[2:], strict=False))
    return frozenset(words).union(*(map("-".join, run) for run in runs))
