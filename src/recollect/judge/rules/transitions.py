"""Sentences about a change, turned into the statement that is true after it.

Called by `analysis` at its end: "I moved to Berlin" becomes "I live in Berlin", marked as a change; "the port changed from 8080
to 9090" becomes "the port is 9090", with 8080 as the value that was abandoned.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from recollect.judge.rules.lexicon import Lexicon


class Transition(NamedTuple):
    """The frame of a sentence after its change; `left` is the abandoned value, if the text names it."""

    frame: tuple[str, ...]
    changed: bool = False
    ended: bool = False
    left: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()  # who changed it, where that is not a part of the frame


_AT = frozenset({"at", "on"})
_DIRECTIONS = frozenset({"over", "up", "down", "back", "forward", "out", "ahead"})  # "moved up to April"
_PLACE = {("move", "to"), ("relocat", "to"), ("live", "in"), ("base", "in")}
_WORK = {("employ", "by"), ("work", "for")}
_NAMING = frozenset({"call", "name"})


@dataclass(frozen=True, eq=False)
class _Verbs:
    """The verbs of change of a language, as keys."""

    changing: frozenset[str]
    adopting: frozenset[str]
    replacing: frozenset[str]
    ending: frozenset[str]
    every: frozenset[str]
    boundary: frozenset[str]
    lexicon: Lexicon


@cache
def _verbs(lexicon: Lexicon) -> _Verbs:
    changing, adopting, replacing, ending = (
        lexicon.keys("change", name) for name in ("switching", "adopting", "replacing", "ending")
    )
    worded = {"relocat", "base", "employ", "work", "instead", "rather", "use", "call", "name", "live", "title"}
    every = changing | adopting | replacing | ending | worded
    return _Verbs(changing, adopting, replacing, ending, every, lexicon.prepositions | {",", ".", "and", "be"}, lexicon)


def shortened(frame: tuple[str, ...], lexicon: Lexicon) -> tuple[str, ...]:
    """The frame with each phrase of the language replaced by the keys that say the same in fewer words."""
    known = frozenset(frame)
    for many, few in lexicon.phrases:
        if not known.issuperset(many):
            continue
        at = next((i for i in range(len(frame) - len(many) + 1) if frame[i : i + len(many)] == many), None)
        if at is not None:
            frame = (*frame[:at], *few, *frame[at + len(many) :])
            known = frozenset(frame)
    return frame


def normalise_change(frame: tuple[str, ...], lexicon: Lexicon, *, instruction: bool = False) -> Transition:
    """The frame that is true after the change; the same frame if the sentence is not about a change.

    `instruction` says that a verb at the start is one: "Convert JSON to YAML" reports no change.

    The order of words in these sentences is that of English; other languages only tell that something changed.
    """
    if lexicon.name != "en":
        return Transition(frame)
    verbs = _verbs(lexicon)
    if "be" in frame and not _AT.isdisjoint(frame):
        frame = _timed(frame, lexicon)
    if verbs.every.isdisjoint(frame) or "." in frame or (instruction and frame[0] in verbs.changing):
        return Transition(frame)  # several sentences have no single outcome
    if "instead" in frame and "of" not in frame[frame.index("instead") :]:
        at = frame.index("instead")
        return normalise_change(frame[:at] + frame[at + 1 :], lexicon, instruction=instruction)._replace(changed=True)
    frame, left = _without_alternative(frame, verbs)
    for rule in (_in_favor_of, _replaced, _changed_to, _ended, _normalised_wording):
        found = rule(frame, verbs)
        if found is not None:
            return found._replace(left=found.left or left, changed=found.changed or bool(left))
    return Transition(frame, changed=bool(left), left=left)


def _without_alternative(frame: tuple[str, ...], verbs: _Verbs) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """ "instead of x" and "rather than x" name what is no longer wanted."""
    for at, this in enumerate(frame[:-1]):
        if (this, frame[at + 1]) in (("instead", "of"), ("rather", "than")):
            end = _phrase_end(frame, at + 2, verbs)
            return frame[:at] + frame[end:], frame[at + 2 : end]
    return frame, ()


def _timed(frame: tuple[str, ...], lexicon: Lexicon) -> tuple[str, ...]:
    """ "is at 9:30", "is on Friday" -> "is 9:30", "is Friday": a moved date drops the preposition."""
    for at in range(len(frame) - 2):
        if (
            frame[at] == "be"
            and frame[at + 1] in _AT
            and (frame[at + 2][0].isdigit() or frame[at + 2] in lexicon.calendar)
        ):
            return frame[: at + 1] + frame[at + 2 :]
    return frame


def _in_favor_of(frame: tuple[str, ...], verbs: _Verbs) -> Transition | None:
    """ "we dropped x in favor of y"."""
    at = next((i for i, k in enumerate(frame) if k in verbs.ending), 0)
    preferring = verbs.lexicon.keys("relations", "prefer")
    phrases = (i for i in range(at + 2, len(frame) - 3) if frame[i] == "in" and frame[i + 2] == "of")
    link = next((i for i in phrases if frame[i + 1] in preferring), 0)
    if not at or not link:
        return None
    return Transition((*frame[:at], "use", *frame[link + 3 :]), changed=True, left=frame[at + 1 : link])


def _replaced(frame: tuple[str, ...], verbs: _Verbs) -> Transition | None:
    at = next((i for i, k in enumerate(frame) if k in verbs.replacing), None)
    if at is None:
        return None
    link = next((i for i in range(at + 1, len(frame)) if frame[i] in ("with", "by", "for")), None)
    if link is None:
        return None
    old = tuple(k for k in frame[at + 1 : link] if k not in ("in", "out")) or tuple(k for k in frame[:at] if k != "be")
    subject = tuple(k for k in frame[:at] if k in verbs.lexicon.listed("words", "pronouns"))
    return Transition((*subject, "use", *frame[link + 1 :]), changed=True, left=old)


def _changed_to(frame: tuple[str, ...], verbs: _Verbs) -> Transition | None:
    at = next((i for i, k in enumerate(frame) if k in verbs.changing), None)
    if at is None or "to" not in frame[at:]:
        return None
    to = frame.index("to", at)
    if to + 1 == len(frame) or (at == 0 and to == 1):
        return None
    origin = frame.index("from", at, to) if "from" in frame[at:to] else to
    subject, what, old = frame[:at], frame[at + 1 : origin], frame[origin + 1 : to]
    while subject and subject[-1] in ("be", "have"):
        subject = subject[:-1]
    new = frame[to + 1 :]
    if not old and "from" in new[1:]:
        new, old = new[: new.index("from")], new[new.index("from") + 1 :]
    if what and not _DIRECTIONS.issuperset(what):
        if frame[at] == "renam":
            return Transition((*what, "be", *new), changed=True, left=what, agent=subject)
        return Transition((*what, "be", *new), changed=True, left=old, agent=subject)
    if frame[at] == "move" and not old and not (new[0][0].isdigit() or new[0] in verbs.lexicon.calendar):
        return Transition((*subject, "live", "in", *new), changed=True)
    if frame[at] in verbs.adopting and not (new[0][0].isdigit() or new[0] in verbs.lexicon.calendar):
        return Transition((*subject, "use", *new), changed=True, left=old)
    return Transition((*subject, "be", *new), changed=True, left=old)


def _ended(frame: tuple[str, ...], verbs: _Verbs) -> Transition | None:
    """ "we stopped using x", "we dropped x": x is what is over; "we used to x" likewise."""
    for at, this in enumerate(frame):
        if this == "use" and frame[at + 1 : at + 2] == ("to",) and len(frame) > at + 2:
            return Transition(frame[:at] + frame[at + 2 :], ended=True)
        if this in verbs.ending and _is_ending(frame, at, verbs):
            rest = frame[at + 1 :]
            verb = rest if rest[0] in verbs.lexicon.verbs else ("use", *rest)
            left = verb[1 : verb.index("and")] if "and" in verb else verb[1:]
            return Transition(frame[:at] + verb, changed=True, ended=True, left=left)
    return None


def _is_ending(frame: tuple[str, ...], at: int, verbs: _Verbs) -> bool:
    """ "is dropping the meat into a pan" and "may delete users" end nothing: no progressive, no direction, nothing allowed."""
    if frame[at - 1] in verbs.lexicon.hypothetical or frame[at - 1] in verbs.lexicon.keys("forms", "obliging"):
        return False
    if not 0 < at <= 3 or len(frame) == at + 1 or not verbs.boundary.isdisjoint(frame[:at]):
        return False
    return not verbs.lexicon.prepositions.intersection(frame[at + 1 :]) - {"for", "as", "of", "at"}


def _normalised_wording(frame: tuple[str, ...], _: _Verbs) -> Transition | None:
    """One wording for where someone lives, works, and what something is called."""
    for at in range(len(frame) - 1):
        pair = (frame[at], frame[at + 1])
        start = at - 1 if at and frame[at - 1] == "be" else at
        if pair in _PLACE:
            return Transition((*frame[:start], "live", "in", *frame[at + 2 :]), changed=pair[1] == "to")
        if pair in _WORK:
            return Transition((*frame[:start], "work", "at", *frame[at + 2 :]))
        if pair[0] == "be" and pair[1] in _NAMING and frame[at + 2 : at + 3] != ("by",):
            return Transition((*frame[: at + 1], *frame[at + 2 :]))
    return None


def _phrase_end(frame: tuple[str, ...], start: int, verbs: _Verbs) -> int:
    return next((i for i in range(start, len(frame)) if frame[i] in verbs.boundary), len(frame))
