"""The verifier: a judge that says which memories help, waited for until a deadline; without its answer the rules decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread

from recollect.companion.surfacing import good_enough, warns
from recollect.log import warning
from recollect.ports import Decider
from recollect.values.judging import Decision, Evidence, IsRelevant, Question
from recollect.values.recalled import Hit, Recalled

# A judge is asked about the best hits, also those a little below what the rules let through.
_JUDGED, _JUDGED_FROM = 10, 0.1


@dataclass(slots=True, eq=False)
class TimedDecider:
    """Waits for deciders until a deadline; while an earlier call hangs, none is asked."""

    seconds: float
    _stopped: bool = False
    _outcome: SimpleQueue[list[Decision | None] | None] = field(default_factory=SimpleQueue)
    _thread: Thread | None = None

    def decide(self, decider: Decider, questions: Sequence[Question]) -> list[Decision | None]:
        """The answers, or None for each that did not come in time."""
        nothing: list[Decision | None] = [None] * len(questions)
        if self._stopped or not questions or (self._thread is not None and self._thread.is_alive()):
            return nothing
        outcome = self._outcome = SimpleQueue()

        def ask() -> None:
            try:
                outcome.put(decider.decide(questions))
            except Exception as error:  # somebody else's model: without an answer the rules decide
                warning("the judge failed: %s", type(error).__name__)
                outcome.put(None)

        # A daemon: a model that never answers must not keep a finished process from exiting.
        self._thread = Thread(target=ask, name="recollect-judge", daemon=True)
        self._thread.start()
        try:
            found = outcome.get(timeout=self.seconds)
        except Empty:
            warning("the judge did not answer within %g s", self.seconds)
            return nothing
        return list(found) if found is not None and len(found) == len(questions) else nothing

    def stop(self) -> None:
        """Wait no longer."""
        self._stopped = True
        self._outcome.put(None)


@dataclass(frozen=True, slots=True)
class Judged:
    """The hits that are good enough, and what a judge said of them, by id."""

    good: list[Hit]
    verified: frozenset[str] = frozenset()
    rejected: tuple[str, ...] = ()


def verified(timed: TimedDecider, decider: Decider | None, found: Recalled, query: str) -> Judged:
    """What is good enough: by the judge where it answers in time, else by the rules."""
    by_rules = good_enough(found, query)
    if decider is None:
        return Judged(by_rules)
    asked = [hit for hit in found if hit.relevance >= _JUDGED_FROM and not warns(hit)][:_JUDGED]
    answers = timed.decide(decider, [IsRelevant(query, _evidence(hit)) for hit in asked])
    said = {hit.memory.id: one.answer is True for hit, one in zip(asked, answers, strict=True) if one is not None}
    by_id = {hit.memory.id for hit in by_rules}
    good = [hit for hit in found if said.get(hit.memory.id, hit.memory.id in by_id)]
    helpful = frozenset(id_ for id_, relevant in said.items() if relevant)
    return Judged(good, helpful, tuple(id_ for id_, relevant in said.items() if not relevant))


def _evidence(hit: Hit) -> Evidence:
    memory = hit.memory
    return Evidence(memory.content, memory.id, memory.occurred_at or memory.created_at, memory.provenance.kind)
