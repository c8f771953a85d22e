"""Stores drafts from other products through the write path, so that screen, tombstones and scopes apply to them.

What is known already stays as it is; a text that was edited in its source supersedes the old one. A draft that reinforced another
memory is noted by its key, so that it does not reinforce it again each time the same files are read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path, PurePath
from typing import Any

from recollect.capture.annotate import type_of
from recollect.capture.gate import screen_record
from recollect.capture.intake import draft_of, record_of
from recollect.errors import InvalidInput
from recollect.listing import iter_found
from recollect.portable.drafts import (
    ORIGIN,
    IngestedItem,
    IngestOutcome,
    IngestReport,
    SourceBatch,
    SourceDraft,
    SourceReport,
    source_key,
    text_digest,
    version_key,
)
from recollect.portable.masking import has_password, masked, metadata_problem
from recollect.ports import Progress, Reader, Transaction
from recollect.unit_of_work import UnitOfWork, flush
from recollect.upkeep.links import with_link
from recollect.values.link import MOST_LINKS
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Refused, Reinforced, Superseded
from recollect.values.search import Filter

_OUTCOMES: dict[str, IngestOutcome] = {
    "stored": "kept", "reinforced": "merged", "superseded": "replaced", "refused": "refused",
}  # fmt: skip
_PASSWORD_REASON = "the text holds a secret (password); take it out"  # noqa: S105 - a reason, not a password
_EXCERPT = 100
# Up to half of a line may change before it counts as another line.
_SAME_LINE = 0.6


@dataclass(slots=True)
class _PendingDraft:
    """A draft that is to be stored, and its position in the report."""

    batch: int
    order: int
    item: SourceDraft
    draft: dict[str, Any]


@dataclass(slots=True)
class IngestRun:
    """One import: the drafts seen so far, those that are to be stored, and the results of the others."""

    uow: UnitOfWork
    dry_run: bool = False
    _seen: dict[str, str] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)
    _reinforced: dict[str, str] = field(default_factory=dict)
    _pending: list[_PendingDraft] = field(default_factory=list)
    _done: list[list[tuple[int, IngestedItem]]] = field(default_factory=list)
    _without_metadata: set[int] = field(default_factory=set)
    _moved: dict[str, tuple[Record, str]] = field(default_factory=dict)
    _fronts: dict[str, str] = field(default_factory=dict)
    _edited: set[str] = field(default_factory=set)
    _refreshed: dict[str, tuple[Record, Record]] = field(default_factory=dict)

    def run(self, batches: Sequence[SourceBatch], progress: Progress | None = None) -> IngestReport:
        """Classify every draft in one view, then store what is new, and report."""
        flush(self.uow.runtime)
        with self.uow.view() as reader:
            changes = find_changes(reader, self.uow, batches)
            self._compare_fronts(reader, batches)
            for number, batch in enumerate(batches):
                self._done.append([])
                for item in batch.items:
                    self._classify(reader, number, item, changes[number], batch)
        for number, changed in enumerate(changes):
            self._mark_replacements(number, changed)
        outcomes = [None] * len(self._pending) if self.dry_run else self._store(progress)
        for pending, outcome in zip(self._pending, outcomes, strict=True):
            self._add(pending.batch, pending.order, self._stored_item(pending, outcome))
        links = 0 if self.dry_run else self._write_links([pair for batch in batches for pair in batch.links])
        reports = (self._source_report(*each) for each in zip(batches, self._done, changes, strict=True))
        return IngestReport(tuple(reports), self.dry_run, links)

    def _compare_fronts(self, reader: Reader, batches: Sequence[SourceBatch]) -> None:
        """Note which files have other metadata or tags of their own than when they were imported last."""
        for batch in batches:
            if not batch.complete or not batch.items:
                continue
            name, digest = f"front:{text_digest(batch.origin)}", _front_digest(batch)
            before = reader.note(name, self.uow.viewer.account)
            if before != digest:
                self._fronts[name] = digest
            if before not in (None, digest):
                self._edited.add(batch.origin)

    def _classify(
        self, reader: Reader, number: int, item: SourceDraft, changes: SourceChanges, batch: SourceBatch
    ) -> None:
        """Report a draft that need not be stored; put the others on the pending list."""
        order = len(self._done[number]) + len(self._pending)
        seen = self._seen.get(item.key)
        if seen is not None:
            self._add(number, order, self._item(item, "merged", f"the same as {seen}"))
            return
        self._seen[item.key] = f"{batch.name}, {item.where}"
        item = self._with_clean_metadata(number, order, item)
        draft = _capture_draft(item)
        identity, project = self.uow.viewer.identity, self.uow.viewer.project
        try:
            record = record_of(draft_of(draft), identity, project, self.uow.runtime.clock())
        except InvalidInput as error:
            expired = error.field == "expires_at"
            reason = "it has expired" if expired else f"{error.field} {error.problem}"
            self._add(number, order, self._refused(item, reason, "left_out" if expired else "refused"))
            return
        result = self._known(reader, item, record, draft, changes, batch) or self._screened(item, record)
        if result is None and self.dry_run:
            result = self._predicted(reader, item, record)
        if result is None:
            self._pending.append(_PendingDraft(number, order, item, draft))
        elif result.outcome == "refused" and item.parts:
            for part in item.parts:
                self._classify(reader, number, part, changes, batch)
        else:
            self._add(number, order, result)

    def _with_clean_metadata(self, number: int, order: int, item: SourceDraft) -> SourceDraft:
        """A draft without its metadata if that must not be stored, which is reported once per source: the text may be."""
        metadata = item.draft.get("metadata")
        if not metadata:
            return item
        problem = metadata_problem(self.uow.runtime.gate, metadata)
        if problem is None:
            return item
        if number not in self._without_metadata:
            self._without_metadata.add(number)
            told = IngestedItem("metadata", "refused", self._shown(_as_line(metadata)), problem)
            self._add(number, order, told)
        return replace(item, draft={name: value for name, value in item.draft.items() if name != "metadata"})

    def _known(
        self,
        reader: Reader,
        item: SourceDraft,
        record: Record,
        draft: dict[str, Any],
        changes: SourceChanges,
        batch: SourceBatch,
    ) -> IngestedItem | None:
        """The result when this was imported before; a text that was edited away and is back supersedes the edited one."""
        noted = reader.note(f"ingested:{item.key}", record.account)
        existing = reader.by_key(record.account, item.key, record.place)
        if existing is None and noted is None:
            return None
        self._ids[item.key] = noted or "" if existing is None else existing.id
        if existing is None:
            return self._item(item, "known", "already here", noted)
        if existing.status == "forgotten":
            return self._refused(item, "forgotten: this was forgotten on purpose; restore it to have it back")
        if (successor := changes.take_successor(item.key, existing.superseded_by)) is not None:
            draft |= {"key": f"{item.key}:{successor.short_id}", "supersedes": successor.id}
            return None
        if (before := changes.moved.get(existing.id)) is not None:
            self._moved[existing.id] = existing, batch.origin
            return self._item(item, "known", f"moved here from {before}", existing.id)
        if batch.origin in self._edited and existing.provenance.reason == batch.origin:
            return self._with_new_front(item, record, existing)
        return self._item(item, "known", "already here", existing.id)

    def _with_new_front(self, item: SourceDraft, record: Record, existing: Record) -> IngestedItem:
        """A memory whose file has other metadata or tags now: what the file says is set, what it does not say stays."""
        metadata = {**existing.metadata, **record.metadata}
        tags = tuple(dict.fromkeys((*existing.tags, *record.tags)))
        if (metadata, tags) == (dict(existing.metadata), existing.tags):
            return self._item(item, "known", "already here", existing.id)
        vetted = screen_record(record, self.uow.runtime.gate.for_identity(self.uow.viewer.identity))
        if isinstance(vetted, Refused):
            return self._refused(item, vetted.reason)
        self._refreshed[existing.id] = existing, existing.with_(metadata=metadata, tags=tags)
        return self._item(item, "known", "its metadata or tags were updated", existing.id)

    def _screened(self, item: SourceDraft, record: Record) -> IngestedItem | None:
        """The result when the screen refuses the draft, known before anything is stored."""
        vetted = screen_record(record, self.uow.runtime.gate.for_identity(self.uow.viewer.identity))
        if isinstance(vetted, Refused):
            return self._refused(item, vetted.reason)
        if has_password(record.content):
            return self._refused(item, _PASSWORD_REASON)
        return None

    def _predicted(self, reader: Reader, item: SourceDraft, record: Record) -> IngestedItem | None:
        """For a dry run, what the write path would decide; texts that only mean the same are not predicted."""
        blocked = self.uow.runtime.gate.tombstones.of_texts(
            reader, self.uow.viewer.identity, {record.id: record.content}, self.uow.runtime.clock()
        )
        if record.id in blocked:
            return self._refused(item, blocked[record.id].reason)
        same = [old for old in reader.same_text(record.account, record.content) if old.place == record.place]
        known = next((old for old in same if old.status in ("active", "archived")), None)
        return None if known is None else self._item(item, "merged", "the same text is stored already", known.id)

    def _mark_replacements(self, number: int, changes: SourceChanges) -> None:
        """Let pending drafts of a batch supersede the memories whose place they take."""
        mine = [each for each in self._pending if each.batch == number and "supersedes" not in each.draft]
        for pending in mine:
            if (old := changes.reworded.pop(source_key(pending.item.key), None)) is not None:
                pending.draft["supersedes"] = old.id
        lines = [_split_prefix(pending.item) for pending in mine]
        for place, old in (changes.take_replaced(lines) if changes.missing else {}).items():
            mine[place].draft["supersedes"] = old.id

    def _store(self, progress: Progress | None) -> list[Outcome]:
        drafts = [pending.draft for pending in self._pending]
        return self.uow.runtime.capture.remember(self.uow, drafts, apart=True, progress=progress)

    def _stored_item(self, pending: _PendingDraft, outcome: Outcome | None) -> IngestedItem:
        item = pending.item
        if outcome is None:
            return self._item(item, "replaced" if "supersedes" in pending.draft else "kept")
        if outcome.memory is None:
            return self._refused(item, outcome.reason)
        self._ids[item.key] = outcome.memory.id
        if isinstance(outcome, Reinforced):
            self._reinforced[item.key] = outcome.memory.id
        before = f"was: {self._excerpt(outcome.old.content)}" if isinstance(outcome, Superseded) else ""
        notes = [before or ("" if outcome.reason == "new" else outcome.reason), *outcome.notes]
        text, reason = self._excerpt(outcome.memory.content), "; ".join(filter(None, notes))
        return IngestedItem(item.where, _OUTCOMES[outcome.kind], text, reason, outcome.memory.id)

    def _write_links(self, pairs: Sequence[tuple[str, str]]) -> int:
        """Link what belongs together, and note what reinforced another memory, was moved, or has other metadata.

        Returns how many links are new.
        """
        wanted = [(self._ids[one], self._ids[two]) for one, two in pairs if one in self._ids and two in self._ids]
        if not any((wanted, self._reinforced, self._moved, self._fronts)):
            return 0
        with self.uow.transaction() as tx:
            for existing, origin in self._moved.values():
                tx.change(existing, existing.with_(reason=origin), "update", reason="its file was moved")
            for existing, updated in self._refreshed.values():
                tx.change(existing, updated, "update", reason="the front matter of its file was edited")
            for name, digest in self._fronts.items():
                tx.set_note(name, digest, self.uow.viewer.account)
            for key, memory_id in self._reinforced.items():
                tx.set_note(f"ingested:{key}", memory_id, self.uow.viewer.account)
            return sum(_link_memories(tx, self.uow.viewer.account, one, other) for one, other in wanted)

    def _source_report(
        self, batch: SourceBatch, done: list[tuple[int, IngestedItem]], changes: SourceChanges
    ) -> SourceReport:
        skipped = [IngestedItem(one.where, "left_out", self._shown(one.text), one.reason) for one in batch.skipped]
        items = [item for _, item in sorted(done, key=lambda pair: pair[0])]
        missing = tuple(self._shown(record.content) for record in changes.missing.values())
        return SourceReport(batch.name, (*items, *skipped), missing)

    def _item(self, item: SourceDraft, outcome: IngestOutcome, reason: str = "", id: str | None = None) -> IngestedItem:
        return IngestedItem(item.where, outcome, self._excerpt(str(item.draft["content"])), reason, id)

    def _add(self, number: int, order: int, item: IngestedItem) -> None:
        self._done[number].append((order, item))

    def _refused(self, item: SourceDraft, reason: str, outcome: IngestOutcome = "refused") -> IngestedItem:
        """A draft that is not stored, with its whole text: it may be nowhere else once the source is gone."""
        return IngestedItem(item.where, outcome, self._shown(str(item.draft["content"])), reason)

    def _shown(self, text: str) -> str:
        """A text for the report: what the screen finds in it is masked."""
        return masked(text, self.uow.runtime.gate.policy)

    def _excerpt(self, text: str) -> str:
        """The beginning of a text that is stored."""
        flat = " ".join(self._shown(text).split())
        return flat if len(flat) <= _EXCERPT else f"{flat[: _EXCERPT - 1]}…"


def _front_digest(batch: SourceBatch) -> str:
    """A digest of the metadata of a file, and of the tags that all its lines have."""
    tags = set.intersection(*(set(item.draft.get("tags") or ()) for item in batch.items))
    front = _as_line([batch.items[0].draft.get("metadata"), sorted(tags)])
    return hashlib.sha256(front.encode("utf-8", "replace")).hexdigest()[:32]


def _as_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _capture_draft(item: SourceDraft) -> dict[str, Any]:
    """The draft for the write path; its type is inferred from the line itself, without the headings before it."""
    draft = {name: value for name, value in item.draft.items() if name != "opening"}
    if "type" not in draft and "opening" in item.draft:
        draft["type"] = type_of(item.draft["opening"])
    return draft


def _split_prefix(item: SourceDraft) -> tuple[str, str]:
    """The headings put before a line, and the line itself."""
    content, opening = str(item.draft["content"]), str(item.draft.get("opening", item.draft["content"]))
    return content.removesuffix(opening), opening


def _link_memories(tx: Transaction, account: str, one: str, other: str) -> bool:
    """Link two memories, unless one is gone or not active, they are linked already, or it has too many links."""
    source, target = tx.get(account, [one, other])
    if source is None or target is None or source.id == target.id or len(source.links) >= MOST_LINKS:
        return False
    if (source.status, target.status) != ("active", "active") or _are_linked(source, target):
        return False
    tx.change(source, with_link(tx, source, target, "relates_to", 1.0), "link")
    return True


def _are_linked(one: Record, other: Record) -> bool:
    return any(link.target == other.id for link in one.links) or any(link.target == one.id for link in other.links)


@dataclass(slots=True)
class SourceChanges:
    """The memories of one source whose text is no longer in it.

    `missing` are those of plain lines, by memory id; `reworded` those of things with an id in the source, by that id. `moved` are
    memories of a file that is gone and whose text is in this source now: by memory id, the name of that file.
    """

    missing: dict[str, Record] = field(default_factory=dict)
    reworded: dict[str, Record] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)

    def take_successor(self, key: str, successor: str | None) -> Record | None:
        """The memory that superseded an earlier text which is now back in the source."""
        found = self.reworded.get(source_key(key))
        if found is not None and found.id == successor:
            return self.reworded.pop(source_key(key))
        return self.missing.pop(successor, None) if successor else None

    def take_replaced(self, lines: Sequence[tuple[str, str]]) -> dict[int, Record]:
        """Which missing memory each new line (its headings, the line) replaces, most similar pairs first."""
        pairs = [
            (similarity, place, record)
            for place, line in enumerate(lines)
            for record in self.missing.values()
            if (similarity := _similarity(record.content, *line)) >= _SAME_LINE
        ]
        found: dict[int, Record] = {}
        for _, place, record in sorted(pairs, key=lambda pair: -pair[0]):
            if place not in found and record.id in self.missing:
                found[place] = self.missing.pop(record.id)
        return found


def find_changes(reader: Reader, uow: UnitOfWork, batches: Sequence[SourceBatch]) -> list[SourceChanges]:
    """For each source, what was imported from it before and is not in it now."""
    keys = [item.key for batch in batches for item in _with_parts(batch.items)]
    things, versions = {source_key(key) for key in keys}, {version_key(key) for key in keys}
    found = {batch.origin: SourceChanges() for batch in batches}
    complete = {batch.origin for batch in batches if batch.complete}
    migrated = [
        (record, record.provenance.reason or "", record.key or "") for record in _migrated_memories(reader, uow)
    ]
    now_at = _moved_files(migrated, batches)
    for record, source, key in migrated:
        origin = now_at.get(source, source)
        if origin not in found or not key:
            continue
        # The key of a plain line is made of its text only, so there both parts of the key are the same.
        if versions & {version_key(key), source_key(key)}:
            if origin != source:
                found[origin].moved[record.id] = source.removeprefix(ORIGIN)
        elif source_key(key) in things:
            found[origin].reworded[source_key(key)] = record
        elif origin in complete:
            found[origin].missing[record.id] = record
    return [found[batch.origin] for batch in batches]


def _moved_files(migrated: Sequence[tuple[Record, str, str]], batches: Sequence[SourceBatch]) -> dict[str, str]:
    """For each file that is gone, the source that has most of its memories now, as the origins that memories are labelled with."""
    whole = [(batch.origin, item) for batch in batches if batch.complete for item in batch.items]
    homes = {version_key(item.key): origin for origin, item in whole}
    # A file without a title gives its name to its lines: with another name, the texts differ in that.
    homes |= {_without_name(str(item.draft["content"]), origin): origin for origin, item in whole}
    shared: dict[str, Counter[str]] = {}
    for record, source, key in migrated:
        if not source.startswith(ORIGIN) or not key:
            continue
        home = homes.get(version_key(key)) or homes.get(_without_name(record.content, source))
        if home not in (None, source):
            shared.setdefault(source, Counter())[str(home)] += 1
    return {source: count.most_common(1)[0][0] for source, count in shared.items() if _is_gone(source)}


def _without_name(content: str, origin: str) -> str:
    """A text without the name of its file before it."""
    name, mark, rest = (
        re.split(r"(: | › )", content, maxsplit=1) if re.search(r": | › ", content) else ("", "", content)
    )
    stem = PurePath(origin).stem
    return rest if mark and _as_words(name) == _as_words(stem) else content


def _as_words(name: str) -> str:
    return " ".join(re.split(r"[\W_]+", name.casefold())).strip()


def _is_gone(origin: str) -> bool:
    """Whether the file that an origin names is no longer there, nor the archive it was in."""
    path = Path(os.path.expanduser(origin.removeprefix(ORIGIN)))  # noqa: PTH111 - "~" alone is a name too
    return not path.exists() and not any(parent.is_file() for parent in path.parents)


def _with_parts(items: Iterable[SourceDraft]) -> Iterable[SourceDraft]:
    for item in items:
        yield item
        yield from _with_parts(item.parts)


def _migrated_memories(reader: Reader, uow: UnitOfWork) -> Iterable[Record]:
    wanted = Filter(sources=("migrated",), project=uow.viewer.project)
    return iter_found(reader, uow.viewer.identity, wanted, uow.runtime.clock())


def _similarity(old: str, headings: str, line: str) -> float:
    """How similar two lines are, not counting headings that both have."""
    rest = old.removeprefix(headings) if headings else old
    new = line if rest != old or not headings else headings + line
    matcher = SequenceMatcher(None, rest, new, autojunk=False)
    if matcher.real_quick_ratio() < _SAME_LINE or matcher.quick_ratio() < _SAME_LINE:
        return 0.0
    return matcher.ratio()
