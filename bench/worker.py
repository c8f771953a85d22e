"""Worker: what a process of the reliability bench does. Started by `reliability.py` as `python -m bench.worker …`.

Every worker writes the ids of acknowledged writes to its own log, one a line, after `remember` returned and never before.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import recollect
from bench.synthetic import SyntheticEmbedder, Words

PROJECT = "shop"
_FILE_LIMIT = 3_000_000


def opened(path: str | Path) -> recollect.Memory:
    """The store as every worker opens it; no model is loaded."""
    return recollect.open(path, embedder=SyntheticEmbedder(), project=PROJECT)


def share(path: str, logs: str, number: str, seconds: str) -> None:
    """Write, and look for what others have acknowledged, for some seconds. Log lines: id and token, or the trouble."""
    mine, chance = Path(logs) / f"{number}.log", random.Random(int(number))
    words = Words(seed=100 + int(number))
    until = time.monotonic() + float(seconds)
    # Unbuffered: a line is there for the others when `write` returns.
    with opened(path) as memory, mine.open("ab", buffering=0) as log:
        count = looks = 0
        while time.monotonic() < until:
            token = f"tk{number}q{count}"
            for trouble in _turn(memory, log.write, words, token, chance.random()):
                log.write(f"! {trouble}\n".encode())
            wanted = _latest(Path(logs), number, chance)
            looks += len(wanted)
            for trouble in _look(memory, wanted):
                log.write(f"! {trouble}\n".encode())
            count += 1
        log.write(f"looked {looks}\n".encode())


def _turn(
    memory: recollect.Memory, write: Callable[[bytes], int | None], words: Words, token: str, chance: float
) -> Iterator[str]:
    """One write: mostly a single memory, sometimes several, sometimes a change of the one just written."""
    try:
        texts = [f"Note {token}{letter}: {text}" for letter, text in zip("abc", words.texts(3), strict=True)]
        outcomes = memory.remember_many(texts, verbatim=True) if chance < 0.2 else [memory.remember(texts[0])]
        for letter, outcome in zip("abc", outcomes, strict=False):
            if outcome.memory is None:
                yield f"refused: {outcome.reason}"
                continue
            write(f"{outcome.memory.id} {token}{letter}\n".encode())
        if chance > 0.9 and outcomes[0].memory is not None:
            memory.tag(outcomes[0].memory.id, "seen")
        if chance > 0.95:
            memory.recall("what was noted lately?", limit=5)
    except recollect.RecollectError as error:
        yield f"error {type(error).__name__}: {error}"


def _latest(logs: Path, number: str, chance: random.Random) -> list[tuple[str, str]]:
    """The last acknowledged write of some other worker, as its log shows it now."""
    others = [path for path in sorted(logs.glob("*.log")) if path.stem != number]
    if not others:
        return []
    with chance.choice(others).open("rb") as log:
        log.seek(max(0, log.seek(0, 2) - 400))
        lines = log.read().decode("utf-8", "replace").splitlines(keepends=True)[1:]
    whole = [line.split() for line in lines if line.endswith("\n") and not line.startswith(("!", "looked"))]
    return [(whole[-1][0], whole[-1][1])] if whole else []


def _look(memory: recollect.Memory, wanted: list[tuple[str, str]]) -> Iterator[str]:
    for written, token in wanted:
        try:
            memory.get(written)
            if written not in {hit.memory.id for hit in memory.search(token, mode="lexical", limit=5)}:
                yield f"unseen by search: {written} {token}"
        except recollect.NotFound:
            yield f"unseen by get: {written} {token}"
        except recollect.RecollectError as error:
            yield f"error {type(error).__name__}: {error}"


def write(path: str, seed: str) -> None:
    """Write without end, announcing every acknowledged id on the standard output; somebody will kill this."""
    words, chance, count = Words(seed=int(seed)), random.Random(int(seed)), 0
    while True:
        with opened(path) as memory:  # Closed now and then, so that a snapshot is being written too.
            for text in words.texts(chance.randint(20, 60)):
                many = chance.choice((1, 1, 1, 40))
                texts = [f"Line {seed}q{count}x{part}: {text}" for part in range(many)]
                outcomes = memory.remember_many(texts, verbatim=many > 1)
                for outcome in outcomes:
                    if outcome.memory is not None:
                        sys.stdout.write(f"{outcome.memory.id}\n")
                sys.stdout.flush()
                count += 1


def fill(path: str) -> None:
    """Write until the file may not grow any more; say how that ended and whether reading goes on."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_LIMIT, _FILE_LIMIT))
    words, error = Words(seed=77), None
    memory = opened(path)
    for count in range(100_000):
        try:
            text = words.texts(1)[0]
            outcome = memory.remember_many([f"Fill {count}x{n}: {text}" for n in range(20)], verbatim=True)
        except recollect.RecollectError as caught:
            error = caught
            break
        for one in outcome:
            if one.memory is not None:
                print(one.memory.id)
    print(f"! {type(error).__name__}: {error}")
    print(f"! read {len(memory.recall('fill', limit=5))}")
    try:
        memory.close()
    except recollect.RecollectError as caught:
        print(f"! close {type(caught).__name__}: {caught}")


if __name__ == "__main__":
    {"share": share, "write": write, "fill": fill}[sys.argv[1]](*sys.argv[2:])
