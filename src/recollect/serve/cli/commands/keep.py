"""remember: a text, stdin, or a file of many."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from recollect.errors import InvalidInput
from recollect.serve.cli.changed import tell_outcome
from recollect.serve.cli.door import Door
from recollect.serve.cli.drafts import read_drafts, read_text
from recollect.serve.cli.failure import REFUSED
from recollect.serve.cli.times import ahead, lifetime, past
from recollect.serve.cli.verb import Verb
from recollect.values.words import DELIVERIES, MEMORY_TYPES, PROVENANCE_KINDS, SCOPES

# The options that make up a procedure, and what they are called in one.
_PROCEDURE = {"steps": "steps", "prerequisites": "prerequisites", "warnings": "warnings", "when": "trigger"}


@click.command(
    "remember",
    cls=Verb,
    examples=(
        """remember "We deploy with make deploy" --type procedure -t deploy""",
        """remember "Answer me in German" --global --type preference""",
        """remember "Never commit .env files" --trigger 'glob:*.env'""",
        """remember "Release the shop" --when "main is green" --step "make tag" --step "make ship" """.strip(),
        """git log -1 --format=%B | recollect remember - --source observed""",
        """remember --jsonl facts.jsonl""",
    ),
)
@click.argument("content", nargs=-1)
@click.option("--type", type=click.Choice(MEMORY_TYPES), metavar="TYPE", help="fact, preference, procedure, decision …")
@click.option("-t", "--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated.")
@click.option("--global", "everywhere", is_flag=True, help="For every project, not only this one.")
@click.option("--importance", type=float, help="0 to 1.")
@click.option(
    "--scope", type=click.Choice(SCOPES), metavar="SCOPE", help="global, team, agent, project, session, task."
)
@click.option("--session", metavar="NAME", help="The session it was said in.")
@click.option("--position", type=int, metavar="N", help="Its place in that session.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--occurred-at", type=past, metavar="TIME", help="When it was said or happened.")
@click.option("--source", type=click.Choice(PROVENANCE_KINDS), metavar="KIND", help="Where it comes from.")
@click.option("--team", metavar="NAME", help="For memories of a team.")
@click.option("--task", metavar="NAME", help="For memories of a task.")
@click.option("--weight", type=float, help="0.1 to 1.")
@click.option("--confidence", type=float, help="0 to 1.")
@click.option("--trust", type=float, help="0 to 1; never more than its source deserves.")
@click.option("--ttl", type=lifetime, metavar="DURATION", help="Expire after this: 12h, 30d.")
@click.option("--expires-at", type=ahead, metavar="TIME", help="Expire then.")
@click.option("--valid-from", type=past, metavar="TIME", help="True from then on.")
@click.option("--valid-until", type=ahead, metavar="TIME", help="True until then.")
@click.option("--delivery", type=click.Choice(DELIVERIES), metavar="WAY", help="bootstrap, pinned or on_demand.")
@click.option("--messages", "message_range", type=(int, int), metavar="FIRST LAST", help="The messages behind it.")
@click.option("--file", "file_paths", multiple=True, metavar="PATH", help="A file it comes from; may be repeated.")
@click.option("--snippet", metavar="TEXT", help="The words it comes from.")
@click.option("--reason", metavar="TEXT", help="Why it is worth keeping.")
@click.option("--supersedes", metavar="ID", help="The memory it replaces.")
@click.option("--derived-from", multiple=True, metavar="ID", help="A memory it was made of; may be repeated.")
@click.option("--trigger", "triggers", multiple=True, metavar="PATTERN", help="Recall it first when this is in sight.")
@click.option("--season", metavar="LABEL", help="Worth more in this season, less outside it: release-week.")
@click.option("--step", "steps", multiple=True, metavar="TEXT", help="A step of a procedure, in order.")
@click.option(
    "--prerequisite", "prerequisites", multiple=True, metavar="TEXT", help="What must be so before its steps."
)
@click.option("--warning", "warnings", multiple=True, metavar="TEXT", help="What to beware of in it.")
@click.option("--when", metavar="TEXT", help="When the procedure applies.")
@click.option("--key", metavar="KEY", help="Store once under this key, however often it is sent.")
@click.option("--revive", is_flag=True, help="Also if it was forgotten before.")
@click.option("--verbatim", is_flag=True, help="Exactly as it is; only the secret screen applies.")
@click.option("--jsonl", metavar="FILE", help="Load many: one JSON draft a line; - is stdin.")
@click.pass_obj
def remember(
    door: Door, /, content: tuple[str, ...], everywhere: bool, verbatim: bool, jsonl: str | None, **fields: Any
) -> int:
    """Keep something: a text, stdin, or a file of many.

    CONTENT is the text; - reads it from stdin. With --step it is the name of a procedure. A trigger PATTERN is a text,
    word:TEXT, glob:PATH or re:EXPRESSION. With --jsonl, each line is a JSON object with `content` and, if wanted,
    the fields below (type, tags, project, session, occurred_at …); options given here hold for lines that do not say
    otherwise.
    """
    given = _fields(fields, everywhere, door)
    if jsonl is not None:
        if content:
            raise click.UsageError("give a text or --jsonl, not both")
        return _load(door, jsonl, given, everywhere, verbatim)
    text = read_text() if content == ("-",) else " ".join(content)
    if not content:
        raise click.UsageError("say what to remember, or give - for stdin, or --jsonl FILE")
    return _one(door, {"content": text, **given}, everywhere, verbatim)


def _fields(fields: dict[str, Any], everywhere: bool, door: Door) -> dict[str, Any]:
    given = {name: value for name, value in fields.items() if value not in (None, (), False)}
    procedure = {part: given.pop(option) for option, part in _PROCEDURE.items() if option in given}
    if procedure:
        given["procedure"] = procedure
    if not everywhere:
        return given
    if given.get("scope") not in (None, "global") or door.project:
        raise click.UsageError("--global belongs to no project and no other scope; leave one of them out")
    return {**given, "scope": "global"}


def _one(door: Door, draft: dict[str, Any], everywhere: bool, verbatim: bool) -> int:
    with door.writing("at once", anywhere=everywhere) as memory:
        (outcome,) = memory.remember_many([draft], verbatim=verbatim)
    return tell_outcome(door, outcome)


def _load(door: Door, name: str, common: dict[str, Any], everywhere: bool, verbatim: bool) -> int:
    from recollect.serve.cli.json_form import outcome_form
    from recollect.serve.cli.progress import Counting
    from recollect.serve.cli.views.outcome import show_loaded

    door.only_now()
    read = read_drafts(name, common)
    with door.writing("at once", anywhere=everywhere) as memory, Counting("remembering", quiet=door.quiet) as progress:
        try:
            outcomes = memory.remember_many(read.drafts, verbatim=verbatim, progress=progress)
        except InvalidInput as error:
            raise read.located(error) from None
    counts = Counter(outcome.kind for outcome in outcomes)
    numbered = list(zip(read.lines, outcomes, strict=True))
    door.done(
        lambda: {"counts": counts, "outcomes": [{"line": line, **outcome_form(out)} for line, out in numbered]},
        lambda page: show_loaded(page, numbered),
    )
    return REFUSED if counts["refused"] == len(outcomes) else 0
