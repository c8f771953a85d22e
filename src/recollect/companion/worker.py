"""The worker: one thread per open store that does everything a companion needs time for.

The agent's thread only appends to deques and queues that nobody locks for longer than a moment, so it never waits for a model, a
disk or a network. The thread starts with the first turn; if it crashes, the next turn starts it again and `doctor` reports it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from queue import Empty, SimpleQueue
from time import monotonic

from recollect.companion.ledger import Injected, Ledger
from recollect.companion.session_state import SessionState
from recollect.errors import RecollectError
from recollect.forking import follow_forks
from recollect.log import warning
from recollect.runtime import Runtime
from recollect.unit_of_work import UnitOfWork
from recollect.values.conversation import Message, Role
from recollect.values.memory import Record
from recollect.values.scope import Identity

Extract = Callable[[str, Sequence[Message]], None]
# The most sessions whose state is kept, unprocessed turns of one session, and messages kept for an extraction.
MOST_SESSIONS, MOST_EVENTS, MOST_TALK = 256, 64, 400
# How long closing lets the worker go on with what it has, and how long it waits for it altogether.
_FINISH_SECONDS, _CLOSE_SECONDS = 1.2, 1.8
_FORK_SECONDS = 1.0
LOOK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class OfferedLine:
    """A memory ready for the prompt: its row, the digest of its text, and the text; warnings are shown again."""

    memory: Record
    row: int
    digest: str
    text: str
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """What one turn made relevant in some version of the store, and which of it a judge verified."""

    turn: int
    asked: str
    lines: tuple[OfferedLine, ...]
    version: object
    verified: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Observed:
    """The messages of one turn."""

    said: tuple[tuple[Role, str], ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Handed:
    """What was handed out of an offer."""

    offer: Offer
    lines: tuple[OfferedLine, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class ExtractionDue:
    """The session ends, or its context is about to be compacted: everything said so far is extracted."""


@dataclass(frozen=True, slots=True)
class StoreChanged:
    """The store changed: what is on offer, or was taken from there too late, is looked up again."""

    taken: Offer | None = None


Happening = Observed | Handed | ExtractionDue | StoreChanged


@dataclass(slots=True, eq=False)
class Channel:
    """One session between the agent's thread and the worker.

    `events` and `offer` are all that both touch; the newest wins. The rest belongs to the worker.
    """

    uow: UnitOfWork
    session: str
    extract: Extract | None = None
    events: deque[Happening] = field(default_factory=lambda: deque(maxlen=MOST_EVENTS))
    offer: deque[Offer] = field(default_factory=lambda: deque(maxlen=1))
    state: SessionState = field(default_factory=SessionState)
    queued: bool = False
    loaded: bool = False
    ledger: Ledger = field(init=False)
    injected: deque[Injected] = field(default_factory=lambda: deque(maxlen=30))
    talk: deque[Message] = field(default_factory=lambda: deque(maxlen=MOST_TALK))
    rejected: deque[str] = field(default_factory=lambda: deque(maxlen=500))
    before: str = ""
    positions: int = 0

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.session)

    def forget(self) -> None:
        """Drop what has not been processed: after a fork, that is the parent's."""
        self.events.clear()
        self.offer.clear()
        self.queued = False

    def drop(self) -> None:
        """Drop what was said and found: memory was switched off."""
        self.offer.clear()
        self.talk.clear()
        self.injected.clear()
        self.before = ""


class CompanionWorker:
    """The thread, its queue, and the sessions it works for."""

    # Before the stores do: what the thread does then needs them.
    forks_first = True

    def __init__(
        self, runtime: Runtime, process: Callable[[Channel, Sequence[Happening]], None], stop: Callable[[], None]
    ) -> None:
        """`process` does the work of some events of one session; `stop` makes it come to an end."""
        self._clock, self._process, self._stop = runtime.clock, process, stop
        self._channels: OrderedDict[tuple[Identity, str | None, str], Channel] = OrderedDict()
        self._crashes, self._crash, self._failure = 0, "", ""
        # How long what another process forgets may still be on offer.
        self.look_seconds = LOOK_SECONDS
        self._closed, self._deadline = False, float("inf")
        self._renew()
        follow_forks(self)

    def _renew(self) -> None:
        self._queue: SimpleQueue[Channel | threading.Event | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting, self._step, self._registering = threading.Lock(), threading.Lock(), threading.Lock()
        self._paused = False

    def before_fork(self) -> None:
        """Wait a moment for the step at work: what it has locked would stay locked in the child."""
        self._paused = self._step.acquire(timeout=_FORK_SECONDS)

    def after_fork(self, *, child: bool) -> None:
        """The thread and what it had to do are the parent's."""
        if child:
            self._renew()
            for channel in list(self._channels.values()):
                channel.forget()
        elif self._paused:
            self._step.release()

    @property
    def problem(self) -> str | None:
        """Why turns were not processed, if some were not."""
        if self._crashes:
            return f"the companion's worker crashed and was started again ({self._crashes} ×, last: {self._crash})"
        return f"the companion's worker failed: {self._failure}" if self._failure else None

    @property
    def closed(self) -> bool:
        """Whether the store is closed or about to be."""
        return self._closed

    def channel(self, uow: UnitOfWork, extract: Extract | None) -> Channel:
        """The channel of the session in which a viewer works."""
        viewer = uow.viewer
        key = (viewer.identity, viewer.project, viewer.session or "")
        left: list[Channel] = []
        with self._registering:
            channel = self._channels.setdefault(key, Channel(uow, viewer.session or ""))
            self._channels.move_to_end(key)
            while len(self._channels) > MOST_SESSIONS:
                left.append(self._channels.popitem(last=False)[1])
        for oldest in left:
            if oldest.talk:
                self.tell(oldest, ExtractionDue())
        if extract is not None:
            channel.extract = extract
        return channel

    def tell(self, channel: Channel, happening: Happening) -> None:
        """Leave something for the worker; never waits."""
        if self._closed:
            return
        channel.events.append(happening)
        if not channel.queued:
            channel.queued = True
            self._queue.put(channel)
        thread = self._thread
        if thread is None or not thread.is_alive():
            self._start()

    def _has_offers(self) -> bool:
        return any(channel.offer for channel in list(self._channels.values()))

    def look_again(self) -> None:
        """Look up again what is on offer: the store changed, or another process may have changed it."""
        for channel in list(self._channels.values()):
            if channel.offer:
                self.tell(channel, StoreChanged())

    def drop_texts(self) -> None:
        """Drop the texts of memories that were handed out: some of them were purged."""
        for channel in list(self._channels.values()):
            channel.injected.clear()

    def wait(self, seconds: float) -> bool:
        """Wait until the worker is done with what it was told so far; False if that takes longer."""
        if self._thread is None or self._closed:
            return True
        done = threading.Event()
        self._queue.put(done)
        self._start()
        return done.wait(seconds)

    def close(self) -> None:
        """Let the worker finish what it has, but not for long; one that hangs is left behind."""
        self._closed = True
        self._deadline = monotonic() + _FINISH_SECONDS
        thread = self._thread
        if thread is not None and thread.is_alive():
            self._queue.put(None)
            thread.join(_FINISH_SECONDS)
            self._stop()
            thread.join(_CLOSE_SECONDS - _FINISH_SECONDS)
        self._channels.clear()

    def _start(self) -> None:
        """Start the thread unless it lives; whoever comes at the same time leaves that to the first."""
        if not self._starting.acquire(blocking=False):
            return
        try:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, args=(self._queue,), name="recollect-companion", daemon=True
                )
                self._thread.start()
        except RuntimeError as error:  # no thread can be started, for example because the process ends
            self._thread, self._failure = None, str(error)
        finally:
            self._starting.release()

    def _run(self, queue: SimpleQueue[Channel | threading.Event | None]) -> None:
        try:
            looked = monotonic()
            while monotonic() < self._deadline:
                left = max(0.0, looked + self.look_seconds - monotonic()) if self._has_offers() else None
                with suppress(Empty):
                    found = queue.get(timeout=left)
                    if found is None:
                        return
                    if isinstance(found, Channel):
                        self._work(found)
                    else:
                        found.set()
                if monotonic() >= looked + self.look_seconds:
                    self.look_again()
                    looked = monotonic()
        except BaseException as error:  # whatever it was: the next turn starts the thread again, and doctor tells
            self._crashes, self._crash = self._crashes + 1, f"{type(error).__name__}: {error}"
            warning("the companion's worker crashed: %s", type(error).__name__)

    def _work(self, channel: Channel) -> None:
        with self._step:
            channel.queued = False
            events: list[Happening] = []
            while channel.events:
                events.append(channel.events.popleft())
            try:
                self._process(channel, events)
                self._failure = ""
            except RecollectError as error:
                if not self._closed:
                    self._failure = str(error)
                    warning("the companion's worker failed: %s", type(error).__name__)
