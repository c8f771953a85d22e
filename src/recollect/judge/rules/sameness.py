"""Whether two texts say the same: the same content, in an order that allows it, with no value or negation changed.

Second step of `compare`. Similarity cannot decide here: opposites are about as similar as paraphrases (SICK: median cosine
0.967 against 0.978, nearly one distribution). It only confirms that a different spelling is a typing error.
"""

from __future__ import annotations

from recollect.judge.rules.analysis import TextAnalysis
from recollect.judge.rules.rewording import content, loose_readings, readings
from recollect.judge.rules.tokens import is_cjk
from recollect.values.outcome import Verdict

_LINKS = ("and", "by")
_MOST_LINKS = 4  # a rewording adds or drops at most this many links
_MOST_PARTS = 6  # one word is written in at most this many parts
_MOST_REWORDED = 6  # so many words may differ between two wordings that have a reading in common
# Prepositions that say nothing where only one of two texts has them.
_EMPTY = frozenset("to of for at on in as with".split())
_LONG = 60  # keys; a longer text must have the same order, because rewordings of a long text prove nothing


def same(old: TextAnalysis, new: TextAnalysis, similarity: float, duplicate: float) -> Verdict | None:
    """The verdict "same" with its reason, or None."""
    if not old.bag or _differ_surely(old, new):
        return None
    if old.gist == new.gist and old.bag == new.bag:
        return Verdict("same", "the same words in the same order", 0.97)
    if abs(len(old.bag) - len(new.bag)) > _MOST_LINKS:
        return None
    ours, theirs = residue(old, new)
    if len(old.gist) > _LONG:
        return None
    if len(ours) + len(theirs) <= _MOST_REWORDED and (found := _reordered(old, new, similarity, duplicate)) is not None:
        return found
    if not ours and not theirs:
        return None
    if _is_compound(old, new, ours, theirs) or _is_typing_error(
        ours, theirs, old.names | new.names, similarity, duplicate
    ):
        return Verdict("same", "the same words but for the spelling", 0.85)
    if similarity >= duplicate and _is_loose(old, new, ours, theirs):
        return Verdict("same", "the same in other words", 0.85)
    return None


def _differ_surely(old: TextAnalysis, new: TextAnalysis) -> bool:
    """Whether a negation, number, tense, manner or name is not the same."""
    if old.negated != new.negated or old.numbers != new.numbers or old.adverbs != new.adverbs:
        return True
    if old.ended != new.ended or old.adds != new.adds or (old.frame == new.frame and old.negations != new.negations):
        return True
    return (
        _tenses_differ(old, new)
        or _names_differ(old, new)
        or _quantities_differ(old, new)
        or _articles_differ(old, new)
    )


def _quantities_differ(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "Some tests fail" is not "the tests fail"; but "some people are walking" is "people are walking"."""
    if old.partial == new.partial or old.frame != new.frame:
        return False
    return 0 in old.definite | new.definite or not (old.progressive or new.progressive)


def _articles_differ(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "is a manager" is not "is the manager", and "the test" is not "the tests"."""
    if old.frame != new.frame:
        return False
    both = (old.classes & new.definite) | (new.classes & old.definite)
    nouns = old.classes | new.classes | old.definite | new.definite
    return bool(nouns & (old.plurals ^ new.plurals)) or any(at and old.frame[at - 1] == "be" for at in both)


def _is_loose(old: TextAnalysis, new: TextAnalysis, ours: list[str], theirs: list[str]) -> bool:
    """Apart from one verb that means the same here, and from a preposition that only one text needs, all words are the same."""
    lexicon = old.lexicon
    one, other = ([k for k in side if k not in lexicon.prepositions] for side in (ours, theirs))
    added = [set(side) & lexicon.prepositions for side in (ours, theirs)]
    if len(one) > 1 or len(other) > 1 or (added[0] and added[1]) or not (added[0] | added[1]) <= _EMPTY:
        return False
    pair = ((one or ["be"])[0], (other or ["be"])[0])
    if old.changed != new.changed or (pair[0] != pair[1] and pair not in lexicon.loose):
        return False
    skipped = {*pair, *added[0], *added[1]}
    return [k for k in old.gist if k not in skipped] == [k for k in new.gist if k not in skipped]


def _tenses_differ(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "was" is not "is" and "lived" is not "lives", but "was started by" may be the passive of "started"."""
    if old.perfect != new.perfect:
        return True
    if old.was != new.was:
        return not (old.past if new.was else new.past)
    ours, theirs = ({text.frame[at] for at in text.past if at < len(text.frame)} for text in (old, new))
    return not old.was and ours != theirs and bool((ours ^ theirs) & set(old.gist) & set(new.gist))


def _names_differ(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "Adam" and "Adams" have the same stem but are different people."""
    if old.spelled == new.spelled:
        return False
    ours, theirs = old.spelled - new.spelled, new.spelled - old.spelled
    return (
        bool(ours)
        and bool(theirs)
        and not {old.lexicon.stem(name) for name in ours}.isdisjoint(map(old.lexicon.stem, theirs))
    )


def differ_both_ways(old: TextAnalysis, new: TextAnalysis) -> bool:
    """Whether each text surely says something the other does not: a quick check for texts that only share a topic."""
    ours, theirs = set(old.bag), set(new.bag)
    return not (ours - theirs).issubset(_LINKS) and not (theirs - ours).issubset(_LINKS)


def residue(old: TextAnalysis, new: TextAnalysis) -> tuple[list[str], list[str]]:
    """What each text says and the other does not, without the links that a rewording adds or drops."""
    ours, theirs = list(old.bag), []
    for key in new.bag:
        if key in ours:
            ours.remove(key)
        else:
            theirs.append(key)
    return [k for k in ours if k not in _LINKS], [k for k in theirs if k not in _LINKS]


def _reordered(old: TextAnalysis, new: TextAnalysis, similarity: float, duplicate: float) -> Verdict | None:
    plain_old, plain_new = content(old.frame, old.lexicon), content(new.frame, new.lexicon)
    if plain_old == plain_new and "by" not in plain_old:
        return Verdict("same", "the same words in the same order", 0.95)
    copula = _is_nominal(old) and _is_nominal(new)
    if readings(old, copula=copula) & readings(new, copula=copula):
        return Verdict("same", "the same statement, reworded", 0.93)
    if similarity < duplicate:
        return None
    if old.bag == new.bag and (_is_rotated(plain_old, plain_new) or _is_exchanged(old, new)):
        return Verdict("same", "the same statement in another order", 0.9)
    if copula:
        return None
    if _light_verbs_agree(old, new) and loose_readings(old) & loose_readings(new):
        return Verdict("same", "the same in other words", 0.87)
    return None


def _is_nominal(text: TextAnalysis) -> bool:
    """Without a verb, the place of the copula says who is what: "max is tim's father", "tim is max's father"."""
    if text.frame.count("be") != 1 or text.past or text.progressive:
        return False
    return text.lexicon.verbs.isdisjoint(text.frame)


def _light_verbs_agree(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "done with x" may stand for "built with x"; "built with x" is not "run with x"."""
    ours, theirs = (old.lexicon.light[1].intersection(text.gist) for text in (old, new))
    if ours and theirs:
        return ours == theirs
    return not (ours or theirs) or any("be" in text.frame or "for" in text.frame for text in (old, new))


def _is_rotated(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether a phrase of one text moved from its start to its end: "every day I run", "I run every day"."""
    return len(one) == len(other) > 2 and any(one[i:] + one[:i] == other for i in range(1, len(one)))


def _is_exchanged(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "x is y" and "y is x"; not "x's boss is y" and "x is y's boss"."""
    if not (_is_identity(old) and _is_identity(new)):
        return False
    at = old.frame.index("be")
    return new.frame == (*old.frame[at + 1 :], "be", *old.frame[:at])


def _is_identity(text: TextAnalysis) -> bool:
    """ "x is y" about something known: it says the same as "y is x"."""
    lexicon, frame = text.lexicon, text.frame
    if text.indefinite or frame.count("be") != 1 or not lexicon.prepositions.isdisjoint(frame):
        return False
    return lexicon.verbs.isdisjoint(frame) and not {",", "."} & set(frame) and not text.progressive


def _is_compound(old: TextAnalysis, new: TextAnalysis, ours: list[str], theirs: list[str]) -> bool:
    """ "backyard" and "back yard" at the same place."""
    return max(len(ours), len(theirs)) <= _MOST_PARTS and "".join(old.gist) == "".join(new.gist)


def _is_typing_error(
    ours: list[str], theirs: list[str], names: frozenset[str], similarity: float, duplicate: float
) -> bool:
    """One typing error in a long word that is not a name."""
    if len(ours) != 1 or len(theirs) != 1 or similarity < duplicate:
        return False
    one, other = ours[0], theirs[0]
    if not (one.isalpha() and other.isalpha()) or is_cjk(one) or is_cjk(other):
        return False  # "lodash-es" is an identifier; one Chinese character is a word
    return not names.intersection((one, other)) and min(len(one), len(other)) > 5 and one_edit(one, other)


def one_edit(one: str, other: str) -> bool:
    """Whether two words differ by one letter added, missing or replaced, or by two letters swapped."""
    if one[0] != other[0] or abs(len(one) - len(other)) > 1 or any(map(str.isdigit, one + other)):
        return False
    at = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
    if one[at + 1 :] == other[at + 1 :] or one[at + 1 :] == other[at:] or one[at:] == other[at + 1 :]:
        return True
    return one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
