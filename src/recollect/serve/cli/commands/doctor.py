"""stats, doctor, reembed and migrate: the size and health of a store, its vectors and its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.errors import EXIT_FAILURE
from recollect.serve.cli.formatting import aligned, bar, count_memories
from recollect.serve.cli.output import ItemProgress
from recollect.serve.cli.renderer import Line, Renderer, Span

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext


@click.command("stats", cls=MemoryCommand, examples=("stats", "--account acme stats --json"))
@click.pass_obj
def stats(app: AppContext) -> None:
    """Count memories by status, type, scope, project and tag."""
    with app.open_view("offline") as memory:
        found = memory.stats()
    app.print_answer(lambda: found, lambda out: show_stats(out, found))


@click.command("doctor", cls=MemoryCommand, examples=("doctor", "doctor --json"))
@click.pass_obj
def doctor(app: AppContext) -> int:
    """Check the health of the store and the embedder.

    Exits with 3 if the store is damaged.
    """
    with app.open_for_writing("lazy") as memory:
        found = memory.doctor()
    app.print_answer(lambda: found, lambda out: show_doctor(out, found))
    return 0 if found["integrity"] == "ok" and not found["orphans"] else EXIT_FAILURE


@click.command("reembed", cls=MemoryCommand, examples=("reembed",))
@click.pass_obj
def reembed(app: AppContext) -> None:
    """Embed every memory with the current model.

    Needed after a change of the embedder, or if it was not available. Can be interrupted and run again.
    """
    app.retry_fetching()
    with app.open_for_writing("lazy") as memory, ItemProgress("embedding", quiet=app.quiet) as progress:
        count = memory.reembed(progress)
    text = f"✓ {count_memories(count)} embedded" if count else "✓ every memory has a vector already"
    app.print_change(lambda: {"embedded": count}, lambda out: out.line(text))


@click.command(
    "migrate",
    cls=MemoryCommand,
    examples=(
        "--db postgresql://memory@localhost/app migrate --dry-run",
        "--db postgresql://memory@localhost/app migrate",
    ),
)
@click.option("--dry-run", is_flag=True, help="Run it in a transaction, roll back, and show the steps.")
@click.pass_obj
def migrate(app: AppContext, dry_run: bool) -> None:
    """Create or upgrade the schema of a PostgreSQL store.

    Connect as the role that owns the tables. Large accounts also get their vector index. A SQLite file is upgraded
    automatically when it is opened.
    """
    from recollect.wiring import migrate_store

    app.reject_as_of()
    done = migrate_store(app.settings().settings, dry_run=dry_run, progress=lambda what: app.note(f"migrating: {what}"))
    result = {"dry_run": dry_run, "steps": [{"step": name, "detail": detail} for name, detail in done]}
    app.print_change(lambda: result, lambda out: _show_migration(out, done, dry_run))


def _show_migration(out: Renderer, done: list[tuple[str, str]], dry_run: bool) -> None:
    for name, detail in done:
        out.line(f"{'would ' if dry_run else '✓ '}{name}: {detail}")
    if not done:
        out.line("✓ the schema is up to date")


def show_stats(out: Renderer, stats: Mapping[str, Any]) -> None:
    """Counts by status, type, scope, project and tag."""
    out.line(Span(count_memories(sum(stats["statuses"].values())), "strong"), f" of account {stats['account']}")
    for title, name in (("status", "statuses"), ("type", "types"), ("scope", "scopes"), ("project", "projects")):
        _chart(out, title, stats[name])
    _chart(out, "tag", {f"#{tag}": count for tag, count in stats["tags"].items()})
    out.line()
    rows: list[tuple[str, Line]] = [("journal", (f"{stats['events']:,} event{'' if stats['events'] == 1 else 's'}",))]
    rows += [("vectors", (f"{count:,} of {model}",)) for model, count in stats["models"].items()]
    if stats["unembedded"]:
        rows.append(("unembedded", (Span(f"{count_memories(stats['unembedded'])}; `recollect reembed`", "warn"),)))
    if stats["off"]:
        rows.append(("disabled", (Span(_projects(stats["off"]), "warn"),)))
    for line in aligned(rows):
        out.line(*line)


def _chart(out: Renderer, title: str, counts: Mapping[str, int]) -> None:
    if not counts:
        return
    out.line()
    out.line(Span(f"by {title}", "dim"))
    width, most = max(map(len, counts)), max(counts.values())
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        out.line(f"  {name.ljust(width)}  ", *bar(count / most), f"  {count:,}")


def show_doctor(out: Renderer, found: Mapping[str, Any]) -> None:
    """The state of the store, then its problems."""
    scale = found.get("calibration", {})
    rows: list[tuple[str, Line]] = [
        ("store", (str(found["path"]),)),
        ("integrity", (Span(str(found["integrity"]), "good" if found["integrity"] == "ok" else "bad"),)),
        *((name, (str(value),)) for name, value in found.get("server", {}).items()),
        ("schema", (str(found["schema"]),)),
        ("writable", ("yes" if found["writable"] else "no",)),
        ("size", (f"{_size(found['bytes'])}, index {_size(found['index_bytes'])}",)),
        ("memories", (f"{found['memories']:,}",)),
        *(("vectors", (f"{count:,} of {model}",)) for model, count in found["vectors"].items()),
        ("embedder", (str(found["embedder"] or "none (recall by words only)"),)),
        *((name, (str(found[name]),)) for name in ("reranker", "judge") if name in found),
        ("working memory", _working_memory(found["working"])),
        *((f"calibration, {name}", (str(value),)) for name, value in scale.items() if isinstance(value, str)),
    ]
    for line in aligned(rows):
        out.line(*line)
    steps = scale.get("similarity of cosine", {})
    if steps:
        out.line()
        out.line(Span("raw cosine and its calibrated similarity", "dim"))
        for cosine, similarity in steps.items():
            out.line(f"  {cosine.ljust(5)}  ", *bar(similarity), f"  {similarity:.2f}")
    out.line()
    if not found["problems"]:
        out.line(Span("✓ no problems found", "good"))
    for problem in found["problems"]:
        out.line(Span("! ", "bad"), problem)


def _working_memory(found: Mapping[str, Any]) -> Line:
    if found["problem"]:
        return (Span(str(found["place"]), "bad"),)
    return (", ".join(str(found[name]) for name in ("place", "server") if name in found),)


def _projects(names: list[str]) -> str:
    return ", ".join("every project" if name == "*" else name for name in names)


def _size(size: float) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
