"""The growth benchmark measures every verb at two sizes and reports a ratio."""

import gzip
import json

from bench import growth
from bench.sets import CHAT_SETS


def test_every_verb_has_a_ratio_and_those_that_must_not_grow_a_limit(tmp_path):
    for name in CHAT_SETS:
        (tmp_path / name).mkdir()
        with gzip.open(tmp_path / name / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(
                json.dumps({"text": f"We met at the harbour, weekend {number}"}) + "\n" for number in range(9)
            )
    figures = {figure.what.removeprefix("SQLite: "): figure for figure in growth.run(tmp_path, None, (40, 80))}
    assert set(figures) == set(growth.VERBS)
    assert all(figures[name].target == 2.0 for name in growth.FLAT)
