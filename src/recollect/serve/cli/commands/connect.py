"""link, unlink, related and provenance: how memories hang together."""

from __future__ import annotations

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.verb import Verb
from recollect.values.words import LINK_RELATIONS

_RELATION = click.Choice(LINK_RELATIONS)


@click.command(
    "link",
    cls=Verb,
    examples=(
        "link 3f9a1c22 8b01d4e7",
        "link 3f9a1c22 8b01d4e7 --relation derived_from",
        "link 3f9a1c22 8b01d4e7 --weight 0.4",
    ),
)
@click.argument("source")
@click.argument("target")
@click.option(
    "--relation",
    type=_RELATION,
    default="relates_to",
    show_default=True,
    metavar="WORD",
    help="relates_to, supersedes, contradicts or derived_from.",
)
@click.option("--weight", type=float, default=1.0, show_default=True, help="0.01 to 1, of a link that relates.")
@click.pass_obj
def link(door: Door, source: str, target: str, relation: str, weight: float) -> None:
    """Link one memory to another.

    SOURCE relates to, contradicts, was derived from or supersedes TARGET. What is derived is trusted no more than what it
    comes from. A link that is there already gets the new weight.
    """
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.connections import show_linked

    with door.writing() as memory:
        one, other = memory.get(source), memory.get(target)
        record = memory.link(one.id, other.id, relation, weight)  # type: ignore[arg-type]
    # Two that relate already keep their link where it is, whichever way round they are named.
    ends = (other, one) if record.id == other.id else (one, other)
    door.done(lambda: memory_form(record), lambda page: show_linked(page, *ends, relation, weight))


@click.command(
    "unlink", cls=Verb, examples=("unlink 3f9a1c22 8b01d4e7", "unlink 3f9a1c22 8b01d4e7 --relation contradicts")
)
@click.argument("source")
@click.argument("target")
@click.option("--relation", type=_RELATION, metavar="WORD", help="Only links of this relation.")
@click.pass_obj
def unlink(door: Door, source: str, target: str, relation: str | None) -> None:
    """Take the links between two memories away."""
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.connections import show_unlinked

    with door.writing() as memory:
        one, other = memory.get(source), memory.get(target)
        changed = memory.unlink(one.id, other.id, relation)  # type: ignore[arg-type]
    door.done(
        lambda: [memory_form(record) for record in changed], lambda page: show_unlinked(page, one, other, relation)
    )


@click.command("related", cls=Verb, examples=("related 3f9a1c22", "related 3f9a1c22 --depth 2 -n 5 --json"))
@click.argument("id")
@click.option("--depth", type=int, default=1, show_default=True, help="How many memories away, 1 to 4.")
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="How many at most.")
@click.pass_obj
def related(door: Door, id: str, depth: int, limit: int) -> None:
    """What a memory leads to, the strongest path first.

    Over links, shared tags and clusters; each is shown with the path that leads to it.
    """
    from recollect.serve.cli.json_form import related_form
    from recollect.serve.cli.views.connections import show_related

    # The clusters belong to a model, so it has to be named.
    with door.reading("at hand") as memory:
        found = memory.related(id, depth, limit)
    door.answer(lambda: [related_form(each) for each in found], lambda page: show_related(page, found, door.now))


@click.command("provenance", cls=Verb, examples=("provenance 3f9a1c22", "provenance 3f9a1c22 --json"))
@click.argument("id")
@click.pass_obj
def provenance(door: Door, id: str) -> None:
    """Where a memory comes from, and the trust that leaves.

    Everything it was derived from, down to the session, turn, file and speaker.
    """
    from recollect.serve.cli.json_form import origin_form
    from recollect.serve.cli.views.connections import show_origin

    with door.reading() as memory:
        origin = memory.provenance(id)
    door.answer(lambda: origin_form(origin), lambda page: show_origin(page, origin, door.now))
