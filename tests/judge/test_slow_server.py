"""A judge that takes longer than a server lets a transaction be idle: nothing is open meanwhile, so nothing is lost."""

from __future__ import annotations

from threading import Event

from tests.judge.scripted import NEW, OLD, ScriptedJudge

import recollect
from recollect.testing.embedding import HashingEmbedder

IDLE_SECONDS, JUDGED_SECONDS = 1.0, 1.5


def test_remember_and_recall_survive_it(empty_database, clock) -> None:
    slow = ScriptedJudge(lambda question: True if hasattr(question, "memory") else "changed")
    slow.before = lambda: Event().wait(JUDGED_SECONDS)
    with recollect.open(
        empty_database,
        embedder=HashingEmbedder(),
        clock=clock,
        judge=slow,
        postgres_idle_seconds=IDLE_SECONDS,
        postgres_connections=2,
    ) as memory:
        old = memory.remember(OLD).memory
        clock.advance(60)
        assert memory.remember(NEW, judge="now").kind == "superseded"
        assert len(memory.recall("backup of the shop database", verify=True)) == 1
        memory.flush()
        assert memory.get(old.id).status == "superseded"
        assert not [each for each in memory.doctor()["problems"] if "judge" in each or "deferred" in each]
