"""The analysis of one text, in the form the rules compare: its keys in order, negations, names, numbers, change cues.

It works on the pieces of `tokens` and the keys of `words`; `sameness` and `change` compare two analyses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from recollect.judge.rules import lexicon
from recollect.judge.rules.tokens import bigrams, pieces
from recollect.judge.rules.transitions import normalise_change
from recollect.judge.rules.word_keys import listed
from recollect.judge.rules.words import ASIDES, Word, key_of, word_of

PUNCTUATION = frozenset(",.")
_CONTRACTED = {"'s": "be", "'re": "be", "'m": "be", "'ve": "", "'ll": "will", "'d": "would"}
_CONTRACTING = listed("it that there he she who what where here this")


@dataclass(frozen=True, slots=True)
class TextAnalysis:
    """One analysed text. The indexes in `definite`, `past` and `progressive` point into `frame`."""

    plain: str
    frame: tuple[str, ...]  # keys in order, with "be", prepositions and punctuation; no articles, negations, cues
    gist: tuple[str, ...]  # the content words in order, without adverbs, which may be anywhere
    bag: tuple[str, ...]  # the content words sorted, with adverbs and repetitions
    negated: tuple[str, ...]  # for each negation, the key that follows it
    negations: tuple[int, ...]  # ... and its index in the frame
    names: frozenset[str]
    spelled: frozenset[str]  # the names as written, in lower case: "Adam" is not "Adams"
    numbers: frozenset[str]
    definite: frozenset[int]
    past: frozenset[int]
    progressive: frozenset[int]
    changed: bool  # says that something is new: "now", "switched", "actually"
    ended: bool  # says that something is over: "no longer", "stopped", "used to"
    adds: bool  # says that something is added: "also"
    indefinite: bool  # speaks of "a man", not of a known subject
    was: bool
    left: tuple[str, ...]  # the value that was abandoned: "switched from <left> to"
    words: frozenset[str]  # the gist, each key once

    @property
    def negative(self) -> bool:
        return len(self.negated) % 2 == 1


def analyse_text(text: str) -> TextAnalysis:
    """Analyse a text; `analyse` caches the result."""
    return _Reading(pieces(text)).run(" ".join(text.casefold().split()).rstrip(".!? "))


@dataclass(slots=True)
class _Reading:
    """One pass over the pieces of a text."""

    pieces: list[str]
    frame: list[str] = field(default_factory=list)
    negations: list[int] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    spelled: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)
    definite: set[int] = field(default_factory=set)
    past: set[int] = field(default_factory=set)
    progressive: set[int] = field(default_factory=set)
    changed: bool = False
    ended: bool = False
    adds: bool = False
    indefinite: bool = False
    was: bool = False
    opening: bool = True  # at the start of a sentence, where a capital letter does not mean a name

    def run(self, plain: str) -> TextAnalysis:
        for at, piece in enumerate(self.pieces):
            word = word_of(piece)
            if word.part == "plain":
                self.frame.append(word.key)
                self.opening = False
            elif word.part == "content":
                self._add_content(at, word)
            else:
                self._take(at, word)
        while self.frame and self.frame[-1] in PUNCTUATION:
            self.frame.pop()
        negated = tuple(sorted(self._target(at) for at in self.negations))
        moved = normalise_change(tuple(self.frame))
        same_frame = len(moved.frame) == len(self.frame)
        adverbs = [k for k in moved.frame if is_adverb(k)]
        gist = tuple([k for k in moved.frame if k not in IGNORED and k not in adverbs])
        return TextAnalysis(
            plain=plain, frame=moved.frame, gist=gist, bag=tuple(sorted([*gist, *adverbs])), negated=negated,
            words=frozenset(gist),
            negations=tuple(self.negations),
            names=frozenset(self.names), spelled=frozenset(self.spelled), numbers=frozenset(self.numbers),
            definite=frozenset(self.definite) if same_frame else frozenset(),
            past=frozenset(self.past) if same_frame else frozenset(), progressive=frozenset(self.progressive),
            changed=self.changed or moved.changed, ended=self.ended or moved.ended, adds=self.adds,
            indefinite=self.indefinite, was=self.was, left=moved.left,
        )  # fmt: skip

    def _take(self, at: int, word: Word) -> None:
        part = word.part
        if part in ("content", "plain"):
            self._add_content(at, word)
        elif part == "number":
            self._add_number(word.lowered)
        elif part == "cjk":
            self._add_cjk(word.lowered)
        elif part == "quoted":
            self._expand(at, word)
        elif part == "indefinite" and word.capital and len(word.key) == 1 and not self.opening:
            self._add_content(at, word)  # "service A"
        else:
            self._add_function_word(at, word)

    def _expand(self, at: int, word: Word) -> None:
        """ "don't" is do + not, "it's" is it + is, "Alice's" is Alice."""
        head, _, tail = word.lowered.rpartition("'")
        if tail == "t" and head.endswith("n"):
            self._add_denied(head[:-1])
        elif tail == "s" and head not in _CONTRACTING:
            self.definite.add(len(self.frame) + 1)
            self._add_content(at, word._replace(lowered=head, key=key_of(head)))
        elif "'" + tail in _CONTRACTED:
            self._take(at, word_of(head))
            if _CONTRACTED["'" + tail]:
                self.frame.append(_CONTRACTED["'" + tail])
        else:
            self._add_content(at, word)

    def _add_denied(self, verb: str) -> None:
        copula = verb in ("is", "are", "was", "were")
        self.negations.append(len(self.frame) + copula)
        self.was = self.was or verb in ("was", "were", "did")
        if copula:
            self.frame.append("be")
        elif verb not in ("do", "does", "did"):
            self.frame.append({"ca": "can", "wo": "will"}.get(verb, verb))
        self.opening = False

    def _add_number(self, number: str) -> None:
        if self.opening:
            self.indefinite = not self.frame
        self.numbers.add(number)
        self.frame.append(number)
        self.opening = False

    def _add_cjk(self, run: str) -> None:
        for negation in lexicon.NEGATIONS_CJK:
            if negation in run:
                self.negations.append(len(self.frame))
                run = run.replace(negation, "")
        if run:
            self.frame.extend(bigrams(run))
        self.opening = False

    def _add_function_word(self, at: int, word: Word) -> None:
        part = word.part
        if part == "stop":
            self._add_stop(at)
            return
        if part == "cue":
            self.changed = True
            return
        if part in ("be", "was"):
            self.was = self.was or part == "was"
            if self.frame[-1:] != ["be"] and (self.frame or word.lowered != ":"):
                self.frame.append("be")
        elif part == "negation":
            self._add_negation(at, word.lowered)
        elif part == "indefinite":
            self.indefinite = self.indefinite or not self.frame
        else:
            self.definite.add(len(self.frame))
            if part == "possessive":
                self.frame.append(word.lowered)
        self.opening = False

    def _add_content(self, at: int, word: Word) -> None:
        frame, lowered = self.frame, word.lowered
        if (lowered == "," and self.opening) or (lowered in ASIDES and self._is_aside(at, lowered)):
            return
        if lowered in lexicon.ADDITIONS:
            self.adds = True
        if word.odd or (word.capital and not self.opening):
            self.names.add(word.key)
            self.spelled.add(lowered)
        elif word.past:
            if not frame or frame[-1] not in ("be", "have"):
                self.past.add(len(frame))
        elif frame and frame[-1] == "be" and lowered.endswith("ing"):
            self.progressive.add(len(frame))
        frame.append(word.key)
        self.opening = False

    def _is_aside(self, at: int, lowered: str) -> bool:
        """Words without content of their own: a label ("Note:"), the "longer" of "no longer", the "do" of "do not"."""
        if self.opening and lowered in lexicon.LABELS and self._next(at) in (":", ","):
            self.pieces[at + 1] = ","
            return True
        if lowered == "longer" and self.negations and self.negations[-1] == len(self.frame):
            self.ended = self.changed = True
            return True
        return lowered in ("do", "does") and self._next(at) in lexicon.NEGATIONS

    def _add_stop(self, at: int) -> None:
        following = self.pieces[at + 1] if at + 1 < len(self.pieces) else ""
        before = self.pieces[at - 1] if at else ""
        abbreviated = self.pieces[at] == "." and (following[:1].islower() or (len(before) < 3 and before[:1].isupper()))
        if not abbreviated and self.frame and self.frame[-1] != ".":
            self.frame.append(".")
            self.opening = True

    def _add_negation(self, at: int, lowered: str) -> None:
        if lowered == "no" and self.opening and self._next(at) == ",":
            self.changed = True  # "No, the port is 9000" corrects; it denies nothing of its own
            return
        if lowered == "no" and self._next(at)[:1].isdigit():
            return  # "amendment No 7"
        self.negations.append(len(self.frame))
        if lowered == "cannot":
            self.frame.append("can")

    def _target(self, at: int) -> str:
        return next((k for k in self.frame[at:] if k not in IGNORED and k not in lexicon.PREPOSITIONS), "")

    def _next(self, at: int) -> str:
        return self.pieces[at + 1].lower() if at + 1 < len(self.pieces) else ""


IGNORED: frozenset[str] = PUNCTUATION | lexicon.FILLERS | {"be"}


def is_adverb(key_: str) -> bool:
    """Whether a key is an adverb in -ly; "fly" and "reply" are too short to be one."""
    return key_.endswith("ly") and len(key_) > 5


_CACHE_SIZE = 4096


def analyse(text: str) -> TextAnalysis:
    """The analysis of a text, cached."""
    return _cache[text]


def cached_analysis(text: str) -> TextAnalysis | None:
    """The analysis of a text if it is in the cache."""
    return _cache.get(text)


class _AnalysisCache(dict[str, TextAnalysis]):
    """A dict that analyses a missing text and drops the oldest entry when it is full.

    Unlike `lru_cache` it can also be asked without analysing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def __missing__(self, text: str) -> TextAnalysis:
        made = analyse_text(text)
        with self._lock:
            if len(self) >= _CACHE_SIZE:
                del self[next(iter(self))]
            self[text] = made
        return made


_cache = _AnalysisCache()
