"""Own words: what of a message its user wrote by hand, and the sentences of it.

What programs put into the user's place (reminders, slash commands and what they print, recalled memories), and what users paste
(code, logs, diffs, quotes), is blanked out: no rule sees it, and the places of everything else stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.capture.screen.junk import junk_reason
from recollect.companion.cue_rules import CueLanguage

_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|```.*?```")
# Whole elements, as programs write them: <system-reminder>…</system-reminder>, <bash-stdout>…</bash-stdout>.
_ELEMENT = re.compile(r"(?s)<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>.*?(?:</\1>|\Z)|<!--.*?-->")
_ADDED = re.compile(
    r"(?s)<(system-reminder|recalled-memories[\w-]*|environment_context|user_instructions|ide_\w+|user-prompt-submit-hook)"
    r"(?:\s[^<>]*)?>.*?(?:</\1>|\Z)"
)
_COMMAND = re.compile(
    r"<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr)|user-prompt-submit-hook)\b"
)
_SLASH = re.compile(r"^/[a-z][\w:-]*(?:\s|$)")
_NOTICE = re.compile(
    r"(?i)^\W*(?:request interrupted by user|caveat: the messages below|this session is being continued from a previous"
    r"|\[image|\[pasted|context: this summary|system:|automated message|no response requested)"
)
_QUOTE = re.compile(r"[\"“„«][^\"”“„»«\n]{12,}[\"”“»]")
# A line of a quote, a diff, a prompt, a log, a stack trace, a table or code.
_LINE_NOT_SAID = re.compile(
    r"^\s*(?:>|[-+]{3} \S|@@ |diff --git|index [0-9a-f]{7}|[$❯➜#%] \S|\[[\d/: .T-]{6,}[^\]]*\]|\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b[ :\]]|Traceback \(most|File \"|at [\w.$<>]+ ?\(|\|.*\|\s*$"
    r"|https?://\S+$|[\w./~-]+:\d+(?::\d+)?:|import \w|from \w+ import|(?:def|class|function) \w+.*[{:(]\s*$"
    r"|(?:const|let|var) \w+ ?=|return\b.*;\s*$|(?:if|for|while) ?\(.*[{;)]\s*$|(?:elif|else)\b.*:\s*$"
    r"|[{}\[\]();^~]+,?\s*$|[\w.]+\(.*\)[;,]?\s*$|_Opened file:|\*? ?\w+: \d+\s*$|\"[\w-]+\":|<\/?\w"
    r"|\d+ (?:issues?|errors?|warnings?|failed|passed)\b.{0,40}$)"
)
_CODE_SIGNS = re.compile(r"[{}();=<>\[\]|\\&$#@+*_]")
_BULLET = re.compile(r"[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+")
_BREAK = re.compile(r"(?<=[.!?;])[\"”')]*\s+|(?<=[。！？；])\s*|\n+")
_ABBREVIATION = re.compile(
    # A number with a full stop goes on in a list ("2. Build") and in a German date ("am 3. Mai"), not in "drop Node 16."
    r"(?i)(?:^|\n)[\s(]*\d{1,2}\.$|\b(?:am|ab|bis|dem|den|der|seit|vom|zum) \d{1,2}\.$"
    r"|\b(?:dr|mr|mrs|ms|st|prof|vs|e\.g|i\.e|etc|approx|no|nr|z\.b|bzw|p\.ej|[a-z])\.$"
)
_EMPHASIS = re.compile(r"\*\*|__|(?<![\w*])\*(?=\w[^*\n]*\w?\*(?!\w))|(?<=\w)\*(?![\w*])")
_LONG_LINE = 60
# Nobody types more than this by hand; a longer text is a paste or a template.
MAX_OWN = 2500
_MAX_LINES = 30
_MAX_SENTENCE = 320
_CODE_SHARE = 0.12


# Reasons for which a message is not something that its user said.
NOT_SAID = frozenset(
    {
        "a slash command or its output",
        "the text of a slash command",
        "a notice of the program",
        "recalled text coming back",
        "empty",
    }
)


def without_additions(text: str) -> str:
    """A message without what programs added to it, such as reminders and recalled memories; the rest as it is."""
    return _ADDED.sub("", text).strip() if "<" in text else text


def skip_reason(text: str) -> str | None:
    """Why nothing of a user's message is looked at, or None."""
    bare = text.strip()
    if not bare:
        return "empty"
    if _COMMAND.search(bare[:2000]) or _SLASH.match(bare):
        return "a slash command or its output"
    if _NOTICE.match(bare):
        return "a notice of the program"
    if not own_words(bare).strip():
        return "nothing in the user's own words"
    return junk_reason(_ELEMENT.sub("", bare).strip())


def is_command(text: str) -> bool:
    """Whether a message is a slash command, after which the program writes its text in the user's place."""
    return "<command-message>" in text or "<command-name>" in text or _SLASH.match(text.strip()) is not None


def own_words(text: str) -> str:
    """The text with everything blanked out that is not the user's own; nothing is moved."""
    for pattern in (_FENCED, _ELEMENT):
        text = pattern.sub(_blank, text)
    lines = text.split("\n")
    shown = ["".join(" " for _ in line) if _LINE_NOT_SAID.match(line) or _is_code(line) else line for line in lines]
    return _QUOTE.sub(_blank, "\n".join(shown))


def is_pasted(own: str) -> bool:
    """Whether the words are too many to be typed."""
    return len(own.split("\n")) > _MAX_LINES + own.count("\n\n") or len(" ".join(own.split())) > MAX_OWN


def first_sentence(own: str) -> str:
    """The first sentence of some words, for what holds for all of a message."""
    start, end = next(sentences_of(own), (0, 0))
    return own[start:end]


def gives_a_role(own: str, language: CueLanguage) -> bool:
    """Whether a message asks for a role to be played, or gives a text to be worked on."""
    first = own.strip()[:400]
    return any(language.pattern("lines", name).search(first) is not None for name in ("role", "given_text"))


def sentences_of(own: str) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends."""
    start = 0
    for each in _BREAK.finditer(own):
        if _continues(own, start, each):
            continue
        yield from _trimmed(own, start, each.start())
        start = each.end()
    yield from _trimmed(own, start, len(own))


def _continues(own: str, start: int, gap: re.Match[str]) -> bool:
    """Whether a sentence goes on behind a gap: after an abbreviation, or where a long line was wrapped."""
    before = own[start : gap.start()]
    if "\n" in gap[0]:
        line = before.rsplit("\n", 1)[-1]
        following = own[gap.end() : gap.end() + 1]
        return gap[0].count("\n") == 1 and len(line) >= _LONG_LINE and following.islower() and line[-1:] not in ".!?:"
    return _ABBREVIATION.search(before) is not None and not before.lower().endswith((" no.", " i."))


def _trimmed(own: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and own[start].isspace():
        start += 1
    bullet = _BULLET.match(own, start, end)
    if bullet is not None:
        start = bullet.end()
    while end > start and own[end - 1].isspace():
        end -= 1
    if 0 < end - start <= _MAX_SENTENCE:
        yield start, end


def plain_sentence(text: str) -> str:
    """A sentence on one line, without emphasis."""
    return " ".join(_EMPHASIS.sub("", text).split())


def _is_code(line: str) -> bool:
    bare = line.strip()
    without_spans = re.sub(r"`[^`]*`|\*\*|\$[\w-]+", "", bare)
    return len(bare) > 8 and len(_CODE_SIGNS.findall(without_spans)) > max(2, _CODE_SHARE * len(without_spans))


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])
