"""Companion: relevant memories come up by themselves in a session. Show it each turn with `observe`, and take `pending` along.

Neither ever waits: a worker does the work meanwhile, and what turn N made relevant is there at turn N + 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from recollect.companion.ledger import persisted_turns
from recollect.companion.processing import TurnProcessor
from recollect.companion.surfacing import block, fitting
from recollect.companion.verifier import TimedDecider
from recollect.companion.worker import CompanionWorker, Extract, ExtractionDue, Handed, Observed, StoreChanged
from recollect.errors import InvalidInput
from recollect.unit_of_work import UnitOfWork
from recollect.validation import clean_limit, shown
from recollect.values.companion import Surfaced, Turn
from recollect.values.conversation import ROLES, Message, Role

if TYPE_CHECKING:
    from recollect.runtime import Runtime

Said = str | Message | Mapping[str, Any]
# Of a longer conversation the last messages are read, and of a longer message its beginning.
MOST_MESSAGES, LONGEST_MESSAGE = 32, 20_000
_NOTHING = Surfaced()
# What other APIs call the same roles.
_ROLES: dict[str, Role] = {
    **{role: role for role in ROLES},
    "developer": "system",
    "function": "tool",
    "human": "user",
    "ai": "assistant",
}


class Companion:
    """The companion of one session. Every companion of the session shares its state, in this process and in others."""

    def __init__(self, uow: UnitOfWork, *, budget: int = 800, extract: Extract | None = None) -> None:
        """`extract` is given what was said, from time to time and at the end, on the worker's thread."""
        self._uow, self._budget = uow, budget
        self._worker = _worker_of(uow.runtime)
        self._channel = self._worker.channel(uow, extract)

    @property
    def session(self) -> str:
        """The session it belongs to."""
        return self._channel.session

    def observe(self, messages: str | Message | Mapping[str, Any] | Sequence[Said]) -> None:
        """Show what was said in this turn, or the whole conversation again; returns at once.

        Messages are texts of the user, `Message` values, or mappings with `role` and `content` as language models take them.
        """
        said = tuple(_said(messages))
        if said:
            self._worker.tell(self._channel, Observed(said, self._uow.runtime.clock()))

    def pending(self) -> Surfaced:
        """What the last turn made relevant, ready for the prompt; empty when nothing is good enough. Returns at once.

        What is handed out does not come again for a while.
        """
        channel, companions = self._channel, self._uow.runtime.companions
        try:
            offer = channel.offer.pop()
        except IndexError:
            return _NOTHING
        if offer.version is not companions.version:  # something of it may be forgotten: the worker looks
            self._worker.tell(channel, StoreChanged(offer))
            return _NOTHING
        state, now = channel.state, self._uow.runtime.clock()
        # The worker may have chosen before the last time something was handed out.
        new = [
            each
            for each in offer.lines
            if state.may_hand(each.memory.id, each.digest, now.timestamp(), warning=each.warning)
        ]
        lines = new[: fitting([each.text for each in new], self._budget)]
        if not lines:
            return _NOTHING
        state.hand({each.memory.id: each.digest for each in lines}, now.timestamp())
        self._worker.tell(channel, Handed(offer, tuple(lines), now))
        text = block([each.text for each in lines], self._uow.viewer.account)
        return Surfaced(text, tuple(each.memory for each in lines), offer.turn)

    def turns(self, limit: int | None = None) -> list[Turn]:
        """What the last turns of the session retrieved and injected, and what the replies cited: 20, or `limit`, oldest first."""
        self._uow.check_enabled()
        return persisted_turns(self._uow.runtime, self._uow.viewer.identity, self.session, clean_limit(limit, 20))

    def before_compaction(self) -> None:
        """Say that the context is about to be compacted: what was said is extracted first, in the background."""
        self._worker.tell(self._channel, ExtractionDue())

    def wait(self, seconds: float = 5.0) -> bool:
        """Wait until what was observed is processed, for scripts and hooks that end at once; False if that takes longer."""
        return self._worker.wait(seconds)

    def close(self) -> None:
        """Say that the session ends: the rest of what was said is extracted, in the background."""
        self._worker.tell(self._channel, ExtractionDue())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<recollect.Companion of session {self.session!r}>"


def _worker_of(runtime: Runtime) -> CompanionWorker:
    """The one worker of an open store."""
    if runtime.companions.worker is not None:
        return runtime.companions.worker
    processor = TurnProcessor(runtime, TimedDecider(runtime.companions.judge_seconds))
    return runtime.companions.adopt(CompanionWorker(runtime, processor.process, processor.stop))


def _said(messages: Any) -> Iterable[tuple[Role, str]]:
    if isinstance(messages, str | Message | Mapping):
        messages = (messages,)
    if not isinstance(messages, Sequence):
        raise InvalidInput(
            "messages", f"{type(messages).__name__} is not a list of messages", "give a list of messages"
        )
    for one in messages[-MOST_MESSAGES:]:
        if isinstance(one, str):
            role, text = "user", one
        elif isinstance(one, Message):
            role, text = one.role, one.text
        elif isinstance(one, Mapping):
            role, text = one.get("role", "user"), _text_of(one.get("content"))
        else:
            raise InvalidInput("messages", f"{shown(one)} is not a message", 'give {"role": "user", "content": "…"}')
        known = _ROLES.get(role) if isinstance(role, str) else None
        if known is None:
            raise InvalidInput("messages", f"{shown(role)} is not a role", f"use one of {', '.join(ROLES)}")
        if text and not text.isspace():
            short = text[:LONGEST_MESSAGE]
            # A lone surrogate cannot be embedded or stored.
            yield known, short if short.isascii() else short.encode("utf-8", "replace").decode("utf-8")


def _text_of(content: Any) -> str:
    """The text of a content: a string, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    if content is None:  # a message that only calls tools
        return ""
    if isinstance(content, Sequence):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        return "\n".join(part for part in parts if isinstance(part, str))
    raise InvalidInput("messages", f"the content {shown(content)} is not text", "give a string, or a list of parts")
