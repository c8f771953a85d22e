"""Turns: as many conversation turns as wanted, recombined from the real ones of the evaluation sets, with vectors and questions.

A turn is the beginning of a real one (whole sentences, about 500 characters on average) in which one sentence is exchanged for
one of another turn by the same kind of speaker, so that hardly two are alike. Sessions keep the order of the real ones and are
spread over the days of a year. Vectors are the real ones of the real turns, mixed in the same way, with a little noise.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import recollect
from bench.embedding import BuiltIn
from bench.sets import rows_of
from recollect.capture.intake import record_of
from recollect.embed.models import ARCTIC_EMBED_S
from recollect.ports import Embedder, Progress
from recollect.values.passages import passages
from recollect.values.scope import Identity

SETS = ("locomo", "longmemeval_oracle_pool", "beam_100K", "realmem")
PROJECT = "shop"
DIMENSIONS = 384
# So many questions, and so many turns beside those that are loaded, which are remembered one by one.
QUESTIONS, EXTRA = 400, 1000
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_ENOUGH, _LONGEST = 700, 1000
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_OTHER, _WHOLE_NOISE, _PART_NOISE = 0.3, 0.2, 0.5
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RealTurn:
    """The beginning of a turn of a set, as sentences."""

    session: tuple[str, str]
    speaker: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MadeTurn:
    """A recombined turn: which real turns it is made of, and where it stands in which session of which day."""

    text: str
    turn: int
    other: int
    foreign: str
    session: str
    position: int
    speaker: str
    at: datetime

    @property
    def draft(self) -> recollect.Draft:
        return recollect.Draft(
            self.text,
            project=PROJECT,
            session=self.session,
            position=self.position,
            speaker=self.speaker,
            occurred_at=self.at,
        )


def real_turns(data: Path) -> list[RealTurn]:
    """The turns of all sets, each text once."""
    found: dict[str, RealTurn] = {}
    for name in SETS:
        for row in rows_of(data, name, "corpus.jsonl.gz"):
            sentences = tuple(_beginning(row["text"]))
            session = (f"{name} {row['set']}", str(row["session"]))
            if sentences:
                found.setdefault(" ".join(sentences), RealTurn(session, row["speaker"] or "user", sentences))
    return list(found.values())


def _beginning(text: str) -> Iterator[str]:
    """Whole sentences up to about 700 characters; of one that is longer, its beginning."""
    length = 0
    for sentence in filter(None, map(str.strip, _SENTENCE.split(text))):
        if length and length + len(sentence) > _LONGEST:
            return
        yield sentence[:_LONGEST]
        length += len(sentence)
        if length > _ENOUGH:
            return


def made_turns(real: Sequence[RealTurn], count: int, seed: int = 1) -> Iterator[MadeTurn]:
    """So many recombined turns, in the order of time."""
    random = np.random.default_rng(seed)
    sessions, by_speaker = defaultdict(list), defaultdict(list)
    for place, held in enumerate(real):
        sessions[held.session].append(place)
        by_speaker[held.speaker.casefold()].append(place)
    threads = list(sessions.values())
    made = number = 0
    while made < count:
        thread = threads[int(random.integers(len(threads)))][: count - made]
        day = NOW - timedelta(days=365 * (1 - made / count))
        for position, turn in enumerate(thread):
            alike = by_speaker[real[turn].speaker.casefold()]
            other = alike[int(random.integers(len(alike)))]
            foreign = real[other].sentences[int(random.integers(len(real[other].sentences)))]
            own = list(real[turn].sentences)
            place = int(random.integers(1, len(own) + 1))  # the first sentence stays; one that is alone gets another
            own[place : place + 1] = [foreign]
            at = day + timedelta(seconds=20 * position)
            yield MadeTurn(
                " ".join(own), turn, other, foreign, f"s{number}", position, real[turn].speaker, min(at, NOW)
            )
        made += len(thread)
        number += 1


def questions(data: Path, count: int = QUESTIONS) -> list[str]:
    """Questions of the sets, as many of each, in an order that mixes them."""
    random = np.random.default_rng(2)
    drawn = []
    for name in SETS:
        asked = list(dict.fromkeys(row["text"] for row in rows_of(data, name, "queries.jsonl.gz")))
        drawn += [asked[place] for place in random.permutation(len(asked))[: -(-count // len(SETS))]]
    return [drawn[place] for place in random.permutation(len(drawn))[:count]]


def prepared(cache: Path, data: Path, model: Embedder, count: int) -> Path:
    """The folder with the vectors of so many turns, of the extra ones and of the questions; made when it is missing."""
    folder = cache / f"turns-{count}"
    if not (folder / "keys.npy").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _prepare(folder, data, model, count)
    return folder


def _prepare(folder: Path, data: Path, model: Embedder, count: int) -> None:
    real = real_turns(data)
    base = model.embed_documents([" ".join(turn.sentences) for turn in real])
    random = np.random.default_rng(5)
    keys: list[int] = []
    with open(folder / "vectors.f32", "wb") as file:
        for question in questions(data):
            keys.append(_key(f"query {question}"))
            file.write(np.asarray(model.embed_query(question), np.float32).tobytes())
        for turns in (made_turns(real, count), made_turns(real, EXTRA, seed=3)):
            for turn in turns:
                texts = passages(record_of(turn.draft, Identity(), None, NOW, verbatim=True))
                keys += map(_key, texts)
                file.write(_mixed(base, turn, texts, random).tobytes())
    np.save(folder / "keys.npy", np.array(keys, np.uint64))


def _mixed(base: Vectors, turn: MadeTurn, texts: Sequence[str], random: np.random.Generator) -> Vectors:
    """The vectors of a turn's passages: of the whole a mixture of both turns, of a sentence that of the turn it is from."""
    own, other = base[turn.turn], base[turn.other]
    found = np.stack([own + _OTHER * other, *(other if turn.foreign in text else own for text in texts[1:])])
    noise = random.standard_normal(found.shape, np.float32) / np.float32(DIMENSIONS**0.5)
    noise[0] *= _WHOLE_NOISE
    noise[1:] *= _PART_NOISE
    found += noise
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@dataclass
class PreparedEmbedder:
    """Reads prepared vectors from their file; `seconds` is the CPU time it took, which is no cost of who asks.

    A text that was redacted has the vector of some other.
    """

    folder: Path
    model: str = "bench"
    dimensions: int = DIMENSIONS
    seconds: float = 0.0
    _file: int | None = field(default=None, repr=False)

    @property
    def calibration(self) -> BuiltIn:
        return BuiltIn(ARCTIC_EMBED_S.calibration)

    @property
    def query_calibration(self) -> BuiltIn:
        return BuiltIn(ARCTIC_EMBED_S.query_calibration)

    @cached_property
    def _keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        keys = np.load(self.folder / "keys.npy")
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        del progress
        started = time.thread_time()
        keys, order = self._keys
        wanted = np.array([_key(text) for text in texts], np.uint64)
        spots = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
        if self._file is None:
            self._file = os.open(self.folder / "vectors.f32", os.O_RDONLY)
        size = 4 * self.dimensions
        read = b"".join(os.pread(self._file, size, size * int(place)) for place in order[spots])
        found = np.frombuffer(read, np.float32).reshape(-1, self.dimensions)
        self.seconds += time.thread_time() - started
        return found

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_documents([f"query {text}"])[0]
        return vector
