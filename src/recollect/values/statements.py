"""The statements in a text: where another text could be hidden in it, and the form in which two texts are compared.

A text that must not come back is looked for as a whole; as a clause, of which purge digests can be made (`statements_in`,
`label_statements`); and, where its words are known, as a run of words anywhere (`holds`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from recollect.values.look_alikes import latin
from recollect.values.terms import STOP_WORDS, UNSPACED, query_terms, stem, terms_of

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=[。！？])")
# Between two clauses: marks, except inside numbers and words, and words that join or introduce a clause.
_CLAUSE_END = re.compile(
    r"""(?<!\d),|,(?!\d)|[;()\[\]{}"“”„«»|<>•…，；、（）「」：=]|:(?!\d)|[—–]|\s-+\s
    |\b(?:and|but|because|since|as|while|whereas|so|that|although|though|when|if|whether|which|who|or|then|plus|also|given)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）")
_EXTENSION = re.compile(r"\.\w{1,5}$")
_STEPS, _JOINED = re.compile(r"[/\\]+"), re.compile(r"[-_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
# A label inside a text; with fewer words it is one word of the sentence.
_SLUG = re.compile(r"\b[^\W_]+(?:[-_][^\W_]+){3,}")
# A number with its sign and its fraction, a character of a script without spaces, a word.
_TOKEN = re.compile(rf"(?<!\w)-?\d+(?:[.,]\d+)+|(?<!\w)-\d+|{UNSPACED.pattern.removesuffix('+')}|[^\W_]+(?:\+\+|\#)?")
_APOSTROPHES = re.compile(r"(?<=\w)['’](?=\w)")
# Where a label was made of "director's" and "don't", letter by letter.
_CUT_OFF = re.compile(r"(?<=[^\W_])[-_](?=(?:s|t|d|m|ll|re|ve)(?![^\W_]))", re.IGNORECASE)
_EDGES = " \t\r\n,;:.!?-–—'\"*_`~>"
_MOST_STATEMENTS = 200
# A sentence of more clauses is searched for runs of so many of them, and for its beginnings and ends.
_LONGEST_RUN, _MOST_CLAUSES = 4, 40
_LONGEST_LABEL = 40
_WINDOW, _MOST_WINDOWS = 3, 1000
# A name, a tag or a clause of fewer words says too little to bring anything back.
_FEWEST_TERMS = 3


def says_something(text: str) -> bool:
    """Whether a text has enough words to repeat what another one says."""
    return len(query_terms(text)) >= _FEWEST_TERMS


def statements_in(text: str) -> list[str]:
    """What a text says besides other things: its sentences, and runs of their clauses; not the text itself."""
    found: dict[str, None] = {}
    for reading in _readings(text):
        found[reading.strip()] = None
        sentences = list(filter(None, map(str.strip, _SENTENCE_END.split(reading))))
        found |= dict.fromkeys(sentences)
        for sentence in sentences[:_MOST_STATEMENTS]:
            found |= dict.fromkeys(_clauses(sentence))
    found.pop(text.strip(), None)
    return list(filter(None, found))[:_MOST_STATEMENTS]


def label_statements(text: str) -> list[str]:
    """What a label, a name or a path says: `late-on-friday` says "late on friday", and so does `notes/late_on_friday.md`."""
    plain = spaced(_STEPS.sub(", ", _EXTENSION.sub("", text)))
    words = plain.split()
    # What a label begins or ends with has no mark of its own: `see-late-on-friday`, `late-on-friday-ok`.
    shorter = (" ".join(some) for some in (words[1:], words[2:], words[:-1])) if len(words) <= _LONGEST_LABEL else ()
    return list(dict.fromkeys((*statements_in(text), plain, *statements_in(plain), *shorter)))


def spaced(label: str) -> str:
    """A label as words: `late-on-friday` and `lateOnFriday` say "late on friday"."""
    return _HUMP.sub(" ", _JOINED.sub(" ", _CUT_OFF.sub("'", label)))


def _readings(text: str) -> Iterator[str]:
    """A text without markup, and without what stands in brackets."""
    plain = _plain(text)
    yield plain
    if (shorter := _ASIDE.sub(" ", plain)) != plain:
        yield " ".join(shorter.split())
    yield from map(spaced, _SLUG.findall(plain))


def _plain(text: str) -> str:
    return _TAG.sub(" ", html.unescape(text)) if "<" in text or "&" in text else text


def _clauses(sentence: str) -> Iterator[str]:
    """The runs of clauses of a sentence: short ones, then what it begins and ends with."""
    spans, start = [], 0
    for mark in islice(_CLAUSE_END.finditer(sentence), _MOST_CLAUSES):
        if sentence[start : mark.start()].strip(_EDGES):
            spans.append((start, mark.start()))
        start = mark.end()
    if sentence[start:].strip(_EDGES):
        spans.append((start, len(sentence)))
    count = len(spans)
    runs = [(first, first + length) for length in range(1, _LONGEST_RUN + 1) for first in range(count - length + 1)]
    runs += [run for length in range(_LONGEST_RUN + 1, count) for run in ((0, length), (count - length, count))]
    for first, end in runs:
        yield sentence[spans[first][0] : spans[end - 1][1]].strip(_EDGES)


def run_of(text: str) -> str:
    """The words of a text in a row: case, punctuation, markup, apostrophes and look-alike letters do not matter."""
    return " ".join(_TOKEN.findall(latin(_APOSTROPHES.sub("", _CUT_OFF.sub("", _plain(text)))).casefold()))


def holds(text: str, part: str) -> bool:
    """Whether the words of one text stand in a row in another."""
    run = run_of(part)
    return bool(run) and f" {run} " in f" {run_of(text)} "


def asks_about(question: str, text: str) -> bool:
    """Whether a question has all content words of a text, in any order: "Is it true that ...", "Why is ..."."""
    return set(content_terms(text)) <= set(content_terms(question))


def windows_of(text: str) -> list[tuple[str, ...]]:
    """Each three content words in a row, as terms: a text that contains another has all of its windows."""
    found: dict[tuple[str, ...], None] = {}
    plain = _plain(text)
    for reading in dict.fromkeys((plain, latin(plain))):
        terms = content_terms(reading)
        rows = [tuple(dict.fromkeys(terms[at : at + _WINDOW])) for at in range(len(terms) - _WINDOW + 1)]
        found |= dict.fromkeys(row for row in rows if len(row) == _WINDOW)
    step = len(found) // _MOST_WINDOWS + 1
    return list(found)[::step]


def content_terms(text: str) -> list[str]:
    """The terms of a text in order, repeats included, without common words."""
    common = _common_terms()
    return [term for term in terms_of(text) if term not in common]


@cache
def _common_terms() -> frozenset[str]:
    return frozenset(map(stem, STOP_WORDS))
