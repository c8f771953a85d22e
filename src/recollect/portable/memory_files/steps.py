"""Steps or a list? A numbered list is one procedure when its items only make sense in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOLD = re.compile(
    r"(?i)\b(?:steps?|how to|procedure|process|workflow|runbook|playbook|checklist|instructions|recipe"
    r"|setup|set[- ]up|install(?:ation|ing)?"
    r"|deploy(?:ing|ment)?|releas(?:e|ing)|rollback|recovery|migration|bootstrap|startup|onboarding|flow|sequence|protocol"
    r"|routine|ritual|pasos|cómo|procedimiento|proceso|acción|instalación|schritte|anleitung|ablauf|vorgehen|étapes|procédure"
    r"|passos|solución ejecutada|was done|lo que se hizo para)\b|(?:^|: )(?:when|whenever|if|before|after|to|on|every|cuando|si"
    r"|antes de"
    r"|para|wenn|bevor|quand|pour)\b.+|流程|步骤|步驟|手順|手顺"
)
_LISTED = re.compile(
    r"(?i)\b(?:goals?|objectives?|priorit\w+|queue|topics?|options?|opciones|ideas?|needs?|necesita|best practices|practices"
    r"|principles"
    r"|rules|questions|backlog|wish\w*|features?|reasons?|requirements?|issues?|risks?|lessons|facts|learnings|preferences|todos?"
    r"|to[- ]do|values|people|projects|candidates|alternatives|metas|objetivos|prioridades|temas|reglas|ziele|regeln|implementado"
    r"|implemented|completed|done today|hizo hoy|changes|cambios|changelog|history|decisions?|next|planned|roadmap|key|top)\b"
)
_LINKED = re.compile(
    r"(?i)^(?:first|then|next|finally|lastly|after(?:wards| that)?|once|now|wait|repeat|if (?:not|it|so|that|this|there|the)"
    r"|si no|luego|después|entonces|por último|dann|danach|zuletzt|falls|puis|ensuite|enfin)\b|\bthe (?:result|output) of step\b"
    r"|\bstep \d"
)
_DO = frozenset(
    "add apply approve archive ask attach backup build call cd change check checkout clean clear click clone close commit"
    " compile configure confirm connect copy create delete deploy disable download drop edit enable ensure enter execute"
    " export fetch fill find fix generate get git go import insert install kill launch load locate log login make merge"
    " migrate monitor mount move navigate notify open paste ping pull push put read rebase rebuild redeploy reload remove"
    " rename replace request reset restart restore review revoke roll rotate run save scan select send set sign source ssh"
    " start stop submit switch sync tag tail test trigger type unmount unzip update upgrade upload use validate verify"
    " wait watch write zip".split()
)
_COMMAND = re.compile(r"^`[^`]+`")
_MOST = 0.75


def are_steps(items: Sequence[str], title: str, *, ordered: bool) -> bool:
    """Whether a list is one procedure, from its title (label or heading) and how its items begin."""
    if len(items) < 2:
        return False
    if _LISTED.search(title):
        return False
    if not ordered:
        return re.search(r"(?i)^(?:steps?|pasos|schritte|étapes)\b|\bsteps$", title) is not None
    linked = sum(1 for item in items if _LINKED.search(item))
    if _TOLD.search(title) or (linked >= 1 and not _labelled_items(items)):
        return True
    return not _labelled_items(items) and sum(map(_is_act, items)) >= _MOST * len(items)


def _is_act(item: str) -> bool:
    word = re.match(r"[A-Za-z]+", item)
    return _COMMAND.match(item) is not None or (word is not None and word[0].casefold() in _DO)


def _labelled_items(items: Sequence[str]) -> bool:
    """Items that each carry a name of their own are a list of things, whatever their numbers say."""
    return sum(1 for item in items if re.match(r"[^.:`]{2,50}:\s", item)) >= _MOST * len(items)
