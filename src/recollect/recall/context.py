"""The verb `context`: a block of text for an agent's prompt, assembled in one view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from recollect.errors import InvalidInput
from recollect.recall.assembly import AssembledBlock, Assembly, BlockPlan, PreparedTopic
from recollect.recall.layers import select_layers, tagged_rows
from recollect.recall.run import count_accesses
from recollect.recall.state import RecallRequest
from recollect.unit_of_work import UnitOfWork
from recollect.validation import MAX_CONTEXT, clean_flag, clean_time, shown
from recollect.values.normalise import normalise
from recollect.values.recalled import Block
from recollect.values.search import Filter, Search

BUDGET = 16_000
_LARGEST = 10_000_000


class BlockFields(TypedDict, total=False):
    """The keyword arguments of `context` and `preview`."""

    budget: int
    layers: Mapping[str, float] | Sequence[str] | None
    start: bool
    project: str | None
    session: str | None
    task: str | None
    now: datetime | str | None


def context(uow: UnitOfWork, topic: str | None, fields: BlockFields) -> Block:
    """The block for a topic. Memories that are in it because of the topic are counted as accessed."""
    made = _assembled(uow, topic, fields)
    uow.runtime.recent_recalls.add(uow.viewer.identity, [item.memory.content for item in made.block.items])
    if made.from_topic:
        # The other memories are in every block: counting them would only count the turns.
        count_accesses(uow, made.from_topic)
    return made.block


def preview(uow: UnitOfWork, topic: str | None, fields: BlockFields) -> Block:
    """The block that `context` returns for the same arguments, without counting accesses."""
    return _assembled(uow, topic, fields).block


def _assembled(uow: UnitOfWork, topic: str | None, fields: BlockFields) -> AssembledBlock:
    for name in fields:
        if name not in BlockFields.__annotations__:
            known = ", ".join(BlockFields.__annotations__)
            raise InvalidInput(name, "is not an argument of context", f"arguments: {known}")
    text, runtime = _topic(topic), uow.runtime
    here = uow.at(fields.get("project"), fields.get("session"), fields.get("task"))
    given = clean_time("now", fields.get("now"))
    now = given or runtime.clock()
    layers, budget = select_layers(fields.get("layers")), _budget(fields.get("budget", BUDGET))
    assembly = Assembly(runtime.profiles["hybrid"], runtime.settings.similarity_floor)
    about = None
    if text is not None:
        request = RecallRequest(text, here.viewer, Filter(), now, assembly.profile, 1, exact=given is not None)
        about = PreparedTopic(text, runtime.recall.prepare(request))
    with runtime.store.view(now) as reader:
        here.require_enabled(reader)
        # Needs no filter, so it is asked for together with the switches that the filter is made from.
        tagged = tagged_rows(reader, here.viewer.account)
        off = tuple(sorted(reader.switched_off(here.viewer.account)))
        search = Search(here.viewer, Filter(without=off), now.timestamp())
        plan = BlockPlan(search, tagged, layers, budget, clean_flag("start", fields.get("start")))
        made = assembly.block(reader, plan, about)
        return here.redact(reader, made)


def _topic(given: Any) -> str | None:
    """The topic, cut to the length that is used; None if there is none."""
    if given is None:
        return None
    if not isinstance(given, str):
        raise InvalidInput("topic", f"{type(given).__name__} is not text", "give a string, or leave it out")
    text = normalise(given[:MAX_CONTEXT].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8"))
    return text if text.strip() else None


def _budget(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= _LARGEST:
        raise InvalidInput("budget", f"{shown(given)} is not a number of characters", f"give 1 to {_LARGEST:,}")
    return given
