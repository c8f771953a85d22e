"""Reads sessions written as Markdown or plain text: SpecStory, `## User` headings, `**User:**` labels, `User: …` lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from recollect.companion.transcripts.said import MAX_RESULT, Numbering, Said, time_of
from recollect.values.conversation import Role

_USER = "user|human|you|me|prompt|question"
_AGENT = (
    "assistant|agent|ai|bot|model|response|answer|claude(?: code)?|chatgpt|gpt[-\\w.]*|gemini|copilot|cursor|codex"
    "|hermes|devin|openai|llm"
)
_WHO = rf"(?P<who>{_USER}|{_AGENT}|system|developer|tool(?: result| call| output)?|function)"
_AFTER = r"(?P<side>\s*[-–—]\s*side-?chain)?(?:\s*[(\[](?P<in>[^)\]\n]{0,120})[)\]])?"
_DAY = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
# One style is used in a whole file: the first one that is seen in it.
_STYLES = tuple(
    re.compile(rf"(?i){pattern}")
    for pattern in (
        rf"^_\*\*{_WHO}{_AFTER}\*\*_\s*$",
        rf"^#{{1,4}}\s+(?:[^\w\s#]+\s*)?(?:\*\*)?{_WHO}{_AFTER}(?:\*\*)?\s*:?\s*$",
        rf"^(?:[^\w\s*]+\s*)?\*\*{_WHO}{_AFTER}\s*:?\*\*\s*:?\s*(?P<rest>.*)$",
        rf"^\[?{_WHO}\]?{_AFTER}\s*[:>]\s*(?P<rest>.*)$",
        rf"^[-=─]{{2,}}\s*\[?{_WHO}\]?{_AFTER}\s*[-=─]*\s*$",
        rf"^\[(?P<in>[^\]\n]{{8,40}})\]\s*{_WHO}(?P<side>)\s*:\s*(?P<rest>.*)$",
    )
)
_SESSION = re.compile(r"<!--.{0,40}?\bSession (?P<id>[0-9a-fA-F][\w-]{7,})\b")
_TOOL = re.compile(r"<tool-use\b[^>]*?data-tool-type=\"(?P<type>[^\"]*)\"[^>]*?data-tool-name=\"(?P<name>[^\"]*)\"")
_COMMAND = re.compile(r"(?m)^(`+)([^`\n]+)\1\s*$")
_OUTPUT = re.compile(r"(?ms)^(`{3,})\w*\n(?P<text>.*?)^\1\s*$")
_FAILED = re.compile(r"(?i)\A\s*(?:<tool_use_error>|error\b|exit code:? [1-9]|the user doesn't want to proceed)")
_NOT_SAID = re.compile(r"(?s)<think>.*?</think>|<!--.*?-->")


def style_of(lines: Iterable[str]) -> re.Pattern[str] | None:
    """How the file marks who speaks: by the first style in which both a user and somebody else speak."""
    seen: dict[int, set[Role]] = {}
    for line in lines:
        for number, style in enumerate(_STYLES):
            found = style.match(line)
            if found:
                seen.setdefault(number, set()).add(_role_in(found))
    whole = [number for number, roles in sorted(seen.items()) if "user" in roles and len(roles) > 1]
    # SpecStory files of which only the beginning was looked at may have shown the user alone.
    if not whole and "user" in seen.get(0, ()):
        return _STYLES[0]
    return _STYLES[whole[0]] if whole else None


@dataclass(slots=True)
class _Turn:
    """A turn that is being read. Of what a tool gave back, only the beginning is kept."""

    role: Role
    at: datetime | None
    lines: list[str] = field(default_factory=list)
    size: int = 0
    room: int | None = None

    def add(self, line: str) -> None:
        if "<tool-use" in line:
            self.room = MAX_RESULT
        elif "</tool-use>" in line:
            self.room = None
        elif self.room is not None:
            self.room -= len(line)
            if self.room < 0 and not line.startswith("```"):
                return
        self.lines.append(line)
        self.size += len(line)


def read_markdown(lines: Iterable[str], style: re.Pattern[str]) -> Iterator[Said]:
    """The turns of the file; in code blocks nothing is a heading."""
    numbering = Numbering()
    session: str | None = None
    turn: _Turn | None = None
    fence = ""
    for line in lines:
        mark = line.lstrip()[:3]
        # A style of headings marks a turn also where a block before it was not closed.
        found = style.match(line) if not fence or style is _STYLES[0] else None
        if found is None:
            if mark in ("```", "~~~"):
                fence = "" if fence == mark else fence or mark
            if turn is None and session is None and (named := _SESSION.search(line)):
                session = named["id"]
            elif turn is not None:
                turn.add(line)
            continue
        fence = ""
        if turn is not None:
            yield from _messages(turn, session, numbering)
        turn = _Turn(_role_in(found), _time(found))
        if rest := found.groupdict().get("rest"):
            turn.add(f"{rest}\n")
    if turn is not None:
        yield from _messages(turn, session, numbering)


def _messages(turn: _Turn, session: str | None, numbering: Numbering) -> Iterator[Said]:
    text = _NOT_SAID.sub("", "".join(turn.lines))
    text = re.sub(r"\n+---\s*\Z", "", text.strip()).strip()
    if turn.role == "assistant" and "<tool-use" in text:
        for number, part in enumerate(re.split(r"(?s)(<tool-use\b.*?(?:</tool-use>|\Z))", text)):
            if number % 2:
                yield from _tool(part, turn.at, session, numbering)
            elif part.strip():
                yield numbering.said(session, "assistant", part.strip(), at=turn.at)
    elif text:
        yield numbering.said(session, turn.role, text, at=turn.at)


def _tool(block: str, at: datetime | None, session: str | None, numbering: Numbering) -> Iterator[Said]:
    """The call and the result in one block of SpecStory."""
    opening = _TOOL.search(block)
    name = "tool" if opening is None else opening["name"]
    is_command = opening is not None and opening["type"] == "shell"
    command = _COMMAND.search(block) if is_command else None
    yield numbering.said(
        session, "assistant", command[2].strip() if command else "", at=at, tool="bash" if is_command else name
    )
    output = _OUTPUT.search(block, command.end() if command else 0)
    if output is not None:
        text = output["text"]
        failed = _FAILED.search(text) is not None
        yield numbering.said(session, "tool", text, at=at, tool="bash" if is_command else name, failed=failed)


def _role_in(found: re.Match[str]) -> Role:
    """Who speaks. In a side chain an agent speaks to another one: nobody there is the user."""
    who = found["who"].lower()
    if found["side"]:
        return "system"
    if re.fullmatch(_USER, who):
        return "user"
    if who in ("system", "developer"):
        return "system"
    return "tool" if who.startswith(("tool", "function")) else "assistant"


def _time(found: re.Match[str]) -> datetime | None:
    stamp = _DAY.search(found.groupdict().get("in") or "")
    return None if stamp is None else time_of(stamp[0])
