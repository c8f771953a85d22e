"""Watermark: how far a session was read, kept as a note in the store and written together with what was extracted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.ports import Reader, Transaction
from recollect.values.conversation import Message
from recollect.values.scope import Viewer

_KEPT_STEPS = 20
_KEPT_MADE = 500
_DIGEST = 16
START = ""


@dataclass(frozen=True, slots=True)
class ReadStep:
    """One reading: its operation, how many messages of the session were read after it, and their digest."""

    operation: str
    read: int
    chain: str


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a session was read, reading by reading, the oldest first, and how many messages were stored verbatim.

    `made` are digests of what was extracted: when the messages that were read have changed since, that is not extracted again.
    """

    steps: tuple[ReadStep, ...] = ()
    turns: tuple[ReadStep, ...] = ()
    made: tuple[str, ...] = ()

    @property
    def read(self) -> ReadStep:
        """The latest reading."""
        return self.steps[-1] if self.steps else ReadStep("", 0, START)

    @property
    def stored(self) -> ReadStep:
        """The latest messages that were stored verbatim."""
        return self.turns[-1] if self.turns else ReadStep("", 0, START)

    def after(self, step: ReadStep, made: Sequence[str], *, verbatim: bool) -> Watermark:
        """The watermark after another reading."""
        known = (*self.made, *(each[:_DIGEST] for each in made))[-_KEPT_MADE:]
        turns = _added(self.turns, step) if verbatim else self.turns
        return replace(self, steps=_added(self.steps, step), turns=turns, made=known)

    def has_made(self, digest: str) -> bool:
        """Whether a text was extracted before."""
        return digest[:_DIGEST] in self.made


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
    text = reader.note(_note(viewer, session), viewer.account)
    if text is None:
        return Watermark()
    data = json.loads(text)
    steps = [ReadStep(*step) for step in data["steps"]]
    turns = [ReadStep(*step) for step in data["turns"]]
    operations = {step.operation for step in (*steps, *turns)}
    undone = reader.undone(viewer.account, operations)
    if not undone & operations:
        return Watermark(tuple(steps), tuple(turns), tuple(data["made"]))
    # What was made is not known by operation; the write path knows the rest again.
    return Watermark(_until(steps, undone), _until(turns, undone))


def _until(steps: list[ReadStep], undone: frozenset[str]) -> tuple[ReadStep, ...]:
    first = next((place for place, step in enumerate(steps) if step.operation in undone), len(steps))
    return tuple(steps[:first])


def write_watermark(tx: Transaction, viewer: Viewer, session: str, mark: Watermark) -> None:
    """Keep how far a session was read."""
    data = {
        "steps": [[step.operation, step.read, step.chain] for step in mark.steps],
        "turns": [[step.operation, step.read, step.chain] for step in mark.turns],
        "made": mark.made,
    }
    tx.set_note(_note(viewer, session), json.dumps(data), viewer.account)


def _note(viewer: Viewer, session: str) -> str:
    """The name of the note: whose session it is, without the words of its name."""
    identity = viewer.identity
    whose = json.dumps([identity.agent, identity.user, viewer.project, session])
    return f"extracted:{hashlib.sha256(whose.encode('utf-8', 'replace')).hexdigest()[:32]}"
