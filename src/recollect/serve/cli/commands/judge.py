"""reinforce, demote, feedback and confirm: how useful memories were."""

from __future__ import annotations

import click

from recollect.serve.cli.changed import tell_changed
from recollect.serve.cli.door import Door
from recollect.serve.cli.page import Page
from recollect.serve.cli.verb import Verb


@click.command("reinforce", cls=Verb, examples=("reinforce 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def reinforce(door: Door, id: str) -> None:
    """This memory was useful: +3."""
    with door.writing() as memory:
        record = memory.reinforce(id)
    tell_changed(door, "reinforced", record, f"score {record.score:+d}")


@click.command("demote", cls=Verb, examples=("demote 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def demote(door: Door, id: str) -> None:
    """This memory was irrelevant or stale: -1."""
    with door.writing() as memory:
        record = memory.demote(id)
    tell_changed(door, "demoted", record, f"score {record.score:+d}")


@click.command(
    "feedback", cls=Verb, examples=("feedback 3f9a1c22 --helpful", "feedback 3f9a1c22 8b01d4e7 --unhelpful --json")
)
@click.argument("ids", nargs=-1, required=True)
@click.option("--helpful/--unhelpful", default=None, help="Whether it helped.")
@click.pass_obj
def feedback(door: Door, ids: tuple[str, ...], helpful: bool | None) -> None:
    """Say whether recalled memories helped.

    As JSON, one memory is an object, several are a list.
    """
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.memory import show_changed

    if helpful is None:
        raise click.UsageError("say whether it helped: --helpful or --unhelpful")
    with door.writing() as memory:
        # All of them are known before the first is changed.
        wanted = dict.fromkeys(memory.get(each).id for each in ids)
        records = [memory.feedback(each, helpful) for each in wanted]
    forms = [memory_form(record) for record in records]

    def show(page: Page) -> None:
        for record in records:
            detail = f"confidence {record.confidence:.2f}, strength {record.strength}"
            show_changed(page, "helpful" if helpful else "unhelpful", record, door.now, detail)

    door.done(lambda: forms[0] if len(ids) == 1 else forms, show)


@click.command(
    "confirm",
    cls=Verb,
    examples=("confirm 3f9a1c22 8b01d4e7", 'confirm 3f9a1c22 --rejected 8b01d4e7 --query "how do we ship?"'),
)
@click.argument("ids", nargs=-1)
@click.option("--rejected", multiple=True, metavar="ID", help="One that did not help; may be repeated.")
@click.option("--query", metavar="TEXT", help="The question: a word of it may become a tag they share.")
@click.pass_obj
def confirm(door: Door, ids: tuple[str, ...], rejected: tuple[str, ...], query: str | None) -> None:
    """These hits of one recall helped, those did not.

    Confidence moves up or down a little, and the ones that helped are linked with each other.
    """
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.beliefs import show_confirmed

    with door.writing("at hand") as memory:
        bad = {memory.get(each).id for each in rejected}
        records = memory.confirm(*ids, rejected=rejected, query=query)
    helped, others = ([record for record in records if (record.id in bad) is side] for side in (False, True))
    door.done(
        lambda: [memory_form(record) for record in records],
        lambda page: show_confirmed(page, helped, others),
    )
