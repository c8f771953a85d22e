"""Every field of a language file is explained on the page that tells how to add a language, and every list is used."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "src/recollect/judge/rules/languages").glob("*.toml"))
PAGE = (ROOT / "docs/howto/languages.md").read_text("utf-8")
SECTIONS = ("words", "change", "relations", "forms", "calendar", "numbers")


def _fields(path: Path) -> set[str]:
    data = tomllib.loads(path.read_text("utf-8"))
    own = {name for name in data if name not in (*SECTIONS, "units")}
    return own.union(*(data.get(section, {}) for section in SECTIONS))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_field_of_a_language_file_is_explained(path: Path) -> None:
    explained = set(re.findall(r"`(\w+)(?: = [^`]*)?`", PAGE))
    assert _fields(path) <= explained, _fields(path) - explained


def test_every_field_of_the_language_files_is_used_by_the_rules() -> None:
    code = "\n".join(file.read_text("utf-8") for file in (ROOT / "src/recollect/judge/rules").glob("*.py"))
    # The words of all lists under [words] and [calendar] show the language; these two do nothing else.
    unused = {
        field for path in FILES for field in _fields(path) - {"contractions", "halves"} if f'"{field}"' not in code
    }
    assert not unused
