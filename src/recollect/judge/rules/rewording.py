"""Other word orders of the same statement: passive and active, fronted phrases, "x which is big", "y is the x".

Used by `sameness` when two texts have the same words in another order: they say the same only if they have a rewording in
common. "The dog is bitten by the man" and "the man bites the dog" have one; "the dog bites the man" has none with either.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.judge.rules.analysis import IGNORED, TextAnalysis, is_adverb
from recollect.judge.rules.lexicon import PREPOSITIONS, RELATIVES

Frame = tuple[str, ...]

_AGENT_ENDS = PREPOSITIONS | RELATIVES | {",", ".", "and", "be"}
_ADJECTIVE_ENDS = PREPOSITIONS | {",", ".", "be"}
_LIMIT = 24  # readings per text; more would cost time and prove nothing


def readings(text: TextAnalysis) -> frozenset[Frame]:
    """The content of a text in each order that a rewording allows, including its own."""
    found: dict[Frame, None] = {text.frame: None}
    queue = [text.frame]
    while queue and len(found) < _LIMIT:
        frame = queue.pop()
        for rule in (_active, _adjective_first, _phrase_last, _swapped, _compounded, _sorted_pair):
            for other in rule(frame):
                if other not in found:
                    found[other] = None
                    queue.append(other)
    return frozenset(map(content, found))


def content(frame: Frame) -> Frame:
    """The keys with content, also without "and", which may be replaced by a relative clause."""
    return tuple(k for k in frame if k not in IGNORED and k != "and" and not is_adverb(k))


def _active(frame: Frame) -> Iterator[Frame]:
    """x is done by y -> y do x."""
    for by in (i for i, k in enumerate(frame) if k == "by" and i > 1):
        copula = next((i for i in range(by - 2, max(by - 10, -1), -1) if frame[i] == "be"), None)
        if copula is None:
            continue
        start = _clause_start(frame, copula)
        verb = frame[copula + 1 : by]
        for end in _ends(frame, by + 1):
            agent = frame[by + 1 : end]
            yield (*frame[:start], *agent, *verb, *frame[start:copula], *frame[end:])
            if len(verb) > 1:
                yield (*frame[:start], *agent, verb[0], *frame[start:copula], *verb[1:], *frame[end:])


def _adjective_first(frame: Frame) -> Iterator[Frame]:
    """ "a ball which is big" -> "big ball"."""
    for at in range(1, len(frame) - 2):
        if frame[at] not in RELATIVES or frame[at + 1] != "be":
            continue
        end = next((i for i in range(at + 2, len(frame)) if frame[i] in _ADJECTIVE_ENDS), len(frame))
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


def _phrase_last(frame: Frame) -> Iterator[Frame]:
    """ "in production, we use x" -> "we use x in production"."""
    if frame and frame[0] in PREPOSITIONS and "," in frame:
        comma = frame.index(",")
        yield (*frame[comma + 1 :], *frame[:comma])


def _swapped(frame: Frame) -> Iterator[Frame]:
    """ "the capital of x is y" -> "y is the capital of x"; both readings must come from a statement of identity."""
    if frame.count("be") == 1 and "of" in frame:
        at = frame.index("be")
        if "of" in frame[at:] and not PREPOSITIONS.intersection(frame[at + 1 : at + 2]):
            yield (*frame[at + 1 :], "be", *frame[:at])


def _compounded(frame: Frame) -> Iterator[Frame]:
    """ "player of soccer" -> "soccer player"."""
    for at in range(1, len(frame) - 1):
        if frame[at] in ("of", "for") and frame[at + 1] not in _AGENT_ENDS:
            yield (*frame[: at - 1], frame[at + 1], frame[at - 1], *frame[at + 2 :])


def _sorted_pair(frame: Frame) -> Iterator[Frame]:
    """ "x and y" -> "y and x", for single words."""
    for at in range(1, len(frame) - 1):
        if frame[at] in ("and", "or") and frame[at - 1] > frame[at + 1]:
            before = frame[at - 2] if at > 1 else ""
            after = frame[at + 2] if at + 2 < len(frame) else ""
            if at < 3 or not after or before in _AGENT_ENDS or after in _AGENT_ENDS:
                yield (*frame[: at - 1], frame[at + 1], frame[at], frame[at - 1], *frame[at + 2 :])


def _clause_start(frame: Frame, before: int) -> int:
    return next((i + 1 for i in range(before - 1, -1, -1) if frame[i] in (".", "and")), 0)


def _ends(frame: Frame, start: int) -> Iterator[int]:
    yield len(frame)
    if len(frame) - start > 1:
        yield len(frame) - 1  # a closing adverb: "by four people outdoors"
    yield from (i for i in range(start + 1, len(frame)) if frame[i] in _AGENT_ENDS)
