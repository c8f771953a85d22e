"""Sentences about a change, turned into the statement that is true after it.

Called by `analysis` at its end: "I moved to Berlin" becomes "I live in Berlin", marked as a change; "the port changed from 8080
to 9090" becomes "the port is 9090", with 8080 as the value that was abandoned.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.judge.rules import lexicon
from recollect.judge.rules.word_keys import key, listed


class Transition(NamedTuple):
    """The frame of a sentence after its change; `left` is the abandoned value, if the text names it."""

    frame: tuple[str, ...]
    changed: bool = False
    ended: bool = False
    left: tuple[str, ...] = ()


_CHANGING = lexicon.keys("change switch migrate bump upgrade downgrade update increase raise lower reduce rename move")
_ADOPTING = lexicon.keys("switch migrate move")
_REPLACING = lexicon.keys("replace swap")
_AT = frozenset({"at", "on"})
CALENDAR = listed("monday tuesday wednesday thursday friday saturday sunday tomorrow today")
_PLACE = {(key("move"), "to"), (key("relocate"), "to"), (key("reside"), "in"), (key("based"), "in")}
_WORK = {(key("employed"), "by"), (key("work"), "for")}
_NAMING = lexicon.keys("called named")
CHANGE_WORDS = (
    _CHANGING
    | _REPLACING
    | lexicon.ENDINGS
    | lexicon.keys("relocate reside based employed work instead rather use called named")
)
_BOUNDARY = lexicon.PREPOSITIONS | {",", ".", "and", "be"}


def normalise_change(frame: tuple[str, ...]) -> Transition:
    """The frame that is true after the change; the same frame if the sentence is not about a change."""
    if "be" in frame and not _AT.isdisjoint(frame):
        frame = _timed(frame)
    if CHANGE_WORDS.isdisjoint(frame) or "." in frame:
        return Transition(frame)  # several sentences have no single outcome
    if "instead" in frame and "of" not in frame[frame.index("instead") :]:
        at = frame.index("instead")
        return normalise_change(frame[:at] + frame[at + 1 :])._replace(changed=True)
    frame, left = _without_alternative(frame)
    for rule in (_replaced, _changed_to, _ended, _normalised_wording):
        found = rule(frame)
        if found is not None:
            return found._replace(left=found.left or left, changed=found.changed or bool(left))
    return Transition(frame, changed=bool(left), left=left)


def _without_alternative(frame: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """ "instead of x" and "rather than x" name what is no longer wanted."""
    for at, this in enumerate(frame[:-1]):
        if (this, frame[at + 1]) in (("instead", "of"), ("rather", "than")):
            end = _phrase_end(frame, at + 2)
            return frame[:at] + frame[end:], frame[at + 2 : end]
    return frame, ()


def _timed(frame: tuple[str, ...]) -> tuple[str, ...]:
    """ "is at 9:30", "is on Friday" -> "is 9:30", "is Friday": a moved date drops the preposition."""
    for at in range(len(frame) - 2):
        if frame[at] == "be" and frame[at + 1] in _AT and (frame[at + 2][0].isdigit() or frame[at + 2] in CALENDAR):
            return frame[: at + 1] + frame[at + 2 :]
    return frame


def _replaced(frame: tuple[str, ...]) -> Transition | None:
    at = next((i for i, k in enumerate(frame) if k in _REPLACING), None)
    if at is None:
        return None
    link = next((i for i in range(at + 1, len(frame)) if frame[i] in ("with", "by", "for")), None)
    if link is None:
        return None
    old = frame[at + 1 : link] or tuple(k for k in frame[:at] if k != "be")
    subject = tuple(k for k in frame[:at] if k in lexicon.PRONOUNS)
    return Transition((*subject, "use", *frame[link + 1 :]), changed=True, left=old)


def _changed_to(frame: tuple[str, ...]) -> Transition | None:
    at = next((i for i, k in enumerate(frame) if k in _CHANGING), None)
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
    if what and what != ("over",):
        if frame[at] == key("rename"):
            return Transition((*what, "be", *new), changed=True, left=what)
        return Transition((*what, "be", *new), changed=True, left=old)
    if frame[at] == "move" and not old and not (new[0][0].isdigit() or new[0] in CALENDAR):
        return Transition((*subject, "live", "in", *new), changed=True)
    if frame[at] in _ADOPTING and not (new[0][0].isdigit() or new[0] in CALENDAR):
        return Transition((*subject, "use", *new), changed=True, left=old)
    return Transition((*subject, "be", *new), changed=True, left=old)


def _ended(frame: tuple[str, ...]) -> Transition | None:
    """ "we stopped using x", "we dropped x": x is what is over; "we used to x" likewise."""
    for at, this in enumerate(frame):
        if this == "use" and frame[at + 1 : at + 2] == ("to",) and len(frame) > at + 2:
            return Transition(frame[:at] + frame[at + 2 :], ended=True)
        if this in lexicon.ENDINGS and _is_ending(frame, at):
            rest = frame[at + 1 :]
            verb = rest if rest[0] in lexicon.MANY or rest[0] in lexicon.SINGLE else ("use", *rest)
            return Transition(frame[:at] + verb, changed=True, ended=True, left=verb[1:])
    return None


def _is_ending(frame: tuple[str, ...], at: int) -> bool:
    """ "is dropping the meat into a pan" ends nothing: no progressive, no direction."""
    if not 0 < at <= 3 or len(frame) == at + 1 or not _BOUNDARY.isdisjoint(frame[:at]):
        return False
    return not lexicon.PREPOSITIONS.intersection(frame[at + 1 :]) - {"for", "as", "of", "at"}


def _normalised_wording(frame: tuple[str, ...]) -> Transition | None:
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


def _phrase_end(frame: tuple[str, ...], start: int) -> int:
    return next((i for i in range(start, len(frame)) if frame[i] in _BOUNDARY), len(frame))
