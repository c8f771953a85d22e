"""The word lists of one language, read from a file in `languages/`, and which language a text is in.

A list holds the words of a grammatical class, not those of a test set. Keys are the form in which words are compared: a base
form, or the first of a group of synonyms.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from recollect.judge.rules.stemming import english_stem, without_suffix

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
# Of several languages that fit a text equally well ("Port: 8080"), this one is taken.
_DEFAULT = "en"
# So many words show the language of a text.
_START = 60


@dataclass(frozen=True, eq=False)
class Lexicon:
    """What the rules know about one language. Without a list, the rules that need it decide nothing."""

    data: Mapping[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        return str(self.data["name"])

    @property
    def spaced(self) -> bool:
        """Whether the language separates words by spaces; otherwise lists are searched as parts of the text."""
        return self.data.get("spaced", True) is True

    def text(self, section: str, name: str) -> str:
        return str(self.data.get(section, {}).get(name, ""))

    def listed(self, section: str, name: str) -> frozenset[str]:
        """The words of a list, as written."""
        return _listed(self, section, name)

    def keys(self, section: str, name: str) -> frozenset[str]:
        """The keys of the words of a list."""
        return _keys(self, section, name)

    def groups(self, section: str, name: str) -> Iterator[list[str]]:
        """The groups of a list, which commas and line ends separate."""
        for group in re.split(r"[,\n]", self.text(section, name)):
            if words := group.split():
                yield words

    def key(self, word: str) -> str:
        """The key under which a lower-case word is compared."""
        stemmed = self.stem(word)
        return self.synonyms.get(stemmed, stemmed)

    def stem(self, word: str) -> str:
        base = self.bases.get(word)
        if base is not None:
            return base
        return english_stem(word) if self.data.get("stemmer") == "english" else without_suffix(word, self.suffixes)

    @cached_property
    def suffixes(self) -> tuple[str, ...]:
        return tuple(sorted(self.text("forms", "suffixes").split(), key=len, reverse=True))

    @cached_property
    def bases(self) -> dict[str, str]:
        """Irregular form -> base form."""
        lines = re.split(r"[,\n]", self.text("forms", "irregular"))
        pairs = (line.split(":") for line in lines if ":" in line)
        return {form: base.strip() for base, forms in pairs for form in forms.split()}

    @cached_property
    def past_forms(self) -> frozenset[str]:
        """The irregular forms that are past, where the file says which are not."""
        present = self.listed("forms", "present")
        return frozenset(self.bases) - present if present else frozenset()

    @cached_property
    def synonyms(self) -> dict[str, str]:
        """Stem -> the stem that stands for its group; a word belongs to the first group that lists it."""
        found: dict[str, str] = {}
        for words in self.groups("forms", "synonyms"):
            stems = [self.stem(word) for word in words]
            first = next((found[stem] for stem in stems if stem in found), stems[0])
            for stem in stems:
                found.setdefault(stem, first)
        return found

    @cached_property
    def opposites(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for words in self.groups("forms", "opposites"):
            group = frozenset(map(self.key, words))
            for word in group:
                found[word] = found.get(word, frozenset()) | (group - {word})
        return found

    @cached_property
    def loose(self) -> frozenset[tuple[str, str]]:
        """Pairs of keys that mean the same where everything else in two similar texts does."""
        keys = [[self.key(word) for word in group] for group in self.groups("forms", "loose")]
        return frozenset((one, other) for group in keys for one in group for other in group if one != other)

    @cached_property
    def agents(self) -> dict[str, str]:
        """Noun -> verb: "x is the owner of y" is "x owns y"."""
        return {self.key(words[0]): self.key(words[1]) for words in self.groups("forms", "agents")}

    @cached_property
    def measuring(self) -> dict[str, str]:
        """Noun -> verb: "the price of x is y" is "x costs y"."""
        return {self.key(words[0]): self.key(words[1]) for words in self.groups("forms", "measuring")}

    @cached_property
    def converses(self) -> dict[tuple[str, str], str]:
        """Verb and preposition -> verb: "x belongs to y" is "y owns x"."""
        return {(self.key(a), b): self.key(c) for a, b, c in self.groups("forms", "converses")}

    @cached_property
    def phrases(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Several keys -> the keys that say the same in fewer words, longest first: "be located in" is "be in"."""
        lines = re.split(r"[,\n]", self.text("forms", "phrases"))
        halves = (line.split(":") for line in lines if ":" in line)
        found = [(self._keys_of(many), self._keys_of(few)) for many, few in halves]
        return tuple(sorted(found, key=lambda pair: -len(pair[0])))

    def _keys_of(self, words: str) -> tuple[str, ...]:
        return tuple(map(self.key, words.split()))

    @cached_property
    def light(self) -> tuple[frozenset[str], frozenset[str]]:
        """Verbs that say little beside their object ("use", "do"), and verbs that one of them may stand for ("write")."""
        groups = [frozenset(map(self.key, words)) for words in self.groups("forms", "light")]
        return (groups[0], groups[1]) if len(groups) > 1 else (frozenset(), frozenset())

    @cached_property
    def symmetric(self) -> dict[str, str]:
        """Noun or participle -> the relation that holds in both directions: "x's wife is y", "y is married to x"."""
        groups = [self._keys_of(" ".join(words)) for words in self.groups("forms", "symmetric")]
        return {key: group[0] for group in groups for key in group}

    @cached_property
    def persons(self) -> dict[str, str]:
        """Possessive -> pronoun: "my employer" is the employer of "I"."""
        return {words[0]: self.key(words[1]) for words in self.groups("forms", "persons")}

    @cached_property
    def describing(self) -> frozenset[str]:
        """Words that describe something rather than name it: "the queue is full" says nothing about which queue it is."""
        return self.keys("relations", "describing") | self.opposites.keys()

    def describes(self, key: str) -> bool:
        return key in self.describing or key.endswith(tuple(self.listed("relations", "describing_ends")))

    @cached_property
    def announcing(self) -> re.Pattern[str] | None:
        """What announces a change: a phrase of the list, as whole words."""
        phrases = [" ".join(words) for words in self.groups("change", "announcing")]
        if not phrases:
            return None
        either = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
        return re.compile(rf"\b(?:{either})\b" if self.spaced else either)

    @cached_property
    def hypothetical(self) -> frozenset[str]:
        """Words with which a text supposes, wishes, asks for or reports what it does not state itself."""
        return self._spoken("hypothetical")

    @cached_property
    def wishing(self) -> frozenset[str]:
        """Verbs that are hypothetical where "to" follows them: "wants to move", but not "wants short answers"."""
        return self._spoken("wishing")

    @cached_property
    def intended(self) -> frozenset[str]:
        """Words with which a text states what is not so yet."""
        return self._spoken("intended")

    @cached_property
    def changing(self) -> frozenset[str]:
        """Verbs that change, replace or end something."""
        return frozenset(
            key for name in ("switching", "adopting", "replacing", "ending") for key in self.keys("change", name)
        )

    @cached_property
    def moods(self) -> frozenset[str]:
        return self.hypothetical | self.intended

    def _spoken(self, name: str) -> frozenset[str]:
        return self.keys("change", name) if self.spaced else self.listed("change", name)

    @cached_property
    def now_phrases(self) -> re.Pattern[str] | None:
        """What says "now" in several words: "from now on"."""
        phrases = [" ".join(words) for words in self.groups("change", "now_phrases")]
        either = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
        return re.compile(rf"\b(?:{either})\b,?", re.IGNORECASE) if phrases else None

    @cached_property
    def now(self) -> str:
        """A word that says "now"."""
        return self.text("change", "now").split()[0]

    @cached_property
    def lead_ins(self) -> re.Pattern[str] | None:
        """What one says before a statement to have it remembered: "please note that"."""
        phrases = [" ".join(words) for words in self.groups("words", "lead_ins")]
        either = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
        return re.compile(rf"\s*(?:{either})\b[\s,:]*", re.IGNORECASE) if phrases else None

    @cached_property
    def over(self) -> tuple[tuple[str, ...], ...]:
        """What says that something has ended, where a negation alone does not: words that stand in a text in this order."""
        return tuple(tuple(words) for words in self.groups("change", "over"))

    @cached_property
    def elisions(self) -> re.Pattern[str] | None:
        """Short words that lose their vowel before another one: "l'API", "n'est"."""
        words = "|".join(self.text("forms", "elisions").split())
        return re.compile(rf"\b({words})'", re.IGNORECASE) if words else None

    @property
    def capital_nouns(self) -> bool:
        """Whether every noun has a capital letter, so that it does not show a name."""
        return self.data.get("capital_nouns", False) is True

    @cached_property
    def prepositions(self) -> frozenset[str]:
        return self.keys("words", "prepositions")

    @cached_property
    def pronouns(self) -> frozenset[str]:
        return self.keys("words", "pronouns")

    @cached_property
    def relatives(self) -> frozenset[str]:
        return self.keys("words", "relatives")

    @cached_property
    def ignored(self) -> frozenset[str]:
        """Keys without content: punctuation, fillers and the copula."""
        return frozenset(",.") | self.relatives | self.keys("words", "fillers") | {"be"}

    @cached_property
    def one(self) -> frozenset[str]:
        return self.keys("relations", "one")

    @cached_property
    def many(self) -> frozenset[str]:
        return self.keys("relations", "many")

    @cached_property
    def verbs(self) -> frozenset[str]:
        """Every verb the rules know; it separates a subject from its value."""
        named = self.keys("relations", "prefer") | self.keys("change", "switching") | self.keys("change", "ending")
        return self.one | self.many | named | self.keys("relations", "verbs")

    @cached_property
    def many_phrases(self) -> frozenset[tuple[str, ...]]:
        """A verb and a preposition that take many values: "works with"."""
        return frozenset(self._keys_of(" ".join(words)) for words in self.groups("relations", "many_phrases"))

    @cached_property
    def many_complements(self) -> frozenset[str]:
        return self.keys("relations", "many_complements")

    @cached_property
    def measures(self) -> frozenset[str]:
        return self.keys("relations", "measures")

    @cached_property
    def unique(self) -> frozenset[str]:
        return self.keys("relations", "unique")

    @cached_property
    def labelled(self) -> frozenset[str]:
        return self.keys("relations", "labelled") | {"#"}

    @cached_property
    def generic(self) -> frozenset[str]:
        """Words that only say who has a value, and how: sharing them says nothing about the subject."""
        said = self.keys("words", "pronouns") | self.keys("words", "possessives") | self.keys("words", "additions")
        return said | self.prepositions | self.ignored | self.many | self.keys("words", "conjunctions")

    @cached_property
    def months(self) -> dict[str, int]:
        return {name: number for number, names in enumerate(self.groups("calendar", "months"), 1) for name in names}

    @cached_property
    def calendar(self) -> frozenset[str]:
        return self.listed("calendar", "days")

    @cached_property
    def numbers(self) -> dict[str, str]:
        """Number word -> digits."""
        small = {name: str(n) for n, names in enumerate(self.groups("numbers", "words")) for name in names}
        return small | dict(self.groups("numbers", "tens"))

    @cached_property
    def units(self) -> dict[str, tuple[str, float]]:
        """Unit word -> the unit it is converted to, and the factor."""
        return {
            word: (unit, float(factor))
            for unit in self.data.get("units", {})
            for factor, *words in self.groups("units", unit)
            for word in words
        }

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of the file: those that show that a text is in this language."""
        sections = (self.data.get(name, {}) for name in ("words", "change", "relations", "calendar", "forms", "units"))
        lists = (text for section in sections for text in section.values())
        return frozenset(word for text in lists for word in re.split(r"[\s,:]+", text) if word)

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Articles, copulas, pronouns, prepositions and the like: they show a language best."""
        return frozenset(word for name in self.data.get("words", {}) for word in self.listed("words", name))

    def evidence(self, words: list[str]) -> int:
        """How strongly some words speak for this language."""
        known, stemmed = self.vocabulary, "stemmer" in self.data
        return sum(
            2 * (word in self.function_words) + (word in known or (stemmed and self.stem(word) in known))
            for word in words
        )


@cache
def _listed(lexicon: Lexicon, section: str, name: str) -> frozenset[str]:
    return frozenset(lexicon.text(section, name).split())


@cache
def _keys(lexicon: Lexicon, section: str, name: str) -> frozenset[str]:
    return frozenset(map(lexicon.key, lexicon.text(section, name).split()))


@cache
def languages() -> dict[str, Lexicon]:
    """Every language that has a file."""
    found = (Lexicon(tomllib.loads(file.read_text("utf-8"))) for file in _files() if file.name.endswith(".toml"))
    return {one.name: one for one in found}


def _files() -> list[Any]:
    return sorted(files("recollect.judge.rules").joinpath("languages").iterdir(), key=lambda file: file.name)


def language_of(text: str) -> Lexicon | None:
    """The language of a text, or None if no file has its words."""
    known = languages()
    if _HAN.search(text):
        return None if _KANA_OR_HANGUL.search(text) else next((one for one in known.values() if not one.spaced), None)
    words = _WORD.findall(text.lower())[:_START]
    ranked = [(one.evidence(words), one) for one in known.values() if one.spaced]
    most = max((evidence for evidence, _ in ranked), default=0)
    best = [one for evidence, one in ranked if evidence == most > 0]
    return next((one for one in best if one.name == _DEFAULT), best[0] if best else None)
