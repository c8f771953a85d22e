"""One request to a language model and its reply, whatever the provider; and what every provider offers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

# Characters per token of English text. Where a provider does not count tokens, we estimate them.
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Instructions, the data as JSON, and the JSON schema of the answer."""

    name: str
    instructions: str
    data: str
    schema: Mapping[str, Any]
    most_tokens: int

    @property
    def whole(self) -> str:
        """Everything in one text, for a model that takes only one."""
        return f"{self.instructions}\n\n{self.form}\n\n{self.data}"

    @property
    def form(self) -> str:
        """The schema in words: servers that ignore schemas still see it."""
        return f"The answer is one JSON object that matches this schema: {json.dumps(self.schema)}"

    @property
    def estimated_tokens(self) -> int:
        """How many tokens the prompt has, roughly."""
        return estimate_tokens(self.whole)


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The text of the answer, whether it was cut off, and the tokens it cost."""

    text: str
    truncated: bool = False
    tokens_in: int = 0
    tokens_out: int = 0


class ChatModel(Protocol):
    """A language model behind any API."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...
    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply; raises JudgeError if there is none."""


def estimate_tokens(text: str) -> int:
    """How many tokens a text has, roughly."""
    return len(text) // _CHARACTERS_PER_TOKEN + 1


def count_of(value: object) -> int:
    """A count from a reply; 0 if it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
