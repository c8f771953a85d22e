"""AppContext: the options given before the command, the store they open, and printing the answer for people or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from recollect.errors import NotFound, ReadOnly
from recollect.serve.cli.errors import NoStoreYet
from recollect.serve.cli.output import DownloadProgress, emit, json_text, print_note
from recollect.serve.cli.renderer import Renderer, new_renderer

if TYPE_CHECKING:
    from recollect.config import Loaded
    from recollect.engine import Memory
    from recollect.project import Project
    from recollect.values.memory import Record

# What a command needs of the embedder: nothing; its name, without downloading it; to embed if needed; to embed in any case.
# The judge is asked one question without any embedder.
Embedding = Literal["none", "judge", "offline", "lazy", "eager"]
_OPEN_OPTIONS: dict[Embedding, dict[str, Any]] = {
    "none": {"embedder": "none", "reranker": "none", "judge": "none"},
    "judge": {"embedder": "none", "reranker": "none"},
    "offline": {"offline": True},
    "lazy": {},
    "eager": {},
}


@dataclass(slots=True)
class AppContext:
    """What all commands share: click passes it to each as its object."""

    db: str | None = None
    project: str | None = None
    account: str | None = None
    agent: str | None = None
    user: str | None = None
    teams: tuple[str, ...] = ()
    as_of: datetime | None = None
    json: bool = False
    quiet: bool = False
    clock: Callable[[], datetime] | None = None

    @contextmanager
    def open_for_writing(
        self, embedding: Embedding = "none", *, no_project: bool = False, create: bool = False, dry_run: bool = False
    ) -> Iterator[Memory]:
        """Open the store for a command that changes it; rejects `--as-of`.

        Only with `create` a missing store file is made. With `dry_run`, an empty store in memory stands for it.
        """
        self.reject_as_of()
        with self.open_current(embedding, no_project=no_project, create=create, dry_run=dry_run) as memory:
            yield memory

    @contextmanager
    def open_view(self, embedding: Embedding = "none") -> Iterator[Memory]:
        """Open the store as it was at `--as-of`, else as it is now."""
        with ExitStack() as stack:
            memory = stack.enter_context(self.open_current(embedding))
            yield memory if self.as_of is None else stack.enter_context(memory.as_of(self.as_of))

    @contextmanager
    def open_current(
        self, embedding: Embedding = "none", *, no_project: bool = False, create: bool = False, dry_run: bool = False
    ) -> Iterator[Memory]:
        """Open the store as it is now, whatever `--as-of` says."""
        missing = None if create and not dry_run else self._missing_store()
        if missing is not None and not dry_run:
            raise NoStoreYet(missing)
        if embedding == "eager":  # the model loads in parallel with the imports below, which take about as long
            from recollect.wiring import preload

            preload(self.settings().settings)
        from recollect.wiring import open_memory

        project = "" if no_project else self.current_project().name
        with DownloadProgress(quiet=self.quiet) as fetching:
            memory = open_memory(
                self.db if missing is None else ":memory:",
                project=project,
                account=self.account,
                agent=self.agent,
                user=self.user,
                teams=self.teams or None,
                fetching=fetching,
                clock=self.clock,
                **_OPEN_OPTIONS[embedding],
            )
        with memory:
            yield memory

    @property
    def now(self) -> datetime:
        """The time from which ages are computed."""
        return self.as_of or (self.clock() if self.clock else datetime.now(UTC))

    def reject_as_of(self) -> None:
        """Raise an error if `--as-of` was given to a command that cannot use it."""
        if self.as_of is not None:
            name = click.get_current_context().info_name
            raise ReadOnly("the past", f"`{name}` works on the present; omit --as-of")

    def settings(self) -> Loaded:
        """Load the settings; the options given before the command override them."""
        from recollect.config import load

        return load(
            db=self.db,
            project=self.project,
            account=self.account,
            agent=self.agent,
            user=self.user,
            teams=self.teams or None,
        )

    def _missing_store(self) -> Path | None:
        """The store file, if it does not exist: a command that reads must not create it."""
        from recollect.wiring import store_file

        path = store_file(self.settings().settings)
        return path if path is not None and not path.exists() else None

    def retry_fetching(self) -> None:
        """Try the network again, even if nothing could be reached a moment ago."""
        from recollect.wiring import retry_fetching

        retry_fetching(self.settings().settings)

    def current_project(self) -> Project:
        """The project from the option, else from the settings, else from the working directory."""
        from recollect.project import Project, resolve_project

        loaded = self.settings()
        if loaded.settings.project:
            return Project(loaded.settings.project, loaded.sources["project"])
        try:
            return resolve_project(None, Path.cwd())
        except FileNotFoundError:  # the working directory was removed
            return Project("", "no folder")

    def print_answer(self, to_json: Callable[[], Any], show: Callable[[Renderer], None]) -> None:
        """Print an answer, as JSON or as `show` renders it."""
        if self.json:
            emit(json_text(to_json()) + "\n")
            return
        out = new_renderer()
        show(out)
        emit(out.text())

    def print_change(self, to_json: Callable[[], Any], show: Callable[[Renderer], None]) -> None:
        """Print what a command changed; with `--quiet` only as JSON."""
        if self.json or not self.quiet:
            self.print_answer(to_json, show)

    def note(self, *notes: str) -> None:
        """Print notes on stderr, unless `--quiet`."""
        if not self.quiet:
            for text in notes:
                print_note(text)


def fetch_many(memory: Memory, ids: Iterable[str]) -> dict[str, Record]:
    """The visible memories among `ids`, by id; the others may be purged or out of scope."""
    found = {each: fetch_one(memory, each) for each in ids}
    return {each: record for each, record in found.items() if record is not None}


def fetch_one(memory: Memory, id: str) -> Record | None:
    """A memory, or None if it is not visible."""
    try:
        return memory.get(id)
    except NotFound:
        return None
