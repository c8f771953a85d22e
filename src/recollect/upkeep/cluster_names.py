"""Names of clusters: the two or three words that their members share and other memories lack.

The weight of a word is its share of the members times the logarithm of how much more often it occurs there than anywhere
(class-based tf-idf, counted by texts, so that one long text does not name a cluster alone). Words are shown as people write
them, not as stems.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from recollect.values.terms import STOP_WORDS, URL, terms_of

_FEWEST_WORDS, _WORDS = 2, 3
_PER_CLUSTER, _BACKGROUND = 300, 5_000
_CHARACTERS = 600
_LONGEST_RUN = 6
# A word is extended to a phrase of two when this share of its texts have the phrase; a longer phrase needs more.
_PAIR, _LONGER = 0.6, 0.85
_LONGEST_PHRASE = 3
# A further word needs at least this share of the weight of the first.
_WORTH_ADDING = 0.3
# Vowel signs of Indian scripts and combining marks are not word characters but belong to the word.
_WORD = re.compile("(?:[^\\W_]|[\u0300-\u036f\u0900-\u0dff])+(?:['\u2019-][^\\W_]+)*")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
# Hiragana endings and the commonest Chinese function words: in unspaced text no content word begins or ends with one.
_EDGE = re.compile("[\u3040-\u309f的了是在和与也就都我你他她它们這这那有不]")
# Words of small talk, frequent whatever the subject.
_SMALL_TALK = frozenset(
    """absolutely always anything bye certainly definitely get getting going gonna good got great hello hey hi hmm keep
    let like lot make makes many much need nice oh ok okay per please really see someone something sure thank thanks thing
    things try trying use used using want well within without wow yeah yes""".split()
)

Key = tuple[str, ...]


@dataclass(slots=True)
class _Counts:
    """In how many texts each word or phrase occurs, and how it is written there."""

    texts: int = 0
    texts_with: Counter[Key] = field(default_factory=Counter)
    written: dict[Key, Counter[str]] = field(default_factory=dict)

    def share(self, key: Key) -> float:
        return self.texts_with[key] / max(self.texts, 1)


def names(members: Sequence[Sequence[str]], everything: Sequence[str]) -> list[str]:
    """A name for each cluster, no two the same; the words are weighed against the texts of `everything`."""
    background = _count(_sample(everything, _BACKGROUND))
    taken: dict[str, int] = {}
    named = []
    for texts in members:
        words = _distinctive(_count(_sample(texts, _PER_CLUSTER)), background)
        name = _unique_name(words, taken) if words else _first_words(texts)
        taken[name] = taken.get(name, 0) + 1
        named.append(name if taken[name] == 1 else f"{name} ({taken[name]})")
    return named


def _sample(texts: Sequence[str], most: int) -> Sequence[str]:
    """An even sample, so that the same texts always give the same name."""
    return texts if len(texts) <= most else [texts[place * len(texts) // most] for place in range(most)]


def _count(texts: Sequence[str]) -> _Counts:
    counts = _Counts(len(texts))
    for text in texts:
        seen = dict(_phrases(unicodedata.normalize("NFC", URL.sub(" ", text[:_CHARACTERS]))))
        counts.texts_with.update(seen.keys())
        for key, written in seen.items():
            counts.written.setdefault(key, Counter())[written] += 1
    return counts


def _phrases(text: str) -> Iterator[tuple[Key, str]]:
    """The words of a text and its phrases of neighbouring words, each as terms and as written."""
    phrase: list[tuple[str, str]] = []
    end = 0
    for match in _WORD.finditer(text):
        word = match.group()
        if _UNSPACED.search(word):
            yield from _unspaced_runs(word)
        if text[end : match.start()] != " ":
            phrase = []
        end = match.end()
        term = _term(word)
        phrase = [*phrase, (term, word)][-_LONGEST_PHRASE:] if term else []
        for start in range(len(phrase)):
            terms, words = zip(*phrase[start:], strict=True)
            yield terms, " ".join(words)


@lru_cache(maxsize=1 << 16)
def _term(word: str) -> str:
    """The stem that all forms of a word share; empty for a stop word."""
    folded = word.casefold().replace("\u2019", "'")
    plain = folded.removesuffix("'s")
    if STOP_WORDS.intersection((folded, plain)) or plain in _SMALL_TALK or plain.isdigit() or len(plain) < 2:
        return ""
    return "" if _UNSPACED.search(word) else " ".join(terms_of(plain)) or plain


def _unspaced_runs(word: str) -> Iterator[tuple[Key, str]]:
    """In a script without spaces, every short run of characters may be a word; its key is its characters."""
    for match in _UNSPACED.finditer(word):
        run = match.group()
        for start in range(len(run) - 1):
            for end in range(start + 2, min(start + _LONGEST_RUN, len(run)) + 1):
                if not _EDGE.match(run[start]) and not _EDGE.match(run[end - 1]):
                    yield tuple(run[start:end]), run[start:end]


def _distinctive(counts: _Counts, background: _Counts) -> list[str]:
    """Words and phrases by weight, none repeating part of an earlier one."""
    fewest = min(2, counts.texts)
    weights = {key: _weight(key, counts, background) for key, count in counts.texts_with.items() if count >= fewest}
    longer = _longer(counts.texts_with, fewest)
    order = sorted((key for key in weights if weights[key] > 0), key=lambda key: (-weights[key], key))
    chosen: list[str] = []
    used: set[str] = set()
    for key in order:
        weak = weights[key] < _WORTH_ADDING * weights[order[0]] and len(chosen) >= _FEWEST_WORDS
        if weak or len(chosen) == 2 * _WORDS:
            break
        key = _extended(key, counts.texts_with, longer)
        if used.isdisjoint(key):
            used.update(key)
            chosen.append(_spelling(key, counts.written))
    return chosen


def _weight(key: Key, counts: _Counts, background: _Counts) -> float:
    inside = counts.share(key)
    anywhere = (background.texts_with[key] + 0.5) / (background.texts + 1)
    return inside * math.log(inside / anywhere) if inside > anywhere else 0.0


def _longer(texts_with: Mapping[Key, int], fewest: int) -> dict[Key, list[Key]]:
    """For each phrase, the phrases one word longer that contain it."""
    found: dict[Key, list[Key]] = {}
    for key, count in texts_with.items():
        if count >= fewest and len(key) > 1:
            for part in {key[1:], key[:-1]}:
                found.setdefault(part, []).append(key)
    return found


def _extended(key: Key, texts_with: Mapping[Key, int], longer: Mapping[Key, list[Key]]) -> Key:
    needed = _PAIR * texts_with[key]
    while candidates := [whole for whole in longer.get(key, ()) if texts_with[whole] >= needed]:
        key = min(candidates, key=lambda whole: (-texts_with[whole], whole))
        needed = _LONGER * texts_with[key]
    return key


def _spelling(key: Key, written: Mapping[Key, Counter[str]]) -> str:
    """The most frequent spelling; a lower-case form is preferred, as capitals may only mark the start of a sentence."""
    forms = written[key]
    plain = {form: count for form, count in forms.items() if form == form.lower()}
    shown = min(plain or forms, key=lambda form: (-forms[form], form))
    return shown.removesuffix("'s").removesuffix("\u2019s")


def _unique_name(words: Sequence[str], taken: Mapping[str, int]) -> str:
    """The first three words, with one or two more if another cluster has that name already."""
    for count in range(min(_WORDS, len(words)), len(words) + 1):
        name = ", ".join(words[:count])
        if name not in taken:
            return name
    return ", ".join(words[:_WORDS])


def _first_words(texts: Sequence[str]) -> str:
    start = " ".join(texts[0].split())[:24] if texts else ""
    return start or "no words"
