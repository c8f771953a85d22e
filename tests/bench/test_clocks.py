"""The clock of the bench counts what a server works for one database, and nothing else."""

import psycopg
from bench.clocks import CpuClock

from recollect.testing.servers import fresh_database, postgres_server

WORK = "SELECT sum(number) FROM generate_series(1, 1000000) AS number"


def test_work_for_the_database_counts_and_work_for_another_does_not():
    with postgres_server() as server, fresh_database(server.url) as own, fresh_database(server.url) as other:
        clock, spent = CpuClock(own, server.pid), []
        for url in (own, other):
            with psycopg.connect(url) as connection:
                started = clock()
                connection.execute(WORK)
                spent.append(clock() - started)
    assert spent[0] > 5 * spent[1]


def test_what_a_connection_has_worked_still_counts_when_it_is_closed():
    with postgres_server() as server, fresh_database(server.url) as own:
        with psycopg.connect(own) as connection:
            clock = CpuClock(own, server.pid)
            connection.execute(WORK)
            before = clock()
        assert clock() >= before
