"""remember: store a text, stdin, or a file of drafts."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from recollect.errors import Interrupted, InvalidInput
from recollect.serve.cli.command import MemoryCommand, joined_team, set_on_app
from recollect.serve.cli.draft_lines import DraftLines, read_draft_lines
from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.formatting import count_of, excerpt, short_id
from recollect.serve.cli.input import join_text
from recollect.serve.cli.interrupts import StopBetweenBatches, report_interrupted
from recollect.serve.cli.json_output import outcome_json
from recollect.serve.cli.metadata import metadata_fields
from recollect.serve.cli.output import ItemProgress
from recollect.serve.cli.renderer import Renderer, Span
from recollect.serve.cli.times import duration, future_time, past_time
from recollect.serve.cli.transfer_views import show_imported
from recollect.serve.cli.views import OUTCOME_MARKS, print_outcome
from recollect.values.enums import DELIVERIES, JUDGE_WHEN, MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, JudgeWhen

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.outcome import Outcome
    from recollect.values.transfer import Imported

_MAX_LINES = 20
# The options that make up a procedure, and its fields.
_PROCEDURE = {"steps": "steps", "prerequisites": "prerequisites", "warnings": "warnings", "when": "trigger"}


@click.command(
    "remember",
    cls=MemoryCommand,
    examples=(
        """remember "We deploy with make deploy" --type procedure -t deploy""",
        """remember "Answer me in German" --global --type preference""",
        """remember "Never commit .env files" --trigger 'glob:*.env'""",
        """remember "Tea without milk" --user ada --meta source=survey --meta score=3""",
        """remember "Release the shop" --when "main is green" --step "make tag" --step "make ship" """.strip(),
        """git log -1 --format=%B | recollect remember - --source observed""",
        """remember --jsonl facts.jsonl""",
    ),
)
@click.argument("content", nargs=-1)
@click.option("--type", type=click.Choice(MEMORY_TYPES), metavar="TYPE", help="fact, preference, procedure, decision …")
@click.option("-t", "--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated.")
@click.option("--global", "everywhere", is_flag=True, help="Visible in every project, not only in this one.")
@click.option("--importance", type=float, help="0 to 1.")
@click.option(
    "--scope", type=click.Choice(SCOPES), metavar="SCOPE", help="global, team, agent, user, project, session or task."
)
@click.option("--session", metavar="NAME", help="The session it comes from.")
@click.option("--position", type=int, metavar="N", help="Its message number in that session.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--occurred-at", type=past_time, metavar="TIME", help="When it was said or happened.")
@click.option(
    "--source",
    type=click.Choice(PROVENANCE_KINDS),
    metavar="KIND",
    help="The kind of source: user_stated, observed, inferred …",
)
@click.option(
    "--user",
    metavar="NAME",
    expose_value=False,
    callback=set_on_app("user"),
    help="The user it is for: private to that user.",
)
@click.option("--team", metavar="NAME", callback=joined_team, help="The team, for scope team.")
@click.option("--task", metavar="NAME", help="The task, for scope task.")
@click.option("--weight", type=float, help="0.1 to 1.")
@click.option("--confidence", type=float, help="0 to 1.")
@click.option("--trust", type=float, help="0 to 1; capped by the trust of its source.")
@click.option("--ttl", type=duration, metavar="DURATION", help="Time to live: 12h, 30d.")
@click.option("--expires-at", type=future_time, metavar="TIME", help="When it expires.")
@click.option("--valid-from", type=past_time, metavar="TIME", help="Valid from this time.")
@click.option("--valid-until", type=future_time, metavar="TIME", help="Valid until this time.")
@click.option("--delivery", type=click.Choice(DELIVERIES), metavar="MODE", help="bootstrap, pinned or on_demand.")
@click.option(
    "--messages", "message_range", type=(int, int), metavar="FIRST LAST", help="The range of messages it comes from."
)
@click.option("--file", "file_paths", multiple=True, metavar="PATH", help="A file it comes from; may be repeated.")
@click.option("--snippet", metavar="TEXT", help="The passage it comes from.")
@click.option("--reason", metavar="TEXT", help="Why it is stored.")
@click.option("--supersedes", metavar="ID", help="The memory it replaces.")
@click.option("--derived-from", multiple=True, metavar="ID", help="A memory it is derived from; may be repeated.")
@click.option(
    "--trigger",
    "triggers",
    multiple=True,
    metavar="PATTERN",
    help="Recall it first when this matches; may be repeated.",
)
@click.option("--season", metavar="LABEL", help="Ranked higher in this season, lower outside it: release-week.")
@click.option("--step", "steps", multiple=True, metavar="TEXT", help="A step of a procedure, in order.")
@click.option(
    "--prerequisite",
    "prerequisites",
    multiple=True,
    metavar="TEXT",
    help="A prerequisite of its steps; may be repeated.",
)
@click.option("--warning", "warnings", multiple=True, metavar="TEXT", help="A warning about it; may be repeated.")
@click.option("--when", metavar="TEXT", help="When the procedure applies.")
@click.option("--meta", "metadata", multiple=True, metavar="KEY=VALUE", help="Data of your own: team=core, score=3.")
@click.option("--key", metavar="KEY", help="Idempotency key: repeated calls with the same key store it once.")
@click.option("--revive", is_flag=True, help="Store it even if it was forgotten before.")
@click.option(
    "--judge",
    type=click.Choice(JUDGE_WHEN),
    default="later",
    metavar="WHEN",
    help="When a configured judge looks at what the rules leave open: now, later or off.",
)
@click.option("--verbatim", is_flag=True, help="Store it unchanged: no reconciliation, only the secret screen.")
@click.option("--jsonl", metavar="FILE", help="Load many: one JSON draft per line; - reads stdin.")
@click.option("--from-line", type=click.IntRange(min=1), metavar="N", help="Go on at this line of the file.")
@click.pass_obj
def remember(
    app: AppContext,
    /,
    content: tuple[str, ...],
    everywhere: bool,
    judge: JudgeWhen,
    verbatim: bool,
    jsonl: str | None,
    from_line: int | None,
    **fields: Any,
) -> int:
    """Store a memory: a text, stdin, or a file of many.

    CONTENT is the text; - reads it from stdin. With --step it is the name of a procedure. A trigger PATTERN is a text,
    word:TEXT, glob:PATH or re:EXPRESSION. With --jsonl, each line is a JSON object with `content` and optionally
    other fields (type, tags, project, session, occurred_at …); options given here are defaults for all lines. A line may
    also be a memory as `export` or `--json` writes it: with an id or a time of its own it is imported as it is.
    """
    given = _fields(fields, everywhere, app)
    if jsonl is not None:
        if content:
            raise click.UsageError("give either a text or --jsonl, not both")
        return _store_file(app, jsonl, given, everywhere, from_line or 1, verbatim=verbatim, judge=judge)
    if not content:
        raise click.UsageError("give the text to remember, - for stdin, or --jsonl FILE")
    return _store_one(app, {"content": join_text(content), **given}, everywhere, verbatim=verbatim, judge=judge)


def _fields(fields: dict[str, Any], everywhere: bool, app: AppContext) -> dict[str, Any]:
    given = {name: value for name, value in fields.items() if value not in (None, (), False)}
    if "metadata" in given:
        given["metadata"] = metadata_fields(given["metadata"])
    procedure = {part: given.pop(option) for option, part in _PROCEDURE.items() if option in given}
    if procedure:
        given["procedure"] = procedure
    if not everywhere:
        return given
    if given.get("scope") not in (None, "global") or app.project:
        raise click.UsageError("--global excludes --project and any other --scope; omit one of them")
    return {**given, "scope": "global"}


def _store_one(app: AppContext, draft: dict[str, Any], everywhere: bool, *, verbatim: bool, judge: JudgeWhen) -> int:
    with app.open_for_writing("eager", no_project=everywhere, create=True) as memory:
        (outcome,) = memory.remember_many([draft], verbatim=verbatim, judge=judge)
    return print_outcome(app, outcome)


def _store_file(
    app: AppContext,
    name: str,
    defaults: dict[str, Any],
    everywhere: bool,
    first: int,
    *,
    verbatim: bool,
    judge: JudgeWhen,
) -> int:
    app.reject_as_of()
    read = read_draft_lines(name, defaults, first)
    if read.export is not None and (defaults or verbatim or first > 1):
        raise click.UsageError(f"{name} is an export, whose memories have their own fields; omit the other options")
    with (
        app.open_for_writing("eager", no_project=everywhere, create=True) as memory,
        ItemProgress("storing", total=len(read.lines), quiet=app.quiet) as bar,
    ):
        imported = _import_lines(app, memory, read) if read.memories or read.export else None
        try:
            with StopBetweenBatches(bar) as progress:
                outcomes = (
                    memory.remember_many(read.drafts, verbatim=verbatim, progress=progress, judge=judge)
                    if read.drafts
                    else []
                )
        except InvalidInput as error:
            raise read.with_line(error) from None
        except Interrupted as stopped:
            following = read.lines[min(stopped.done, len(read.lines) - 1)]
            return report_interrupted(stopped, "line", f"the same command with --from-line {following}")
    counts = Counter(outcome.kind for outcome in outcomes)
    numbered = list(zip(read.lines, outcomes, strict=True))
    as_json = {"counts": counts, "outcomes": [{"line": line, **outcome_json(out)} for line, out in numbered]}

    def show(out: Renderer) -> None:
        if numbered:
            _show_file(out, numbered)
        if imported is not None:
            show_imported(out, imported)

    app.print_change(lambda: as_json if imported is None else {**as_json, "imported": asdict(imported)}, show)
    refused = counts["refused"] + (imported.refused if imported else 0)
    kept = (
        len(outcomes) - counts["refused"] + (imported.stored + imported.updated + imported.unchanged if imported else 0)
    )
    return EXIT_REFUSED if refused and not kept else 0


def _import_lines(app: AppContext, memory: Memory, read: DraftLines) -> Imported:
    """Import the lines that are stored memories: with their ids, times and scores."""
    if read.export is not None:
        return memory.import_data(io.BytesIO(read.export), format="jsonl")
    given = read.as_export(app.now, app.current_project().name)
    try:
        done = memory.import_data(given, format="jsonl")
    except InvalidInput as error:
        raise InvalidInput(read.at_home(error.field), error.problem, error.fix) from None
    return replace(done, left_out=tuple(replace(one, where=read.at_home(one.where)) for one in done.left_out))


def _show_file(out: Renderer, numbered: Sequence[tuple[int, Outcome]]) -> None:
    """How many drafts had which outcome, why some were refused, and which may contradict an existing memory."""
    counts = Counter[str](outcome.kind for _, outcome in numbered)
    out.line(Span(count_of(len(numbered), "draft"), "strong"))
    for kind, (mark, tone) in OUTCOME_MARKS.items():
        if counts[kind]:
            out.line(Span(f"  {mark} {kind.ljust(10)}", tone), f"  {counts[kind]:,}")
    refused = [(line, outcome) for line, outcome in numbered if outcome.kind == "refused"]
    for line, outcome in refused[: out.room and _MAX_LINES]:
        out.line(Span(f"  line {line}", "bad"), f"  {outcome.reason}")
    if out.room and len(refused) > _MAX_LINES:
        out.line(Span(f"  … and {len(refused) - _MAX_LINES:,} more; --json shows all", "dim"))
    conflicting = [(line, outcome) for line, outcome in numbered if outcome.conflicts and outcome.memory]
    for line, conflicted in conflicting[:_MAX_LINES]:
        other = conflicted.conflicts[0].memory
        text = excerpt(other.content, 50)
        out.line(Span(f"  line {line}", "warn"), "  may contradict ", short_id(other), f"  {text}")
