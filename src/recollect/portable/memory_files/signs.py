"""Signs by which a reader tells what a line is: a label, an unfilled field, boilerplate, a heading that says little.

When in doubt a line counts as a fact: one kept too many can be forgotten, one left out is lost.
"""

from __future__ import annotations

import re

from recollect.portable.memory_files.blocks import BOLD, LIGHT, plain
from recollect.portable.memory_files.dates import undated

_GENERIC = frozenset(
    "notes|note|misc|miscellaneous|general|other|others|overview|summary|facts|key facts|memory|memories|important"
    "|lessons|lessons learned|learnings|important learnings|key learnings|learned|insights|rules|preferences"
    "|user preferences|details|info|information|log|logs|daily log|session log|today|entries|content|contents|body"
    "|instructions|guidelines|things to remember|remember|quick reference|reference|background|introduction"
    "|notas|general notes|observations|findings|updates|update|journal|diary|recent|current|archive|table of contents|toc"
    "|memoria|recuerdos|resumen|aprendizajes|reglas|preferencias|notizen|allgemein|regeln|notes diverses"
    .split("|")
)  # fmt: skip
_ABOUT_A_FILE = re.compile(
    r"(?i)\b(?:memory|memories|memoria|gedächtnis|mémoire|notes|log|journal|diary)\s*$|\b\w+\.md\b|\blong[- ]term memory\b"
    r"|^(?:memory|memoria|notes|log|journal|diary)\b"
)
_UNFILLED = re.compile(
    r"(?i)^(?:tbd|tba|todo|to be (?:determined|decided|defined|added|filled(?: in)?)|n/?a|xxx+|fixme"
    r"|fill (?:me |this )?in|placeholder"
    r"|\[[^\]]*\]|<[^<>]*>|\{[^{}]*\}|\([^()]*\)|[\W_]*)$"
)
_NOTHING = re.compile(
    r"(?i)^\W*(?:none|nothing|empty|no (?:entries|items|notes|content|data|records)|nichts|keine|ninguno|ninguna|nada|aucun[e]?)"
    r"(?: (?:yet|so far|recorded|logged|here|at the moment|for now|currently|todavía|aún|bisher))*\W*$"
)
_DATE_OF_FILE = re.compile(
    r"(?i)^\W*(?:last |file |auto-?)?(?:updated?|consolidated|modified|edited|reviewed|synced|generated|created|refreshed"
    r"|compacted|(?:última )?actualizaci[oó]n|zuletzt aktualisiert|最后更新|更新日期)"
    r"(?: (?:on|at|by|el))?\s*[:：]?\s*(?:on |at )?(?=[\d\w])"
)
_MADE_BY_MACHINE = re.compile(
    r"(?i)^\W*auto-?(?:matically )?[- ]?(?:generated|updated|maintained|created|written)\b"
    r"|^\W*this (?:file|document) (?:is|was) (?:auto|generated|created|maintained|managed)"
    r"|\bdo not edit (?:this file )?(?:by hand|manually)"
    r"|^\W*this file provides guidance to claude code\b|^\W*generated (?:by|with) \S"
)
_ABOUT_SESSION = re.compile(r"(?i)^session (?:key|id)\s*:\s*\S+$")
_IMPORT_LINE = re.compile(r"^@[\w~./\\-]+$")
_LABEL = re.compile(
    rf"^[^\w\s{BOLD}]*\s*{BOLD}([^{LIGHT}\n]{{1,80}}?)\s*(?:[:：]\s*{LIGHT}|{LIGHT}\s*(?:：|[:–—-](?=\s|$)))"
)
_PLAIN_LABEL = re.compile(r"^(?![a-zà-ÿ])[^\W\d_][^\s:：\n`|]*(?: [^\s:：\n`|]+){0,3}(?:: +|：)\S")
_SPEAKER = re.compile(r"(?i)^(?:user|assistant|human|system|agent|ai|bot)\s*:\s")
_LINE_STARTS = (
    re.compile(r"^[•·▪‣◦○●–—→➜✓✔✗✘☐☑]\s*\S"),
    re.compile(r"^[\U0001F300-\U0001FAFF\u2600-\u27BF\u2B50\u2B55]"),
    re.compile(r"^(?:[a-z]|\d{1,2}|[ivx]{1,4})[.)]\s+\S"),
    re.compile(r"^\W?(?:\d{4}-\d\d-\d\d|\d{1,2}:\d\d)\b"),
)
_ENUMERATOR = re.compile(r"^(?:\(?(?:[a-zA-Z]|\d{1,2}|[ivx]{1,4})[.)]|[•·▪‣◦○●→➜])\s+")
_DECORATION = re.compile(r"[^\w\s&/+.,:;!?'’\"“”()\[\]{}<>@#%$€£*=~`|\\^–—-]|\ufe0f")


def labelled(line: str) -> bool:
    """Whether a line begins with a bold label: **Agent:** aton."""
    return _LABEL.match(line) is not None


def all_bold(text: str) -> bool:
    """Whether everything on a line is bold, as in a small heading; a full stop makes it a statement."""
    bare = re.sub(rf"^[^\w{BOLD}(\"'“«]+", "", _ENUMERATOR.sub("", text)).strip()
    return bare.startswith(BOLD) and bare.rstrip(" :：").endswith(LIGHT) and bare.count(BOLD) == 1


def starts_turn(line: str) -> bool:
    """Whether a line begins what somebody said in a conversation."""
    return _SPEAKER.match(plain(line)) is not None


def own_lines(lines: list[str]) -> bool:
    """Whether every line of a paragraph is a thing of its own: fields, hand-made bullets, lines of a log."""
    if len(lines) < 2:
        return False
    return any(all(sign.match(plain(line)) for line in lines) for sign in (*_LINE_STARTS, _PLAIN_LABEL))


def ends_as_label(text: str) -> bool:
    """Whether a text announces what follows it."""
    return plain(text).rstrip().endswith((":", "："))


def as_label(text: str) -> str:
    """A label without its colon and number, on one line."""
    return _ENUMERATOR.sub("", " ".join(plain(text).split())).rstrip(" :：").strip()


def is_unfilled(text: str) -> bool:
    """Whether a value was never filled in."""
    return _UNFILLED.match(text.strip()) is not None


def unwanted(text: str) -> str | None:
    """Why a line is no fact, or None."""
    bare = " ".join(plain(text).split())
    if not any(c.isalnum() for c in bare):
        return "a separator"
    if bare.startswith("~~") and bare.endswith("~~") and bare.count("~~") == 2:
        return "struck out"
    label, colon, value = bare.replace("：", ":", 1).partition(":")
    if is_unfilled(bare) or (colon and len(label) <= 60 and is_unfilled(value) and "`" not in label):
        return "a field that was not filled in"
    if _NOTHING.match(bare):
        return "says that there is nothing"
    if _IMPORT_LINE.match(bare):
        return "an import of another file"
    if _MADE_BY_MACHINE.search(bare) or _ABOUT_SESSION.match(bare):
        return "a note on the file itself"
    found = _DATE_OF_FILE.match(bare)
    if found and undated(bare) != bare and len(bare) - found.end() <= 40:
        return "a note on the file itself"
    return None


def says_little(heading: str, level: int) -> bool:
    """Whether a heading adds nothing to what stands under it: a date, a general word, the title of a memory file."""
    bare = plain_heading(heading)
    words = bare.casefold().strip(" .:!")
    return (
        not any(c.isalpha() for c in bare)
        or words in _GENERIC
        or (level == 1 and _ABOUT_A_FILE.search(bare) is not None)
    )


def plain_heading(heading: str) -> str:
    """A heading without date, number, emoji and emphasis."""
    bare = _DECORATION.sub("", undated(" ".join(plain(heading).split())))
    bare = re.sub(r"^\w+\.md\s*[-–—:]\s*(?=\S)", "", bare.strip())
    bare = re.sub(r"[(\[]\s*[)\]]", "", bare)
    return re.sub(r"^\d+(?:\.\d+)*[.)]?\s+(?=\S)", "", " ".join(bare.split())).strip(" :-–—|#").strip()


def tag_of(heading: str) -> str | None:
    """A heading as a tag: its words in lower case, joined by hyphens; None when none is left."""
    return "-".join(re.findall(r"[^\W_]+(?:[.'’+][^\W_]+)*", plain_heading(heading).casefold()))[:80].strip("-") or None
