"""The player: tells the story at one door, step by step, and keeps what each step came to in its normal form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from doors.door import Asked, Door, Failed

from told.comparing import NORMAL, same
from told.normal import named
from told.steps import Step

_NOBODY = "0000dead"


@dataclass
class Player:
    """What was told so far: the ids behind the names, and the moments that were marked."""

    door: Door
    folder: Path
    ids: dict[str, str] = field(default_factory=dict)
    moments: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """The name of each memory by the end of its id."""
        return {id[-8:]: name for name, id in self.ids.items()}

    def play(self, steps: Sequence[Step]) -> Iterator[Any]:
        """What each step came to."""
        for step in steps:
            yield self._marked(step) if step.verb == "mark" else self._asked(step)

    def _marked(self, step: Step) -> None:
        self.moments[step.keep[0]] = datetime.now(UTC).isoformat()

    def _asked(self, step: Step) -> Any:
        as_of = None if step.as_of is None else self.moments[step.as_of]
        try:
            form = self.door.do(Asked(step.verb, self._meant(step.arguments), step.agent, as_of))
        except Failed as failed:
            return failed.kind
        if step.keep:
            self.ids |= {name: id for name, id in zip(step.keep, made(form), strict=True) if id is not None}
        verb = "gaps answered" if step.verb == "gaps" and step.arguments else step.verb
        return named(NORMAL.get(verb, same)(form), self.names)

    def _meant(self, value: Any) -> Any:
        if isinstance(value, str):
            if value.startswith("$"):
                return self.ids.get(value[1:], _NOBODY)
            return str(self.folder / value[1:]) if value.startswith("&") else value
        if isinstance(value, list):
            return [self._meant(each) for each in value]
        if isinstance(value, Mapping):
            return {name: self._meant(each) for name, each in value.items()}
        return value


def made(form: Any) -> list[str | None]:
    """The ids of the memories an answer is about, of as many as there are drafts."""
    if isinstance(form, list):
        return [id for each in form for id in made(each)]
    if isinstance(form, Mapping) and "promoted" in form:
        return made(form["promoted"])
    if isinstance(form, Mapping) and "kind" in form:
        held = form.get("memory")
        return [None if held is None else held["id"]]
    return [form["id"]] if isinstance(form, Mapping) and "id" in form else []
