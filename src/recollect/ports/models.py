"""What the engine asks of models and of the clock: text to vectors, judgements about texts, what time it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.values.judging import Decision, Question, WritingTask, Written
from recollect.values.memory import Record
from recollect.values.outcome import Verdict

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
EmbedMany = Callable[[Sequence[Record]], list[Vectors]]


class Clock(Protocol):
    """The one source of time."""

    def __call__(self) -> datetime: ...


class Calibrated(Protocol):
    """Turns the raw cosine of one model into a similarity that can be compared with thresholds."""

    def similarity(self, cosine: Any) -> Any: ...


class Embedder(Protocol):
    """Text to unit vectors of one model."""

    @property
    def model(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def calibration(self) -> Calibrated: ...
    @property
    def query_calibration(self) -> Calibrated: ...
    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors: ...
    def embed_query(self, text: str) -> Vectors: ...


def scripts_of(embedder: Embedder) -> frozenset[str] | None:
    """The scripts a model knows, for example {"latin"}, if the embedder has the attribute `scripts`; None means all."""
    scripts = getattr(embedder, "scripts", None)
    return None if scripts is None else frozenset(scripts)


class Reranker(Protocol):
    """Scores how well each text answers a query: one finite number per text, the higher the better, on any scale."""

    def __call__(self, query: str, texts: Sequence[str], /) -> Sequence[float]: ...


class Judge(Protocol):
    """Compares two texts whose similarity made them worth a second look."""

    def compare(self, old: str, new: str, similarity: float) -> Verdict: ...


class Decider(Protocol):
    """Answers questions about texts, many at once, in their order; None where it does not know."""

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]: ...


class TextWriter(Protocol):
    """Writes texts, many at once, in their order; None where there is nothing to write, which is a good answer."""

    def write(self, tasks: Sequence[WritingTask]) -> list[Written | None]: ...


class TextJudge(Decider, TextWriter, Protocol):
    """Decides and writes, under a name. Both raise JudgeError if nothing could be asked at all."""

    @property
    def name(self) -> str: ...


class TokenLedger(Protocol):
    """Keeps account of what a language model costs, and refuses what is over the budget."""

    def require(self, tokens: int) -> None:
        """Raise JudgeError if so many more tokens are over the budget."""

    def add(self, question: str, *, calls: int, asked: int, kept: int, tokens_in: int, tokens_out: int) -> None:
        """Add what one question cost."""
