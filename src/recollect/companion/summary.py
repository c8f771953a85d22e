"""Summary: the brief of a session by rules: what was asked, decided and promised, what is open, and what the user asked last."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from recollect.companion.cue_rules import CueLanguage, languages_of
from recollect.companion.own_words import (
    gives_a_role,
    is_command,
    is_pasted,
    own_words,
    plain_sentence,
    sentences_of,
    skip_reason,
)
from recollect.companion.transcripts.said import is_shell
from recollect.values.conversation import Message
from recollect.values.judging import Summary

_MOST = 8
_LONGEST = 200
_QUESTION_END = ("?", "？")


@dataclass(slots=True)
class Summarizer:
    """Reads the messages of one session one by one and keeps the few lines of its brief."""

    _asked: str = ""
    _last_asked: str = ""
    _decisions: dict[str, None] = field(default_factory=dict)
    _to_do: dict[str, None] = field(default_factory=dict)
    _open: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_MOST))
    _questions: list[str] = field(default_factory=list)
    _last_answer: str = ""
    _failed: str | None = None
    _call: str = ""
    _users: int = 0
    _after_command: bool = False

    def read(self, message: Message) -> None:
        """Take over what matters of one message."""
        if message.role == "user" and not message.recalled:
            self._user(message)
        elif message.role == "assistant" and message.tool is not None:
            self._call = message.text.strip() if is_shell(message.tool) else ""
        elif message.role == "tool":
            self._result(message)
        elif message.role == "assistant":
            self._after_command = False
            self._assistant(message)

    def summary(self) -> Summary | None:
        """The brief, or None for a session in which no user said anything."""
        if not self._asked:
            return None
        unresolved = [text for _, text in self._open]
        if self._failed:
            unresolved.append(f"`{self._failed}` failed last")
        lines = [f"Asked: {self._asked}"]
        if self._last_asked and self._last_asked != self._asked:
            lines.append(f"Last: {self._last_asked}")
        lines += [f"Decided: {text}" for text in list(self._decisions)[:3]]
        if self._last_answer:
            lines.append(f"Outcome: {self._last_answer}")
        lines += [f"Open: {text}" for text in unresolved[-3:]]
        return Summary(
            "\n".join(lines), tuple(self._decisions)[:_MOST], tuple(self._to_do)[:_MOST], tuple(unresolved[-_MOST:]),
            tuple(self._questions[-3:]),
        )  # fmt: skip

    def _user(self, message: Message) -> None:
        after, self._after_command = self._after_command, is_command(message.text)
        own = own_words(message.text)
        if skip_reason(message.text) is not None or is_pasted(own) or (after and "\n" in message.text.strip()):
            return
        languages = tuple(languages_of(own))
        if any(gives_a_role(own, language) for language in languages):
            return
        said = [_cut(message.text[start:end]) for start, end in sentences_of(own)]
        if not said:
            return
        self._users += 1
        self._questions = []
        self._asked = self._asked or said[0]
        self._last_asked = said[0]
        for sentence in said:
            self._sort(sentence, message.position, languages)

    def _assistant(self, message: Message) -> None:
        own = own_words(message.text)
        said = [_cut(message.text[start:end]) for start, end in sentences_of(own)]
        if not said:
            return
        statements = [sentence for sentence in said if not sentence.endswith(_QUESTION_END)]
        if statements:
            self._last_answer = statements[0]
            # Something was done about what was open before.
            while self._open and self._open[0][0] < message.position - 2:
                self._open.popleft()
        self._questions = [sentence for sentence in said[-3:] if sentence.endswith(_QUESTION_END)]
        for sentence in said:
            if ":" in sentence[:16] and _is(sentence, "to_do", languages_of(own)):
                self._to_do[sentence] = None

    def _sort(self, sentence: str, position: int, languages: Sequence[CueLanguage]) -> None:
        if sentence.endswith(_QUESTION_END):
            self._questions.append(sentence)
        elif _is(sentence, "decided", languages):
            self._decisions[sentence] = None
        elif _is(sentence, "to_do", languages):
            self._to_do[sentence] = None
        elif any(language.pattern("brief", "open").search(sentence) for language in languages):
            self._open.append((position, sentence))

    def _result(self, message: Message) -> None:
        if not self._call:
            return
        self._failed = _cut(self._call) if message.failed else (None if message.failed is False else self._failed)
        self._call = ""


def summarise(messages: Iterable[Message]) -> Summary | None:
    """The brief of a session, or None if no user said anything in it."""
    summarizer = Summarizer()
    for message in messages:
        summarizer.read(message)
    return summarizer.summary()


def _is(sentence: str, what: str, languages: Iterable[CueLanguage]) -> bool:
    return any(language.pattern("brief", what).match(sentence.replace("’", "'")) for language in languages)


def _cut(text: str) -> str:
    line = plain_sentence(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
