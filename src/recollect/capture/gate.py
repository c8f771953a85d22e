"""The gate, second stage of the write path: refuse or redact what must not be stored, label what is doubtful.

Every write passes it: remember, update, import, extraction. A verbatim load is only screened for secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.capture.neighbours import DraftEmbedding, NeighbourLookup
from recollect.capture.reconcile import restates
from recollect.capture.screen.injection import injection_signs
from recollect.capture.screen.junk import is_echo, junk_reason
from recollect.capture.screen.policy import DEFAULT_POLICY, Action, Refusal, apply_policy
from recollect.capture.screen.sources import source_problem
from recollect.ports import Calibrated, Judge, Reader
from recollect.values.enums import LOW_TRUST
from recollect.values.memory import Record
from recollect.values.outcome import Refused
from recollect.values.scope import Identity

_SAID_BY_USER = ("user_stated", "user_corrected")


@dataclass(frozen=True, slots=True)
class Gate:
    """What may be stored: the policy, where file paths start, and what was just recalled.

    `root` is the folder from which ignore files apply. `recalled` returns the texts an identity recalled lately; `identity`
    is the one that writes, if an echo of those is to be refused.
    """

    policy: Mapping[str, Action] = field(default_factory=lambda: dict(DEFAULT_POLICY))
    folder: Path | None = None
    root: Path | None = None
    recalled: Callable[[Identity], tuple[str, ...]] = lambda _: ()
    identity: Identity | None = None

    def accepts(self, text: str) -> bool:
        """Whether a short text, such as a query to keep, may be stored as it is: nothing in it is refused or redacted."""
        return _is_clean(text, self.policy)

    def for_identity(self, identity: Identity) -> Gate:
        """The same gate, which also refuses echoes of what this identity recalled."""
        return replace(self, identity=identity)


@dataclass(frozen=True, slots=True)
class ScreenedRecord:
    """A memory that may be stored, and notes on what was changed in it."""

    record: Record
    notes: tuple[str, ...] = ()


def screen_record(
    record: Record, gate: Gate, *, verbatim: bool = False, personal: bool = False
) -> ScreenedRecord | Refused:
    """Screen a memory. With `verbatim`, only for secrets; with `personal` as well, also for personal data."""
    if not verbatim:
        reason = _rejection(record, gate)
        if reason:
            return Refused(reason)
    chosen = {kind: action for kind, action in gate.policy.items() if not verbatim or personal or kind == "secret"}
    policy = {**_allow_all(), **chosen}
    cleaned = apply_policy(record.content, policy)
    if isinstance(cleaned, Refusal):
        return Refused(cleaned.reason)
    record = record if cleaned.text == record.content else record.with_(content=cleaned.text)
    notes: list[str] = []
    if cleaned.redacted:
        kinds = tuple(dict.fromkeys(cleaned.redacted))
        record = record.with_(labels=(*record.labels, *(f"redacted:{kind}" for kind in kinds)))
        notes.append(f"redacted: {', '.join(kinds)}")
    if record.provenance.snippet is not None:
        record = record.with_(snippet=_clean_snippet(record.provenance.snippet, policy))
    for name, text in (("tags", "\n".join(record.tags)), ("triggers", "\n".join(record.triggers))):
        if text and not _is_clean(text, policy):
            return Refused(f"{name} contain what must not be stored; leave it out of them")
    signs = () if verbatim else injection_signs(record.content)
    if signs:
        record = record.with_(
            trust=min(record.trust, LOW_TRUST), labels=(*record.labels, *(f"injection:{sign}" for sign in signs))
        )
        notes.append(f"stored with low trust: it reads like instructions to an agent ({', '.join(signs)})")
    return ScreenedRecord(record, tuple(notes))


def _rejection(record: Record, gate: Gate) -> str | None:
    """Why a memory is not worth storing, or comes from a file that must not be read; None if neither."""
    for path in record.provenance.file_paths:
        problem = source_problem(str(path if gate.folder is None else gate.folder / path), gate.root)
        if problem:
            return problem
    junk = junk_reason(record.content)
    if junk:
        return junk
    # A person may repeat what was just recalled, which reinforces it; an agent that does so is an echo.
    if record.provenance.kind not in _SAID_BY_USER and is_echo(record.content, _recalled(gate)):
        return "echo: this was just recalled from memory, storing it again would only repeat it"
    return None


def _recalled(gate: Gate) -> tuple[str, ...]:
    return () if gate.identity is None else gate.recalled(gate.identity)


def _allow_all() -> dict[str, Action]:
    return dict.fromkeys(DEFAULT_POLICY, "allow")


def _is_clean(text: str, policy: Mapping[str, Action]) -> bool:
    cleaned = apply_policy(text, policy)
    return not isinstance(cleaned, Refusal) and cleaned.text == text


def _clean_snippet(snippet: str, policy: Mapping[str, Action]) -> str | None:
    cleaned = apply_policy(snippet, policy)
    return None if isinstance(cleaned, Refusal) else cleaned.text


Incoming = Sequence[tuple[Record, NDArray[np.float16] | None]]


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Compares texts with forgotten ones: by which judge, from which similarity, on which calibration of the vectors."""

    judge: Judge
    floor: float
    calibration: Calibrated | None

    def restated(self, reader: Reader, incoming: Incoming, now: datetime) -> dict[str, list[Record]]:
        """By id, the incoming memories that say something forgotten again, each with what was forgotten."""
        lookup = NeighbourLookup(now, self.floor)
        drafts = [(record, self._embedding(vectors)) for record, vectors in incoming]
        lookup.prefetch(reader, drafts)
        found = {record.id: self._forgotten(reader, lookup, record, embedding) for record, embedding in drafts}
        return {new: forgotten for new, forgotten in found.items() if forgotten}

    def _embedding(self, vectors: NDArray[np.float16] | None) -> DraftEmbedding:
        if vectors is None or self.calibration is None:
            return DraftEmbedding()
        return DraftEmbedding(vectors[:1].astype(np.float32), self.calibration)

    def _forgotten(
        self, reader: Reader, lookup: NeighbourLookup, new: Record, embedding: DraftEmbedding
    ) -> list[Record]:
        """The forgotten memories in the same place that a new one says again."""
        near = [
            (found.full_record(reader, new.account), found.similarity)
            for found in lookup.of(reader, new, embedding)
            if found.status == "forgotten" and found.snippet.id != new.id
        ]
        here = [(old, similarity) for old, similarity in near if old.place == new.place]
        return [old for old, similarity in here if self._restates(old.content, new.content, similarity)]

    def _restates(self, old: str, new: str, similarity: float) -> bool:
        return restates(old, new, similarity, self.judge.compare(old, new, similarity).relation)
