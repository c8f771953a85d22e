"""What an identity may take out of an account and bring into it: the rooms, the documents, the screen, the tombstones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recollect.capture.screen.policy import Refusal, apply_policy
from recollect.capture.tombstones import Coming, Tombstones
from recollect.capture.vetting import vet
from recollect.errors import EmbedderError
from recollect.handle import Handle
from recollect.lookup import seen
from recollect.portable.deciding import Terms
from recollect.portable.giving import Sight
from recollect.ports import Reader
from recollect.tiers.access import Level, may, with_contexts
from recollect.values.document import Document
from recollect.values.event import Event
from recollect.values.memory import Record
from recollect.values.outcome import Refused
from recollect.values.scope import GLOBAL, RESERVED, Identity, Place, reaches


@dataclass(frozen=True, slots=True)
class Rights:
    """An identity at the door: what it may take out and bring in; with `everything`, all of the account."""

    handle: Handle
    identity: Identity
    everything: bool

    @property
    def owner(self) -> bool:
        return self.everything or self.identity.agent is None

    def sight(self, reader: Reader) -> Sight:
        """What may be taken out."""
        identity = self.identity
        off = frozenset[str]() if self.owner else reader.switched_off(identity.account)

        def told(at: Reader, document: Document) -> bool:
            return self._documents(at, document, "read")

        def events(at: Reader, page: Sequence[Event]) -> Sequence[Event]:
            return seen(at, identity, page)

        return Sight(with_contexts(reader, identity), self.everything, told, events, off)

    def terms(self, actor: str) -> Terms:
        """On what terms something is brought in."""
        parts, account = self.handle.parts, self.identity.account
        with parts.store.reading() as reader:
            off = frozenset[str]() if self.everything else reader.switched_off(account)
            buried = reader.count(account, parts.clock())["statuses"].get("forgotten", 0)
        # Asked for here, outside of any transaction: a calibration may have to be measured and kept first.
        tombstones = self._tombstones() if buried else None

        def restated(reader: Reader, coming: Coming) -> Mapping[str, Sequence[Record]]:
            return {} if tombstones is None else tombstones.restated(reader, coming, parts.clock())

        def screen(record: Record) -> Record | str:
            return f"memory is off for {record.project}" if record.project in off else self._screened(record)

        def owns(reader: Reader, document: Document) -> bool:
            return self.everything or self._documents(reader, document, "own")

        return Terms(
            account,
            actor,
            parts.clock,
            screen,
            self._clean,
            restated,
            self._reach,
            owns,
            self.owner,
            self._model(),
        )

    def _reach(self, reader: Reader, place: Place) -> bool:
        if self.everything or reaches(self.identity, place):
            return True
        scope, room, _ = place
        if scope != "team" or not room.startswith(RESERVED):
            return False
        contexts = reader.documents(self.identity.account, "context")
        return any(held.id == room.removeprefix(RESERVED) and may(self.identity, held, "write") for held in contexts)

    def _documents(self, reader: Reader, document: Document, level: Level) -> bool:
        """Whether a document is this identity's to read or to make: one that lives for a while is its writer's alone."""
        identity = replace(self.identity, account=document.account)
        if not reaches(identity, document.place):
            return False
        match document.kind:
            case "pool" | "context":
                # A run's pool is open to all who name the run; a file must not name it to others.
                if (document.body or {}).get("run") is not None:
                    return bool((document.body or {}).get("owner") == identity.agent)
                return may(identity, document, level)
            case "snapshot":
                wanted = (document.body or {}).get("context")
                held = reader.documents(identity.account, "context")
                return any(each.id == wanted and may(identity, each, level) for each in held)
            case "working" | "short_term":
                return document.place == (("agent", identity.agent, "") if identity.agent else GLOBAL)
        return True

    def _screened(self, record: Record) -> Record | str:
        vetted = vet(record, self.handle.parts.vetting, verbatim=True, personal=True)
        if isinstance(vetted, Refused):
            return vetted.reason
        # Blotted out before, and now again: the label is there already.
        labels = tuple(dict.fromkeys(vetted.record.labels))
        return vetted.record if labels == vetted.record.labels else vetted.record.with_(labels=labels)

    def _clean(self, value: Any) -> bool:
        text = json.dumps(value, ensure_ascii=False)
        policy = self.handle.parts.vetting.policy
        # JSON escapes can hide where a word begins; so the texts themselves are screened too.
        for each in (text, "\n".join(_strings(value))) if "\\" in text else (text,):
            found = apply_policy(each, policy)
            if isinstance(found, Refusal) or found.redacted:
                return False
        return True

    def _tombstones(self) -> Tombstones:
        parts = self.handle.parts
        try:
            scale = None if parts.embedder is None else parts.embedder.calibration
        except EmbedderError:  # compared by their words, like anything that comes while the model is away
            scale = None
        return Tombstones(parts.judge, parts.loaded.settings.contradiction, scale)

    def _model(self) -> tuple[str, int] | None:
        embedder = self.handle.parts.embedder
        try:
            return None if embedder is None else (embedder.model, embedder.dimensions)
        except EmbedderError:  # a model server that is down tells no dimensions
            return None


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inside in value.values():
                yield from _strings(inside)
        case list():
            for inside in value:
                yield from _strings(inside)
