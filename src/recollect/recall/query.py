"""Query, the first stage of recall: what was asked, taken apart. Next: candidates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from recollect.errors import InvalidInput
from recollect.values.terms import query_terms

MAX_QUERY = 100_000
_TAG = re.compile(r"(?<!\S)#([^\s#]+)")
_MANY_TERMS = 64


@dataclass(frozen=True, slots=True)
class Query:
    """A question: its words, its terms, the tags it asks for, and when it was asked."""

    text: str
    terms: tuple[str, ...]
    tags: tuple[str, ...]
    now: datetime


def parse(text: str, now: datetime) -> Query:
    """Read a question. Anything may be asked but nothing: an empty question has no answer."""
    if not isinstance(text, str):
        raise InvalidInput("query", f"{type(text).__name__} is not text", "give a string")
    if not text.strip():
        raise InvalidInput("query", "is empty", "ask something, or use `list` to see everything")
    if len(text) > MAX_QUERY:
        raise InvalidInput("query", f"has {len(text):,} characters", f"ask in at most {MAX_QUERY:,}")
    plain = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    tags = tuple(dict.fromkeys(tag.rstrip(".,;:!?").casefold() for tag in _TAG.findall(plain)))
    words = _TAG.sub(r"\1", plain)
    return Query(words, query_terms(words)[:_MANY_TERMS], tags, now)
