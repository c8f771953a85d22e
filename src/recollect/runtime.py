"""The runtime of one open store: everything its verbs use. `wiring.py` assembles it, and every `Memory` of the store shares it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recollect.deferred import DeferredWrites
from recollect.errors import EmbedderError
from recollect.values.scope import Identity

if TYPE_CHECKING:
    from recollect.capture.gate import Gate
    from recollect.capture.judge_queue import JudgeQueue
    from recollect.capture.pipeline import Capture
    from recollect.companion.worker import CompanionWorker
    from recollect.config import Loaded, Settings
    from recollect.ports import (
        Clock,
        Embedder,
        EmbedMany,
        Judge,
        Reranker,
        Store,
        TextJudge,
        TextWriter,
        TokenLedger,
        Transaction,
        Vectors,
        Working,
    )
    from recollect.recall.pipeline import Recall
    from recollect.recall.profiles import Profile
    from recollect.unit_of_work import UnitOfWork
    from recollect.upkeep.background import BackgroundClustering
    from recollect.upkeep.judge_usage import AccountLedger
    from recollect.values.gap import Miss
    from recollect.values.memory import Record

_MOST_IDENTITIES = 256
_MOST_SERVED = 1000


@dataclass(frozen=True, slots=True)
class ServedRecall:
    """What one recall of this process served: to whom, for which query, and the ids of its hits."""

    id: str
    identity: Identity
    query: str
    hits: frozenset[str]


@dataclass(slots=True)
class RecentRecalls:
    """The texts each identity recalled recently: an agent that stores one of them again only repeats it.

    Also which hits the last recalls served, so that feedback can refer to a recall by its id.
    """

    _texts: dict[Identity, deque[str]] = field(default_factory=dict)
    _served: deque[ServedRecall] = field(default_factory=lambda: deque(maxlen=_MOST_SERVED))

    def note_served(self, served: ServedRecall) -> None:
        """Keep what a recall served."""
        self._served.append(served)

    def served(self, identity: Identity, id: str) -> ServedRecall | None:
        """What a recall of this identity served, unless that was too long ago or in another process."""
        recalls = reversed(tuple(self._served))
        return next((each for each in recalls if each.id == id and each.identity == identity), None)

    def add(self, identity: Identity, texts: Sequence[str]) -> None:
        """Add recalled texts."""
        if identity not in self._texts and len(self._texts) >= _MOST_IDENTITIES:
            self._texts.clear()
        self._texts.setdefault(identity, deque(maxlen=200)).extend(texts)

    def of(self, identity: Identity) -> tuple[str, ...]:
        """The recent texts of one identity, oldest first."""
        return tuple(self._texts.get(identity, ()))

    def clear(self) -> None:
        """Drop everything: some of it was purged."""
        self._texts.clear()
        self._served.clear()


@dataclass(slots=True)
class CompanionSlot:
    """The worker that all companions of an open store share; there is none before the first companion.

    `judge_seconds` is how long the worker waits for a decider. `version` is another object after every change of this process:
    what was chosen before it is looked up again before it is handed out, because it may be forgotten by now.
    """

    judge_seconds: float = 5.0
    version: object = field(default_factory=object)
    _workers: dict[str, CompanionWorker] = field(default_factory=dict)

    @property
    def worker(self) -> CompanionWorker | None:
        """The worker, if there is one."""
        return self._workers.get("")

    def adopt(self, worker: CompanionWorker) -> CompanionWorker:
        """Take a worker, which has not started, unless another thread was first; returns the one to use."""
        return self._workers.setdefault("", worker)

    @property
    def problem(self) -> str | None:
        """What is wrong with the worker, for `doctor`."""
        return None if self.worker is None else self.worker.problem

    def changed(self) -> None:
        """Note a change of the store."""
        self.version = object()
        if self.worker is not None:
            self.worker.look_again()

    def purged(self) -> None:
        """Drop the texts of memories: some of them were purged."""
        self.changed()
        if self.worker is not None:
            self.worker.drop_texts()

    def close(self) -> None:
        """Stop the worker, if there is one."""
        if self.worker is not None:
            self.worker.close()


@dataclass(frozen=True, slots=True)
class Runtime:
    """The open store, the models and the stages that work on it."""

    store: Store
    # The write path is imported on the first write: a process that only reads starts faster.
    load_capture: Callable[[], Capture]
    load_gate: Callable[[], Gate]
    recall: Recall
    clock: Clock
    loaded: Loaded
    profiles: Mapping[str, Profile]
    embedder: Embedder | None
    embed_many: EmbedMany | None
    missing: str | None
    blank: Callable[[str, Clock], Runtime]
    judge: Judge
    # What the rules can decide and write without a language model.
    load_rules: Callable[[], TextJudge]
    ledger_of: Callable[[str], AccountLedger]
    background: BackgroundClustering
    working: Working
    note_misses: Callable[[Transaction, Sequence[Miss]], None]
    deferred: DeferredWrites = field(default_factory=DeferredWrites)
    recent_recalls: RecentRecalls = field(default_factory=RecentRecalls)
    reranker: Reranker | None = None
    # A language model that judges, on the account of a ledger, and the queue of its second looks; None unless one is configured.
    model_judge: Callable[[TokenLedger], TextJudge] | None = None
    judge_queue: JudgeQueue | None = None
    # Confirms hits later, on behalf of a companion: those that helped, those that a judge rejected, and what was asked.
    confirm_later: Callable[[UnitOfWork, Sequence[str], Sequence[str], str | None], None] | None = None
    companions: CompanionSlot = field(default_factory=CompanionSlot)
    # A view of the past, in which nothing can be stored, working memory included.
    past: bool = False

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def actor(self) -> str:
        """The actor of changes that no verb made, such as deferred writes."""
        return self.settings.agent or self.settings.actor

    @property
    def capture(self) -> Capture:
        """The write path."""
        return self.load_capture()

    @property
    def gate(self) -> Gate:
        """The gate that every text passes."""
        return self.load_gate()

    def text_judge(self, account: str) -> TextJudge | None:
        """The configured language model, on the account of whoever asks it; None if there is none. Nothing may be open."""
        return None if self.model_judge is None else self.model_judge(self.ledger_of(account))

    def writers(self, account: str) -> tuple[TextWriter, ...]:
        """Who writes texts, in the order to ask them: the language model if there is one, then the rules."""
        model = self.text_judge(account)
        return (self.load_rules(),) if model is None else (model, self.load_rules())

    def learn_model(self) -> None:
        """Let the store know the model of the embedder, before a verb uses stored vectors. Nothing may be open."""
        with suppress(EmbedderError):
            _ = None if self.embedder is None else self.embedder.dimensions

    def calibrate(self) -> None:
        """Measure the calibration of the embedder, if that was not done yet; nothing may be open."""
        with suppress(EmbedderError):
            _ = None if self.embedder is None else self.embedder.calibration

    def refresh_due_clusters(self) -> None:
        """Start clustering in the background where it is due; called by verbs, never by a thread that may be interrupted."""
        while self.deferred.clusters_due:
            self.background.start_if_due(self.deferred.clusters_due.pop())

    def embed(self, memory: Record) -> Vectors | None:
        """The vectors of one memory, or None while no embedder is available (`reembed` adds them later)."""
        if self.embed_many is None:
            return None
        try:
            return self.embed_many([memory])[0]
        except EmbedderError:
            return None
