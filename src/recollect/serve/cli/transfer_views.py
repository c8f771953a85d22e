"""Views of what was exported, imported and copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recollect.serve.cli.formatting import aligned, count_memories, count_of, excerpt
from recollect.serve.cli.renderer import Line, Renderer, Span

if TYPE_CHECKING:
    from recollect.values.transfer import Copied, Exported, Imported

_MAX_LINES = 20
_LONGEST_QUOTE = 100
_NOUNS = {
    "document": ("document", None),
    "cluster": ("cluster", None),
    "event": ("journal event", "journal events"),
    "purged": ("tombstone of a purged text", "tombstones of purged texts"),
    "access": ("access log entry", "access log entries"),
    "off": ("disabled project", "disabled projects"),
}


def show_exported(out: Renderer, exported: Exported, where: str) -> None:
    """What was written, and where."""
    count = exported.counts.get("memory", 0)
    out.line(f"✓ {where}  {', '.join([count_memories(count), *_other_counts(exported.counts)])}")
    for gone in exported.removed[:_MAX_LINES]:
        out.line(Span(f"  removed  {gone}", "dim"))
    if exported.left_out:
        passed = count_memories(sum(exported.left_out.values()))
        out.line(Span(f"  without {passed} of sessions and tasks: --everything, --session or --task adds them", "warn"))


def show_imported(out: Renderer, done: Imported) -> None:
    """What was stored, updated, refused and forgotten."""
    would = "would be " if done.dry_run else ""
    totals = [
        (done.stored, "stored"),
        (done.updated, "updated"),
        (done.unchanged, "unchanged"),
        (done.refused, "refused"),
    ]
    totals += [(done.forgotten, "forgotten")]
    some = ", ".join(f"{count:,} {would if word != 'unchanged' else ''}{word}" for count, word in totals if count)
    out.line(Span(f"{'!' if done.refused else '✓'} {some or 'nothing to import'}", "warn" if done.refused else "good"))
    others = _other_counts(done.others)
    if others:
        out.line(f"  and {', '.join(others)}")
    for left in done.left_out[:_MAX_LINES]:
        out.line(Span("  ✗ ", "bad"), f"{left.where}  {left.reason}")
        if left.text:
            out.line(Span(f"    {excerpt(left.text, _LONGEST_QUOTE)}", "dim"))
    hidden = done.refused + done.others.get("refused", 0) - len(done.left_out[:_MAX_LINES])
    if hidden > 0:
        out.line(Span(f"  … and {hidden:,} more", "dim"))
    for missing in done.missing[:_MAX_LINES]:
        out.line(Span("  missing  ", "warn"), missing)
    for note in done.notes:
        out.line(Span(f"  {note}", "warn"))
    if done.operation is not None:
        out.line(Span(f"  `recollect undo {done.operation[-8:]}` reverts it", "dim"))


def show_copied(out: Renderer, copied: Copied) -> None:
    """One account: the counts in both stores, and whether they agree."""
    kinds = sorted({*copied.source, *copied.target})
    rows: list[tuple[str, Line]] = [
        (kind, (f"{copied.source.get(kind, 0):,} → {copied.target.get(kind, 0):,}",)) for kind in kinds
    ]
    agrees = Span("✓ complete", "good") if copied.verified else Span("✗ incomplete", "bad")
    out.line(Span(f"{copied.account}  ", "strong"), agrees)
    for line in aligned(rows):
        out.line("  ", *line)
    for left in copied.imported.left_out[:_MAX_LINES]:
        out.line(Span("  ✗ ", "bad"), f"{left.where}  {left.reason}")


def _other_counts(counts: Mapping[str, int]) -> list[str]:
    return [count_of(counts[kind], *nouns) for kind, nouns in _NOUNS.items() if counts.get(kind)]
