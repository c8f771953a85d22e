"""Live extraction: stores what new messages of a running session give, by rules at once and by a model, if one is set, later.

The messages of one call follow those of the call before, so nothing is read twice; and the same text is stored only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from recollect.companion.extraction import extract
from recollect.companion.ledger import injected_texts
from recollect.companion.sessions import masked
from recollect.unit_of_work import UnitOfWork
from recollect.values.conversation import Message
from recollect.values.draft import Draft
from recollect.values.enums import MEMORY_TYPES
from recollect.values.judging import ExtractedFact, WritingTask

_LONGEST_SNIPPET = 600


def extract_said(uow: UnitOfWork, session: str, messages: Sequence[Message]) -> None:
    """Store what the new messages of a session give, on behalf of the companion."""
    mine = replace(uow, on_behalf_of="companion")
    found = extract(messages, recalled=injected_texts(uow, session)).kept
    if found:
        uow.runtime.capture.remember(mine, [one.draft(session) for one in found])
    queue = uow.runtime.judge_queue
    talk = [message for message in messages if message.role in ("user", "assistant") and not message.recalled]
    if queue is not None and any(message.role == "user" for message in talk):
        # A model may take seconds, in which the next turn would wait for the worker.
        queue.put(partial(extract_by_model, mine, session, talk))


def extract_by_model(uow: UnitOfWork, session: str, talk: Sequence[Message]) -> None:
    """Store what a model finds worth keeping in a part of a session. It is sent nothing that the gate would refuse."""
    model = uow.runtime.text_judge(uow.viewer.account)
    if model is None:
        return
    shown = [replace(message, text=masked(message.text, uow)) for message in talk]
    (written,) = model.write([WritingTask("extract", messages=shown)])
    if written is None:
        return
    said = {message.position: message for message in shown}
    drafts = [
        _draft(fact, said, session, str(written.by)) for fact in written.facts if said.keys() & set(fact.positions)
    ]
    if drafts:
        uow.runtime.capture.remember(uow, drafts)


def _draft(fact: ExtractedFact, said: dict[int, Message], session: str, by: str) -> Draft:
    positions = sorted(said.keys() & set(fact.positions))
    snippet = "\n".join(f"{said[place].role}: {said[place].text}" for place in positions)
    return Draft(
        fact.content,
        type=fact.type if fact.type in MEMORY_TYPES else None,  # type: ignore[arg-type]
        tags=tuple(fact.tags),
        session=session,
        source="extracted",
        occurred_at=said[positions[-1]].at,
        message_range=(positions[0], positions[-1]),
        snippet=snippet[:_LONGEST_SNIPPET],
        reason=f"extracted by {by}",
    )
