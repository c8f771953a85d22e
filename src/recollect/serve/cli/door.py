"""Door: what was said before the command, and from it the open store; answers leave through it, for people or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from recollect.errors import ReadOnly
from recollect.serve.cli.output import emit, json_text, note
from recollect.serve.cli.page import Page, new_page

if TYPE_CHECKING:
    from recollect.config import Loaded
    from recollect.engine import Memory
    from recollect.project import Project

# What a command needs of the embedder: nothing; its name, without fetching it; to embed, maybe; or to embed, in any case.
Embedding = Literal["none", "at hand", "as set", "at once"]
_EMBEDDERS: dict[Embedding, dict[str, Any]] = {
    "none": {"embedder": "none"},
    "at hand": {"offline": True},
    "as set": {},
    "at once": {},
}


@dataclass(slots=True)
class Door:
    """The options before the command, and the way in and out."""

    db: str | None = None
    project: str | None = None
    account: str | None = None
    agent: str | None = None
    as_of: datetime | None = None
    json: bool = False
    quiet: bool = False

    @contextmanager
    def writing(self, embedding: Embedding = "none", *, anywhere: bool = False) -> Iterator[Memory]:
        """The open store, for a command that changes it; with `anywhere`, outside any project."""
        self.only_now()
        with self.today(embedding, anywhere=anywhere) as memory:
            yield memory

    @contextmanager
    def reading(self, embedding: Embedding = "none") -> Iterator[Memory]:
        """The open store, or the view of it that `--as-of` asks for."""
        with ExitStack() as stack:
            memory = stack.enter_context(self.today(embedding))
            yield memory if self.as_of is None else stack.enter_context(memory.as_of(self.as_of))

    @contextmanager
    def today(self, embedding: Embedding = "none", *, anywhere: bool = False) -> Iterator[Memory]:
        """The open store as it is now, whatever `--as-of` says."""
        if embedding == "at once":  # before the rest is imported, which takes about as long as the model
            from recollect.embedders import begin

            begin(self.settings().settings)
        from recollect.serve.cli.progress import Fetching
        from recollect.wiring import open_memory

        chosen = _EMBEDDERS[embedding]
        project = "" if anywhere else self.here().name
        with Fetching(quiet=self.quiet) as fetching:
            memory = open_memory(
                self.db, project=project, account=self.account, agent=self.agent, fetching=fetching, **chosen
            )
        with memory:
            yield memory

    @property
    def now(self) -> datetime:
        """The moment from which ages are told."""
        return self.as_of or datetime.now(UTC)

    def only_now(self) -> None:
        """Refuse `--as-of` for commands to which it means nothing."""
        if self.as_of is not None:
            name = click.get_current_context().info_name
            raise ReadOnly("the past", f"`{name}` changes the present: leave --as-of out")

    def settings(self) -> Loaded:
        """The settings, with the options before the command on top."""
        from recollect.config import load

        return load(db=self.db, project=self.project, account=self.account, agent=self.agent)

    def here(self) -> Project:
        """The project: the flag, else the settings, else what the folder says."""
        from recollect.project import Project, resolve_project

        loaded = self.settings()
        if loaded.settings.project:
            return Project(loaded.settings.project, loaded.sources["project"])
        try:
            return resolve_project(None, Path.cwd())
        except FileNotFoundError:  # the folder we stand in was removed
            return Project("", "no folder")

    def answer(self, form: Callable[[], Any], view: Callable[[Page], None]) -> None:
        """Print one answer: its JSON form, or the view of it."""
        if self.json:
            emit(json_text(form()) + "\n")
            return
        page = new_page()
        view(page)
        emit(page.text())

    def done(self, form: Callable[[], Any], view: Callable[[Page], None]) -> None:
        """Print what a change did, unless nobody wants to hear of it."""
        if self.json or not self.quiet:
            self.answer(form, view)

    def note(self, *notes: str) -> None:
        """Say something beside the answer."""
        if not self.quiet:
            for text in notes:
                note(text)
