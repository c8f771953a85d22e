"""Whatever happens while the model is fetched, only whole and verified files are ever in place."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from recollect.embed.fetch import ensure_model, forget_unreachable, mismatch
from recollect.embed.models import ARCTIC_EMBED_S
from recollect.embed.sources import ModelHub, PackageIndex, SourceFailed
from recollect.errors import EmbedderUnavailable

Step = tuple[str, int, int]
PINS = ARCTIC_EMBED_S.files
MODEL, TOKENIZER = PINS


def unverified(folder: Path) -> list[str]:
    return [problem for pin in PINS if (folder / pin.name).exists() and (problem := mismatch(folder / pin.name, pin))]


def leftovers(folder: Path) -> list[str]:
    kept = {name for pin in PINS for name in (pin.name, f"{pin.name}.verified")}
    return [path.name for path in folder.iterdir() if path.name not in kept]


def test_a_named_folder_is_enough_offline(tmp_path: Path, model_source: Path) -> None:
    steps: list[Step] = []
    files = ensure_model(
        tmp_path / "new" / "cache", source=model_source, offline=True, progress=lambda *s: steps.append(s)
    )
    assert not unverified(files.onnx.parent) and not leftovers(files.onnx.parent)
    assert ("copying model.onnx", MODEL.size, MODEL.size) in steps


def test_the_layout_of_the_models_repository_is_understood(tmp_path: Path, model_source: Path) -> None:
    (tmp_path / "repo" / "onnx").mkdir(parents=True)
    (tmp_path / "repo" / "onnx" / "model_quantized.onnx").symlink_to(model_source / MODEL.name)
    (tmp_path / "repo" / "tokenizer.json").symlink_to(model_source / TOKENIZER.name)
    files = ensure_model(tmp_path / "cache", source=tmp_path / "repo", offline=True)
    assert not files.onnx.is_symlink() and not unverified(tmp_path / "cache")


def test_line_ends_of_windows_do_not_matter(tmp_path: Path, model_source: Path) -> None:
    (tmp_path / MODEL.name).symlink_to(model_source / MODEL.name)
    (tmp_path / TOKENIZER.name).write_bytes((model_source / TOKENIZER.name).read_bytes().replace(b"\n", b"\r\n"))
    files = ensure_model(tmp_path / "cache", source=tmp_path, offline=True)
    assert b"\r\n" not in files.tokenizer.read_bytes()


def test_offline_and_empty_says_what_was_tried_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable) as caught:
        ensure_model(tmp_path / "cache", source=tmp_path / "nowhere", offline=True)
    message = str(caught.value)
    assert "nowhere: no model.onnx and no tokenizer.json in it" in message
    assert "offline is set" in message and "to do:" in message


def test_when_no_place_answers_each_is_named_with_its_reason(tmp_path: Path) -> None:
    dead = "http://127.0.0.1:9"
    cut_off = {"http_proxy": dead, "https_proxy": dead, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    script = f"""
from pathlib import Path
from recollect.embed.fetch import ensure_model
from recollect.errors import EmbedderUnavailable
try:
    ensure_model(Path({str(tmp_path / "cache")!r}))
except EmbedderUnavailable as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], env=kept | cut_off, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[1].startswith("  - model hub huggingface.co: not reachable")
    assert lines[2].startswith("  - package index (bot-brain==0.8.0 through pip): No matching distribution")
    assert lines[3].startswith("to do:")


@pytest.mark.parametrize("damage", ["truncated", "changed"])
def test_a_damaged_file_in_the_cache_is_fetched_again(tmp_path: Path, model_source: Path, damage: str) -> None:
    onnx = ensure_model(tmp_path, source=model_source, offline=True).onnx
    with onnx.open("r+b") as stream:
        if damage == "truncated":
            stream.truncate(1_000_000)
        else:
            stream.seek(5_000_000)
            stream.write(b"\0\1\2\3")
    os.utime(onnx, ns=(1, 1))
    ensure_model(tmp_path, source=model_source, offline=True)
    assert not unverified(tmp_path)


def test_a_damaged_source_is_refused_by_name(tmp_path: Path, model_source: Path) -> None:
    shutil.copy(model_source / TOKENIZER.name, tmp_path)
    (tmp_path / MODEL.name).write_bytes(b"x" * MODEL.size)
    with pytest.raises(EmbedderUnavailable, match=r"model\.onnx has sha256 .* instead of f93ff225"):
        ensure_model(tmp_path / "cache", source=tmp_path, offline=True)
    assert not (tmp_path / "cache" / MODEL.name).exists() and not leftovers(tmp_path / "cache")


def test_verified_files_are_not_read_again(tmp_path: Path, model_source: Path) -> None:
    onnx = ensure_model(tmp_path, source=model_source, offline=True).onnx
    times = onnx.stat()
    with onnx.open("r+b") as stream:
        stream.write(b"\0")
    os.utime(onnx, ns=(times.st_atime_ns, times.st_mtime_ns))
    ensure_model(tmp_path, offline=True)  # the stamp of size and time vouches: nothing was hashed, nothing fetched


def test_files_put_there_by_hand_are_verified_and_stamped(tmp_path: Path, model_source: Path) -> None:
    for pin in PINS:
        shutil.copy(model_source / pin.name, tmp_path)
    ensure_model(tmp_path, offline=True)
    assert (tmp_path / "model.onnx.verified").exists()


def test_killed_before_the_rename_nothing_bad_is_in_place(tmp_path: Path, model_source: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from recollect.embed.fetch import ensure_model
def die_at_the_end(what, done, total):
    if "tokenizer" in what and done == total:
        os.kill(os.getpid(), signal.SIGKILL)
ensure_model(Path({str(tmp_path)!r}), source=Path({str(model_source)!r}), offline=True, progress=die_at_the_end)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -signal.SIGKILL
    assert not any((tmp_path / pin.name).exists() for pin in PINS)
    ensure_model(tmp_path, source=model_source, offline=True)
    assert not unverified(tmp_path)


def test_what_a_killed_fetch_left_is_swept_a_day_later(tmp_path: Path, model_source: Path) -> None:
    for name, age in ((".fetch-old", 1), (".fetch-new", None)):
        (tmp_path / name).mkdir()
        if age is not None:
            os.utime(tmp_path / name, (age, age))
    ensure_model(tmp_path, source=model_source, offline=True)
    assert leftovers(tmp_path) == [".fetch-new"]


def test_two_processes_at_once_both_succeed(tmp_path: Path, model_source: Path) -> None:
    script = (
        "from pathlib import Path; from recollect.embed.fetch import ensure_model;"
        f"ensure_model(Path({str(tmp_path)!r}), source=Path({str(model_source)!r}), offline=True)"
    )
    running = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert not unverified(tmp_path) and not leftovers(tmp_path)


def test_an_interrupted_fetch_cleans_up(tmp_path: Path, model_source: Path) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure_model(tmp_path, source=model_source, offline=True, progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, model_source: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbedderUnavailable, match="another cache folder"):
        ensure_model(tmp_path / "file" / "cache", source=model_source, offline=True)


def test_the_hub_is_read_as_a_plain_address(tmp_path: Path, model_source: Path) -> None:
    (tmp_path / "hub" / "onnx").mkdir(parents=True)
    (tmp_path / "hub" / MODEL.hub_path).symlink_to(model_source / MODEL.name)
    (tmp_path / "hub" / TOKENIZER.hub_path).symlink_to(model_source / TOKENIZER.name)
    steps: list[Step] = []
    ModelHub((tmp_path / "hub").as_uri() + "/").fetch(PINS, tmp_path, lambda *step: steps.append(step))
    assert not unverified(tmp_path) and steps[-1] == ("downloading tokenizer.json", TOKENIZER.size, TOKENIZER.size)


def test_a_hub_out_of_reach_is_a_reason_and_no_crash(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match="not reachable"):
        ModelHub("http://127.0.0.1:9/").fetch(PINS, tmp_path, lambda *step: None)


def test_a_package_the_index_does_not_have_is_a_reason_and_no_crash(tmp_path: Path) -> None:
    steps: list[Step] = []
    with pytest.raises(SourceFailed, match="recollect-has-no-such-package"):
        PackageIndex(f"{tmp_path}/recollect-has-no-such-package.whl").fetch(PINS, tmp_path, lambda *s: steps.append(s))
    assert steps and steps[0][1:] == (0, 0)


def test_a_wheel_brought_by_pip_is_unpacked_and_not_installed(tmp_path: Path, model_source: Path) -> None:
    wheel = tmp_path / "carrier-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for pin in PINS:
            archive.write(model_source / pin.name, pin.wheel_member)
        archive.writestr("carrier-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n")
        archive.writestr("carrier-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("carrier-1.0.dist-info/RECORD", "")
    into = tmp_path / "into"
    into.mkdir()
    PackageIndex(str(wheel)).fetch(PINS, into, lambda *step: None)
    assert not unverified(into) and (into / MODEL.name).exists()


OFFLINE = """
import sys
from pathlib import Path
from recollect.embed.fetch import ensure_model
from recollect.errors import EmbedderUnavailable
lines = []
try:
    ensure_model(Path(sys.argv[1]), hub="http://127.0.0.1:9", announce=lines.append)
except EmbedderUnavailable as error:
    print(error)
print(len(lines))
"""


def test_being_offline_is_noticed_once_and_forgotten_after_a_while(tmp_path: Path) -> None:
    """The second time no source is asked; after ten minutes, after `reembed` and with a folder of one's own it is."""
    cut_off = {**os.environ, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    cache = tmp_path / "cache"

    def announced() -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", OFFLINE, str(cache)], env=cut_off, capture_output=True, text=True, check=True
        )
        return int(done.stdout.splitlines()[-1]), done.stdout

    assert announced()[0] == 2
    asked, said = announced()
    assert asked == 0
    assert "could not be reached a moment ago; tried again after 10 minutes, or at once by `recollect reembed`" in said
    old = time.time() - 601
    os.utime(cache / "unreachable", (old, old))
    assert announced()[0] == 2
    forget_unreachable(cache)
    assert announced()[0] == 2


def test_a_folder_of_ones_own_is_looked_at_though_nothing_can_be_reached(tmp_path: Path, model_source: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "unreachable").write_text("")
    files = ensure_model(tmp_path / "cache", source=model_source, hub="http://127.0.0.1:9")
    assert not unverified(files.onnx.parent)
    assert not (tmp_path / "cache" / "unreachable").exists()


def test_one_line_says_what_is_fetched_from_where_and_what_is_used_until_then(
    tmp_path: Path, model_source: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []
    with caplog.at_level("INFO", logger="recollect"):
        ensure_model(tmp_path / "cache", source=model_source, offline=True, announce=told.append)
        ensure_model(tmp_path / "cache", source=model_source, offline=True, announce=told.append)
    what = "fetching the embedding model arctic-embed-s (35 MB, sha256 checked, licence Apache-2.0)"
    assert told == [f"{what} from the folder {model_source}; fallback: words only"]
    assert [record.getMessage() for record in caplog.records] == told
