"""What an identity may export from an account and import into it: scopes, documents, the screen, the tombstones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recollect.access import Level, may, with_contexts
from recollect.capture.gate import screen_record
from recollect.capture.screen.named_values import credential_name
from recollect.capture.screen.policy import Refusal, apply_policy
from recollect.capture.tombstones import Incoming, Tombstone, Tombstones
from recollect.errors import EmbedderError
from recollect.portable.exporter import ExportScope
from recollect.portable.masking import masked
from recollect.portable.merge_policy import ImportPolicy
from recollect.ports import Reader
from recollect.redaction import shown_events, visible_events
from recollect.unit_of_work import UnitOfWork
from recollect.values.document import Document
from recollect.values.event import Event
from recollect.values.gap import asked_here
from recollect.values.memory import Record
from recollect.values.normalise import normalise
from recollect.values.outcome import Refused
from recollect.values.scope import RESERVED, Identity, Place, reaches


@dataclass(frozen=True, slots=True)
class TransferPermissions:
    """The permissions of one identity; with `everything`, those over the whole account."""

    uow: UnitOfWork
    identity: Identity
    everything: bool

    @property
    def owner(self) -> bool:
        """Whether this is the account itself, not an agent or a user of it."""
        return self.everything or self.identity.name is None

    def export_scope(self, reader: Reader) -> ExportScope:
        """What may be exported."""
        identity = self.identity
        disabled = frozenset[str]() if self.owner else reader.switched_off(identity.account)

        def documents(at: Reader, document: Document) -> bool:
            hidden = document.kind == "gap" and not self.everything and not asked_here(viewer, document.body or {})
            return not hidden and self._may_access(at, document, "read")

        def events(at: Reader, page: Sequence[Event]) -> Sequence[Event]:
            return visible_events(at, identity, page) if self.everything else shown_events(at, viewer, page)

        viewer = replace(self.uow.viewer, identity=identity)
        return ExportScope(viewer, with_contexts(reader, identity), self.everything, documents, events, disabled)

    def import_policy(self, *, require_enabled: bool = True) -> ImportPolicy:
        """The rules of an import; normally refused when memory is switched off where the caller is."""
        runtime, account = self.uow.runtime, self.identity.account
        with self.uow.view() if require_enabled else runtime.store.view() as reader:
            disabled = frozenset[str]() if self.everything else reader.switched_off(account)
            compare = reader.has_tombstones(account)
        tombstones = self._tombstones() if compare else runtime.gate.tombstones

        def blocked(reader: Reader, new: Incoming, ignored: Callable[[Record], bool]) -> Mapping[str, Tombstone]:
            return tombstones.of(reader, self.identity, new, runtime.clock(), ignored)

        def gone(reader: Reader, texts: Sequence[str]) -> Tombstone | None:
            wide = with_contexts(reader, self.identity)
            compared = {text: text for text in map(normalise, texts) if text}
            found = tombstones.of_texts(reader, wide, compared, runtime.clock())
            return next(iter(found.values()), None)

        def screen(record: Record) -> Record | str:
            return f"memory is off for {record.project}" if record.project in disabled else self._screen(record)

        def owns(reader: Reader, document: Document) -> bool:
            return self.everything or self._may_access(reader, document, "own")

        return ImportPolicy(
            account=account,
            actor=self.uow.actor,
            clock=runtime.clock,
            screen=screen,
            clean=self._is_clean,
            named=self._are_names,
            gone=gone,
            blocked=blocked,
            reach=self._reaches,
            owns=owns,
            owner=self.owner,
            quoted=lambda text: masked(text, runtime.gate.policy),
            model=self._model(),
        )

    def _reaches(self, reader: Reader, place: Place) -> bool:
        if self.everything or reaches(self.identity, place):
            return True
        scope, name, _ = place
        if scope != "team" or not name.startswith(RESERVED):
            return False
        contexts = reader.documents(self.identity.account, "context")
        return any(each.id == name.removeprefix(RESERVED) and may(self.identity, each, "write") for each in contexts)

    def _may_access(self, reader: Reader, document: Document, level: Level) -> bool:
        """Whether this identity may read or own a document; working and short-term entries belong to their writer alone."""
        identity, body = replace(self.identity, account=document.account), document.body or {}
        if not reaches(identity, document.place):
            return False
        match document.kind:
            case "pool" | "context":
                # The pool of a run is open to everybody who knows the name of the run; a file must not tell it to others.
                if body.get("run") is not None:
                    return bool(body.get("owner") == identity.name)
                return may(identity, document, level)
            case "snapshot":
                contexts = reader.documents(identity.account, "context")
                return any(each.id == body.get("context") and may(identity, each, level) for each in contexts)
            case "working" | "short_term":
                return document.place == identity.private_place()
        return True

    def _screen(self, record: Record) -> Record | str:
        vetted = screen_record(record, self.uow.runtime.gate, verbatim=True, personal=True)
        if isinstance(vetted, Refused):
            return vetted.reason
        # A memory that was redacted before has its label already.
        labels = tuple(dict.fromkeys(vetted.record.labels))
        return vetted.record if labels == vetted.record.labels else vetted.record.with_(labels=labels)

    def _are_names(self, names: Iterable[str | None]) -> bool:
        gate = self.uow.runtime.gate
        return all(gate.is_name(name) for name in names if name)

    def _is_clean(self, value: Any, around: str) -> bool:
        text = json.dumps(value, ensure_ascii=False)
        policy = self.uow.runtime.gate.policy
        # A JSON escape can hide where a word begins, so then the strings themselves are screened too.
        for each in (text, "\n".join(_strings_in(value))) if "\\" in text else (text,):
            found = apply_policy(each, policy)
            if isinstance(found, Refusal) or found.redacted:
                return False
        return policy.get("secret") == "allow" or credential_name(value, around=around) is None

    def _tombstones(self) -> Tombstones:
        """The tombstones with their calibration, which may have to be measured and stored first: nothing is open here."""
        runtime = self.uow.runtime
        try:
            scale = None if runtime.embedder is None else runtime.embedder.calibration
        except EmbedderError:  # without a model, texts are compared by their words
            scale = None
        return replace(runtime.gate.tombstones, calibration=lambda: scale)

    def _model(self) -> tuple[str, int] | None:
        embedder = self.uow.runtime.embedder
        try:
            return None if embedder is None else (embedder.model, embedder.dimensions)
        except EmbedderError:  # a model server that is down cannot tell its dimensions
            return None


def _strings_in(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inside in value.values():
                yield from _strings_in(inside)
        case list():
            for inside in value:
                yield from _strings_in(inside)
