"""The real model, fetched once into the user's cache like any user's, tiny models made here, and real HTTP servers to talk to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.embed.fetch import ModelFiles, ensure_model
from recollect.embed.local import LocalEmbedder
from recollect.embed.models import HubModel


@pytest.fixture(scope="session")
def model_files() -> ModelFiles:
    return ensure_model(Path.home() / ".cache" / "recollect" / "models" / "arctic-embed-s-int8")


@pytest.fixture(scope="session")
def model_source(model_files: ModelFiles) -> Path:
    """A folder that holds the files, as a user would name it."""
    return model_files.onnx.parent


@pytest.fixture(scope="session")
def local(model_files: ModelFiles) -> LocalEmbedder:
    return LocalEmbedder(model_files)


Reply = tuple[int, bytes, dict[str, str]]
Script = Callable[[int, dict[str, Any]], Reply]
"""From the number of the request and its body to (status, body, headers)."""


@dataclass
class EmbeddingServer:
    """An OpenAI-like server whose every answer is scripted by the test."""

    script: Script
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


class QuietServer(ThreadingHTTPServer):
    """A client that gave up waiting is part of a test, not worth a traceback."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing."""


@pytest.fixture
def serve() -> Iterator[Callable[[Script], EmbeddingServer]]:
    running: list[ThreadingHTTPServer] = []

    def start(script: Script) -> EmbeddingServer:
        state = EmbeddingServer(script)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                state.requests.append(body)
                state.headers.append(dict(self.headers))
                state.paths.append(self.path)
                status, content, headers = state.script(len(state.requests), body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        server = QuietServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        running.append(server)
        state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        return state

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


WORDS = (
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "query",
    "passage",
    ":",
    "harbour",
    "storm",
    "ferry",
    "lemon",
    "cake",
    "where",
    "is",
)
WIDTH = len(WORDS)


@dataclass(frozen=True)
class TinyModel:
    """A model of a dozen words, made for a test: each word is a direction of its own, special tokens are nothing."""

    onnx: bytes
    tokenizer: bytes

    def publish(self, hub: Path, model: HubModel) -> None:
        """Put the files where the hub would have them."""
        folder = hub / model.repository / "resolve" / model.revision
        for file, content in ((model.onnx, self.onnx), (model.tokenizer, self.tokenizer)):
            (folder / file.hub_path).parent.mkdir(parents=True, exist_ok=True)
            (folder / file.hub_path).write_bytes(content)

    def files(self, folder: Path) -> ModelFiles:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(self.onnx)
        (folder / "tokenizer.json").write_bytes(self.tokenizer)
        return ModelFiles(folder / "model.onnx", folder / "tokenizer.json")


def tiny(inputs: str, outputs: str, nodes: str) -> TinyModel:
    """A model from the text form of ONNX; `table` has the vector of each word, [UNK] and the special tokens have none."""
    import onnx.parser
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    table = np.diag([float(not word.startswith("[")) for word in WORDS]).astype(np.float32).ravel()
    graph = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 13]>
        tiny ({inputs}) => ({outputs})
        <float[{WIDTH},{WIDTH}] table = {{{",".join(map(str, table))}}}, int64[1] tokens = {{1}}, int64[1] width = {{2}},
         float[1] one = {{1}}, float[1] two = {{2}}>
        {{{nodes}}}"""
    )
    onnx.checker.check_model(graph)
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return TinyModel(graph.SerializeToString(), tokenizer.to_str().encode())


@pytest.fixture(scope="session")
def make_tiny() -> Callable[[str, str, str], TinyModel]:
    return tiny


_TOKENS = "int64[b,n] input_ids, int64[b,n] attention_mask"


@pytest.fixture(scope="session")
def tiny_embedder() -> TinyModel:
    return tiny(_TOKENS, f"float[b,n,{WIDTH}] last_hidden_state", "last_hidden_state = Gather(table, input_ids)")


@pytest.fixture(scope="session")
def tiny_cross_encoder() -> TinyModel:
    """Scores by how many words the two texts share, less two."""
    return tiny(
        f"{_TOKENS}, int64[b,n] token_type_ids",
        "float[b,1] logits",
        """states = Gather(table, input_ids)
        side = Cast <to = 1> (token_type_ids)
        second = Unsqueeze (side, width)
        first = Sub (one, second)
        words = Mul (states, second)
        asked = Mul (states, first)
        of_text = ReduceSum <keepdims = 0> (words, tokens)
        of_query = ReduceSum <keepdims = 0> (asked, tokens)
        shared = Mul (of_text, of_query)
        count = ReduceSum <keepdims = 1> (shared, tokens)
        logits = Sub (count, two)""",
    )


@dataclass
class Hub:
    """A model hub on this machine: a folder behind a real HTTP server."""

    folder: Path
    url: str = ""
    asked: list[str] = field(default_factory=list)
    cut: int | None = None  # close the connection after so many bytes of a file


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    state = Hub(tmp_path / "hub")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            path = state.folder / self.path.lstrip("/")
            if not path.is_file():
                self.send_error(404)
                return
            content = path.read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: state.cut])

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = QuietServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield state
    server.shutdown()
    server.server_close()
