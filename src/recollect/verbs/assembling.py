"""Verbs that put a context together: the block of text an agent is given, and a look at it beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from recollect.capture.fields import MAX_CONTEXT, clean_time
from recollect.errors import InvalidInput
from recollect.recall.hybrid import Hybrid
from recollect.recall.pipeline import Ask
from recollect.showing import shown
from recollect.values.filter import Filter
from recollect.values.search import Search
from recollect.verbs.view import View

if TYPE_CHECKING:
    from recollect.recall.assembly import Assembled, Assembly
    from recollect.values.block import Block

BUDGET = 16_000
_LARGEST = 10_000_000


class ContextFields(TypedDict, total=False):
    """The keyword arguments of `context` and `preview`."""

    budget: int
    layers: Mapping[str, float] | Sequence[str] | None
    start: bool
    project: str | None
    session: str | None
    task: str | None
    now: datetime | str | None


class AssemblingVerbs(View):
    """What an agent is to know before it works."""

    def context(
        self,
        topic: str | None = None,
        *,
        budget: int = BUDGET,
        layers: Mapping[str, float] | Sequence[str] | None = None,
        start: bool = False,
        project: str | None = None,
        session: str | None = None,
        task: str | None = None,
        now: datetime | str | None = None,
    ) -> Block:
        """A block of text for an agent's prompt, of at most `budget` characters, the same bytes while nothing changed.

        `topic` is what the work is about; without one, what matters most is in. `start=True` adds what a session starts with.
        `layers` names the only layers wanted, or gives some of them another share of the budget.
        """
        asked: ContextFields = {"budget": budget, "layers": layers, "start": start, "now": now}
        made = self._assembled(topic, {**asked, "project": project, "session": session, "task": task})
        self._parts.recalled.add(self._viewer.identity, [item.memory.content for item in made.block.items])
        if not made.brought:
            return made.block
        # Only what the topic brought counts as read: what is in every block would be counted up turn by turn.
        self._handle.counted(self._viewer.account, list(made.brought), list(made.brought.values()))
        return made.block

    def preview(self, topic: str | None = None, **asked: Unpack[ContextFields]) -> Block:
        """The block `context` would give for the same arguments, with nothing counted: what is in, what is not, and why."""
        return self._assembled(topic, asked).block

    def _assembled(self, topic: str | None, asked: ContextFields) -> Assembled:
        from recollect.recall.assembly import Plan, Topic
        from recollect.recall.layers import chosen

        for name in asked:
            if name not in ContextFields.__annotations__:
                known = ", ".join(ContextFields.__annotations__)
                raise InvalidInput(name, "is not an argument of context", f"arguments: {known}")
        text = _topic(topic)
        viewer = self._handle.at(asked.get("project"), asked.get("session"), asked.get("task"))
        self._handle.awake(viewer.project)
        given = clean_time("now", asked.get("now"))
        now = given or self._parts.clock()
        layers, budget = chosen(asked.get("layers")), _budget(asked.get("budget", BUDGET))
        about = None
        if text is not None:
            ask = Ask(text, viewer, Filter(), now, self._assembly.profile, 1, exact=given is not None)
            about = Topic(text, self._parts.recall.prepare(ask))
        with self._parts.store.reading(now) as reader:
            off = tuple(sorted(reader.switched_off(viewer.account)))
            search = Search(viewer, Filter(without=off), now.timestamp())
            made = self._assembly.block(reader, Plan(search, layers, budget, bool(asked.get("start"))), about)
            return shown(reader, viewer.identity, made, search)

    @cached_property
    def _assembly(self) -> Assembly:
        from recollect.recall.assembly import Assembly

        profile = self._parts.profiles["hybrid"]
        assert isinstance(profile, Hybrid)
        return Assembly(profile, self._parts.loaded.settings.similarity_floor)


def _topic(given: Any) -> str | None:
    """What the work is about; as much of it as is looked at, and None for nothing."""
    if given is None:
        return None
    if not isinstance(given, str):
        raise InvalidInput("topic", f"{type(given).__name__} is not text", "give a string, or leave it out")
    text = given[:MAX_CONTEXT].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return text if text.strip() else None


def _budget(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= _LARGEST:
        raise InvalidInput("budget", f"{given!r} is not a number of characters", f"give 1 to {_LARGEST:,}")
    return given
