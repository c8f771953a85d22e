"""What is kept is right, and what was stated is found: measured on messages that were labelled before there was a rule."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from typing import IO

import pytest
from bench.sets import data_folder
from tests.companion.labels import Half, Labelled, folders, statements, turns
from tests.companion.measure import measure

from recollect.companion.extraction import extract
from recollect.companion.transcripts.reading import open_transcript

# Read here, because no test sees the environment of whoever runs it.
DATA = data_folder(None)
MOST_JUNK, LEAST_FOUND = 0.05, 0.70
HALVES: tuple[Half, ...] = ("tuning", "held")


def of_half(messages: Iterator[Labelled], half: Half) -> list[Labelled]:
    return [each for each in messages if each.half == half]


@pytest.mark.parametrize("half", HALVES)
def test_written_statements_are_found_and_requests_are_left(half: Half) -> None:
    messages = of_half(statements(), half)
    measured = measure(messages)
    assert len(messages) > 140
    assert measured.recall >= LEAST_FOUND, measured.missed
    assert measured.junk_share <= MOST_JUNK, measured.junk


def test_what_was_written_to_widen_and_to_narrow_the_rules_still_holds() -> None:
    measured = measure(statements("later.txt"))
    assert measured.recall >= 0.9, measured.missed
    assert measured.junk == []


@pytest.mark.parametrize("half", HALVES)
def test_statements_of_real_users_are_found_and_the_rest_is_left(half: Half) -> None:
    texts = public_texts()
    messages = of_half(turns(texts), half)
    measured = measure(messages)
    assert sum(not each.explicit for each in messages) > 300
    assert measured.recall >= LEAST_FOUND, measured.missed
    assert measured.junk_share <= MOST_JUNK, measured.junk


def test_what_was_written_after_the_rules_is_mostly_found_with_little_junk() -> None:
    measured = measure(statements("blind.txt"))
    assert measured.recall >= 0.8, measured.missed
    assert measured.junk_share <= 0.07, measured.junk


def test_the_measure_finds_what_is_wrong() -> None:
    """A measure that cannot fail shows nothing: labels turned around give junk and misses."""
    turned = [
        Labelled(each.text, () if each.explicit else ((0, len(each.text)),)) for each in of_half(statements(), "tuning")
    ]
    measured = measure(turned)
    assert measured.recall < 0.1
    assert measured.junk_share > 0.9


def test_real_sessions_of_coding_agents_give_no_junk() -> None:
    """In these sessions users asked for things, ran slash commands and pasted output; one sentence is borderline."""
    for row in transcript_rows():
        with open_transcript(io.BytesIO(row["text"].encode())) as said:
            kept = extract(each.message for each in said).kept
        assert [one.content for one in kept if "linter" not in one.content] == [], row["path"]


def public_texts() -> dict[tuple[str, str], str]:
    """The texts of the labelled messages, from the folder of the evaluation sets."""
    found = {}
    for folder, ids in folders().items():
        wanted = set(ids)
        with opened(folder, "corpus.jsonl.gz") as lines:
            for row in map(json.loads, lines):
                if (row["set"], row["id"]) in wanted:
                    found[row["set"], row["id"]] = row["text"]
    return found


def transcript_rows() -> Iterator[dict[str, str]]:
    with opened("transcripts", "transcripts.jsonl.gz") as lines:
        yield from map(json.loads, lines)


def opened(*parts: str) -> IO[str]:
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip("the evaluation sets are not here; RECOLLECT_BENCH_DATA names their folder")
    return gzip.open(path, "rt", encoding="utf-8")
