"""A model built in a thread gives the same vectors; one that cannot be built fails for whoever needs it, with the same error."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.config import load
from recollect.embed.background import BackgroundEmbedder, RuntimePreload
from recollect.embed.fetch import ModelFiles, ensure_model, verified_files
from recollect.embed.local import LocalEmbedder
from recollect.embed.models import ARCTIC_EMBED_S
from recollect.errors import EmbedderError, EmbedderUnavailable
from recollect.wiring import preload


@pytest.fixture
def broken(tmp_path: Path, model_files: ModelFiles) -> Path:
    """A cache with a model that is stamped as verified but broken."""
    folder = tmp_path / "cache" / "models" / "arctic-embed-s-int8"
    folder.mkdir(parents=True)
    shutil.copy(model_files.tokenizer, folder / "tokenizer.json")
    (folder / "model.onnx").write_bytes(b"no model")
    for pin in ARCTIC_EMBED_S.files:
        seen = (folder / pin.name).stat()
        (folder / f"{pin.name}.verified").write_text(f"{pin.sha256} {seen.st_size} {seen.st_mtime_ns}\n")
    return tmp_path / "cache"


def test_a_model_built_in_a_thread_gives_the_same_vectors(model_files: ModelFiles, local: LocalEmbedder) -> None:
    preloaded = LocalEmbedder(model_files, build=RuntimePreload(model_files))
    np.testing.assert_array_equal(preloaded.embed_query("where is it?"), local.embed_query("where is it?"))


def test_only_verified_files_are_preloaded(tmp_path: Path, model_source: Path) -> None:
    assert verified_files(tmp_path) is None
    shutil.copytree(model_source, tmp_path / "copy")
    files = ensure_model(tmp_path / "copy", offline=True)
    assert verified_files(tmp_path / "copy") == files
    os.utime(files.onnx, ns=(1, 1))
    assert verified_files(tmp_path / "copy") is None


def test_a_model_that_cannot_be_built_fails_with_the_same_error(broken: Path) -> None:
    files = verified_files(broken / "models" / "arctic-embed-s-int8")
    assert files is not None
    with pytest.raises(EmbedderError) as direct:
        LocalEmbedder(files).embed_query("hello")
    with pytest.raises(EmbedderError) as preloaded:
        LocalEmbedder(files, build=RuntimePreload(files)).embed_query("hello")
    assert str(preloaded.value) == str(direct.value)


def test_a_missing_library_is_reported_when_the_model_is_needed(
    model_files: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    preload(load(cache=str(model_files.onnx.parents[2])).settings)
    with pytest.raises(EmbedderUnavailable, match="pip install"):
        LocalEmbedder(model_files).embed_query("hello")


def test_a_command_reports_a_broken_model_in_the_words_of_the_library(broken: Path, tmp_path: Path) -> None:
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


def test_a_process_that_exits_meanwhile_exits_quietly(model_files: ModelFiles) -> None:
    script = (
        "from pathlib import Path\n"
        "from recollect.embed.background import BackgroundEmbedder, RuntimePreload\n"
        "from recollect.embed.fetch import verified_files\n"
        f"RuntimePreload(verified_files(Path({str(model_files.onnx.parent)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_forked_while_its_parent_loads_the_model_loads_it_itself(model_files: ModelFiles) -> None:
    parent, go_on = os.getpid(), threading.Event()
    embedder = BackgroundEmbedder(
        LocalEmbedder(model_files), lambda: go_on.wait() if os.getpid() == parent else None, timeout=60.0
    )
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if embedder.embed_documents(["The vault is in Bern"]).shape == (1, 384) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    go_on.set()
    assert embedder.embed_documents(["The vault is in Bern"]).shape == (1, 384)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_model_that_is_loaded_works_in_a_forked_child(local: LocalEmbedder) -> None:
    expected = local.embed_query("where is it?")
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = np.array_equal(local.embed_query("where is it?"), expected)
        os._exit(0 if same and local.embed_documents(["a lamp", "a door"]).shape == (2, 384) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
