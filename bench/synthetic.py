"""Synthetic memories: as many as wanted, seeded, with words and vectors that behave like real ones.

Words follow Zipf's law, the commonest being English function words; vectors come from clusters in a 48-dimensional
latent space mapped to 384 dimensions with noise, which is harder on a bit index than spread-out vectors are.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import recollect
from bench.embedding import BuiltIn
from recollect.embed.models import ARCTIC_EMBED_S
from recollect.ports import Progress

DIMENSIONS = 384
_LATENT, _CLUSTERS, _NOISE = 48, 2000, 0.25
_VOCABULARY = 60_000
_CHARACTERS = 100
_TURNS = 40
_ASKED = "query "
PROJECT, SMALL_PROJECT = "shop", "garden"
_FUNCTION_WORDS = (
    "the of and to a in is it that was for on you he be with as by at have are this not but had his they from she "
    "which or we an there her were one do been all their has would will what if can when so my no"
).split()
_SYLLABLES = [c + v + e for c in "bcdfghjklmnprstvw" for v in "aeiou" for e in ("", "n", "r", "s", "l", "t")]


class Words:
    """A seeded source of texts."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._words = _vocabulary()
        chance = 1 / (np.arange(_VOCABULARY) + 2.7)
        self._bounds = np.cumsum(chance / chance.sum())

    def texts(self, count: int) -> list[str]:
        """Sentences of about 100 characters."""
        drawn = self._draw(count * 26).reshape(count, 26)
        return [_cut(words) for words in drawn]

    def questions(self, count: int) -> list[str]:
        """Eight words of the same distribution: half of them say nothing, as in real questions."""
        return [" ".join(words) + "?" for words in self._draw(count * 8).reshape(count, 8)]

    def _draw(self, count: int) -> NDArray[Any]:
        places = np.searchsorted(self._bounds, self._random.random(count))
        return self._words[np.minimum(places, _VOCABULARY - 1)]


@cache
def _vocabulary() -> NDArray[Any]:
    """Function words, then invented ones of two or three syllables."""
    drawn = np.random.default_rng(7).integers(0, len(_SYLLABLES), (_VOCABULARY, 3)).tolist()
    own = ["".join(_SYLLABLES[place] for place in places[: 2 + places[0] % 2]) for places in drawn]
    return np.array([*_FUNCTION_WORDS, *own][:_VOCABULARY], object)


def _cut(words: Sequence[str]) -> str:
    text = " ".join(words)[:_CHARACTERS]
    return text[: text.rfind(" ")].capitalize() + "."


def _asked(question: str) -> str:
    return _ASKED + question


@dataclass(frozen=True)
class SyntheticEmbedder:
    """Vectors at no cost, the same for the same text; goes by the name of a real model so that this one can read them."""

    model: str = "bench"
    dimensions: int = DIMENSIONS

    @property
    def calibration(self) -> BuiltIn:
        return BuiltIn(ARCTIC_EMBED_S.calibration)

    @property
    def query_calibration(self) -> BuiltIn:
        return BuiltIn(ARCTIC_EMBED_S.query_calibration)

    @cached_property
    def _space(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64], NDArray[np.float32]]:
        random = np.random.default_rng(11)
        centres = random.normal(size=(_CLUSTERS, _LATENT)).astype(np.float32)
        up = (random.normal(size=(_LATENT, DIMENSIONS)) / np.sqrt(_LATENT)).astype(np.float32)
        share = np.sort(random.pareto(1.2, _CLUSTERS) + 0.05)
        common = random.normal(size=DIMENSIONS).astype(np.float32)
        return centres, up, np.cumsum(share / share.sum()), common / np.linalg.norm(common)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        del progress
        return np.stack([self._vector(text) for text in texts]) if texts else np.empty((0, DIMENSIONS), np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._vector(_asked(text))

    def _vector(self, text: str) -> NDArray[np.float32]:
        centres, up, shares, common = self._space
        random = np.random.default_rng(zlib.crc32(text.encode("utf-8", "replace")))
        cluster = min(int(np.searchsorted(shares, random.random())), _CLUSTERS - 1)
        latent = centres[cluster] + 0.45 * random.standard_normal(_LATENT, np.float32)
        vector = latent @ up + _NOISE * random.standard_normal(DIMENSIONS, np.float32)
        # Texts of one language share a direction: two unrelated ones have a cosine of about 0.5, never below 0.
        shifted = vector / np.linalg.norm(vector) + common
        return np.asarray(shifted / np.linalg.norm(shifted), np.float32)


@dataclass(frozen=True)
class Prepared(SyntheticEmbedder):
    """The same, with the vectors of known texts made beforehand: what is timed is then timed without any embedding."""

    known: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def prepare(self, questions: Sequence[str]) -> None:
        self.prepare_texts([_asked(question) for question in questions])

    def prepare_texts(self, texts: Sequence[str]) -> None:
        self.known.update({text: SyntheticEmbedder._vector(self, text) for text in texts})

    def prepare_drafts(self, block: Sequence[recollect.Draft]) -> None:
        """Those of a block of drafts, which are embedded with the name of who speaks, and no longer those of the last."""
        for text in [text for text in self.known if not text.startswith(_ASKED)]:
            del self.known[text]
        self.prepare_texts([f"{draft.speaker}: {draft.content}" for draft in block])

    def _vector(self, text: str) -> NDArray[np.float32]:
        found = self.known.get(text)
        return super()._vector(text) if found is None else found


def drafts(count: int, seed: int, block: int = 20_000) -> Iterator[list[recollect.Draft]]:
    """Blocks of drafts: conversations of forty turns, one in ten of another project."""
    words = Words(seed)
    for first in range(0, count, block):
        texts = words.texts(min(block, count - first))
        yield [
            recollect.Draft(
                text,
                project=SMALL_PROJECT if number // _TURNS % 10 == 9 else PROJECT,
                session=f"s{number // _TURNS}",
                position=number % _TURNS,
                speaker=("Ana", "Ben")[number % 2],
            )
            for number, text in enumerate(texts, first)
        ]
