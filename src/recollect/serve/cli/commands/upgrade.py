"""migrate: the schema of a database is made or brought up to date, and large accounts get their vector index."""

from __future__ import annotations

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.page import Page
from recollect.serve.cli.verb import Verb


@click.command(
    "migrate",
    cls=Verb,
    examples=(
        "--db postgresql://memory@localhost/app migrate --dry-run",
        "--db postgresql://memory@localhost/app migrate",
    ),
)
@click.option("--dry-run", is_flag=True, help="Try it, take it back, and say what would be done.")
@click.pass_obj
def migrate(door: Door, dry_run: bool) -> None:
    """Make the tables of a PostgreSQL store, or bring them up to date.

    Log in as the role that is to own them. A file upgrades itself when it is opened.
    """
    from recollect.wiring import migrate_store

    door.only_now()
    done = migrate_store(
        door.settings().settings, dry_run=dry_run, progress=lambda what: door.note(f"migrating: {what}")
    )
    form = {"dry_run": dry_run, "steps": [{"step": name, "detail": detail} for name, detail in done]}
    door.done(lambda: form, lambda page: _show(page, done, dry_run))


def _show(page: Page, done: list[tuple[str, str]], dry_run: bool) -> None:
    for name, detail in done:
        page.line(f"{'would ' if dry_run else '✓ '}{name}: {detail}")
    if not done:
        page.line("✓ the database is up to date")
