"""tag, untag, tags and clusters: group memories by tag and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import count_memories, one_line
from recollect.serve.cli.json_output import cluster_json, memory_json
from recollect.serve.cli.options import visit_options
from recollect.serve.cli.renderer import Renderer, Span
from recollect.serve.cli.selecting import bulk_of, selecting, split_words
from recollect.serve.cli.times import age
from recollect.serve.cli.views import print_changed, show_list

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.cluster import Cluster
    from recollect.values.memory import Record

_USAGE = "[describe TAG TEXT | rename OLD NEW | merge INTO OTHER…]"


@click.command(
    "tag", cls=MemoryCommand, examples=("tag 3f9a1c22 deploy release", "tag reviewed --type decision --since 30d")
)
@click.argument("words", nargs=-1, metavar="[ID] TAG…")
@selecting()
@click.pass_obj
def tag(app: AppContext, /, words: tuple[str, ...], **options: Any) -> int:
    """Add tags to memories."""
    wanted, tags = split_words(words, options)
    bulk = bulk_of(wanted, options)
    if bulk is not None:
        return bulk.change(app, lambda found: partial(found.tag, *tags))
    with app.open_for_writing() as memory:
        record = memory.tag(str(wanted), *tags)
    print_changed(app, "tagged", record)
    return 0


@click.command("untag", cls=MemoryCommand, examples=("untag 3f9a1c22 release", "untag release --in-project shop"))
@click.argument("words", nargs=-1, metavar="[ID] TAG…")
@selecting()
@click.pass_obj
def untag(app: AppContext, /, words: tuple[str, ...], **options: Any) -> int:
    """Remove tags from memories."""
    wanted, tags = split_words(words, options)
    bulk = bulk_of(wanted, options)
    if bulk is not None:
        return bulk.change(app, lambda found: partial(found.untag, *tags))
    with app.open_for_writing() as memory:
        record = memory.untag(str(wanted), *tags)
    print_changed(app, "untagged", record)
    return 0


@click.command(
    "tags",
    cls=MemoryCommand,
    examples=(
        "tags",
        'tags describe deploy "how the shop gets to production"',
        "tags rename shipping deploy",
        "tags merge deploy release rollout",
    ),
)
@click.argument("words", nargs=-1, metavar=_USAGE)
@visit_options
@click.pass_obj
def tags(app: AppContext, words: tuple[str, ...], session: str | None, task: str | None) -> None:
    """List, describe, rename or merge tags.

    `describe` with an empty TEXT ('') removes the description. `merge` replaces the other tags with INTO on every
    memory; one `undo` reverts it.
    """
    match words:
        case ():
            _list(app, session, task)
        case ("describe", tag, text, *more):
            _describe(app, tag, " ".join((text, *more)))
        case ("rename", old, new):
            _merge(app, new, old)
        case ("merge", into, other, *more):
            _merge(app, into, other, *more)
        case _:
            raise click.UsageError(f"unknown arguments; use `tags` or `tags {_USAGE}`")


def _list(app: AppContext, session: str | None, task: str | None) -> None:
    with app.open_view() as memory:
        found = memory.tags(session=session, task=task)
    app.print_answer(lambda: [asdict(tag) for tag in found], lambda out: show_tags(out, found))


def _describe(app: AppContext, tag: str, text: str) -> None:
    description = text.strip() or None
    with app.open_for_writing() as memory:
        memory.describe_tag(tag, description)
    done = f"✓ {_tag_label(tag)}  {description or 'description removed'}"
    app.print_change(lambda: {"tag": _tag_label(tag)[1:], "description": description}, lambda out: out.line(done))


def _merge(app: AppContext, into: str, *others: str) -> None:
    with app.open_for_writing() as memory:
        count = memory.merge_tags(into, *others)
    was = ", ".join(map(_tag_label, others))
    done = f"✓ {was} → {_tag_label(into)}  on {count_memories(count)}"
    app.print_change(lambda: {"tag": _tag_label(into)[1:], "memories": count}, lambda out: out.line(done))


def _tag_label(tag: str) -> str:
    return "#" + tag.strip().lstrip("#").strip().casefold()


@click.command(
    "clusters",
    cls=MemoryCommand,
    examples=("clusters", "clusters --refresh", 'clusters "deploy, release" -n 5', "clusters 12d80c8e --json"),
)
@click.argument("cluster", nargs=-1)
@click.option("--refresh", is_flag=True, help="Recompute them first.")
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="Maximum number of its memories.")
@click.pass_obj
def clusters(app: AppContext, cluster: tuple[str, ...], refresh: bool, limit: int) -> None:
    """List clusters of similar memories.

    With the name or id of a CLUSTER, list its newest memories. Clusters are recomputed automatically after some recalls
    (setting: refresh_clusters), and `related` follows them.
    """
    # Clusters are computed from the current vectors; past ones are not kept.
    with app.open_for_writing("offline") as memory:
        found = memory.clusters(refresh=refresh)
        members = memory.members(" ".join(cluster), limit) if cluster else []
    if cluster:
        _print_members(app, members, limit)
    else:
        _print_clusters(app, found, refresh)


def _print_members(app: AppContext, members: list[Record], limit: int) -> None:
    def show(out: Renderer) -> None:
        show_list(out, members, app.now)
        if len(members) == limit:
            out.line(Span(f"{count_memories(limit)} shown; use --limit for more", "dim"))

    app.print_answer(lambda: [memory_json(record) for record in members], show)


def _print_clusters(app: AppContext, found: list[Cluster], refresh: bool) -> None:
    app.print_answer(
        lambda: [cluster_json(each) for each in found],
        lambda out: show_clusters(out, found, app.now, fresh=refresh),
    )


class _TagInfo(Protocol):
    """The fields of a tag that are shown."""

    @property
    def name(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def description(self) -> str | None: ...


def show_tags(out: Renderer, tags: Sequence[_TagInfo]) -> None:
    """Every tag, how many memories have it, and its description."""
    if not tags:
        out.line(Span("no tags; `recollect tag` adds some", "dim"))
        return
    rows = [(Span(f"#{tag.name}", "id"), f"{tag.count:,}", one_line(tag.description or "")) for tag in tags]
    described = any(tag.description for tag in tags)
    out.table(("tag", ">memories", "description") if described else ("tag", ">memories", ""), rows)


def show_clusters(out: Renderer, clusters: Sequence[Cluster], now: datetime, *, fresh: bool) -> None:
    """Every cluster, largest first; `fresh` means they were recomputed just now."""
    if not clusters:
        why = "too few similar memories with vectors" if fresh else "`recollect clusters --refresh` computes them"
        out.line(Span(f"no clusters; {why}", "dim"))
        return
    rows = [
        (Span(each.id[-8:], "id"), f"{each.size:,}", Span(age(each.made_at, now), "dim"), one_line(each.name))
        for each in clusters
    ]
    out.table(("id", ">memories", "computed", "name"), rows)
