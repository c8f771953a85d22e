"""The server part of the bench: it fills the accounts it says, and measures every figure that has a target."""

import math

from bench import server
from bench.server import Size


def test_shares_are_accounts_of_a_part_of_the_rows():
    assert Size(rows=100_000).shares == {"share-0.001": 100, "share-0.01": 1000, "share-0.1": 10_000}


def test_every_figure_is_measured_on_a_small_server(postgres):
    figures = {figure.what: figure for figure in server.run(Size(rows=120, accounts=2, each=30, questions=6), postgres)}
    assert all(math.isfinite(figure.value) for figure in figures.values())
    exact = [figure.value for name, figure in figures.items() if name.startswith("recall@10")]
    assert exact == [1.0] * 4
    clients = figures["32 clients at once"]
    assert clients.note == "0 errors"
    assert clients.value > 0
    judged = {name.partition(",")[0] for name, figure in figures.items() if figure.target is not None}
    assert judged == {"recall@10 of the exact scan", "recall / its two bare statements", "remember / its bare INSERT"}
