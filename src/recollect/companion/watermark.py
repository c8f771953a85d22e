"""Watermark: how far a session was read, kept as a note in the store and written together with what was extracted."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field, replace

from recollect.ports import Reader, Transaction
from recollect.values.conversation import Message
from recollect.values.scope import Viewer

_KEPT_STEPS = 20


@dataclass(frozen=True, slots=True)
class ReadStep:
    """One reading: its operation, how many messages of the session were read after it, and their digest."""

    operation: str = ""
    read: int = 0
    chain: str = ""


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a session was read, reading by reading, the oldest first; `turns` the same for messages stored verbatim.

    The digests begin with a random text, so that they say nothing about a short session.
    """

    steps: tuple[ReadStep, ...] = ()
    turns: tuple[ReadStep, ...] = ()
    salt: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def read(self) -> ReadStep:
        """The latest reading."""
        return self.steps[-1] if self.steps else ReadStep()

    @property
    def stored(self) -> ReadStep:
        """The latest messages that were stored verbatim."""
        return self.turns[-1] if self.turns else ReadStep()

    def after_reading(self, step: ReadStep) -> Watermark:
        """The watermark after another reading."""
        return replace(self, steps=_added(self.steps, step))

    def after_storing(self, step: ReadStep) -> Watermark:
        """The watermark after more messages were stored verbatim."""
        return replace(self, turns=_added(self.turns, step))


def _added(steps: tuple[ReadStep, ...], step: ReadStep) -> tuple[ReadStep, ...]:
    """The steps with one more; pages of one operation are one step."""
    before = steps[:-1] if steps and steps[-1].operation == step.operation else steps
    return (*before, step)[-_KEPT_STEPS:]


def chained(chain: str, message: Message) -> str:
    """The digest of all messages up to one."""
    text = f"{chain}\x1f{message.role}\x1f{message.text}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def read_watermark(reader: Reader, viewer: Viewer, session: str) -> Watermark:
    """How far a session was read. A reading that was undone since does not count."""
    text = reader.note(note_name(viewer, session), viewer.account)
    if text is None:
        return Watermark()
    data = json.loads(text)
    steps, turns = ([ReadStep(*step) for step in data[name]] for name in ("steps", "turns"))
    undone = reader.undone(viewer.account, {step.operation for step in (*steps, *turns)})
    return Watermark(_until(steps, undone), _until(turns, undone), data["salt"])


def _until(steps: list[ReadStep], undone: frozenset[str]) -> tuple[ReadStep, ...]:
    first = next((place for place, step in enumerate(steps) if step.operation in undone), len(steps))
    return tuple(steps[:first])


def write_watermark(tx: Transaction, viewer: Viewer, session: str, mark: Watermark) -> None:
    """Keep how far a session was read."""
    steps, turns = ([[one.operation, one.read, one.chain] for one in many] for many in (mark.steps, mark.turns))
    text = json.dumps({"steps": steps, "turns": turns, "salt": mark.salt})
    tx.set_note(note_name(viewer, session), text, viewer.account)


def note_name(viewer: Viewer, session: str) -> str:
    """The name of the note: whose session it is, without the words of its name."""
    identity = viewer.identity
    whose = json.dumps([identity.agent, identity.user, viewer.project, session])
    return f"extracted:{hashlib.sha256(whose.encode('utf-8', 'replace')).hexdigest()[:32]}"
