"""The growth benchmark measures every verb at two sizes on both back ends and reports a ratio."""

import gzip
import inspect
import json
from contextlib import ExitStack

from bench import growth
from bench.sets import CHAT_SETS
from bench.verbs import NOT_TIMED, VERBS

import recollect
from recollect.testing.servers import fresh_database


def test_every_public_verb_is_timed_or_listed_as_one_that_is_not():
    public = {name for name, _ in inspect.getmembers(recollect.Memory) if not name.startswith("_")}
    timed = {name.split()[0] for name in VERBS}
    assert timed | NOT_TIMED == public
    assert not timed & NOT_TIMED


def test_every_verb_has_a_ratio_on_both_back_ends_and_those_that_must_not_grow_a_limit(tmp_path, postgres):
    for name in CHAT_SETS:
        (tmp_path / name).mkdir()
        with gzip.open(tmp_path / name / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(
                json.dumps({"text": f"We met at the harbour, weekend {number}"}) + "\n" for number in range(9)
            )
    with ExitStack() as stack:
        databases = [stack.enter_context(fresh_database(postgres)) for _ in growth.SIZES]
        figures = {figure.what: figure for figure in growth.run(tmp_path, databases, sizes=(40, 80), calls=3)}
    for back_end in ("SQLite", "PostgreSQL"):
        assert {f"{back_end}: {verb}" for verb in VERBS} <= set(figures)
        assert all(figures[f"{back_end}: {verb}"].target == 2.0 for verb in growth.FLAT)
