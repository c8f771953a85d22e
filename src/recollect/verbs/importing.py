"""The ways in for what people already have: memory files in Markdown, and the stores of other products."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.capture.fields import one_of
from recollect.errors import InvalidInput
from recollect.ports import Progress
from recollect.verbs.view import View

if TYPE_CHECKING:
    from recollect.portable.incoming import Report


class ImportingVerbs(View):
    """Verbs that bring memories in from elsewhere, through the same screen as anything new."""

    def import_from(
        self,
        product: str,
        *paths: str | Path,
        only: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Report:
        """Bring in another product's memories from its files; a second run adds only what changed.

        `memory-files` are MEMORY.md, memory/*.md and CLAUDE.md, in a folder or packed as .zip, .tar, .tar.gz or .tgz. `only` takes
        what belongs to one user, agent or namespace.
        """
        from recollect.portable.importers import PRODUCTS, read
        from recollect.portable.incoming import MEMORY_FILES
        from recollect.portable.memory_files.drafts import batches_of
        from recollect.verbs.arrivals import Arrivals

        one_of("product", product, (MEMORY_FILES, *PRODUCTS))
        if not paths:
            raise InvalidInput("paths", "are missing", "name a file or a folder")
        self._handle.awake(self._viewer.project)
        if product == MEMORY_FILES:
            if only is not None:
                raise InvalidInput("only", "memory files belong to nobody in particular", "leave it out")
            batches = list(batches_of(paths, self._closed))
        else:
            batches = [batch for path in paths for batch in read(product, Path(path).expanduser(), only)]
        return Arrivals(self._handle, dry_run=dry_run).take(batches, progress)

    def _closed(self, place: Path) -> str | None:
        """Why a file must not be read. That git ignores it is no reason: many keep their notes out of git."""
        from recollect.capture.screen.sources import source_problem

        problem = source_problem(str(place.absolute()), self._parts.vetting.root)
        return None if problem is None or problem.endswith(".gitignore") else problem
