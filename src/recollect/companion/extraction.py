"""Extraction: which memories a session's messages give, by rules alone. Right and few: what no rule knows stays a raw message.

Kept are explicit statements of the user (`cue_rules`), proposals of the assistant that the user agreed to, and commands that
worked after the same thing had failed (`command_lessons`). Nothing else of what an assistant or a tool wrote is ever kept.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from recollect.capture.screen.junk import FENCE_OPEN
from recollect.companion.command_lessons import CommandLessons
from recollect.companion.cue_rules import CueLanguage, CueMatch, languages_of
from recollect.companion.own_words import (
    gives_a_role,
    is_command,
    is_pasted,
    own_words,
    plain_sentence,
    sentences_of,
    skip_reason,
)
from recollect.values.conversation import Message
from recollect.values.draft import Draft
from recollect.values.enums import MemoryType, ProvenanceKind
from recollect.values.ids import normalised

_LONGEST_SNIPPET = 600
_LONGEST_ANSWER = 60
_LONGEST_PROPOSAL = 240
# The proposal stands at the end of what the assistant said.
_LAST_SENTENCES = 2


@dataclass(frozen=True, slots=True)
class Extracted:
    """One memory that a message gives, and the messages it comes from. `start` and `end` are its place in the last of them."""

    content: str
    type: MemoryType
    message_range: tuple[int, int]
    snippet: str
    source: ProvenanceKind
    cue: str
    speaker: str
    message: Message
    start: int = 0
    end: int = 0

    def draft(self, session: str | None) -> Draft:
        """The draft that the write path stores."""
        return Draft(
            self.content,
            type=self.type,
            session=session,
            speaker=self.speaker,
            occurred_at=self.message.at,
            source=self.source,
            message_range=self.message_range,
            snippet=self.snippet,
            reason=f"extracted: {self.cue}",
        )


@dataclass(frozen=True, slots=True)
class SkippedMessage:
    """A message of the user that gave nothing, and why."""

    position: int
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a session gives: the memories, and why the other messages of the user give none."""

    kept: tuple[Extracted, ...] = ()
    skipped: tuple[SkippedMessage, ...] = ()


def extract(messages: Iterable[Message], *, recalled: Collection[str] = ()) -> Extraction:
    """What the messages of one session give, in their order.

    `recalled` are texts that were recalled in the session, or their `text_digest`: what a message repeats of them is not new.
    """
    extractor = Extractor(recalled)
    kept: list[Extracted] = []
    skipped: list[SkippedMessage] = []
    for message in messages:
        for found in extractor.read(message):
            (kept if isinstance(found, Extracted) else skipped).append(found)  # type: ignore[arg-type]
    return Extraction(tuple(kept), tuple(skipped))


def text_digest(text: str) -> str:
    """A digest that does not depend on case, spacing or the final full stop."""
    return hashlib.sha256(normalised(text).encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(slots=True)
class Extractor:
    """Reads the messages of one session one by one. It remembers only what the next message may need."""

    recalled: Collection[str] = ()
    _seen: set[str] = field(default_factory=set)
    _proposal: tuple[Message, str] | None = None
    _after_command: bool = False
    _commands: CommandLessons = field(default_factory=CommandLessons)

    def __post_init__(self) -> None:
        self._seen |= {each if _is_digest(each) else text_digest(each) for each in self.recalled}

    def read(self, message: Message) -> Iterator[Extracted | SkippedMessage]:
        """What one message gives, or why one of the user gives nothing."""
        if message.role == "user":
            yield from self._user(message)
        elif message.tool is not None or message.role == "tool":
            yield from self._tool(message)
        elif message.role == "assistant":
            self._after_command = False
            self._proposal = None if message.recalled else _proposal_in(message)

    def _user(self, message: Message) -> Iterator[Extracted | SkippedMessage]:
        proposal, self._proposal = self._proposal, None
        reason = self._skip_reason(message)
        if proposal is not None and reason in (None, "an acknowledgement or greeting"):
            agreed = _agreed(proposal, message)
            if agreed is not None and self._is_new(agreed):
                yield agreed
                return
        if reason is not None:
            yield SkippedMessage(message.position, reason)
            return
        found = [each for each in statements_in(message) if self._is_new(each)]
        yield from found
        if not found:
            yield SkippedMessage(message.position, "states nothing that holds beyond this session")

    def _skip_reason(self, message: Message) -> str | None:
        """Why a message of the user is not looked at. What follows a slash command is its text, not the user's."""
        after_command, self._after_command = self._after_command, is_command(message.text)
        if message.recalled or (FENCE_OPEN in message.text and not own_words(message.text).strip()):
            return "recalled text coming back"
        if after_command and not self._after_command and "\n" in message.text.strip():
            return "the text of a slash command"
        reason = skip_reason(message.text)
        if reason is None and is_pasted(own_words(message.text)):
            return "a long text, pasted or from a template"
        return reason

    def _tool(self, message: Message) -> Iterator[Extracted]:
        for lesson in self._commands.read(message):
            found = Extracted(
                lesson.content,
                "procedure",
                (lesson.first, message.position),
                lesson.snippet,
                "observed",
                "a command that worked after one that failed",
                "tool",
                message,
            )
            if self._is_new(found):
                yield found

    def _is_new(self, found: Extracted) -> bool:
        """Whether a statement was neither recalled nor made before in this session."""
        digest = text_digest(found.content)
        if digest in self._seen:
            return False
        self._seen.add(digest)
        return True


def statements_in(message: Message) -> Iterator[Extracted]:
    """The explicit statements in a message of a user."""
    own = own_words(message.text)
    languages = tuple(languages_of(own))
    if any(gives_a_role(own, language) for language in languages):
        return
    for start, end in sentences_of(own):
        sentence = message.text[start:end]
        found = _match(sentence if "*" not in sentence else plain_sentence(sentence), languages)
        if found is not None:
            last = start + found.end if "*" not in sentence else end
            content = plain_sentence(found.said)
            yield Extracted(
                content,
                found.type,
                (message.position, message.position),
                _snippet(message.text, start, end),
                "user_corrected" if found.type == "correction" else "user_stated",
                found.cue,
                message.speaker or "user",
                message,
                min(start + found.start, last),
                last,
            )


def _match(sentence: str, languages: Iterable[CueLanguage]) -> CueMatch | None:
    return next((found for language in languages if (found := language.match(sentence)) is not None), None)


def _proposal_in(message: Message) -> tuple[Message, str] | None:
    """The one statement that an assistant proposes at the end of its message, to hold for longer than the task."""
    own = own_words(message.text)
    spans = list(sentences_of(own))[-_LAST_SENTENCES:]
    found = []
    if sum(message.text[end - 1] in "?？" for _, end in spans) > 1:
        return None
    for start, end in spans:
        sentence = plain_sentence(message.text[start:end])
        for language in languages_of(own):
            proposed = language.pattern("confirm", "proposal").fullmatch(sentence.replace("’", "'"))
            if (
                proposed
                and len(sentence) <= _LONGEST_PROPOSAL
                and language.pattern("confirm", "lasting").search(sentence)
            ):
                found.append(proposed["said"].strip(" ,.?!"))
                break
    return (message, found[0]) if len(found) == 1 and len(found[0]) > 8 else None


def _agreed(proposal: tuple[Message, str], answer: Message) -> Extracted | None:
    """What a user agreed to, if the whole answer says yes. The words are the assistant's, so that it is trusted less."""
    asked, said = proposal
    text = answer.text.strip().replace("’", "'")
    if len(text) > _LONGEST_ANSWER:
        return None
    languages: Any = (*languages_of(asked.text), *languages_of(text))
    if not any(language.pattern("confirm", "yes").fullmatch(text) for language in languages):
        return None
    snippet = f"{_snippet(asked.text, max(0, len(asked.text) - _LONGEST_SNIPPET), len(asked.text))}\n— {text}"
    content = said[:1].upper() + said[1:]
    return Extracted(
        content,
        "decision",
        (asked.position, answer.position),
        snippet,
        "inferred",
        "a proposal the user agreed to",
        "assistant",
        answer,
        0,
        len(answer.text),
    )


def _snippet(text: str, start: int, end: int) -> str:
    """The statement with what stands around it."""
    room = max(0, _LONGEST_SNIPPET - (end - start)) // 2
    first, last = max(0, start - room), min(len(text), end + room)
    cut = text[first:last].strip()
    return f"{'…' if first else ''}{cut}{'…' if last < len(text) else ''}"


def _is_digest(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{32}", text) is not None
