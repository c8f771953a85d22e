"""The real model, fetched once into the user's cache like any user's, and a real HTTP server to talk to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recollect.embed.fetch import ModelFiles, ensure_model
from recollect.embed.local import LocalEmbedder


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
