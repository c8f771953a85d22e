"""Command lessons: a command that worked after a variant of it had failed for a reason that will come again.

A test that passes after the code was changed teaches nothing about the command; an unknown option or a missing program does.
"""

from __future__ import annotations

import re
import shlex
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.companion.transcripts.said import is_shell
from recollect.values.conversation import Message

# What says that the command itself was wrong for this machine or project, not what it worked on.
_WRONG_COMMAND = re.compile(
    r"(?i)command not found|not found in path|is not recognized as|no module named"
    r"|unrecognized (?:arguments?|options?|command)|unknown (?:shorthand )?flag"
    r"|(?:unknown|invalid|illegal|unexpected|no such) (?:option|argument|flag|command|subcommand|switch)\b"
    r"|no such file or directory|permission denied|eacces|enoent|externally-managed-environment|eresolve|peer dep"
    r"|unsupported engine|missing script|no such (?:command|option)|is not a (?:\w+ )?command|did you mean|usage:"
    r"|requires? (?:python|node|root|sudo)"
    r"|could not find (?:a )?(?:package\.json|pyproject|makefile|gemfile|cargo\.toml)|not a git repository|cannot find module"
    r"|no rule to make target|connection refused|could not resolve host|must be run (?:as|from|in)|not installed|exec format error"
)
_FAILURE = re.compile(
    r"(?i)^(?:\S+: )?(?:error|fatal|usage)\b|command not found|traceback \(most recent|no such file or directory"
    r"|exit(?:ed with)? code:? [1-9]"
)
# Looking around, editing text, and waiting: their variants are no lessons.
_NOT_TAUGHT = frozenset(
    "ls cat cd pwd echo grep rg find head tail sed awk wc which type file tree less more stat du df ps kill sleep touch"
    " rm mv cp mkdir diff sort uniq cut tr printf test true false export set history clear date env open edit create goto"
    " scroll_up scroll_down search_dir search_file find_file submit exit".split()
)
_READING_GIT = frozenset({"status", "diff", "log", "show", "branch", "blame"})
_KEPT_FAILURES = 8
_LONGEST_COMMAND = 200
_LONGEST_REASON = 140
_SHARED = 0.4


@dataclass(frozen=True, slots=True)
class CommandLesson:
    """What a command taught, the position of the call that failed, and both calls."""

    content: str
    first: int
    snippet: str


@dataclass(frozen=True, slots=True)
class _Failure:
    command: str
    reason: str
    position: int


@dataclass(slots=True)
class CommandLessons:
    """Pairs commands with their results as they come by; the latest few failures are kept."""

    _call: Message | None = None
    _failures: deque[_Failure] = field(default_factory=lambda: deque(maxlen=_KEPT_FAILURES))

    def read(self, message: Message) -> Iterator[CommandLesson]:
        """What is learnt from a call or a result."""
        if message.role == "assistant":
            self._call = message if is_shell(message.tool) and _is_taught(message.text) else None
            return
        call, self._call = self._call, None
        if call is None:
            return
        if _has_failed(message):
            reason = _reason(message.text)
            if reason is not None:
                self._failures.append(_Failure(call.text.strip(), reason, call.position))
            return
        failure = next((one for one in reversed(self._failures) if _is_variant(one.command, call.text.strip())), None)
        if failure is not None:
            self._failures.remove(failure)
            yield _lesson(failure, call.text.strip())


def _lesson(failure: _Failure, command: str) -> CommandLesson:
    content = f"`{command}` works; `{failure.command}` fails with: {failure.reason}"
    return CommandLesson(content, failure.position, f"$ {failure.command}\n{failure.reason}\n$ {command}")


def _has_failed(result: Message) -> bool:
    if result.failed is not None:
        return result.failed
    return _FAILURE.search(result.text[:2000]) is not None


def _reason(output: str) -> str | None:
    """The line that says what was wrong with the command, or None if nothing was."""
    for line in output.split("\n")[:60]:
        if _WRONG_COMMAND.search(line):
            return " ".join(line.split())[:_LONGEST_REASON]
    return None


def _is_taught(command: str) -> bool:
    words = _words(command)
    if not words or len(command) > _LONGEST_COMMAND or "\n" in command.strip() or "<<" in command:
        return False
    return words[0] not in _NOT_TAUGHT and not (words[0] == "git" and len(words) > 1 and words[1] in _READING_GIT)


def _is_variant(failed: str, worked: str) -> bool:
    """Whether two different commands are two ways to do the same thing."""
    one, other = _words(failed), _words(worked)
    if one == other or not one or not other:
        return False
    shared = set(one) & set(other)
    # `pytest` and `python -m pytest`, `pip install x` and `pip3 install x`: what is done must be in both.
    what = set(one[1:]) & set(other[1:]) or {one[0]} & set(other) or {other[0]} & set(one)
    names = one[0] == other[0] or _alike(one[0], other[0]) or one[0] in other or other[0] in one
    union = set(one) | set(other)
    return bool(what) and names and len(shared) / len(union) >= _SHARED - (0.1 if len(union) <= 4 else 0)


def _alike(one: str, other: str) -> bool:
    """python and python3, pip and ./venv/bin/pip."""
    one, other = one.rsplit("/", 1)[-1], other.rsplit("/", 1)[-1]
    return one.rstrip("0123456789.") == other.rstrip("0123456789.")


def _words(command: str) -> list[str]:
    """The words of the command that does the work: without `cd … &&`, variables, and what is done with the output."""
    last = re.split(r"&&|;", command)[-1] if re.match(r"\s*(?:cd|source|\.)\s", command) else command
    last = re.split(r"\s(?:2?>&?\d?|\||<)\s?", last)[0]
    try:
        words = shlex.split(last)
    except ValueError:
        words = last.split()
    while words and re.match(r"^[A-Za-z_]\w*=", words[0]):
        words = words[1:]
    return words
