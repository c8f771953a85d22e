"""Time expressions of a question become windows of time."""

from datetime import UTC, datetime

import pytest

from recollect.recall.query_time import time_windows

NOW = datetime(2023, 5, 30, 15, tzinfo=UTC)


def inside(question: str, *day: int, exact: bool = True) -> bool:
    moment = datetime(*day, 12, tzinfo=UTC)
    return any(since <= moment < until for since, until in time_windows(question, NOW, exact=exact))


@pytest.mark.parametrize(
    ("question", "day", "other"),
    [
        ("what happened on 7 May 2023?", (2023, 5, 7), (2023, 5, 20)),
        ("what happened on May 7th?", (2023, 5, 7), (2022, 5, 7)),
        ("on 2023-05-07", (2023, 5, 7), (2023, 4, 7)),
        ("in March", (2023, 3, 10), (2023, 5, 10)),
        ("last December", (2022, 12, 10), (2023, 2, 10)),
        ("in July 2021", (2021, 7, 3), (2022, 7, 3)),
        ("in 2022", (2022, 8, 1), (2023, 1, 2)),
        ("two weeks ago", (2023, 5, 16), (2023, 5, 28)),
        ("a couple of days ago", (2023, 5, 28), (2023, 5, 10)),
        ("in the past three months", (2023, 4, 1), (2022, 12, 1)),
        ("last week", (2023, 5, 20), (2023, 4, 20)),
        ("last month", (2023, 4, 20), (2023, 1, 20)),
        ("last year", (2022, 4, 20), (2023, 4, 20)),
        ("last Friday", (2023, 5, 26), (2023, 5, 20)),
        ("last weekend", (2023, 5, 27), (2023, 5, 10)),
        ("yesterday", (2023, 5, 29), (2023, 5, 20)),
        ("(YESTERDAY) and the rest", (2023, 5, 29), (2023, 5, 20)),
        ("the note of Sept. 3", (2022, 9, 3), (2022, 10, 3)),
        ("in Dec., 2021", (2021, 12, 3), (2022, 12, 3)),
    ],
)
def test_a_time_expression_means_its_days_and_not_others(question, day, other) -> None:
    assert inside(question, *day)
    assert not inside(question, *other)


def test_a_month_may_be_of_several_years_when_the_moment_of_asking_is_unknown() -> None:
    assert inside("in March", 2021, 3, 5, exact=False)
    assert not inside("in March", 2021, 3, 5, exact=True)


@pytest.mark.parametrize("question", ["", "may I ask?", "march on!", "in the year 99999", "last but not least"])
def test_what_is_no_time_is_no_window(question) -> None:
    assert time_windows(question, NOW, exact=True) == ()


def test_recall_prefers_the_time_asked_about(memory) -> None:
    for month in (1, 3, 6, 9):
        memory.remember(f"Went hiking with club number {month * 11}", occurred_at=datetime(2025, month, 10, tzinfo=UTC))
    (best, *_) = memory.recall("when did we go hiking in March 2025", explain=True)
    assert "33" in best.memory.content
    assert best.explain.signal("in time window") == 1.0


def test_a_time_alone_does_not_outrank_what_matches(memory) -> None:
    memory.remember_many([f"Ledger entry {n} concerns parcel {n * 13}" for n in range(40)], verbatim=True)
    goodbye, of_day = "Bye for now, John!", datetime(2025, 4, 10, tzinfo=UTC)
    memory.remember("John was feeling calm after the long retreat", occurred_at=datetime(2025, 9, 20, tzinfo=UTC))
    memory.remember_many([{"content": goodbye, "occurred_at": of_day}], verbatim=True)
    first, second = memory.recall("How was John feeling on April 10, 2025?", limit=2, explain=True)
    assert "calm" in first.memory.content and second.memory.content == goodbye
    assert 0 < second.explain.signal("in time window") < 1, "the time counts, but not enough to come first"


def test_of_what_matches_the_time_asked_about_chooses(memory) -> None:
    for day, mood in ((1, "tired"), (12, "proud"), (25, "hungry")):
        memory.remember(f"John felt {mood} at the rehearsal", occurred_at=datetime(2025, 6, day, tzinfo=UTC))
    memory.remember("Good evening!", occurred_at=datetime(2025, 6, 12, tzinfo=UTC))
    found = memory.recall("How did John feel at the rehearsal on 12 June 2025?")
    assert "proud" in found[0].memory.content
