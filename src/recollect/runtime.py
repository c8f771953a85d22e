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
    from recollect.upkeep.background import BackgroundClustering
    from recollect.upkeep.judge_usage import AccountLedger
    from recollect.values.gap import Miss
    from recollect.values.memory import Record

_MOST_IDENTITIES = 256


@dataclass(slots=True)
class RecentRecalls:
    """The texts each identity recalled recently: an agent that stores one of them again only repeats it."""

    _texts: dict[Identity, deque[str]] = field(default_factory=dict)

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
