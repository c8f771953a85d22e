"""Cue rules: whether a sentence states something that holds beyond its session, by the patterns of its language.

The patterns are data (`cues/*.toml`). Each matches a sentence from its beginning, so that a cue word in the middle of a request,
of a question or of a report says nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from recollect.capture.annotate import type_of
from recollect.values.enums import MemoryType

_PART = re.compile(r"\{([a-z_]+)\}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_APOSTROPHES = str.maketrans("’‘ʼ`", "''''")
_MOST_OPENINGS = 4
# In a longer message some word is known, if its language is.
_FEW_WORDS = 12
_DEFAULT = "en"
_SHORTEST_CLAUSE = 8


@dataclass(frozen=True, slots=True)
class Cue:
    """One kind of statement: its patterns, and what must not be in the sentence beside them.

    A `raw` cue is matched with what stands before the statement ("no, …"), which is cut off for the others.
    """

    name: str
    type: str
    patterns: tuple[re.Pattern[str], ...]
    unless: tuple[str, ...] = ()
    excluded: re.Pattern[str] | None = None
    raw: bool = False

    @property
    def unless_pointing(self) -> bool:
        """Whether it takes only what can stand alone, so that the clause of a sentence may be enough."""
        return "pointing" in self.unless


@dataclass(frozen=True, slots=True)
class CueMatch:
    """What a sentence states: the statement, its place in the sentence, its type, and the cue."""

    said: str
    start: int
    end: int
    type: MemoryType
    cue: str


@dataclass(frozen=True, eq=False)
class CueLanguage:
    """The cues of one language."""

    data: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its code: "en"."""
        return str(self.data["name"])

    @cached_property
    def common(self) -> frozenset[str]:
        """Frequent words."""
        return frozenset(str(self.data["common"]).split())

    @cached_property
    def cues(self) -> tuple[Cue, ...]:
        """All kinds of statements, in the order in which they are tried."""
        return tuple(
            Cue(
                cue["name"],
                cue["type"],
                tuple(self._compiled(pattern) for pattern in cue["pattern"]),
                tuple(cue.get("unless", ())),
                self._compiled(cue["not"]) if "not" in cue else None,
                cue.get("raw", False),
            )
            for cue in self.data["cue"]
        )

    @cached_property
    def openings(self) -> tuple[re.Pattern[str], ...]:
        """What may stand before a statement."""
        return tuple(self._compiled(pattern) for pattern in self.data["strip"]["openings"])

    def pattern(self, section: str, name: str) -> re.Pattern[str]:
        """A pattern by its place in the file."""
        return _pattern(self, section, name)

    def match(self, sentence: str) -> CueMatch | None:
        """What a sentence states, or None."""
        plain = sentence.translate(_APOSTROPHES) if "`" not in sentence else sentence.replace("’", "'")
        # "I work full-time, so I'd like three months": what follows is a wish, what comes first is a fact.
        clause = self.pattern("strip", "trailing").search(plain)
        for end in (len(plain), clause.start()) if clause and clause.start() >= _SHORTEST_CLAUSE else (len(plain),):
            found = self._match_clause(sentence[:end], plain[:end].rstrip(), whole=end == len(plain))
            if found is not None:
                return found
        return None

    def _match_clause(self, sentence: str, plain: str, *, whole: bool) -> CueMatch | None:
        start = self._opening(plain)
        for cue in self.cues:
            if not whole and not cue.unless_pointing:
                continue
            begin = 0 if cue.raw else start
            found = self._matched(cue, plain, begin)
            if found is not None:
                said_at = found.start("said") if "said" in found.re.groupindex and found["said"] else begin
                return self._stated(cue, sentence[said_at:].strip(), said_at, len(plain))
        return None

    def _matched(self, cue: Cue, plain: str, begin: int) -> re.Match[str] | None:
        rest = plain[begin:]
        for pattern in cue.patterns:
            found = pattern.match(plain, begin)
            if found is None:
                continue
            if cue.excluded is not None and cue.excluded.search(rest):
                return None
            return None if any(self.pattern("never", name).search(rest) for name in cue.unless) else found
        return None

    def _stated(self, cue: Cue, said: str, start: int, end: int) -> CueMatch:
        inferred = type_of(said) if cue.type == "fact" and cue.name.startswith("asked") else None
        forbids = cue.type == "rule" and self.pattern("lines", "negative").search(said.translate(_APOSTROPHES))
        kind: Any = inferred or ("negative" if forbids else cue.type)
        return CueMatch(said, start, end, kind, cue.name)

    def _opening(self, plain: str) -> int:
        """Where the statement begins, behind "ok, " and "by the way, "."""
        start = 0
        for _ in range(_MOST_OPENINGS):
            found = next((each for pattern in self.openings if (each := pattern.match(plain, start))), None)
            if found is None or found.end() >= len(plain):
                break
            start = found.end()
        return start

    def _compiled(self, pattern: str) -> re.Pattern[str]:
        parts = self.data["parts"]

        def part(found: re.Match[str]) -> str:
            return str(parts[found[1]])

        return re.compile(_PART.sub(part, pattern), re.IGNORECASE)


@cache
def _pattern(language: CueLanguage, section: str, name: str) -> re.Pattern[str]:
    return language._compiled(language.data[section][name])  # noqa: SLF001 - a function of this module


@cache
def cue_languages() -> dict[str, CueLanguage]:
    """Every language that has a file, English first."""
    folder = files("recollect.companion").joinpath("cues")
    found = [
        CueLanguage(tomllib.loads(file.read_text("utf-8"))) for file in folder.iterdir() if file.name.endswith(".toml")
    ]
    return {one.name: one for one in sorted(found, key=lambda one: (one.name != _DEFAULT, one.name))}


def languages_of(text: str) -> Iterable[CueLanguage]:
    """The languages a message may be in: the one most of its words are frequent in, or all if none is."""
    known = cue_languages()
    if _HAN.search(text):
        return () if _KANA_OR_HANGUL.search(text) else (known["zh"],)
    words = [word.lower() for word in _WORD.findall(text[:2000].translate(_APOSTROPHES))]
    counted = {name: sum(word in one.common for word in words) for name, one in known.items() if one.common}
    most = max(counted.values(), default=0)
    if most == 0 and len(words) > _FEW_WORDS:
        return ()
    return tuple(known[name] for name, count in counted.items() if count == most)
