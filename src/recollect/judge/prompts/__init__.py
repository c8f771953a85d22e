"""The prompts of a language model, one file per question; the first line of a file is its version, which every answer keeps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class QuestionPrompt:
    """What a model is told before it gets a question."""

    name: str
    version: str
    text: str

    def __str__(self) -> str:
        """As results keep it: the name and the version."""
        return f"{self.name}/{self.version}"


@cache
def prompt(name: str) -> QuestionPrompt:
    """The prompt of a question or of a writing task."""
    first, _, text = files(__package__).joinpath(f"{name}.md").read_text("utf-8").partition("\n")
    return QuestionPrompt(name, first.removeprefix("version:").strip(), text.strip())
