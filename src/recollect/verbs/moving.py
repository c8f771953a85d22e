"""Getting memories out and in: `export`, `import_`, and `copy` from one open store to another.

What moves, and on what terms, is in the files beside this one; they are loaded when something is moved.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from recollect.capture.fields import clean_name, one_of
from recollect.errors import InvalidInput
from recollect.ports import Progress
from recollect.values.scope import Identity
from recollect.verbs.view import View

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.values.moved import Copied, Exported, Imported


class MovingVerbs(View):
    """Verbs that move whole accounts."""

    def export(
        self,
        to: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,
        history: bool = False,
        vectors: bool = True,
        everything: bool = False,
        progress: Progress | None = None,
    ) -> Exported:
        """Write what this identity reaches to a file or a binary stream (JSON lines, CSV), a folder or a .zip (Markdown).

        A file whose name ends in .gz is compressed. `history` adds the journal, `everything` the rooms of all agents and teams
        of the account. JSON lines lose nothing.
        """
        from recollect.portable.files import FORMATS, format_of
        from recollect.portable.giving import Extent
        from recollect.verbs.moving_out import export

        one_of("format", format, FORMATS)
        extent = Extent(vectors, history)
        return export(self._handle, to, format or format_of(to), extent, progress, everything=everything)

    def import_(
        self,
        source: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,
        account: str | None = None,
        everything: bool = False,
        dry_run: bool = False,
        prune: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Take in what `export` wrote: a file, a binary stream, or a folder or archive of Markdown with edits in it.

        Memories keep their ids, so that running it twice adds nothing. `everything` also fills the rooms of other agents and
        teams; `dry_run` changes nothing and reports what would become of each; `prune` forgets the memories of deleted files.
        """
        from recollect.portable import files, jsonl
        from recollect.portable.taking import take
        from recollect.verbs.moving_terms import Rights

        one_of("format", format, files.FORMATS)
        form = format or files.format_of(source)
        if form == "csv":
            raise InvalidInput("format", "a CSV file tells too little to be imported", "export JSON lines or Markdown")
        identity = replace(self._viewer.identity, account=clean_name("account", account) or self._viewer.account)
        self._handle.awake(self._viewer.project)
        self._handle.settle()
        rights = Rights(self._handle, identity, everything)
        if form == "markdown":
            from recollect.verbs.moving_folder import FolderImport, sheets_at

            return FolderImport(rights, sheets_at(source), dry_run=dry_run, prune=prune).run()
        if prune:
            raise InvalidInput("prune", "is for a folder or an archive of Markdown", "leave it out")
        with files.read(source) as (file, of):
            items = jsonl.items_in(file, identity.account)
            terms = rights.terms(self._handle.actor)
            return take(self._parts.store, items, terms, of=of, dry_run=dry_run, progress=progress)


def copy(source: Memory, target: Memory, *, progress: Progress | None = None) -> list[Copied]:
    """Copy every account of one open store to another, with its history; one that was interrupted goes on where it stopped.

    Each account is compared at the end: `verified` says that all of it is there.
    """
    from recollect.portable.copying import copy_account, take_secrets
    from recollect.verbs.moving_terms import Rights

    here, there = source._parts, target._parts  # noqa: SLF001 - two views of the same kind
    source._handle.settle()  # noqa: SLF001
    now = here.clock()
    with here.store.reading(now) as reader:
        accounts = reader.accounts()
    take_secrets(here.store, there.store, target._handle.actor, now)  # noqa: SLF001
    done: list[Copied] = []
    for account in accounts:
        rights = Rights(target._handle, Identity(account), everything=True)  # noqa: SLF001
        terms = rights.terms(target._handle.actor)  # noqa: SLF001
        done.append(copy_account(here.store, there.store, account, terms, now, progress))
    return done
