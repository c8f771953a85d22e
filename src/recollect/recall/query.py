"""The query: its text parsed into terms, tags, time windows, seasons and intent."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import islice, pairwise

from recollect.errors import InvalidInput
from recollect.recall.query_time import Window, past_moment, time_windows
from recollect.values.normalise import normalise
from recollect.values.terms import query_words

_HELP = re.compile(
    r"^(?:(?:hi|hey|hello|please|so|ok)[, ]+)*(?:can|could|would|will) you\b"
    r"|\b(?:how (?:do|can|should|would|to)\b(?! i (?:say|mention))|(?:what|which)\b.{0,60}\bshould i"
    r"|suggest|recommend|advice|tips|ideas|help me|show me|explain|walk me through|what are (?:some|the different))\b",
    re.IGNORECASE,
)
_ABOUT_PAST = re.compile(
    r"\bremind me\b|\b(?:previous|last|earlier|our) (?:conversation|chat|discussion)s?\b|\b(?:did|have|had) i\b"
    r"|\bi (?:said|told|mentioned)\b|\bsummar",
    re.IGNORECASE,
)
_SAYING = (
    "said|told|suggested|recommended|mentioned|gave|provided|listed|explained|advised|described|wrote|proposed|shared"
)
_SAY = "say|tell|suggest|recommend|mention|give|provide|list|explain|advise|describe|write|propose|share"
_ABOUT_ASSISTANT = re.compile(
    rf"\byou(?:'d|’d|'ve|’ve| had| have)? (?:\w+ly )?(?:{_SAYING}|came up)\b"
    rf"|\bdid you (?:\w+ly )?(?:{_SAY})\b"
    r"|\bremind me\b|\b(?:our|the) (?:previous|last|earlier|past) (?:conversation|chat|discussion)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Intent:
    """What the wording of a query asks for; each field moves one prior of the hybrid profile."""

    asks_for_help: bool  # help now, so standing instructions apply
    about_assistant: bool  # what the assistant said


def detect_intent(text: str) -> Intent:
    """The intent of a query, from its wording."""
    start = text[:2000]
    return Intent(
        asks_for_help=bool(_HELP.search(start)) and not _ABOUT_PAST.search(start),
        about_assistant=bool(_ABOUT_ASSISTANT.search(start)),
    )


MAX_QUERY = 100_000
_TAG = re.compile(r"(?<![^\s(\[\"'])#([^\s#]+)")
_AFTER_TAG = ".,;:!?)]\"'"
_WORD = re.compile(r"\w+")
# A word that does not begin a sentence or a line.
_INSIDE = re.compile(r"(?<=[^\s.!?:])[^\S\n]+[\"'(]*(\w+)")
_START_OF_NAMES = 4_000
_MOST_TERMS, _START = 64, 400


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. `words` maps each term to the word it came from; `true_at` is the past moment it asks about.

    `names` are the terms that are written like names: with a capital inside a sentence.
    `tags` are the words with a # before them, and `only_tags` says that there is nothing else. They filter only where such a tag
    exists; "PR #1187" is a word of the query.
    `foreign` says that the embedder does not know the script of the query.
    """

    text: str
    terms: tuple[str, ...]
    tags: tuple[str, ...]
    now: datetime
    intent: Intent
    windows: tuple[Window, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    true_at: datetime | None = None
    seasons: frozenset[str] = frozenset()
    only_tags: bool = False
    foreign: bool = False
    names: frozenset[str] = frozenset()

    @property
    def window_seconds(self) -> tuple[tuple[float, float], ...]:
        """The time windows in epoch seconds, as stores compare them."""
        return tuple((since.timestamp(), until.timestamp()) for since, until in self.windows)


def parse_query(text: str, now: datetime, *, exact: bool = False) -> Query:
    """Parse any text that is not empty. `exact` says that `now` is the moment of asking and not just the clock."""
    if not isinstance(text, str):
        raise InvalidInput("query", f"{type(text).__name__} is not text", "give a string")
    if not text.strip():
        raise InvalidInput("query", "is empty", "ask something, or use `list` to see everything")
    if len(text) > MAX_QUERY:
        raise InvalidInput("query", f"has {len(text):,} characters", f"ask in at most {MAX_QUERY:,}")
    plain = normalise(text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8"))
    tags, words = _tags(plain) if "#" in plain else ((), plain)
    only_tags = bool(tags) and _WORD.search(_TAG.sub("", plain)) is None
    said = dict(islice(query_words(words).items(), _MOST_TERMS))
    past = past_moment(words, now)
    # A query about what was true at a time does not ask for what was said at that time.
    times = () if past else time_windows(words, now, exact=exact)
    return Query(
        words,
        tuple(said),
        tags,
        now,
        detect_intent(words),
        times,
        said,
        past,
        _seasons(words),
        only_tags,
        names=_names(words, said),
    )


def is_foreign(text: str, scripts: frozenset[str] | None) -> bool:
    """Whether most letters of a text belong to scripts that are not among these; None stands for all scripts."""
    if scripts is None or text.isascii():
        return False
    letters = [_script(character) for character in text[:_START] if character.isalpha()]
    return 2 * sum(script in scripts for script in letters) < len(letters)


@lru_cache(maxsize=1 << 14)
def _script(letter: str) -> str:
    """The script of a letter: the first word of its Unicode name, as in "CYRILLIC SMALL LETTER A"."""
    return unicodedata.name(letter, "").partition(" ")[0].lower()


def _tags(text: str) -> tuple[tuple[str, ...], str]:
    """The words of a query that may be #tags, and the query with them as plain words."""
    tags = dict.fromkeys(tag.rstrip(_AFTER_TAG).casefold() for tag in _TAG.findall(text))
    return tuple(tag for tag in tags if tag), _TAG.sub(r"\1", text)


def _names(text: str, said: Mapping[str, str]) -> frozenset[str]:
    """The terms whose words have a capital inside a sentence. Where all letters are capitals, they say nothing."""
    start = text[:_START_OF_NAMES]
    if start.isupper():
        return frozenset()
    inside = {word for word in _INSIDE.findall(start) if word[0].isupper()}
    return frozenset(term for term, word in said.items() if word in inside)


def _seasons(text: str) -> frozenset[str]:
    """Every run of one to three words, spelled like a season label: "in the release week" has "release-week"."""
    words = _WORD.findall(text[:_START].casefold())
    runs = (pairwise(words), zip(words, words[1:], words[2:], strict=False))
    return frozenset(words).union(*(map("-".join, run) for run in runs))
