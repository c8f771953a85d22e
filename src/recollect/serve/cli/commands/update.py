"""update, move and supersede: change memories; their history is kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.input import read_text
from recollect.serve.cli.json_output import outcome_json
from recollect.serve.cli.metadata import metadata_fields
from recollect.serve.cli.options import filter_options_without
from recollect.serve.cli.selecting import bulk_of, selecting
from recollect.serve.cli.times import duration, future_time, past_time
from recollect.serve.cli.views import print_changed, print_moved, show_outcome
from recollect.values.enums import DELIVERIES, MEMORY_TYPES, SCOPES

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext

_CLEARED: dict[str, tuple[str, Any]] = {
    "no_expiry": ("expires_at", None),
    "no_trigger": ("triggers", ()),
    "no_season": ("season", None),
}


@click.command(
    "update",
    cls=MemoryCommand,
    examples=(
        'update 3f9a1c22 --content "We deploy with make ship"',
        "update 3f9a1c22 --importance 0.9 --ttl 30d",
        "update 3f9a1c22 --trigger 'word:drop table' --no-season",
        """update --where '{"tags": "draft"}' --importance 0.2""",
        "update 3f9a1c22 --meta reviewer=ada --meta draft=",
    ),
)
@click.argument("id", required=False)
@click.option("--content", metavar="TEXT", help="The new text; - reads it from stdin.")
@click.option("--type", type=click.Choice(MEMORY_TYPES), metavar="TYPE", help="fact, preference, procedure, decision …")
@click.option("-t", "--tag", "tags", multiple=True, metavar="TAG", help="Replace all tags; may be repeated.")
@click.option("--importance", type=float, help="0 to 1.")
@click.option("--weight", type=float, help="0.1 to 1.")
@click.option("--confidence", type=float, help="0 to 1.")
@click.option("--ttl", type=duration, metavar="DURATION", help="Time to live: 12h, 30d.")
@click.option("--expires-at", type=future_time, metavar="TIME", help="When it expires.")
@click.option("--no-expiry", is_flag=True, help="Never expire.")
@click.option("--valid-from", type=past_time, metavar="TIME", help="Valid from this time.")
@click.option("--valid-until", type=future_time, metavar="TIME", help="Valid until this time.")
@click.option("--delivery", type=click.Choice(DELIVERIES), metavar="MODE", help="bootstrap, pinned or on_demand.")
@click.option("--trigger", "triggers", multiple=True, metavar="PATTERN", help="Replace all triggers; may be repeated.")
@click.option("--no-trigger", is_flag=True, help="Remove all triggers.")
@click.option("--season", metavar="LABEL", help="Ranked higher in this season, lower outside it.")
@click.option("--no-season", is_flag=True, help="Remove the season.")
@click.option(
    "--meta",
    "metadata",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a field of its metadata; without VALUE, remove it.",
)
@click.option("--replace-meta", is_flag=True, help="Drop all other metadata: keep only what --meta sets here.")
@selecting(filter_options_without("type", "tags", "metadata"))
@click.pass_obj
def update(app: AppContext, /, id: str | None, **fields: Any) -> int:
    """Change the text or fields of memories.

    A type, tags or metadata to select by are said with --where, because --type, --tag and --meta are what they are
    changed to. The text and the triggers of a memory are its own, so they are changed only by ID.
    """
    from recollect.values.outcome import Refused

    own = {name: fields.pop(name) for name in ("type", "tags", "metadata")}
    bulk = bulk_of(id, fields)
    changes = _changes({**own, **fields})
    if bulk is not None:
        return bulk.change(app, lambda found: partial(found.update, **changes))
    # Only a new text needs a new embedding.
    with app.open_for_writing("lazy" if "content" in changes else "none") as memory:
        done = memory.update(str(id), **changes)
    if isinstance(done, Refused):
        refusal = done
        app.print_answer(lambda: outcome_json(refusal), lambda out: show_outcome(out, refusal, app.now))
        return EXIT_REFUSED
    print_changed(app, "updated", done, ", ".join(name for name in changes if name != "replace_metadata"))
    return 0


def _changes(given: dict[str, Any]) -> dict[str, Any]:
    """The fields to change; an option that begins with `no` clears one."""
    cleared = {field: empty for option, (field, empty) in _CLEARED.items() if given.pop(option)}
    replaces = given.pop("replace_meta")
    changes = {name: value for name, value in given.items() if value not in (None, ())}
    if "metadata" in changes or replaces:
        changes["metadata"] = metadata_fields(changes.get("metadata", ()))
    if replaces:
        changes["replace_metadata"] = True
    if changes.get("content") == "-":
        changes["content"] = read_text()
    for field in cleared.keys() & changes.keys():
        raise click.UsageError(f"{field} is both set and cleared; omit one of the options")
    return changes | cleared


@click.command(
    "move",
    cls=MemoryCommand,
    examples=("move 3f9a1c22 --to-scope global", "move --in-project shop --to-project store --dry-run"),
)
@click.argument("id", required=False)
@click.option("--to-scope", type=click.Choice(SCOPES), metavar="SCOPE", help="The scope they shall have.")
@click.option("--to-project", metavar="NAME", help="The project.")
@click.option("--to-team", metavar="NAME", help="The team, with --to-scope team.")
@click.option("--to-user", metavar="NAME", help="The user, with --to-scope user.")
@click.option("--to-session", metavar="NAME", help="The session, with --to-scope session.")
@click.option("--to-task", metavar="NAME", help="The task, with --to-scope task.")
@selecting()
@click.pass_obj
def move(app: AppContext, /, id: str | None, **options: Any) -> int:
    """Move memories to another scope or project.

    Left where it is, and listed, is what is stored there already, or was forgotten or purged there. What a memory replaced
    moves along.
    """
    named = ((name, options.pop(f"to_{name}")) for name in ("scope", "project", "team", "user", "session", "task"))
    target = {name: value for name, value in named if value is not None}
    bulk = bulk_of(id, options)
    if bulk is not None:
        return bulk.change(app, lambda found: partial(found.move, **target), "lazy")
    with app.open_for_writing("lazy") as memory:
        return print_moved(app, "moved", memory.move(str(id), **target))


@click.command("supersede", cls=MemoryCommand, examples=("supersede 3f9a1c22 8b01d4e7",))
@click.argument("old")
@click.argument("new")
@click.pass_obj
def supersede(app: AppContext, old: str, new: str) -> None:
    """Replace one memory with another.

    NEW replaces OLD, which is kept with its history and no longer recalled.
    """
    with app.open_for_writing() as memory:
        record = memory.supersede(old, new)
    detail = f"replaces {(record.supersedes or old)[-8:]}"
    print_changed(app, "superseded", record, detail)
