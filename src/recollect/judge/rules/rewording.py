"""Other word orders of the same statement: passive and active, fronted phrases, "x which is big", "y is the x".

Used by `sameness` when two texts have the same words in another order: they say the same only if they have a rewording in
common. "The dog is bitten by the man" and "the man bites the dog" have one; "the dog bites the man" has none with either.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.judge.rules.analysis import TextAnalysis, is_adverb
from recollect.judge.rules.lexicon import Lexicon

Frame = tuple[str, ...]

_AT, _WE = frozenset({"in", "at"}), frozenset({"we", "our"})
_LIMIT = 96  # readings per text; more would cost time and prove nothing


def readings(text: TextAnalysis, *, copula: bool = False) -> frozenset[Frame]:
    """The content of a text in each order that a rewording allows, including its own; `copula` keeps "be" in its place."""
    lexicon = text.lexicon
    found: dict[Frame, None] = {text.frame: None}
    queue = [text.frame]
    while queue and len(found) < _LIMIT:
        frame = queue.pop()
        for rule in _RULES:
            for other in rule(frame, lexicon):
                if other not in found:
                    found[other] = None
                    queue.append(other)
    if copula:
        return frozenset(tuple(k for k in frame if k == "be" or k not in lexicon.ignored) for frame in found)
    return frozenset(content(frame, lexicon) for frame in found)


def loose_readings(text: TextAnalysis) -> frozenset[Frame]:
    """Readings of similar texts, in which it makes no difference who "we" are, which light verb is used, and "in" or "on"."""
    dropped = _WE.union(*text.lexicon.light)
    return frozenset(tuple("in" if k in _AT else k for k in reading if k not in dropped) for reading in readings(text))


def content(frame: Frame, lexicon: Lexicon) -> Frame:
    """The keys with content, also without "and", which may be replaced by a relative clause."""
    return tuple(k for k in frame if k not in lexicon.ignored and k != "and" and not is_adverb(k))


def _agent_ends(lexicon: Lexicon) -> frozenset[str]:
    return lexicon.prepositions | lexicon.relatives | {",", ".", "and", "be"}


def _active(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """x is done by y -> y do x."""
    for by in (i for i, k in enumerate(frame) if k == "by" and i > 1):
        copula = next((i for i in range(by - 2, max(by - 10, -1), -1) if frame[i] == "be"), None)
        if copula is None:
            continue
        start = _clause_start(frame, copula)
        verb = frame[copula + 1 : by]
        for end in _ends(frame, by + 1, lexicon):
            agent = frame[by + 1 : end]
            yield (*frame[:start], *agent, *verb, *frame[start:copula], *frame[end:])
            if len(verb) > 1:
                yield (*frame[:start], *agent, verb[0], *frame[start:copula], *verb[1:], *frame[end:])


def _adjective_first(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "a ball which is big" -> "big ball"."""
    for at in range(1, len(frame) - 2):
        if frame[at] not in lexicon.relatives or frame[at + 1] != "be":
            continue
        end = next(
            (i for i in range(at + 2, len(frame)) if frame[i] in lexicon.prepositions or frame[i] in (",", ".", "be")),
            len(frame),
        )
        if "and" in frame[at + 3 : end]:
            yield from _with_adjective(frame, at, frame.index("and", at + 3))
        yield from _with_adjective(frame, at, end)


def _with_adjective(frame: Frame, at: int, end: int) -> Iterator[Frame]:
    noun = at - 1 if frame[at - 1] == "," else at
    adjectives = tuple(k for k in frame[at + 2 : end] if k != "and")
    rest = frame[end + 1 :] if frame[end : end + 1] == (",",) else frame[end:]
    for width in (1, 2, 3):
        if noun >= width and len(adjectives) <= 3:
            yield (*frame[: noun - width], *adjectives, *frame[noun - width : noun], *rest)


def _phrase_last(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "in production, we use x" -> "we use x in production"."""
    if len(frame) > 3 and frame[0] == lexicon.key("every") and frame[1] in lexicon.calendar:
        when, rest = frame[:2], frame[2:]
        start = next((i for i, k in enumerate(rest) if k in lexicon.prepositions), len(rest))
        yield (*rest[:start], *when, *rest[start:])
    if not frame or frame[0] not in lexicon.prepositions:
        return
    if "," in frame:
        comma = frame.index(",")
        yield (*frame[comma + 1 :], *frame[:comma])
    if len(frame) > 4:
        yield (*frame[2:], *frame[:2])
    pronoun = next((i for i in range(2, len(frame) - 1) if frame[i] in lexicon.pronouns), None)
    if pronoun is not None:
        yield (*frame[pronoun:], *frame[:pronoun])


def _swapped(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "the capital of x is y" -> "y is the capital of x"; both readings must come from a statement of identity."""
    if frame.count("be") == 1 and "of" in frame:
        at = frame.index("be")
        if "of" in frame[at:] and not lexicon.prepositions.intersection(frame[at + 1 : at + 2]):
            yield (*frame[at + 1 :], "be", *frame[:at])


def _compounded(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "player of soccer" -> "soccer player"."""
    for at in range(1, len(frame) - 1):
        after = frame[at + 2 : at + 3]
        if after and after[0] not in _agent_ends(lexicon) and after[0] not in lexicon.verbs:
            continue  # "friend of Tom's boss"
        if frame[at] in ("of", "for") and frame[at + 1] not in _agent_ends(lexicon):
            yield (*frame[: at - 1], frame[at + 1], frame[at - 1], *frame[at + 2 :])


def _sorted_pair(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "x and y" -> "y and x", for single words."""
    for at in range(1, len(frame) - 1):
        if frame[at] in ("and", "or") and frame[at - 1] > frame[at + 1]:
            before = frame[at - 2] if at > 1 else ""
            after = frame[at + 2] if at + 2 < len(frame) else ""
            if at < 3 or not after or before in _agent_ends(lexicon) or after in _agent_ends(lexicon):
                yield (*frame[: at - 1], frame[at + 1], frame[at], frame[at - 1], *frame[at + 2 :])


def _clause_start(frame: Frame, before: int) -> int:
    return next((i + 1 for i in range(before - 1, -1, -1) if frame[i] in (".", "and")), 0)


def _ends(frame: Frame, start: int, lexicon: Lexicon) -> Iterator[int]:
    yield len(frame)
    if len(frame) - start > 1:
        yield len(frame) - 1  # a closing adverb: "by four people outdoors"
    yield from (i for i in range(start + 1, len(frame)) if frame[i] in _agent_ends(lexicon))


def _phrases_sorted(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """Prepositional phrases after the verb in one order: "with x from y" and "from y with x" say the same."""
    starts = [i for i, k in enumerate(frame) if k in lexicon.prepositions and k not in ("of", "by", "than", "over")]
    if len(starts) > 1 and starts[0] > 1 and "." not in frame and "," not in frame:
        ends = [*starts[1:], len(frame)]
        if all(end - start > 1 for start, end in zip(starts, ends, strict=True)):
            phrases = sorted(frame[start:end] for start, end in zip(starts, ends, strict=True))
            yield (*frame[: starts[0]], *(k for phrase in phrases for k in phrase))


def _agentless(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "we keep x for y" -> "x is kept for y"."""
    if len(frame) < 3 or frame[0] != "we" or frame[1] not in lexicon.verbs or frame[2] in lexicon.prepositions:
        return
    end = next((i for i in range(2, len(frame)) if frame[i] in lexicon.prepositions), len(frame))
    yield (*frame[2:end], "be", frame[1], *frame[end:])


def _measured(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "the price of x is y" and "x's price is y" -> "x costs y"; with "name", "x is y", as "x is called y" is read."""
    if frame.count("be") != 1 or "be" not in frame[1:-1]:
        return
    at = frame.index("be")
    noun, thing = (frame[0], frame[2:at]) if frame[1] == "of" else (frame[at - 1], frame[: at - 1])
    if noun in lexicon.measuring and thing:
        verb = "be" if noun == "name" else lexicon.measuring[noun]
        yield (*thing, verb, *frame[at + 1 :])


def _with_agent_verb(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "the owner of x is y", "y is the owner of x" and "x's owner is y" -> "y owns x"; "x belongs to y" likewise."""
    for at in range(1, len(frame) - 1):
        verb = lexicon.converses.get((frame[at], frame[at + 1]))
        if verb is not None and at + 2 < len(frame):
            yield (*frame[at + 2 :], verb, *(frame[: at - 1] if frame[at - 1] == "be" else frame[:at]))
    if frame.count("be") != 1:
        return
    at = frame.index("be")
    before, after = frame[:at], frame[at + 1 :]
    for one, other in ((before, after), (after, before)):
        if len(one) > 2 and other and one[1] == "of" and one[0] in lexicon.agents:
            yield (*other, lexicon.agents[one[0]], *one[2:])
        if len(one) > 1 and other and one[-1] in lexicon.agents and lexicon.prepositions.isdisjoint(one):
            yield (*other, lexicon.agents[one[-1]], *(lexicon.persons.get(k, k) for k in one[:-1]))


def _there_is(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "there are 5 people in x" -> "x has 5 people"."""
    if frame[:2] == (lexicon.key("there"), "be") and "in" in frame[3:-1]:
        at = frame.index("in", 3)
        if lexicon.prepositions.isdisjoint(frame[at + 1 :]):
            yield (*frame[at + 1 :], "have", *frame[2:at])


def _apposition(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "x, the y, does z" -> "y x does z"."""
    if frame.count(",") != 2:
        return
    one = frame.index(",")
    two = frame.index(",", one + 1)
    rest = frame[two + 1 :]
    if one and two > one + 1 and rest and (rest[0] == "be" or rest[0] in lexicon.verbs):
        yield (*frame[one + 1 : two], *frame[:one], *rest)


def _having(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "x has a y called z" -> "x's y is z"; "x has 3 of y" -> "x's y is 3"."""
    if "have" not in frame[1:-2]:
        return
    at = frame.index("have", 1)
    owner, rest = frame[:at], frame[at + 1 :]
    naming = next((i for i, k in enumerate(rest) if i and k in lexicon.keys("forms", "naming")), None)
    if naming is not None and naming + 1 < len(rest):
        yield (*owner, *rest[:naming], "be", *rest[naming + 1 :])
    if len(rest) > 2 and rest[0][0].isdigit() and rest[1] == "of":
        yield (*owner, *rest[2:], "be", rest[0])


def _instructed(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "x must be done …" -> "do x …"."""
    for at in range(1, len(frame) - 2):
        if frame[at] in lexicon.keys("forms", "obliging") and frame[at + 1] == "be":
            yield (frame[at + 2], *frame[:at], *frame[at + 3 :])


def _used_for(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "use y for z" -> "z is used with y"."""
    at = 1 if frame[:1] == ("we",) else 0
    if len(frame) > at + 3 and frame[at] == "use" and "for" in frame[at + 2 : -1]:
        link = frame.index("for", at + 2)
        if lexicon.prepositions.isdisjoint(frame[at + 1 : link]) and lexicon.prepositions.isdisjoint(frame[link + 1 :]):
            yield (*frame[link + 1 :], "be", "use", "with", *frame[at + 1 : link])


def _measure_first(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "x listens on port 80" -> "x's port is 80"."""
    if (
        len(frame) > 4
        and frame[-4] in lexicon.verbs
        and frame[-3] in ("on", "at")
        and frame[-2] in lexicon.measures
        and frame[-1][0].isdigit()
    ):
        yield (*frame[:-4], frame[-2], "be", frame[-1])


def _trip_to(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "the trip to x starts" -> "the x trip starts"."""
    if len(frame) > 3 and frame[1] == "to" and frame[2] not in _agent_ends(lexicon):
        yield (frame[2], frame[0], *frame[3:])


def _symmetric(frame: Frame, lexicon: Lexicon) -> Iterator[Frame]:
    """ "x's wife is y", "y is the husband of x" and "y is married to x" are one statement, with x and y in one order."""
    if frame.count("be") != 1:
        return
    at = frame.index("be")
    before, after = frame[:at], frame[at + 1 :]
    for one, other in ((before, after), (after, before)):
        if len(one) < 2 or not other:
            continue
        for noun, owner in ((one[-1], one[:-1]), (one[0], one[2:] if one[1] in ("of", "to", "with") else ())):
            if noun in lexicon.symmetric and owner:
                sides = sorted((tuple(lexicon.persons.get(k, k) for k in owner), other))
                yield (*sides[0], lexicon.symmetric[noun], *sides[1])


_RULES = (
    _having, _there_is, _apposition, _instructed, _used_for, _measure_first, _trip_to, _symmetric,
    _active, _adjective_first, _phrase_last, _swapped, _compounded, _sorted_pair,
    _phrases_sorted, _agentless, _measured, _with_agent_verb,
)  # fmt: skip
