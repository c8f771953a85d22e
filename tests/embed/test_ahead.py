"""A model that a thread builds ahead is the model; one that cannot be built is told of by whoever needs it, as ever."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.config import load
from recollect.embed.ahead import Ahead
from recollect.embed.fetch import at_hand, ensure_model
from recollect.embed.local import LocalEmbedder
from recollect.embed.pins import PINS, ModelFiles
from recollect.embedders import begin
from recollect.errors import EmbedderError, EmbedderUnavailable


@pytest.fixture
def broken(tmp_path: Path, model_files: ModelFiles) -> Path:
    """A cache whose model was verified and is none."""
    folder = tmp_path / "cache" / "models" / "arctic-embed-s-int8"
    folder.mkdir(parents=True)
    shutil.copy(model_files.tokenizer, folder / "tokenizer.json")
    (folder / "model.onnx").write_bytes(b"no model")
    for pin in PINS:
        seen = (folder / pin.name).stat()
        (folder / f"{pin.name}.verified").write_text(f"{pin.sha256} {seen.st_size} {seen.st_mtime_ns}\n")
    return tmp_path / "cache"


def test_what_was_built_ahead_gives_the_same_vectors(model_files: ModelFiles, local: LocalEmbedder) -> None:
    early = LocalEmbedder(model_files, build=Ahead(model_files))
    np.testing.assert_array_equal(early.embed_query("where is it?"), local.embed_query("where is it?"))


def test_only_what_was_verified_is_at_hand(tmp_path: Path, model_source: Path) -> None:
    assert at_hand(tmp_path) is None
    shutil.copytree(model_source, tmp_path / "copy")
    files = ensure_model(tmp_path / "copy", offline=True)
    assert at_hand(tmp_path / "copy") == files
    os.utime(files.onnx, ns=(1, 1))
    assert at_hand(tmp_path / "copy") is None


def test_a_model_that_cannot_be_built_is_told_of_as_ever(broken: Path) -> None:
    files = at_hand(broken / "models" / "arctic-embed-s-int8")
    assert files is not None
    with pytest.raises(EmbedderError) as at_once:
        LocalEmbedder(files).embed_query("hello")
    with pytest.raises(EmbedderError) as ahead:
        LocalEmbedder(files, build=Ahead(files)).embed_query("hello")
    assert str(ahead.value) == str(at_once.value)


def test_a_library_that_is_missing_is_told_of_as_ever(model_files: ModelFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    begin(load(cache=str(model_files.onnx.parents[2])).settings)
    with pytest.raises(EmbedderUnavailable, match="pip install"):
        LocalEmbedder(model_files).embed_query("hello")


def test_a_command_says_of_a_broken_model_what_the_library_says(broken: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="none") as memory:
        memory.remember("Ana looks after the harbour")
    with recollect.open(path, cache=str(broken)) as memory:
        notes = memory.recall("who looks after the harbour?").notes
    seen = {**os.environ, "RECOLLECT_CACHE": str(broken), "RECOLLECT_DB": str(path)}
    command = [sys.executable, "-m", "recollect", "recall", "who looks after the harbour?"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=seen)
    assert "Ana looks after the harbour" in done.stdout
    assert [line for note in notes for line in note.splitlines() if line not in done.stderr] == []
    assert any("model.onnx" in note for note in notes)
    assert "Traceback" not in done.stderr


def test_a_process_that_ends_meanwhile_ends_quietly(model_files: ModelFiles) -> None:
    script = (
        "from pathlib import Path\nfrom recollect.embed.ahead import Ahead\nfrom recollect.embed.fetch import at_hand\n"
        f"Ahead(at_hand(Path({str(model_files.onnx.parent)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
