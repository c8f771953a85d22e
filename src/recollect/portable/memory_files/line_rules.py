"""Rules that classify a line: a label, an unfilled field, boilerplate, a generic heading, the steps of a procedure.

When in doubt, a line counts as a fact: a fact too many can be forgotten, a skipped one is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.portable.memory_files.blocks import BOLD_END, BOLD_START, strip_bold
from recollect.portable.memory_files.dates import without_date

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
    r"|\[[^\]]*\]|<[^<>]*>|\{[^{}]*\}|[\W_]*"
    r"|\((?:optional|none(?: yet)?|tbd|todo|empty|unknown|n/?a|not set|unset|pending"
    r"|(?:to be|fill|add|your|e\.?g\.?) [^()]*)\))$"
)
_SAYS_NOTHING = re.compile(
    r"(?i)^\W*(?:none|nothing|empty|no (?:entries|items|notes|content|data|records)|nichts|keine|ninguno|ninguna|nada|aucun[e]?)"
    r"(?: (?:yet|so far|recorded|logged|here|at the moment|for now|currently|todavía|aún|bisher))*\W*$"
)
_DATE_OF_FILE = re.compile(
    r"(?i)^\W*(?:last |file |auto-?)?(?:updated?|consolidated|modified|edited|reviewed|synced|generated|created|refreshed"
    r"|compacted|(?:última )?actualizaci[oó]n|zuletzt aktualisiert|最后更新|更新日期)"
    r"(?: (?:on|at|by|el))?\s*[:：]?\s*(?:on |at )?(?=[\d\w])"
)
_GENERATED = re.compile(
    r"(?i)^\W*auto-?(?:matically )?[- ]?(?:generated|updated|maintained|created|written)\b"
    r"|^\W*this (?:file|document) (?:is|was) (?:auto|generated|created|maintained|managed)"
    r"|\bdo not edit (?:this file )?(?:by hand|manually)"
    r"|^\W*this file provides guidance to claude code\b|^\W*generated (?:by|with) \S"
)
_ABOUT_SESSION = re.compile(r"(?i)^session (?:key|id)\s*:\s*\S+$")
_IMPORT_LINE = re.compile(r"^@[\w~./\\-]+$")
_LABEL = re.compile(
    rf"^[^\w\s{BOLD_START}]*\s*{BOLD_START}([^{BOLD_END}\n]{{1,80}}?)\s*(?:[:：]\s*{BOLD_END}|{BOLD_END}\s*(?:：|[:–—-](?=\s|$)))"
)
_PLAIN_LABEL = re.compile(r"^(?![a-zà-ÿ])[^\W\d_][^\s:：\n`|]*(?: [^\s:：\n`|]+){0,3}(?:: +|：)\S")
_SPEAKER = re.compile(r"(?i)^(?:user|assistant|human|system|agent|ai|bot)\s*:\s")
_LINE_STARTS = (
    re.compile(r"^[•·▪‣◦○●–—→➜✓✔✗✘☐☑]\s*\S"),
    re.compile(r"^[\U0001F300-\U0001FAFF\u2600-\u27BF\u2B50\u2B55]"),
    re.compile(r"^(?:[a-z]|\d{1,2}|[ivx]{1,4})[.)]\s+\S"),
    re.compile(r"^\W?(?:\d{4}-\d\d-\d\d|\d{1,2}:\d\d)\b"),
)
_ENUMERATOR = re.compile(r"^\(?(?:[a-zA-Z]|\d{1,2}|[ivx]{1,4})[.)]\s+")
_BULLET = re.compile(r"^[•·▪‣◦○●→➜]\s+")
_DECORATION = re.compile(r"[^\w\s&/+.,:;!?'’\"“”()\[\]{}<>@#%$€£*=~`|\\^–—-]|\ufe0f")


def has_label(line: str) -> bool:
    """Whether a line begins with a bold label: **Agent:** aton."""
    return _LABEL.match(line) is not None


def is_all_bold(text: str) -> bool:
    """Whether all of a line is bold, as in a small heading."""
    bare = re.sub(rf"^[^\w{BOLD_START}(\"'“«]+", "", _ENUMERATOR.sub("", _BULLET.sub("", text))).strip()
    return bare.startswith(BOLD_START) and bare.rstrip(" :：").endswith(BOLD_END) and bare.count(BOLD_START) == 1


def starts_turn(line: str) -> bool:
    """Whether a line begins a turn of a conversation."""
    return _SPEAKER.match(strip_bold(line)) is not None


def are_separate_lines(lines: list[str]) -> bool:
    """Whether the lines of a paragraph are separate statements: fields, hand-made bullets, lines of a log."""
    if len(lines) < 2:
        return False
    return any(all(sign.match(strip_bold(line)) for line in lines) for sign in (*_LINE_STARTS, _PLAIN_LABEL))


def ends_as_label(text: str) -> bool:
    """Whether a text ends with a colon, and so introduces what follows."""
    return strip_bold(text).rstrip().endswith((":", "："))


def label_text(text: str) -> str:
    """A label without its colon, on one line."""
    return _BULLET.sub("", " ".join(strip_bold(text).split())).rstrip(" :：").strip()


def is_unfilled(text: str) -> bool:
    """Whether a value was never filled in."""
    return _UNFILLED.match(text.strip()) is not None


def skip_reason(text: str) -> str | None:
    """Why a line is not a fact, or None."""
    bare = " ".join(strip_bold(text).split())
    if not any(c.isalnum() for c in bare):
        return "a separator"
    if bare.startswith("~~") and bare.endswith("~~") and bare.count("~~") == 2:
        return "struck out"
    label, colon, value = bare.replace("：", ":", 1).partition(":")
    if is_unfilled(bare) or (colon and len(label) <= 60 and is_unfilled(value) and "`" not in label):
        return "a field that was not filled in"
    if _SAYS_NOTHING.match(bare):
        return "says that there is nothing"
    if _IMPORT_LINE.match(bare):
        return "an import of another file"
    if _GENERATED.search(bare) or _ABOUT_SESSION.match(bare):
        return "a note on the file itself"
    found = _DATE_OF_FILE.match(bare)
    if found and without_date(bare) != bare and len(bare) - found.end() <= 40:
        return "a note on the file itself"
    return None


def is_generic_heading(heading: str, level: int) -> bool:
    """Whether a heading adds nothing to the text under it: a date, a general word, the title of a memory file."""
    bare = heading_text(heading)
    words = bare.casefold().strip(" .:!")
    return (
        not any(c.isalpha() for c in bare)
        or words in _GENERIC
        or (level == 1 and _ABOUT_A_FILE.search(bare) is not None)
    )


def heading_text(heading: str) -> str:
    """A heading without date, number, emoji and emphasis."""
    bare = _DECORATION.sub("", without_date(" ".join(strip_bold(heading).split())))
    bare = re.sub(r"^\w+\.md\s*[-–—:]\s*(?=\S)", "", bare.strip())
    bare = re.sub(r"[(\[]\s*[)\]]", "", bare)
    return re.sub(r"^\d+(?:\.\d+)*[.)]?\s+(?=\S)", "", " ".join(bare.split())).strip(" :-–—|#").strip()


def heading_tag(heading: str) -> str | None:
    """A heading as a tag: its words in lower case, joined by hyphens; None when no word is left."""
    return "-".join(re.findall(r"[^\W_]+(?:[.'’+][^\W_]+)*", heading_text(heading).casefold()))[:80].strip("-") or None


_PROCEDURE_TITLE = re.compile(
    r"(?i)\b(?:steps?|how to|procedure|process|workflow|runbook|playbook|checklist|instructions|recipe"
    r"|setup|set[- ]up|install(?:ation|ing)?"
    r"|deploy(?:ing|ment)?|releas(?:e|ing)|rollback|recovery|migration|bootstrap|startup|onboarding|flow|sequence|protocol"
    r"|routine|ritual|pasos|cómo|procedimiento|proceso|acción|instalación|schritte|anleitung|ablauf|vorgehen|étapes|procédure"
    r"|passos|solución ejecutada|was done|lo que se hizo para)\b|(?:^|: )(?:when|whenever|if|before|after|to|on|every|cuando|si"
    r"|antes de"
    r"|para|wenn|bevor|quand|pour)\b.+|流程|步骤|步驟|手順|手顺"
)
_LIST_TITLE = re.compile(
    r"(?i)\b(?:goals?|objectives?|priorit\w+|queue|topics?|options?|opciones|ideas?|needs?|necesita|best practices|practices"
    r"|principles"
    r"|rules|questions|backlog|wish\w*|features?|reasons?|requirements?|issues?|risks?|lessons|facts|learnings|preferences|todos?"
    r"|to[- ]do|values|people|projects|candidates|alternatives|metas|objetivos|prioridades|temas|reglas|ziele|regeln|implementado"
    r"|implemented|completed|done today|hizo hoy|changes|cambios|changelog|history|decisions?|next|planned|roadmap|key|top)\b"
)
_STEP_WORDS = re.compile(
    r"(?i)^(?:first|then|next|finally|lastly|after(?:wards| that)?|once|now|wait|repeat|if (?:not|it|so|that|this|there|the)"
    r"|si no|luego|después|entonces|por último|dann|danach|zuletzt|falls|puis|ensuite|enfin)\b|\bthe (?:result|output) of step\b"
    r"|\bstep \d"
)
_ACTION_VERBS = frozenset(
    "add apply approve archive ask attach backup build call cd change check checkout clean clear click clone close commit"
    " compile configure confirm connect copy create delete deploy disable download drop edit enable ensure enter execute"
    " export fetch fill find fix generate get git go import insert install kill launch load locate log login make merge"
    " migrate monitor mount move navigate notify open paste ping pull push put read rebase rebuild redeploy reload remove"
    " rename replace request reset restart restore review revoke roll rotate run save scan select send set sign source ssh"
    " start stop submit switch sync tag tail test trigger type unmount unzip update upgrade upload use validate verify"
    " wait watch write zip".split()
)
_COMMAND = re.compile(r"^`[^`]+`")
_MAJORITY = 0.75


def is_procedure(items: Sequence[str], title: str, *, ordered: bool) -> bool:
    """Whether a list is one procedure, judged by its title (label or heading) and how its items begin.

    A numbered list is a procedure when its items only make sense in their order.
    """
    if len(items) < 2:
        return False
    if _LIST_TITLE.search(title):
        return False
    if not ordered:
        return re.search(r"(?i)^(?:steps?|pasos|schritte|étapes)\b|\bsteps$", title) is not None
    linked = sum(1 for item in items if _STEP_WORDS.search(item))
    if _PROCEDURE_TITLE.search(title) or (linked >= 1 and not _are_labelled(items)):
        return True
    return not _are_labelled(items) and sum(map(_is_action, items)) >= _MAJORITY * len(items)


def _is_action(item: str) -> bool:
    word = re.match(r"[A-Za-z]+", item)
    return _COMMAND.match(item) is not None or (word is not None and word[0].casefold() in _ACTION_VERBS)


def _are_labelled(items: Sequence[str]) -> bool:
    """Whether the items have labels of their own; then they are a list of things, even if they are numbered."""
    return sum(1 for item in items if re.match(r"[^.:`]{2,50}:\s", item)) >= _MAJORITY * len(items)
