"""Summary: the brief of a session by rules: what was asked, decided and promised, what is open, and what the user asked last."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from recollect.companion.own_words import (
    gives_a_role,
    is_command,
    is_pasted,
    own_words,
    plain_sentence,
    sentences_of,
    skip_reason,
)
from recollect.companion.cue_rules import languages_of
from recollect.companion.transcripts.said import is_shell
from recollect.values.conversation import Message
from recollect.values.judging import Summary

_MOST = 8
_LONGEST = 200
_DECIDED = re.compile(
    r"(?i)^(?:(?:we|i|you)(?:'ve| have)? (?:decided|agreed|chose|settled on|went with)\b|decision:|let'?s (?:go with|use|stick (?:to|with))\b"
    r"|(?:ok|okay|yes)?,? ?go with\b|wir haben (?:uns )?.*(?:entschieden|beschlossen)|(?:hemos )?(?:decidido|acordado)|on a décidé|nous avons décidé|我们决定)"
)
_TO_DO = re.compile(
    r"(?i)^(?:(?:todo|to do|action item|next steps?|follow[- ]up|remaining|still to do|offen|noch zu tun|pendiente|à faire|待办)\s*[:–-]\s*\S"
    r"|(?:we|i|you) (?:still )?(?:need|have) to\b|(?:we|i) (?:should|must) (?:still|later|also|then|next)\b|(?:i'll|we'll) .{3,60}\b(?:later|tomorrow|next)\b"
    r"|remember to\b|don't forget to\b|(?:wir|ich) müssen noch\b|(?:tenemos|hay) que\b|il faut encore\b)"
)
_OPEN = re.compile(
    r"(?i)(?:\bstill (?:fail\w*|broken|not work\w*|doesn't|crash\w*|open|unclear|red|get|see)\b|\bnot (?:yet )?(?:solved|fixed|resolved|working|done)\b"
    r"|\b(?:remains?|is|are) (?:open|unclear|unresolved|unsolved)\b|\bno idea why\b|\bblocked (?:by|on)\b|\bimmer noch\b|\bsigue (?:fallando|roto)\b|\btoujours (?:cassé|pas)\b|还是不行)"
)
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
        if any(gives_a_role(own, language) for language in languages_of(own)):
            return
        said = [_cut(message.text[start:end]) for start, end in sentences_of(own)]
        if not said:
            return
        self._users += 1
        self._questions = []
        self._asked = self._asked or said[0]
        self._last_asked = said[0]
        for sentence in said:
            self._sort(sentence, message.position)

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
            if _TO_DO.match(sentence) and ":" in sentence[:16]:
                self._to_do[sentence] = None

    def _sort(self, sentence: str, position: int) -> None:
        if sentence.endswith(_QUESTION_END):
            self._questions.append(sentence)
        elif _DECIDED.search(sentence):
            self._decisions[sentence] = None
        elif _TO_DO.search(sentence):
            self._to_do[sentence] = None
        elif _OPEN.search(sentence):
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


def _cut(text: str) -> str:
    line = plain_sentence(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
