"""What a judge is asked and what it answers: questions to decide, texts to write, and who answered.

Every question and every task may be answered with nothing (`None`): then the rules, or a person, decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from recollect.values.conversation import Message
from recollect.values.outcome import Relation
from recollect.values.plain import plain

# What a recall that a judge verified adds to the confidence of a memory, and what a rejection takes from it.
VERIFIED, REJECTED = 0.05, -0.02


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that a judge reads, with what it needs to weigh it: when it was said, and whose word it is."""

    text: str
    id: str | None = None
    at: datetime | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class IsRelevant:
    """Does this memory help with what is going on? Answered with True or False."""

    context: str
    memory: Evidence


@dataclass(frozen=True, slots=True)
class HowRelated:
    """How does a new text relate to an old one? Answered with a `Relation`.

    `newer_first` asks for a second opinion: a judge reads the newer text first, because models favour what comes first.
    """

    old: Evidence
    new: Evidence
    newer_first: bool = False


@dataclass(frozen=True, slots=True)
class WorthKeeping:
    """How much is this worth to later sessions? Answered with a score, 0 to 1."""

    text: Evidence


Question = IsRelevant | HowRelated | WorthKeeping


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """Who answered: the provider ("rules", "openai", …), its model, and the version of the prompt."""

    provider: str
    model: str = ""
    prompt: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.provider, self.model, self.prompt) if part)


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to a question, with its reason and who gave it."""

    answer: bool | Relation | float
    reason: str
    by: JudgedBy


WritingKind = Literal["extract", "merge", "summarise", "name"]


@dataclass(frozen=True, slots=True)
class WritingTask:
    """Something to write: facts of a talk, one text for several memories, a summary, or the name of a group."""

    kind: WritingKind
    texts: Sequence[Evidence] = ()
    messages: Sequence[Message] = ()


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """One fact that a judge extracted: its type, and the positions of the messages that state it."""

    content: str
    type: str = "fact"
    tags: Sequence[str] = ()
    positions: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The brief of a session: what was done, what was decided, what is to be done, what is open, what is next."""

    narrative: str
    decisions: Sequence[str] = ()
    action_items: Sequence[str] = ()
    unresolved: Sequence[str] = ()
    next_questions: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: `facts` for extract, `summary` for summarise, `text` for merge and name."""

    by: JudgedBy
    text: str = ""
    facts: Sequence[ExtractedFact] = ()
    summary: Summary | None = None


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What one question cost on one day: requests, texts asked about, valid answers that were kept, and tokens."""

    day: str
    question: str
    calls: int = 0
    asked: int = 0
    kept: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def tokens(self) -> int:
        """Those of the prompts and those of the answers."""
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class JudgeUsage:
    """What the judge of an account cost: today's tokens, the limit, and a row per day and question, newest day first."""

    judge: str | None
    tokens_today: int
    tokens_per_day: int
    rows: tuple[UsageRow, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The usage as plain JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class JudgeTest:
    """The answer to one harmless question: whether it is right, how long it took, its tokens; else the problem."""

    judge: str | None
    works: bool
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    prompt: str = ""
    problem: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The test as plain JSON."""
        found: dict[str, Any] = plain(self)
        return found
