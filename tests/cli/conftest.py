"""The command line, called in this process as a shell would call it, on a store of its own and without a model."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.serve.cli.main import main


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        return json.loads(self.err)["error"]


Run = Callable[..., Ran]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def run(store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run `recollect ARGUMENTS` on a store with nothing in it; `stdin` is what is piped in."""
    recollect.open(store, embedder="none").close()
    monkeypatch.setenv("RECOLLECT_DB", str(store))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def call(*arguments: str, stdin: str | bytes = b"") -> Ran:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call


@pytest.fixture
def keep(run: Run) -> Callable[..., str]:
    """Remember something; returns its short id."""

    def call(content: str, *options: str) -> str:
        short_id: str = run("remember", content, *options, "--json").json["memory"]["short_id"]
        return short_id

    return call
