"""update and supersede: what is believed changes; the history stays."""

from __future__ import annotations

from typing import Any

import click

from recollect.serve.cli.changed import tell_changed
from recollect.serve.cli.door import Door
from recollect.serve.cli.drafts import read_text
from recollect.serve.cli.failure import REFUSED
from recollect.serve.cli.times import ahead, lifetime, past
from recollect.serve.cli.verb import Verb
from recollect.values.words import DELIVERIES, MEMORY_TYPES

_EMPTIED: dict[str, tuple[str, Any]] = {
    "no_expiry": ("expires_at", None),
    "no_trigger": ("triggers", ()),
    "no_season": ("season", None),
}


@click.command(
    "update",
    cls=Verb,
    examples=(
        'update 3f9a1c22 --content "We deploy with make ship"',
        "update 3f9a1c22 --importance 0.9 --ttl 30d",
        "update 3f9a1c22 --trigger 'word:drop table' --no-season",
    ),
)
@click.argument("id")
@click.option("--content", metavar="TEXT", help="The new text; - reads it from stdin.")
@click.option("--type", type=click.Choice(MEMORY_TYPES), metavar="TYPE", help="fact, preference, procedure, decision …")
@click.option("-t", "--tag", "tags", multiple=True, metavar="TAG", help="All its tags from now on; may be repeated.")
@click.option("--importance", type=float, help="0 to 1.")
@click.option("--weight", type=float, help="0.1 to 1.")
@click.option("--confidence", type=float, help="0 to 1.")
@click.option("--ttl", type=lifetime, metavar="DURATION", help="Expire after this: 12h, 30d.")
@click.option("--expires-at", type=ahead, metavar="TIME", help="Expire then.")
@click.option("--no-expiry", is_flag=True, help="Never expire.")
@click.option("--valid-from", type=past, metavar="TIME", help="True from then on.")
@click.option("--valid-until", type=ahead, metavar="TIME", help="True until then.")
@click.option("--delivery", type=click.Choice(DELIVERIES), metavar="WAY", help="bootstrap, pinned or on_demand.")
@click.option("--trigger", "triggers", multiple=True, metavar="PATTERN", help="All its triggers from now on.")
@click.option("--no-trigger", is_flag=True, help="No triggers any more.")
@click.option("--season", metavar="LABEL", help="Worth more in this season, less outside it.")
@click.option("--no-season", is_flag=True, help="Worth recalling all year.")
@click.pass_obj
def update(door: Door, /, id: str, **fields: Any) -> int:
    """Change the text or fields of a memory."""
    from recollect.serve.cli.json_form import outcome_form
    from recollect.serve.cli.views.outcome import show_outcome
    from recollect.values.outcome import Refused

    changes = _changes(fields)
    # Only a new text needs a new vector.
    with door.writing("as set" if "content" in changes else "none") as memory:
        done = memory.update(id, **changes)
    if isinstance(done, Refused):
        refusal = done
        door.answer(lambda: outcome_form(refusal), lambda page: show_outcome(page, refusal, door.now))
        return REFUSED
    tell_changed(door, "updated", done, ", ".join(changes))
    return 0


def _changes(given: dict[str, Any]) -> dict[str, Any]:
    """The fields to change; an option that begins with `no` empties one."""
    emptied = {field: empty for option, (field, empty) in _EMPTIED.items() if given.pop(option)}
    changes = {name: value for name, value in given.items() if value not in (None, ())}
    if changes.get("content") == "-":
        changes["content"] = read_text()
    for field in emptied.keys() & changes.keys():
        raise click.UsageError(f"{field} is both set and emptied; leave one of the options out")
    return changes | emptied


@click.command("supersede", cls=Verb, examples=("supersede 3f9a1c22 8b01d4e7",))
@click.argument("old")
@click.argument("new")
@click.pass_obj
def supersede(door: Door, old: str, new: str) -> None:
    """Let one memory replace another.

    NEW takes the place of OLD, which is kept with its history and no longer recalled.
    """
    with door.writing() as memory:
        record = memory.supersede(old, new)
    detail = f"replaces {(record.supersedes or old)[-8:]}"
    tell_changed(door, "superseded", record, detail)
