"""Sessions: reads the messages of sessions once, stores what they give through the write path, and notes how far it read.

The note is written in the transaction that stores the memories: an interruption loses nothing and stores nothing twice.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.capture.gate import screen_record
from recollect.capture.intake import draft_of, record_of
from recollect.capture.screen.policy import Clean, Refusal, apply_policy
from recollect.companion.extraction import Extracted, Extractor, SkippedMessage
from recollect.companion.ledger import injected_texts
from recollect.companion.own_words import NOT_SAID, without_additions
from recollect.companion.report import ExtractedItem, ExtractionOutcome, ExtractionReport, SessionExtraction
from recollect.companion.summary import Summarizer
from recollect.companion.transcripts.said import Said
from recollect.companion.watermark import ReadStep, Watermark, chained, read_watermark, write_watermark
from recollect.errors import Interrupted
from recollect.ports import Progress, Transaction
from recollect.unit_of_work import UnitOfWork
from recollect.validation import MAX_CONTENT
from recollect.values.conversation import Message
from recollect.values.draft import Draft
from recollect.values.ids import new_id
from recollect.values.judging import Summary
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Refused, Superseded

# As many as the write path stores in one transaction, so that a page and its watermark are written together.
_PAGE_DRAFTS = 90
_PAGE_TURNS = 500
_PAGE_MESSAGES = 5000
# Sessions of one file may be interleaved; these many are open at once.
_OPEN_SESSIONS = 64
_OUTCOMES: dict[str, ExtractionOutcome] = {
    "stored": "kept", "reinforced": "merged", "superseded": "replaced", "refused": "refused",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExtractionRun:
    """One extraction: for whom, under which operation, and how. `recalled` are texts recalled in it, or digests of them."""

    uow: UnitOfWork
    operation: str
    recalled: Collection[str] = ()
    dry_run: bool = False
    verbatim: bool = False


def extract_session(
    uow: UnitOfWork,
    messages: Iterable[Message],
    session: str,
    *,
    recalled: Collection[str] = (),
    verbatim: bool = False,
    dry_run: bool = False,
    operation: str | None = None,
) -> SessionExtraction:
    """Store what the messages of a session give that were not read before, and note that they were read.

    The messages are those of the whole session, from its beginning. One undo of `operation` takes back all that was stored.
    """
    run = ExtractionRun(uow, operation or new_id(uow.runtime.clock()), recalled, dry_run, verbatim)
    reading = SessionReading(run, session)
    for message in messages:
        reading.read(message)
    return reading.finish()


def extract_all(
    uow: UnitOfWork,
    said: Iterable[Said],
    name: str,
    *,
    dry_run: bool = False,
    verbatim: bool = False,
    progress: Progress | None = None,
) -> ExtractionReport:
    """The same for every session of a transcript; `name` is that of a session that has none."""
    run = ExtractionRun(uow, new_id(uow.runtime.clock()), dry_run=dry_run, verbatim=verbatim)
    open_now: OrderedDict[str, SessionReading] = OrderedDict()
    done: list[SessionExtraction] = []
    count = 0
    try:
        for count, each in enumerate(said, 1):
            session = each.session or name
            reading = open_now.get(session)
            if reading is None:
                if len(open_now) >= _OPEN_SESSIONS:
                    done.append(open_now.popitem(last=False)[1].finish())
                reading = open_now[session] = SessionReading(run, session)
            reading.read(each.message)
            if progress is not None and count % _PAGE_TURNS == 0:
                progress(count, count)
        done += [reading.finish() for reading in open_now.values()]
        if progress is not None:
            progress(count, count)
    except KeyboardInterrupt:
        raise Interrupted(run.operation, count, count) from None
    kept = any(item.outcome != "refused" for session in done for item in session.items)
    stored = not dry_run and (kept or any(session.turns for session in done))
    return ExtractionReport(tuple(done), dry_run, run.operation if stored else None)


def unread_sessions(uow: UnitOfWork, lengths: Mapping[str, int]) -> list[str]:
    """Those of some sessions that have more messages than were read: sessions that ended before they were extracted."""
    with uow.view() as reader:
        marks = {session: read_watermark(reader, uow.viewer, session).read for session in lengths}
    return [session for session, length in lengths.items() if marks[session].read < length]


@dataclass(slots=True)
class SessionReading:
    """Reads the messages of one session as they come, and stores what they give page by page."""

    run: ExtractionRun
    session: str
    mark: Watermark = field(init=False)
    _extractor: Extractor = field(init=False)
    _summarizer: Summarizer = field(default_factory=Summarizer)
    _chain: str = ""
    _count: int = 0
    _new: int = 0
    _changed: bool = False
    _found: list[Extracted] = field(default_factory=list)
    _turns: list[Message] = field(default_factory=list)
    _items: list[ExtractedItem] = field(default_factory=list)
    _skipped: Counter[str] = field(default_factory=Counter)
    _stored_turns: int = 0
    _written: int = 0

    def __post_init__(self) -> None:
        with self.run.uow.view() as reader:
            self.mark = read_watermark(reader, self.run.uow.viewer, self.session)
        recalled = (*self.run.recalled, *injected_texts(self.run.uow, self.session))
        self._extractor, self._chain = Extractor(recalled), self.mark.salt

    def read(self, message: Message) -> None:
        """Read one message."""
        self._count += 1
        self._chain = chained(self._chain, message)
        is_new = self._count > self.mark.read.read
        self._new += is_new
        self._summarizer.read(message)
        was_said = True
        for found in self._extractor.read(message):
            if isinstance(found, SkippedMessage):
                self._skipped[found.reason] += is_new
                was_said = found.reason not in NOT_SAID
            else:
                self._found.append(found)
        if self.run.verbatim and was_said and self._count > self.mark.stored.read and _is_turn(message):
            self._turns.append(message)
        if self._count == self.mark.read.read:
            self._compare()
        if len(self._turns) >= _PAGE_TURNS or (is_new and self._is_full()):
            self._write()

    def finish(self) -> SessionExtraction:
        """Store the rest."""
        if self._count < self.mark.read.read:
            self._compare()
        self._write()
        summary = _masked_summary(self._summarizer.summary(), self.run.uow) if self._new else None
        skipped = {reason: count for reason, count in self._skipped.most_common() if count}
        items, turns = tuple(self._items), self._stored_turns
        return SessionExtraction(self.session, self._count, self._new, items, skipped, turns, summary)

    def _compare(self) -> None:
        """Forget what was read before, unless the messages have changed since."""
        self._changed = self._chain != self.mark.read.chain
        if not self._changed:
            self._found.clear()

    def _new_found(self) -> list[Extracted]:
        """What is to be stored. Of messages that changed since they were read, not what the session gave before."""
        found, self._found = self._found, []
        if not self._changed or not found:
            return found
        account = self.run.uow.viewer.account
        with self.run.uow.view() as reader:
            return [one for one in found if not self._gave(reader.same_text(account, one.content))]

    def _gave(self, known: Iterable[Record]) -> bool:
        return any(one.provenance.session == self.session for one in known)

    def _is_full(self) -> bool:
        return len(self._found) >= _PAGE_DRAFTS or self._count - self._written >= _PAGE_MESSAGES

    def _write(self) -> None:
        """Store a page. The statements come first: a message that is one statement would be taken for it."""
        is_further = self._count > max(self._written, self.mark.read.read)
        if is_further or (self._changed and self._found):
            self._store_found(self._new_found())
        if self._turns:
            self._store_turns()

    def _store_found(self, found: Sequence[Extracted]) -> None:
        """Store statements, and in the same transaction how far the session was read."""
        self._written = self._count
        if self.run.dry_run:
            self._items += predict(self.run.uow, found, self.session)
            return
        uow, operation = self.run.uow, self.run.operation
        after = self.mark.after_reading(ReadStep(operation, self._count, self._chain))

        def note(tx: Transaction, _: Sequence[Outcome] = ()) -> None:
            write_watermark(tx, uow.viewer, self.session, after)

        for first in range(0, len(found), _PAGE_DRAFTS):
            page = found[first : first + _PAGE_DRAFTS]
            last = first + _PAGE_DRAFTS >= len(found)
            drafts = [one.draft(self.session) for one in page]
            outcomes = uow.runtime.capture.remember(uow, drafts, operation=operation, also=note if last else None)
            self._items += [_item(uow, one, outcome) for one, outcome in zip(page, outcomes, strict=True)]
        if not found:
            with uow.transaction(operation=operation) as tx:
                note(tx)
        self.mark = after

    def _store_turns(self) -> None:
        """Store messages verbatim, and how far they go in the same transaction."""
        turns, self._turns = self._turns, []
        if self.run.dry_run:
            self._stored_turns += len(turns)
            return
        uow, operation = self.run.uow, self.run.operation
        after = self.mark.after_storing(ReadStep(operation, self._count, self._chain))

        def note(tx: Transaction, _: Sequence[Outcome]) -> None:
            write_watermark(tx, uow.viewer, self.session, after)

        drafts = [_turn_draft(turn, self.session) for turn in turns]
        stored = uow.runtime.capture.remember(uow, drafts, verbatim=True, operation=operation, also=note)
        self._stored_turns += sum(1 for outcome in stored if outcome.memory is not None)
        self.mark = after


def predict(uow: UnitOfWork, found: Sequence[Extracted], session: str) -> Iterator[ExtractedItem]:
    """For a dry run, what the write path would do; texts that only mean the same as a memory are not predicted."""
    if not found:
        return
    now, identity = uow.runtime.clock(), uow.viewer.identity
    gate = uow.runtime.gate.for_identity(identity)
    with uow.view() as reader:
        for one in found:
            record = record_of(draft_of(one.draft(session)), identity, uow.viewer.project, now)
            screened = screen_record(record, gate)
            if isinstance(screened, Refused):
                yield _told(uow, one, "refused", screened.reason)
                continue
            record = screened.record
            blocked = gate.tombstones.of_texts(reader, identity, {record.id: record.content}, now)
            same = [old for old in reader.same_text(record.account, record.content) if _is_here(old, record)]
            if record.id in blocked:
                yield _told(uow, one, "refused", blocked[record.id].reason)
            elif same:
                yield _told(uow, one, "merged", "the same text is stored already", same[0].id)
            else:
                yield _told(uow, one, "kept", "; ".join(screened.notes), text=record.content)


def _is_here(old: Record, new: Record) -> bool:
    return old.place == new.place and old.status in ("active", "archived")


def _item(uow: UnitOfWork, one: Extracted, outcome: Outcome) -> ExtractedItem:
    reason = "" if outcome.reason == "new" else outcome.reason
    if isinstance(outcome, Superseded):
        reason = f"was: {outcome.old.content}"
    notes = "; ".join(filter(None, [reason, *outcome.notes]))
    if outcome.memory is None:
        return _told(uow, one, "refused", notes)
    return _told(uow, one, _OUTCOMES[outcome.kind], notes, outcome.memory.id, outcome.memory.content)


def _told(
    uow: UnitOfWork,
    one: Extracted,
    outcome: ExtractionOutcome,
    reason: str,
    id: str | None = None,
    text: str | None = None,
) -> ExtractedItem:
    shown = masked(one.content, uow) if text is None else text
    return ExtractedItem(one.message_range, outcome, shown, one.type, one.source, one.cue, reason, id)


def _masked_summary(summary: Summary | None, uow: UnitOfWork) -> Summary | None:
    """A brief in which nothing stands that would not be stored."""
    if summary is None:
        return None
    lists = (summary.decisions, summary.action_items, summary.unresolved, summary.next_questions)
    lines = [masked(line, uow) for line in summary.narrative.splitlines()]
    return Summary("\n".join(lines), *(tuple(masked(text, uow) for text in texts) for texts in lists))


def masked(text: str, uow: UnitOfWork) -> str:
    """A text as a report may quote it: without what would be refused or redacted."""
    policy = uow.runtime.gate.policy
    cleaned = apply_policy(text, {kind: "allow" if action == "allow" else "redact" for kind, action in policy.items()})
    if not isinstance(cleaned, Clean) or isinstance(apply_policy(cleaned.text, policy), Refusal):
        return "(not shown)"
    return cleaned.text


def _is_turn(message: Message) -> bool:
    """Whether a message is something that was said, not a call or what a tool gave."""
    is_talk = message.role in ("user", "assistant") and message.tool is None and not message.recalled
    return is_talk and bool(without_additions(message.text))


def _turn_draft(message: Message, session: str) -> Draft:
    return Draft(
        without_additions(message.text)[:MAX_CONTENT],
        session=session,
        position=message.position,
        speaker=message.speaker or message.role,
        occurred_at=message.at,
    )
