"""Reads the lines of basic-memory and Obsidian: observations `[category] text #tag (context)` and relations `uses [[Note]]`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from recollect.portable.memory_files.facts import Fact
from recollect.portable.memory_files.line_rules import heading_tag
from recollect.values.enums import MEMORY_TYPES, MemoryType

_OBSERVATION = re.compile(r"^\[([^\W\d_][\w -]{1,40})\]\s+(\S.*)$", re.DOTALL)
_TRAILING_TAGS = re.compile(r"^(.*?\S)((?:\s+#[^\W\d][\w/-]*)+)(\s*\([^()]*\))?$", re.DOTALL)
_RELATION = re.compile(r"^(?:\w[\w -]{0,60}?\s+)?\[\[([^\]|]+)(?:\|[^\]]*)?\]\](?:\s*\([^()]*\))?$")


def read_observation(fact: Fact) -> Fact:
    """A fact with its category as its type, if it is one, and as a tag; the tags at its end become tags too."""
    found = _OBSERVATION.match(fact.bare)
    if found is None:
        return replace(fact, parts=tuple(map(read_observation, fact.parts))) if fact.parts else fact
    category, said = found[1].strip(), found[2]
    tags = [heading_tag(category)]
    if ending := _TRAILING_TAGS.match(said):
        said = ending[1] + (ending[3] or "")
        tags += [tag.strip("#").casefold() for tag in ending[2].split()]
    name = category.casefold()
    kind = next((each for each in (name, name.removesuffix("s")) if each in MEMORY_TYPES), None)
    return replace(
        fact,
        text=fact.text.removesuffix(fact.bare) + said,
        bare=said,
        type=cast("MemoryType", kind) if kind else fact.type,
        tags=tuple(dict.fromkeys((*fact.tags, *(tag for tag in tags if tag)))),
        parts=tuple(map(read_observation, fact.parts)),
    )


def is_relation(line: str) -> bool:
    """Whether a line only says how its file relates to another one."""
    return _RELATION.match(line.strip()) is not None
