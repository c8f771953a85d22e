"""The wire: statements without cursors keep what the driver promises: types, errors, and a connection that can be used again."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import numpy as np
import psycopg
import pytest

from recollect.persist.postgres.columns import Texts, register
from recollect.persist.postgres.wire import Wire


@pytest.fixture
def connection(empty_database: str) -> Iterator[Wire]:
    with Wire.connect(empty_database, autocommit=True) as opened:
        register(opened)
        opened.ready()
        yield opened


def test_values_come_back_as_they_went(connection: Wire) -> None:
    ((number, text, nothing, share, rows, texts),) = connection.ask(
        "SELECT %(number)s + 1, %(text)s || '%%', %(nothing)s::text, %(number)s %% 2, %(rows)s::bigint[], %(texts)s",
        {"number": 41, "text": "50", "nothing": None, "rows": np.array([3, 1], np.int64), "texts": Texts(["a", "é"])},
    )
    assert (number, text, nothing, share) == (42, "50%", None, 1)
    assert rows.tolist() == [3, 1]
    assert texts == ["a", "é"]


def test_one_statement_takes_values_of_several_types(connection: Wire) -> None:
    asked = [connection.ask("SELECT %(value)s::text", {"value": value})[0][0] for value in (1, 10**12, "x", None, 2.5)]
    assert asked == ["1", "1000000000000", "x", None, "2.5"]


def test_several_questions_are_answered_in_their_order(connection: Wire) -> None:
    answers = connection.ask_all([("SELECT %(n)s * 2", {"n": n}) for n in range(3)] + [("SELECT 1 WHERE false", {})])
    assert answers == [[(0,)], [(2,)], [(4,)], []]


def test_an_error_among_several_is_told_and_the_connection_goes_on(connection: Wire) -> None:
    asked = [("SELECT 1", {}), ("SELECT 1 / %(zero)s", {"zero": 0}), ("SELECT 3", {})]
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.ask_all(asked)
    assert connection.ask("SELECT 4", {}) == [(4,)]


def test_what_could_not_be_prepared_is_prepared_again_when_it_can(connection: Wire) -> None:
    statement = "INSERT INTO pg_temp.things VALUES (%(name)s)"
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.ask(statement, {"name": "early"})
    connection.send(statement, {"name": "early"})
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.settle()
    connection.several("CREATE TEMPORARY TABLE things (name text)")
    connection.send(statement, {"name": "one"})
    connection.send(statement, {"name": "two"})
    assert connection.ask("SELECT name FROM pg_temp.things ORDER BY name", {}) == [("one",), ("two",)]


def test_a_question_hears_the_error_of_what_was_sent_before_it(connection: Wire) -> None:
    connection.send("SELECT 1 / %(zero)s", {"zero": 0})
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.ask("SELECT 5", {})
    assert connection.ask("SELECT 5", {}) == [(5,)]


def test_a_value_that_cannot_be_sent_leaves_nothing_on_its_way(connection: Wire) -> None:
    with pytest.raises(psycopg.DataError):
        connection.send("SELECT %(text)s", {"text": "a\0b"})
    assert connection.ask("SELECT 6", {}) == [(6,)]


def test_only_so_many_statements_stay_prepared(connection: Wire) -> None:
    connection.ready(most=5)
    for number in range(12):
        assert connection.ask(f"SELECT {number}", {}) == [(number,)]
    assert connection.several("SELECT count(*) <= 5 FROM pg_prepared_statements") == [[(True,)]]
    assert connection.ask("SELECT 0", {}) == [(0,)]


def test_only_so_many_stay_prepared_when_they_go_with_a_beginning(connection: Wire) -> None:
    connection.ready(most=16)
    for number in range(60):
        asked = [("SELECT 'often'", {}, True), (f"SELECT {number}", {}, True), (f"SELECT -{number}", {}, True)]
        assert connection.begin(["BEGIN"], asked, lambda: None)[1] == [[("often",)], [(number,)], [(-number,)]]
        connection.several("COMMIT")
        told = connection.several(
            "SELECT count(*), count(*) FILTER (WHERE statement LIKE '%often%') FROM pg_prepared_statements"
        )
        assert told[0][0][0] <= 18 and told[0][0][1] == 1  # what is used again and again is kept


def test_each_answer_is_heard_as_soon_as_it_is_there(connection: Wire, empty_database: str) -> None:
    heard: list[tuple[int, list[tuple[object, ...]]]] = []

    def hear(place: int, rows: list[tuple[object, ...]]) -> None:
        heard.append((place, rows))
        if place == 0:
            # The second waits for this lock: only when the first is heard before it is answered is it ever let go of.
            other.execute("SELECT pg_advisory_unlock(7)")

    with psycopg.connect(empty_database, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(7)")
        connection.several("SET lock_timeout = '10s'")
        asked = [("SELECT %(n)s", {"n": 5}, True), ("SELECT 6 FROM pg_advisory_lock(7)", {}, True)]
        begun, rows = connection.begin(["BEGIN", "SELECT 4"], asked, lambda: None, hear)
    assert heard == [(0, [(5,)]), (1, [(6,)])]
    assert (begun[1], rows) == ([(4,)], [[(5,)], [(6,)]])


def test_an_error_after_something_was_heard_is_told_and_the_connection_goes_on(connection: Wire) -> None:
    heard: list[int] = []
    asked = [("SELECT 1", {}, True), ("SELECT 1 / %(zero)s", {"zero": 0}, True), ("SELECT 3", {}, True)]
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.begin(["BEGIN"], asked, lambda: None, lambda place, _: heard.append(place))
    assert heard == [0]
    connection.several("ROLLBACK")
    assert connection.ask("SELECT 4", {}) == [(4,)]


def test_a_lost_connection_is_told_while_statements_are_on_their_way(connection: Wire, empty_database: str) -> None:
    with psycopg.connect(empty_database, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (connection.info.backend_pid,))
    with pytest.raises(psycopg.OperationalError):
        connection.ask_all([("SELECT 1", {}), ("SELECT 2", {})])
    assert connection.closed


@pytest.mark.parametrize("together", [False, True])
def test_a_wait_can_be_interrupted(connection: Wire, together: bool) -> None:
    slow = ("SELECT pg_sleep(%(seconds)s)", {"seconds": 30})
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        connection.ask_all([slow, slow]) if together else connection.ask(*slow)
    timer.join()
    assert connection.closed is together  # of several that were on their way, nobody knows which went through
