"""The analysis of one text, in the form the rules compare: its keys in order, negations, names, numbers, change cues.

It works on the pieces of `tokens` and the keys of `words`; `sameness` and `change` compare two analyses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from recollect.judge.rules.lexicon import Lexicon
from recollect.judge.rules.tokens import bigrams, is_cjk, pieces, symbols
from recollect.judge.rules.transitions import normalise_change, shortened
from recollect.judge.rules.words import Word, key_of, word_of

PUNCTUATION = frozenset(",.")
_CONTRACTED = {"'s": "be", "'re": "be", "'m": "be", "'ve": "have", "'ll": "will", "'d": "would"}
_CONTRACTING = frozenset("it that there he she who what where here this".split())

_ASIDES = frozenset({"longer", "do", "does"})


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
    proper: frozenset[str]  # those of the names that are no common nouns, as far as the spelling shows it
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
    perfect: bool  # "has been"
    left: tuple[str, ...]  # the value that was abandoned: "switched from <left> to"
    agent: tuple[str, ...]  # who changed it: "<agent> moved the meeting to"
    announces: bool  # says in any words that something is not as it was: "took over", "postponed"
    moods: frozenset[str]  # the words with which it supposes, wishes, plans or reports: "may", "want", "heard"
    plural: bool  # "the limits are": several values at a time
    partial: bool  # its subject is "some" of them
    asks: bool
    words: frozenset[str]  # the gist, each key once; pairs of characters where there are no spaces
    subject: frozenset[str]  # the content before the verb
    adverbs: tuple[str, ...]
    classes: frozenset[int]  # where an indefinite article stands in the frame
    plurals: frozenset[int]  # where a word has the ending of a plural
    lexicon: Lexicon
    symbols: tuple[str, ...]  # what it says beside its words, in order

    @property
    def negative(self) -> bool:
        return len(self.negated) % 2 == 1


def analyse_text(text: str, lexicon: Lexicon) -> TextAnalysis:
    """Analyse a text; `analyse` caches the result."""
    return _Reading(pieces(text, lexicon), lexicon).run(plain_text(text), symbols(text))


def plain_text(text: str) -> str:
    """A text without differences of case, spaces and a final stop. A question mark is none: it makes another statement."""
    return " ".join(text.casefold().split()).rstrip(".!。！ ")


@dataclass(slots=True)
class _Reading:
    """One pass over the pieces of a text."""

    pieces: list[str]
    lexicon: Lexicon
    frame: list[str] = field(default_factory=list)
    negations: list[int] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    proper: set[str] = field(default_factory=set)
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
    perfect: bool = False
    plural: bool = False
    partial: bool = False
    renewed: bool = False  # speaks of "the new" one of something
    classes: set[int] = field(default_factory=set)
    plurals: set[int] = field(default_factory=set)
    opening: bool = True  # at the start of a sentence, where a capital letter does not mean a name

    def run(self, plain: str, said: tuple[str, ...]) -> TextAnalysis:
        lexicon = self.lexicon
        for at, piece in enumerate(self.pieces):
            self._take(at, word_of(piece, lexicon))
        if _says_over(self.pieces, plain, lexicon):
            self.ended = self.changed = True
        while self.frame and self.frame[-1] in PUNCTUATION:
            self.frame.pop()
        negated = tuple(sorted(self._target(at) for at in self.negations))
        frame = tuple(self.frame)
        shorter = shortened(frame, lexicon)
        moved = normalise_change(shorter, lexicon, instruction=0 not in self.past)
        same_frame = len(moved.frame) == len(frame) and not moved.changed
        adverbs = [k for k in moved.frame if is_adverb(k) and k not in lexicon.ignored]
        gist = tuple([k for k in moved.frame if k not in lexicon.ignored and k not in adverbs])
        words = frozenset(part for k in gist for part in (bigrams(k) if is_cjk(k) else (k,)))
        announcing = lexicon.announcing
        return TextAnalysis(
            plain=plain, frame=moved.frame, gist=gist, bag=tuple(sorted([*gist, *adverbs])), negated=negated,
            words=words, subject=self._subject(moved.frame),
            negations=tuple(self.negations),
            names=frozenset(self.names), proper=frozenset(self.proper), spelled=frozenset(self.spelled),
            numbers=frozenset(self.numbers),
            definite=frozenset(self.definite) if same_frame else frozenset(),
            past=frozenset(self.past) if same_frame else frozenset(), progressive=frozenset(self.progressive),
            changed=self.changed or moved.changed, ended=self.ended or moved.ended, adds=self.adds,
            indefinite=self.indefinite, was=self.was, perfect=self.perfect, left=moved.left, agent=moved.agent,
            announces=self.renewed or _arrives(self.past, frame, lexicon)
            or (announcing is not None and announcing.search(plain) is not None),
            moods=_moods(shorter, plain, lexicon) - self.names, plural=self.plural, partial=self.partial, asks="?" in self.pieces,
            adverbs=tuple(sorted(adverbs)),
            classes=frozenset(self.classes) if same_frame else frozenset(),
            plurals=frozenset(self.plurals) if same_frame else frozenset(), lexicon=lexicon, symbols=said,
        )  # fmt: skip

    def _subject(self, frame: tuple[str, ...]) -> frozenset[str]:
        """What comes before the first verb, without words that say nothing about it; empty if no verb is known."""
        lexicon = self.lexicon
        ends = (i for i, k in enumerate(frame) if i and (k == "be" or k in lexicon.verbs or i in self.past))
        end = next(ends, 0)
        return frozenset(k for k in frame[:end] if k not in lexicon.ignored and k not in lexicon.prepositions)

    def _take(self, at: int, word: Word) -> None:
        part = word.part
        if part == "content":
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
            self._add_content(at, word._replace(lowered=head, key=key_of(head, self.lexicon)))
        elif "'" + tail in _CONTRACTED:
            self._take(at, word_of(head, self.lexicon))
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
        """A run without spaces: its negations and cues are taken out, and it is split at copulas and prepositions."""
        lexicon = self.lexicon
        for negation in sorted(lexicon.listed("words", "negations"), key=len, reverse=True):
            if negation in run:
                self.negations.append(len(self.frame))
                run = run.replace(negation, "")
        for cue in lexicon.listed("change", "now"):
            self.changed = self.changed or cue in run
            run = run.replace(cue, "")
        for copula in lexicon.listed("words", "copulas"):
            run = run.replace(copula, " be ")
        for link in lexicon.listed("words", "prepositions") | lexicon.listed("words", "fillers"):
            run = run.replace(link, f" {link} ")
        self.frame.extend(run.split())
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
            self.plural = self.plural or word.lowered in self.lexicon.listed("words", "plural_copulas")
            if word.lowered == "been" and self.frame[-1:] == ["have"]:
                self.frame.pop()  # what has been repaired is repaired
                self.perfect = True
            if self.frame[-1:] != ["be"] and (self.frame or word.lowered != ":"):
                self.frame.append("be")
        elif part == "negation":
            self._add_negation(at, word.lowered)
        elif part == "indefinite":
            if not self.frame:
                self.indefinite = True
                self.partial = word.lowered in self.lexicon.listed("words", "partial")
            self.classes.add(len(self.frame))
        else:
            self.definite.add(len(self.frame))
            if part == "possessive":
                self.frame.append(word.lowered)
        self.opening = False

    def _add_content(self, at: int, word: Word) -> None:
        frame, lowered = self.frame, word.lowered
        if (lowered == "," and self.opening) or (self._is_aside(at, lowered)):
            return
        if lowered in self.lexicon.listed("words", "additions"):
            self.adds = True
        if lowered in self.lexicon.listed("change", "renewed") and self._after_owner():
            self.renewed = True
            self.definite.add(len(frame))
            return
        if word.odd or (word.capital and not self.opening):
            self.names.add(word.key)
            self.spelled.add(lowered)
            if word.odd or not self.lexicon.capital_nouns:
                self.proper.add(word.key)
        elif word.capital and lowered not in self.lexicon.vocabulary and lowered.isalpha():
            self.spelled.add(lowered)  # at the start of a sentence it may be a name: "Adams" is not "Adam"
        if word.past and word.key not in self.names:
            if next((k for k in reversed(frame) if not is_adverb(k)), "") not in ("be", "have"):
                self.past.add(len(frame))
        elif frame and frame[-1] == "be" and lowered.endswith("ing"):
            self.progressive.add(len(frame))
        if lowered != word.key and (
            lowered in self.lexicon.bases or (lowered.endswith("s") and not word.key.endswith("s"))
        ):
            self.plurals.add(len(frame))
        frame.append(word.key)
        self.opening = False

    def _after_owner(self) -> bool:
        """After an article, a possessive or a genitive, in a subject or as what somebody is: "Joan is our new CEO"."""
        at = len(self.frame)
        owned = at in self.definite or (self.frame[-1:] and self.frame[-1] in self._possessives())
        return bool(owned) and ("be" not in self.frame or "be" in self.frame[-2:])

    def _possessives(self) -> frozenset[str]:
        return self.lexicon.listed("words", "possessives")

    def _is_aside(self, at: int, lowered: str) -> bool:
        """Words without content of their own: a label ("Note:"), the "longer" of "no longer", the "do" of "do not"."""
        if lowered not in _ASIDES and not self.opening:
            return False
        if self.opening and lowered in self.lexicon.listed("words", "labels") and self._next(at) in (":", ","):
            self.pieces[at + 1] = ","
            return True
        if lowered == "longer" and self.negations and self.negations[-1] == len(self.frame):
            self.ended = self.changed = True
            return True
        return lowered in ("do", "does") and self._next(at) in self.lexicon.listed("words", "negations")

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
        return next(
            (k for k in self.frame[at:] if k not in self.lexicon.ignored and k not in self.lexicon.prepositions), ""
        )

    def _next(self, at: int) -> str:
        return self.pieces[at + 1].lower() if at + 1 < len(self.pieces) else ""


def _arrives(past: set[int], frame: tuple[str, ...], lexicon: Lexicon) -> bool:
    """ "slipped to July", "cut to 5": a verb of the past that leads to a value."""
    values = [frame[at + 2] for at in past if frame[at + 1 : at + 2] == ("to",) and at + 2 < len(frame)]
    return any(value[0].isdigit() or value in lexicon.calendar or value in lexicon.months for value in values)


def _moods(frame: tuple[str, ...], plain: str, lexicon: Lexicon) -> frozenset[str]:
    """What shows that a text does not state something as a fact."""
    words = lexicon.moods
    if not lexicon.spaced:
        return frozenset(word for word in words if word in plain)
    found = words.intersection(frame)
    if "to" in frame:
        found |= {k for k, after in pairwise(frame) if after == "to" and k in lexicon.wishing}
        if found.isdisjoint(lexicon.intended) and any(
            k == "to" and after in lexicon.changing for k, after in pairwise(frame)
        ):
            found |= {"to"}  # "the idea is to raise the price"
    return found


def _says_over(pieces_: list[str], plain: str, lexicon: Lexicon) -> bool:
    if not lexicon.spaced:
        return any(phrase in plain for words in lexicon.over for phrase in words)
    words = [piece.lower() for piece in pieces_]
    return any(_in_turn(phrase, words) for phrase in lexicon.over)


def _in_turn(phrase: tuple[str, ...], words: list[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in phrase)


def is_adverb(key_: str) -> bool:
    """Whether a key is an adverb in -ly; "fly" and "reply" are too short to be one."""
    return key_.endswith("ly") and len(key_) > 5


@lru_cache(maxsize=4096)
def analyse(text: str, lexicon: Lexicon) -> TextAnalysis:
    """The analysis of a text in a language, cached."""
    return analyse_text(text, lexicon)
