"""Names: people, places and products a text mentions, told by how they are written."""

from __future__ import annotations

import re
from collections import Counter

from recollect.values.patterns import compiled
from recollect.values.terms import STOP_WORDS

_MOST = 2
_FEWEST_WORDS = 2
_LONGEST, _LONGEST_NAME = 24, 4
_NAME = r"(?<![\w=/.#@$-])[A-Z][\w'’]*(?:\.(?:io|ai|js|dev)\b)?(?: [A-Z][\w'’]*){0,7}"
_ABSTRACT = r"\w+(?:tions?|ments?|ness|ity|ies)"
_PLAIN = r"[A-Z][a-zà-ÿ]+(?:'[A-Z]?[a-z]+)?(?:\.[a-z]+)?"
_CAMEL = r"[A-Z][a-z]{2,}(?:[A-Z][a-z]{2,}){1,2}|[A-Z][a-z]{2,}[A-Z]{2,5}|[A-Z]{2,6}[a-z]{3,}"
_CAPITALS = r"[A-Z]{3,5}"
_INSIDE = r"[^\W\d_]|[,)'’]"
_NOT_NAMES = STOP_WORDS | frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday mr mrs ms dr prof sir madam ok okay yes hi hey hello thanks wow oh lol omg btw asap fyi
    god internet todo fixme note notes warning important never always must only every new old first next last true false
    none null url uri http https json yaml toml html xml csv pdf utc gmt est pst cet usd eur gbp api cli gui ui ux id ids
    faq tbd wip eta etc user users assistant agent system step steps phase sprint chapter part section session day week
    month year today tomorrow yesterday morning night summer winter spring autumn christmas easter status error success
    failed passed open closed done pending active ready high low medium critical ceo cto cfo cio coo vp hr kpi mvp
    poc wtf""".split()
)
_OF_A_PATH = r"[./=_:][\w/]|[<\[(]"
_CALLED = r"[,.!?]| [-–—]"
# A first word after which a capital is a name again.
_OPENERS = STOP_WORDS | frozenset("use uses used using prefers prefer likes loves adopted replaced visited met".split())
# Where every noun is written with a capital, capitals name nothing.
_GERMAN = frozenset("der die das und ist nicht ich mit ein eine im zu auf für wir sie den dem von".split())


def names_in(text: str, words: frozenset[str] | set[str]) -> list[str]:
    """At most two names, the most frequent first; `words` are the words of the text as written in lower case."""
    found: Counter[str] = Counter()
    if sum(map(str.islower, words)) < _FEWEST_WORDS:
        return []
    plain = len(words & _GERMAN) < 2
    for match in compiled(_NAME).finditer(text):
        written = match.group()
        inside = _is_inside(text, match)
        ordinary = not inside and " " not in written and written[1:].islower()
        if ordinary or compiled(_OF_A_PATH).match(text, match.end()):
            continue
        run = written.replace("’", "'").split(" ")
        if not inside and len(run) > 1 and run[0].casefold() in _OPENERS:
            inside, run = _is_said_of(text, match), run[1:]
        found.update(_names(run, plain=plain and inside))
    return [name for name, _ in found.most_common() if name not in words][:_MOST]


def _names(run: list[str], *, plain: bool) -> list[str]:
    """Names in a run of capitalised words: a product with the word after it, plain words together as one."""
    shouted = sum(map(str.isupper, run)) > 1
    names: list[str] = []
    joins = False
    for word in run:
        bare = word.removesuffix("'s")
        name = bare.casefold()
        product = compiled(_CAMEL).fullmatch(bare) or (compiled(_CAPITALS).fullmatch(bare) and not shouted)
        usable = (
            not {name, name.removesuffix("s")} & _NOT_NAMES
            and len(bare) <= _LONGEST
            and (product or (len(bare) > 2 and compiled(_PLAIN).fullmatch(bare)))
        )
        if usable and not product and joins:
            names[-1] += f" {name}"
        elif usable and (product or (plain and not compiled(_ABSTRACT).fullmatch(name))):
            names.append(name)
        joins = bool(usable and names)
    return [name for name in names if name.count(" ") < _LONGEST_NAME]


def _is_inside(text: str, match: re.Match[str]) -> bool:
    """Whether a name stands within a sentence, and is not the person who is spoken to."""
    start = match.start()
    if start < 2 or text[start - 1] != " " or not compiled(_INSIDE).match(text[start - 2]):
        return False
    return _is_said_of(text, match) and not (text[start - 2] == "," and compiled(_CALLED).match(text, match.end()))


def _is_said_of(text: str, match: re.Match[str]) -> bool:
    return text[match.end() : match.end() + 1] not in ("!", ":")
