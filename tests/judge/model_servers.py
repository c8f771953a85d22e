"""A real HTTP server whose answers are scripted by the test, and answers as the two APIs write them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-very-secret"
Script = Callable[[int, dict[str, Any]], tuple[int, bytes, dict[str, str]]]


@dataclass
class ModelServer:
    """What was asked, and a switch that a hanging answer waits for."""

    script: Script
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up waiting is part of a test."""


def started(script: Script) -> tuple[ModelServer, QuietServer]:
    state = ModelServer(script)

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
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    return state, server


def sent(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The questions of a request, whichever API it is for."""
    found: list[dict[str, Any]] = json.loads(body["messages"][-1]["content"])
    return found


def answers(body: dict[str, Any], answer: object, reason: str = "because") -> dict[str, Any]:
    """The same answer to every question of a request; a function is asked for each."""
    return {
        "answers": [
            {"number": one["number"], "reason": reason, "answer": answer(one) if callable(answer) else answer}
            for one in sent(body)
        ]
    }


def openai(content: object, *, finish: str = "stop") -> tuple[int, bytes, dict[str, str]]:
    text = content if isinstance(content, str) else json.dumps(content)
    reply = {
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }
    return 200, json.dumps(reply).encode(), {}


def anthropic(content: object, *, stop: str = "tool_use") -> tuple[int, bytes, dict[str, str]]:
    block = {"type": "tool_use", "id": "t", "name": "n", "input": content}
    reply = {"content": [block], "stop_reason": stop, "usage": {"input_tokens": 100, "output_tokens": 10}}
    return 200, json.dumps(reply).encode(), {}


def failing(status: int, text: str = "", retry_after: str | None = None) -> tuple[int, bytes, dict[str, str]]:
    return status, text.encode(), {} if retry_after is None else {"Retry-After": retry_after}
