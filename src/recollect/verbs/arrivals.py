"""Arrivals: drafts from outside, sorted out and stored. What is known stays as it is, what was edited replaces its old text.

Everything passes the write path, so screen, tombstones and scopes hold. A draft that joined another memory is noted by its key,
so that it does not reinforce it again each time the same files are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.capture.annotate import type_of
from recollect.capture.intake import draft_of, record_of
from recollect.capture.screen.policy import Refusal, apply_policy
from recollect.capture.vetting import vet
from recollect.errors import InvalidInput
from recollect.handle import Handle
from recollect.portable.incoming import Arrival, Batch, BatchReport, Fate, Incoming, Report, thing_of
from recollect.portable.memory_files.credentials import has_password
from recollect.ports import Progress, Reader, Transaction
from recollect.upkeep.links import linked
from recollect.values.link import MOST_LINKS
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Refused, Reinforced, Superseded
from recollect.verbs.edits import Edits, edits_of

_FATES: dict[str, Fate] = {"stored": "kept", "reinforced": "merged", "superseded": "replaced", "refused": "refused"}
_PASSWORD = "the text holds a secret (password); take it out"  # noqa: S105 - a reason, not a password
_EXCERPT = 100


@dataclass(slots=True)
class _Waiting:
    """A draft that is to be stored, and where its outcome belongs in the report."""

    batch: int
    order: int
    item: Incoming
    draft: dict[str, Any]


@dataclass(slots=True)
class Arrivals:
    """One run: what was seen, what waits to be stored, and what became of the rest."""

    handle: Handle
    dry_run: bool = False
    _seen: dict[str, str] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)
    _joined: dict[str, str] = field(default_factory=dict)
    _waiting: list[_Waiting] = field(default_factory=list)
    _done: list[list[tuple[int, Arrival]]] = field(default_factory=list)

    def take(self, batches: Sequence[Batch], progress: Progress | None = None) -> Report:
        """Sort out every draft, store what is new, and report."""
        self.handle.settle()
        with self.handle.reading() as reader:
            edits = edits_of(reader, self.handle, batches)
            for number, batch in enumerate(batches):
                self._done.append([])
                for item in batch.items:
                    self._sort(reader, number, item, edits[number], batch.name)
        for number, found in enumerate(edits):
            self._replace(number, found)
        outcomes = [None] * len(self._waiting) if self.dry_run else self._stored(progress)
        for waiting, outcome in zip(self._waiting, outcomes, strict=True):
            self._add(waiting.batch, waiting.order, self._arrival(waiting, outcome))
        links = 0 if self.dry_run else self._connected([pair for batch in batches for pair in batch.links])
        return Report(
            tuple(self._report(*each) for each in zip(batches, self._done, edits, strict=True)), self.dry_run, links
        )

    def _sort(self, reader: Reader, number: int, item: Incoming, edits: Edits, name: str) -> None:
        """Settle what needs no storing; the rest waits."""
        order = len(self._done[number]) + len(self._waiting)
        seen = self._seen.get(item.key)
        if seen is not None:
            self._add(number, order, self._told(item, "merged", f"the same as {seen}"))
            return
        self._seen[item.key] = f"{name}, {item.where}"
        draft = _draft(item)
        identity, project = self.handle.viewer.identity, self.handle.viewer.project
        try:
            record = record_of(draft_of(draft), identity, project, self.handle.parts.clock())
        except InvalidInput as error:
            expired = error.field == "expires_at"
            why = "it expired" if expired else f"{error.field} {error.problem}"
            self._add(number, order, Arrival(item.where, "left_out" if expired else "refused", why=why))
            return
        settled = self._known(reader, item, record, draft, edits) or self._unwanted(item, record)
        if settled is None and self.dry_run:
            settled = self._foreseen(reader, item, record)
        if settled is None:
            self._waiting.append(_Waiting(number, order, item, draft))
        elif settled.fate == "refused" and item.parts:
            for part in item.parts:
                self._sort(reader, number, part, edits, name)
        else:
            self._add(number, order, settled)

    def _known(
        self, reader: Reader, item: Incoming, record: Record, draft: dict[str, Any], edits: Edits
    ) -> Arrival | None:
        """Whether this came in before; a text that was edited away and is back again takes its place anew."""
        noted = reader.note(self._note(item.key))
        held = reader.by_key(record.account, item.key, record.place)
        if held is None and noted is None:
            return None
        self._ids[item.key] = noted or "" if held is None else held.id
        if held is None:
            return self._told(item, "known", "already here", noted)
        if held.status == "forgotten":
            return Arrival(
                item.where, "refused", why="forgotten: this was forgotten on purpose; restore it to have it back"
            )
        if (heir := edits.heir(item.key, held.superseded_by)) is not None:
            draft |= {"key": f"{item.key}:{heir.short_id}", "supersedes": heir.id}
            return None
        return self._told(item, "known", "already here", held.id)

    def _unwanted(self, item: Incoming, record: Record) -> Arrival | None:
        """What the screen would refuse, told before anything is stored."""
        vetted = vet(record, self.handle.parts.vetting.by(self.handle.viewer.identity))
        if isinstance(vetted, Refused):
            return Arrival(item.where, "refused", why=vetted.reason)
        return Arrival(item.where, "refused", why=_PASSWORD) if has_password(record.content) else None

    def _foreseen(self, reader: Reader, item: Incoming, record: Record) -> Arrival | None:
        """What the write path would find; texts that only mean the same are not foreseen."""
        if reader.purged(record.account, record.content):
            return Arrival(item.where, "refused", why="purged: this text was erased for good")
        here = [old for old in reader.same_text(record.account, record.content) if old.place == record.place]
        if any(old.status == "forgotten" for old in here):
            return Arrival(item.where, "refused", why="forgotten: this was forgotten on purpose")
        known = next((old for old in here if old.status in ("active", "archived")), None)
        return None if known is None else self._told(item, "merged", "the same text is stored already", known.id)

    def _replace(self, number: int, edits: Edits) -> None:
        mine = [w for w in self._waiting if w.batch == number and "supersedes" not in w.draft]
        for waiting in mine:
            if (old := edits.reworded.pop(thing_of(waiting.item.key), None)) is not None:
                waiting.draft["supersedes"] = old.id
        lines = [_apart(waiting.item) for waiting in mine]
        for place, old in (edits.replaced_by(lines) if edits.gone else {}).items():
            mine[place].draft["supersedes"] = old.id

    def _stored(self, progress: Progress | None) -> list[Outcome]:
        viewer, drafts = self.handle.viewer, [waiting.draft for waiting in self._waiting]
        return self.handle.parts.capture.remember(
            drafts, viewer.identity, viewer.project, apart=True, progress=progress
        )

    def _arrival(self, waiting: _Waiting, outcome: Outcome | None) -> Arrival:
        item = waiting.item
        if outcome is None:
            return self._told(item, "replaced" if "supersedes" in waiting.draft else "kept")
        if outcome.memory is None:
            return Arrival(item.where, "refused", why=outcome.reason)
        self._ids[item.key] = outcome.memory.id
        if isinstance(outcome, Reinforced):
            self._joined[item.key] = outcome.memory.id
        was = f"was: {self._safe(outcome.old.content)}" if isinstance(outcome, Superseded) else ""
        notes = [was or ("" if outcome.reason == "new" else outcome.reason), *outcome.notes]
        return Arrival(
            item.where, _FATES[outcome.kind], self._safe(outcome.memory.content), "; ".join(filter(None, notes)),
            outcome.memory.id,
        )  # fmt: skip

    def _connected(self, pairs: Sequence[tuple[str, str]]) -> int:
        """Link what belongs together, note what joined another memory; returns how many links are new."""
        wanted = [(self._ids[one], self._ids[two]) for one, two in pairs if one in self._ids and two in self._ids]
        if not wanted and not self._joined:
            return 0
        with self.handle.changing() as tx:
            for key, joined in self._joined.items():
                tx.set_note(self._note(key), joined)
            return sum(_link(tx, self.handle.viewer.account, one, other) for one, other in wanted)

    def _report(self, batch: Batch, done: list[tuple[int, Arrival]], edits: Edits) -> BatchReport:
        left = [Arrival(one.where, "left_out", self._safe(one.what), one.why) for one in batch.left]
        arrivals = [arrival for _, arrival in sorted(done, key=lambda pair: pair[0])]
        gone = tuple(self._safe(record.content) for record in edits.gone.values())
        return BatchReport(batch.name, (*arrivals, *left), gone)

    def _told(self, item: Incoming, fate: Fate, why: str = "", id: str | None = None) -> Arrival:
        return Arrival(item.where, fate, self._safe(str(item.draft["content"])), why, id)

    def _add(self, number: int, order: int, arrival: Arrival) -> None:
        self._done[number].append((order, arrival))

    def _note(self, key: str) -> str:
        return f"arrived:{self.handle.viewer.account}:{key}"

    def _safe(self, text: str) -> str:
        """The beginning of a text, unless the screen would not let it through."""
        if isinstance(apply_policy(text, self.handle.parts.vetting.policy), Refusal) or has_password(text):
            return "(not shown)"
        flat = " ".join(text.split())
        return flat if len(flat) <= _EXCERPT else f"{flat[: _EXCERPT - 1]}…"


def _draft(item: Incoming) -> dict[str, Any]:
    """The draft as the write path takes it: its type from how the line itself begins."""
    draft = {name: value for name, value in item.draft.items() if name != "opening"}
    if "type" not in draft and "opening" in item.draft:
        draft["type"] = type_of(item.draft["opening"])
    return draft


def _apart(item: Incoming) -> tuple[str, str]:
    """What stands before a line, and the line."""
    content, opening = str(item.draft["content"]), str(item.draft.get("opening", item.draft["content"]))
    return content.removesuffix(opening), opening


def _are_linked(one: Record, other: Record) -> bool:
    return any(link.target == other.id for link in one.links) or any(link.target == one.id for link in other.links)


def _link(tx: Transaction, account: str, one: str, other: str) -> bool:
    """Link two memories, unless one of them is gone or hidden, they are linked already, or there is no room for a link."""
    source, target = tx.get(account, [one, other])
    if source is None or target is None or source.id == target.id or len(source.links) >= MOST_LINKS:
        return False
    if (source.status, target.status) != ("active", "active") or _are_linked(source, target):
        return False
    tx.change(source, linked(tx, source, target, "relates_to", 1.0), "link")
    return True
