"""tags and clusters: what memories share, by name and by meaning."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.page import Page, Piece
from recollect.serve.cli.verb import Verb
from recollect.serve.cli.views.words import memories

if TYPE_CHECKING:
    from recollect.values.cluster import Cluster
    from recollect.values.memory import Record

_FORMS = "[describe TAG TEXT | rename OLD NEW | merge INTO OTHER…]"


@click.command(
    "tags",
    cls=Verb,
    examples=(
        "tags",
        'tags describe deploy "how the shop gets to production"',
        "tags rename shipping deploy",
        "tags merge deploy release rollout",
    ),
)
@click.argument("words", nargs=-1, metavar=_FORMS)
@click.pass_obj
def tags(door: Door, words: tuple[str, ...]) -> None:
    """Every tag, what it means; rename or merge them.

    `describe` with an empty TEXT ('') takes a description back. `merge` puts INTO in the place of the others, on every
    memory; one `undo` takes it back.
    """
    match words:
        case ():
            _list(door)
        case ("describe", tag, text, *more):
            _describe(door, tag, " ".join((text, *more)))
        case ("rename", old, new):
            _merge(door, new, old)
        case ("merge", into, other, *more):
            _merge(door, into, other, *more)
        case _:
            raise click.UsageError(f"these words make no sense here; use `tags` or `tags {_FORMS}`")


def _list(door: Door) -> None:
    from recollect.serve.cli.views.groups import show_tags

    with door.reading() as memory:
        found = memory.tags()
    door.answer(lambda: [asdict(tag) for tag in found], lambda page: show_tags(page, found))


def _describe(door: Door, tag: str, text: str) -> None:
    said = text.strip() or None
    with door.writing() as memory:
        memory.describe_tag(tag, said)
    done = f"✓ {_named(tag)}  {said or 'no description any more'}"
    door.done(lambda: {"tag": _named(tag)[1:], "description": said}, lambda page: page.line(done))


def _merge(door: Door, into: str, *others: str) -> None:
    with door.writing() as memory:
        count = memory.merge_tags(into, *others)
    was = ", ".join(map(_named, others))
    done = f"✓ {was} → {_named(into)}  on {memories(count)}"
    door.done(lambda: {"tag": _named(into)[1:], "memories": count}, lambda page: page.line(done))


def _named(tag: str) -> str:
    return "#" + tag.strip().lstrip("#").strip().casefold()


@click.command(
    "clusters",
    cls=Verb,
    examples=("clusters", "clusters --refresh", 'clusters "deploy, release" -n 5', "clusters 12d80c8e --json"),
)
@click.argument("cluster", nargs=-1)
@click.option("--refresh", is_flag=True, help="Find them anew first.")
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="How many of its memories at most.")
@click.pass_obj
def clusters(door: Door, cluster: tuple[str, ...], refresh: bool, limit: int) -> None:
    """The groups memories fall into by meaning.

    With the name or id of a CLUSTER, its newest memories. Clusters are found anew by themselves after some recalls
    (setting: refresh_clusters), and `related` walks over them.
    """
    # They are worked out from the vectors of today: the past has none.
    with door.writing("at hand") as memory:
        found = memory.clusters(refresh=refresh)
        members = memory.members(" ".join(cluster), limit) if cluster else []
    if cluster:
        _tell_members(door, members, limit)
    else:
        _tell_clusters(door, found, refresh)


def _tell_members(door: Door, members: list[Record], limit: int) -> None:
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.memory import show_list

    def show(page: Page) -> None:
        show_list(page, members, door.now)
        if len(members) == limit:
            page.line(Piece(f"{memories(limit)} shown; --limit shows more", "dim"))

    door.answer(lambda: [memory_form(record) for record in members], show)


def _tell_clusters(door: Door, found: list[Cluster], refresh: bool) -> None:
    from recollect.serve.cli.json_form import cluster_form
    from recollect.serve.cli.views.groups import show_clusters

    door.answer(
        lambda: [cluster_form(each) for each in found],
        lambda page: show_clusters(page, found, door.now, fresh=refresh),
    )
