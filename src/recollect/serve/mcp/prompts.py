"""Prompts: two texts a person may choose: recall before work, and keep what was learned at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mcp_types as types

from recollect.errors import InvalidInput
from recollect.serve.mcp.tool import Desk


@dataclass(frozen=True, slots=True)
class Prompt:
    """How a client shows it, and what it says."""

    described: types.Prompt
    says: Callable[[Desk, Mapping[str, str]], str]

    def text(self, desk: Desk, given: Mapping[str, str]) -> str:
        """What it says for some arguments."""
        known = [argument.name for argument in self.described.arguments or ()]
        for name in given:
            if name not in known:
                raise InvalidInput(name[:60], f"is not an argument of {self.described.name}", f"arguments: {known}")
        return self.says(desk, given)


def _recall(desk: Desk, given: Mapping[str, str]) -> str:
    topic = given.get("topic", "").strip()
    block = desk.memory.context(topic or None, start=not topic)
    known = block.text or "Memory holds nothing for this work yet."
    about = f"We are about to work on: {topic}\n\n" if topic else "We are about to start.\n\n"
    return (
        f"{about}{known}\n\n"
        "Before you begin, say in two or three lines what of this bears on the work and what you will therefore do or avoid."
        " If something decisive may be known and is not here, call recall once or twice with other words."
        " Ask me about anything that contradicts what I said."
    )


def _keep(_: Desk, given: Mapping[str, str]) -> str:
    about = given.get("about", "").strip()
    return (
        f"Look back at this session{f' ({about})' if about else ''} and keep what a later one should know.\n"
        "1. List what is worth it: decisions with their reasons, my preferences and corrections, how things are done here,"
        " what failed and why. Leave out what the files show, passing state, secrets and guesses.\n"
        "2. Recall each first. If it is known and right, give feedback; if it changed, remember it with `supersedes`;"
        " if only a detail is wrong, update.\n"
        "3. Remember each new thing in one or two sentences that stand alone, with its type, tags and source.\n"
        "4. If the answer warns of a contradiction, ask me which one holds before you call resolve.\n"
        "5. Tell me in a short list what you kept, changed and left out."
    )


PROMPTS = {
    prompt.described.name: prompt
    for prompt in (
        Prompt(
            types.Prompt(
                name="recall-before-work",
                title="Recall before work",
                description="What is known that bears on the work at hand.",
                arguments=[types.PromptArgument(name="topic", description="What the work is about.", required=False)],
            ),
            _recall,
        ),
        Prompt(
            types.Prompt(
                name="keep-what-was-learned",
                title="Keep what was learned",
                description="At the end of a session: what later ones should know.",
                arguments=[
                    types.PromptArgument(name="about", description="What the session was about.", required=False)
                ],
            ),
            _keep,
        ),
    )
}
