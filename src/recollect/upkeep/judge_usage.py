"""What the judge costs: a ledger of tokens per account, its budget per day and per run, and a test of the judge.

The ledger is a note of the store, written with the other deferred writes, so that no caller waits for it. Days are those of UTC.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Lock

from recollect.deferred import DeferredWrites
from recollect.errors import JudgeError, RecollectError
from recollect.forking import follow_forks
from recollect.ports import Clock, Reader, Store, TextJudge, TokenLedger, Transaction
from recollect.unit_of_work import UnitOfWork
from recollect.values.judging import Decision, Evidence, IsRelevant, JudgeTest, JudgeUsage, UsageRow

_NOTE, _DAYS = "judge usage", 31
_QUESTION = IsRelevant(
    "Which port does the staging database listen on?", Evidence("The staging database listens on port 5433.")
)


@dataclass(slots=True, eq=False, weakref_slot=True)
class SpentTokens:
    """What this open store spent: of each account what is not written yet, and of all accounts together."""

    run: int = 0
    unwritten: dict[str, list[UsageRow]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """What the parent spent, the parent writes."""
        if child:
            self.lock, self.unwritten = Lock(), {}


@dataclass(frozen=True, slots=True)
class AccountLedger:
    """The ledger of one account; 0 as a limit means none."""

    store: Store
    deferred: DeferredWrites
    clock: Clock
    account: str
    spent: SpentTokens
    per_day: int = 0
    per_run: int = 0

    def require(self, tokens: int) -> None:
        """Raise JudgeError if so many more tokens are over the budget."""
        if self.per_run and self.spent.run + tokens > self.per_run:
            raise JudgeError(f"the budget of this run is used up ({self.per_run:,} tokens); raise judge_tokens_per_run")
        if self.per_day and self.today() + tokens > self.per_day:
            raise JudgeError(f"the budget of today is used up ({self.per_day:,} tokens); raise judge_tokens_per_day")

    def add(self, question: str, *, calls: int, asked: int, kept: int, tokens_in: int, tokens_out: int) -> None:
        """Add what one question cost."""
        now = self.clock()
        row = UsageRow(_day(now), question, calls, asked, kept, tokens_in, tokens_out)
        with self.spent.lock:
            self.spent.run += row.tokens
            self.spent.unwritten.setdefault(self.account, []).append(row)
        if self.store.writable:
            self.deferred.defer_for("judge", self.account, now, self._write)  # no writer has to find it written

    def today(self) -> int:
        """The tokens of today, those of other processes included."""
        with self.store.view() as reader:
            return self.tokens_of_today(self.rows(reader))

    def tokens_of_today(self, rows: Sequence[UsageRow]) -> int:
        """Those of some rows that are of today."""
        day = _day(self.clock())
        return sum(row.tokens for row in rows if row.day == day)

    def rows(self, reader: Reader) -> list[UsageRow]:
        """Everything that is known, newest day first."""
        stored = _read(reader, self.account)
        with self.spent.lock:
            return _added(stored, self.spent.unwritten.get(self.account, ()))

    def _write(self, tx: Transaction) -> None:
        """Write what is not written yet; the first of several deferred writes writes all of it."""
        with self.spent.lock:
            rows = self.spent.unwritten.pop(self.account, None)
        if not rows:
            return
        try:
            kept = _added(_read(tx, self.account), rows)
            days = sorted({row.day for row in kept})[-_DAYS:]
            plain = [
                [row.day, row.question, row.calls, row.asked, row.kept, row.tokens_in, row.tokens_out]
                for row in kept
                if row.day in days
            ]
            tx.set_note(_NOTE, json.dumps(plain), self.account)
        except RecollectError:
            with self.spent.lock:
                self.spent.unwritten.setdefault(self.account, [])[:0] = rows
            raise


def _day(at: datetime) -> str:
    return at.date().isoformat()


def _read(reader: Reader, account: str) -> list[UsageRow]:
    return [UsageRow(*row) for row in json.loads(reader.note(_NOTE, account) or "[]")]


def _added(rows: Sequence[UsageRow], more: Sequence[UsageRow]) -> list[UsageRow]:
    """The rows with others added to them, one per day and question."""
    found: dict[tuple[str, str], UsageRow] = {}
    for row in (*rows, *more):
        key = (row.day, row.question)
        known = found.get(key)
        found[key] = row if known is None else _sum(known, row)
    by_question = sorted(found.values(), key=lambda row: row.question)
    return sorted(by_question, key=lambda row: row.day, reverse=True)


def _sum(one: UsageRow, other: UsageRow) -> UsageRow:
    return replace(
        one,
        calls=one.calls + other.calls,
        asked=one.asked + other.asked,
        kept=one.kept + other.kept,
        tokens_in=one.tokens_in + other.tokens_in,
        tokens_out=one.tokens_out + other.tokens_out,
    )


def usage(uow: UnitOfWork) -> JudgeUsage:
    """What the judge cost the caller's account."""
    runtime, account = uow.runtime, uow.viewer.account
    ledger, judge = runtime.ledger_of(account), runtime.text_judge(account)
    with uow.view() as reader:
        rows = ledger.rows(reader)
    name = None if judge is None else judge.name
    return JudgeUsage(name, ledger.tokens_of_today(rows), runtime.settings.judge_tokens_per_day, tuple(rows))


@dataclass(slots=True)
class _Meter:
    """A ledger that also remembers what it was told."""

    inner: TokenLedger
    tokens_in: int = 0
    tokens_out: int = 0

    def require(self, tokens: int) -> None:
        self.inner.require(tokens)

    def add(self, question: str, *, calls: int, asked: int, kept: int, tokens_in: int, tokens_out: int) -> None:
        self.tokens_in, self.tokens_out = self.tokens_in + tokens_in, self.tokens_out + tokens_out
        self.inner.add(question, calls=calls, asked=asked, kept=kept, tokens_in=tokens_in, tokens_out=tokens_out)


def ask_test_question(uow: UnitOfWork, seconds: Callable[[], float] = time.perf_counter) -> JudgeTest:
    """Ask one harmless question whose answer is known; nothing of the store is sent."""
    runtime = uow.runtime
    if runtime.model_judge is None:
        return JudgeTest(None, works=False, problem="no judge is configured; set `judge` to openai or anthropic")
    meter = _Meter(runtime.ledger_of(uow.viewer.account))
    judge, started = runtime.model_judge(meter), seconds()
    decision, problem = _asked(judge)
    spent = round(seconds() - started, 3)
    by = "" if decision is None else decision.by.prompt
    return JudgeTest(judge.name, problem is None, spent, meter.tokens_in, meter.tokens_out, by, problem)


def _asked(judge: TextJudge) -> tuple[Decision | None, str | None]:
    try:
        (decision,) = judge.decide([_QUESTION])
    except JudgeError as error:
        return None, str(error)
    if decision is None:
        return None, "it gave no valid answer, twice; choose a model that can answer in JSON"
    return decision, None if decision.answer is True else "it answered the test question wrongly; choose a better model"
