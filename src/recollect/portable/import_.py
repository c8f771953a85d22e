"""The verbs `import_data` (what `export` wrote) and `import_from` (memory files in Markdown, stores of other products)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from recollect.capture.screen.sources import source_problem
from recollect.errors import InvalidInput
from recollect.portable import jsonl
from recollect.portable.drafts import MEMORY_FILES, IngestReport
from recollect.portable.files import FORMATS, Location, format_of, open_for_reading
from recollect.portable.importer import import_items
from recollect.portable.importers import PRODUCTS, STORED, product_of, read_product, read_stored
from recollect.portable.importers.common import is_sqlite
from recollect.portable.importers.tables import is_url
from recollect.portable.ingest import IngestRun
from recollect.portable.markdown.folder_import import FolderImport, open_pages
from recollect.portable.memory_files.reader import read_batches
from recollect.portable.permissions import TransferPermissions
from recollect.portable.store_import import import_stores
from recollect.ports import Progress
from recollect.unit_of_work import UnitOfWork, flush
from recollect.validation import clean_path, one_of, require_one_of
from recollect.values.transfer import Imported


def import_data(
    uow: UnitOfWork,
    source: Location,
    format: str | None,
    account: str | None,
    progress: Progress | None,
    *,
    everything: bool,
    dry_run: bool,
    prune: bool,
) -> Imported:
    """Import what `export` wrote."""
    one_of("format", format, FORMATS)
    form = format or format_of(source)
    if form == "csv":
        raise InvalidInput("format", "a CSV file has too little in it to be imported", "export JSON lines or Markdown")
    if prune and form != "markdown":
        raise InvalidInput("prune", "is for a folder or an archive of Markdown", "leave it out")
    if isinstance(source, str | os.PathLike) and (path := Path(source)).is_file() and is_sqlite(path):
        product = product_of(path)
        fix = f"use import_from({product!r}, …)" if product else "`copy` copies a store of recollect"
        raise InvalidInput("source", f"is a database{f' of {product}' if product else ''}, not an export", fix)
    identity = replace(uow.viewer.identity, account=account or uow.viewer.account)
    permissions = TransferPermissions(uow, identity, everything)
    policy = permissions.import_policy()
    if uow.runtime.store.writable:
        flush(uow.runtime)
    if form == "markdown":
        return FolderImport(permissions, policy, open_pages(source), dry_run=dry_run, prune=prune).run()
    with open_for_reading(source) as (file, fingerprint):
        items = jsonl.read_items(file, identity.account)
        store = uow.runtime.store
        return import_items(store, items, policy, stream_id=fingerprint, dry_run=dry_run, progress=progress)


def import_from(
    uow: UnitOfWork,
    product: str,
    paths: Sequence[str | Path],
    only: str | None,
    progress: Progress | None,
    *,
    dry_run: bool,
) -> IngestReport:
    """Import another product's memories from its files. All of them are read before anything is stored."""
    require_one_of("product", product, (MEMORY_FILES, *PRODUCTS))
    if not paths:
        raise InvalidInput("paths", "are missing", "name a file or a folder")
    if product in STORED:
        places = [path if is_url(path) else clean_path("paths", path).expanduser() for path in paths]
        sources = [read_stored(product, place, only) for place in places]
        return import_stores(replace(uow, on_behalf_of="import"), product, sources, progress, dry_run=dry_run)
    paths = [clean_path("paths", path) for path in paths]
    if product == MEMORY_FILES:
        if only is not None:
            raise InvalidInput("only", "memory files do not belong to a user or an agent", "leave it out")
        batches = list(read_batches(paths, lambda path: _unreadable_reason(uow, path)))
    else:
        batches = [batch for path in paths for batch in read_product(product, Path(path).expanduser(), only)]
    return IngestRun(replace(uow, on_behalf_of="import"), dry_run=dry_run).run(batches, progress)


def _unreadable_reason(uow: UnitOfWork, path: Path) -> str | None:
    """Why a file must not be read. That git ignores it is no reason: many people keep their notes out of git."""
    problem = source_problem(str(path.absolute()), uow.runtime.gate.root)
    return None if problem is None or problem.endswith(".gitignore") else problem
