"""Prompts: two texts a user may choose: recall before work, and keep what was learned at the end of it.

They name no tool: every tool set offers them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mcp_types as types

from recollect.errors import InvalidInput
from recollect.serve.mcp.tool import ToolContext


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as the protocol declares it, and the function that renders its text."""

    declaration: types.Prompt
    render: Callable[[ToolContext, Mapping[str, str]], str]

    def text(self, context: ToolContext, given: Mapping[str, str]) -> str:
        """The text for some arguments."""
        known = [argument.name for argument in self.declaration.arguments or ()]
        for name in given:
            if name not in known:
                raise InvalidInput(name[:60], f"is not an argument of {self.declaration.name}", f"arguments: {known}")
        return self.render(context, given)


def _recall(context: ToolContext, given: Mapping[str, str]) -> str:
    topic = given.get("topic", "").strip()
    block = context.memory.context(topic or None, start=not topic)
    known = block.text or "There are no memories for this work yet."
    opening = f"We are about to work on: {topic}\n\n" if topic else "We are about to start.\n\n"
    return (
        f"{opening}{known}\n\n"
        "Before you begin, say in two or three lines which of this is relevant and what you will therefore do or avoid."
        " If something important may be known and is not here, look for it once or twice with other words."
        " Ask me about anything that contradicts what I said."
    )


def _keep(_: ToolContext, given: Mapping[str, str]) -> str:
    about = given.get("about", "").strip()
    return (
        f"Look back at this session{f' ({about})' if about else ''} and remember what a later one should know.\n"
        "1. List what is worth it: decisions with their reasons, my preferences and corrections, how things are done here,"
        " what failed and why. Leave out what the files show, temporary state, secrets and guesses.\n"
        "2. Look each up first. If it is known and correct, say that it helped; if it changed, let the new one replace it;"
        " if only a detail is wrong, correct it.\n"
        "3. Remember each new thing in one or two self-contained sentences, with its type, tags and source.\n"
        "4. If the result warns of a contradiction, ask me which one is correct before you resolve it.\n"
        "5. Tell me in a short list what you remembered, changed and left out."
    )


PROMPTS = {
    prompt.declaration.name: prompt
    for prompt in (
        Prompt(
            types.Prompt(
                name="recall-before-work",
                title="Recall before work",
                description="What is known that is relevant to the work.",
                arguments=[types.PromptArgument(name="topic", description="What the work is about.", required=False)],
            ),
            _recall,
        ),
        Prompt(
            types.Prompt(
                name="keep-what-was-learned",
                title="Keep what was learned",
                description="At the end of a session: remember what later ones should know.",
                arguments=[
                    types.PromptArgument(name="about", description="What the session was about.", required=False)
                ],
            ),
            _keep,
        ),
    )
}
