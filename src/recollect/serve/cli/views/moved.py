"""What an export, an import or a copy did: counts, what was left out and why, what is to be said about it."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.serve.cli.page import Line, Page, Piece
from recollect.serve.cli.views.words import aligned, counted, memories
from recollect.values.moved import Copied, Exported, Imported

_MANY = 20
_NOUNS = {
    "document": ("document", None),
    "cluster": ("cluster", None),
    "event": ("event of the journal", "events of the journal"),
    "purged": ("purged text that stays refused", "purged texts that stay refused"),
    "access": ("line of an access log", "lines of access logs"),
    "off": ("project switched off", "projects switched off"),
}


def show_exported(page: Page, exported: Exported, where: str) -> None:
    """How much was written, and where."""
    held = exported.counts.get("memory", 0)
    page.line(f"✓ {where}  {', '.join([memories(held), *_others(exported.counts)])}")
    for gone in exported.removed[:_MANY]:
        page.line(Piece(f"  removed  {gone}", "dim"))


def show_imported(page: Page, done: Imported) -> None:
    """What became of what was read."""
    would = "would be " if done.dry_run else ""
    told = [
        (done.stored, "stored"),
        (done.updated, "updated"),
        (done.unchanged, "unchanged"),
        (done.refused, "refused"),
    ]
    told += [(done.forgotten, "forgotten")]
    some = ", ".join(f"{count:,} {would if word != 'unchanged' else ''}{word}" for count, word in told if count)
    page.line(Piece(f"✓ {some or 'nothing to take in'}", "good"))
    others = _others(done.others)
    if others:
        page.line(f"  and {', '.join(others)}")
    for left in done.left_out[:_MANY]:
        page.line(Piece("  ✗ ", "bad"), f"{left.where}  {left.reason}")
    hidden = done.refused + done.others.get("refused", 0) - len(done.left_out[:_MANY])
    if hidden > 0:
        page.line(Piece(f"  … and {hidden:,} more", "dim"))
    for missing in done.missing[:_MANY]:
        page.line(Piece("  gone  ", "warn"), missing)
    for note in done.notes:
        page.line(Piece(f"  {note}", "warn"))
    if done.operation is not None:
        page.line(Piece(f"  `recollect undo {done.operation[-8:]}` takes it back", "dim"))


def show_copied(page: Page, copied: Copied) -> None:
    """One account: how much is here and there, and whether it agrees."""
    kinds = sorted({*copied.source, *copied.target})
    rows: list[tuple[str, Line]] = [
        (kind, (f"{copied.source.get(kind, 0):,} → {copied.target.get(kind, 0):,}",)) for kind in kinds
    ]
    agrees = Piece("✓ all of it is there", "good") if copied.verified else Piece("✗ something is missing", "bad")
    page.line(Piece(f"{copied.account}  ", "strong"), agrees)
    for line in aligned(rows):
        page.line("  ", *line)
    for left in copied.imported.left_out[:_MANY]:
        page.line(Piece("  ✗ ", "bad"), f"{left.where}  {left.reason}")


def _others(counts: Mapping[str, int]) -> list[str]:
    return [counted(counts[kind], *nouns) for kind, nouns in _NOUNS.items() if counts.get(kind)]
