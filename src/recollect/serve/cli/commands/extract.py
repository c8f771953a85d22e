"""extract: store what was stated in the sessions of transcripts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from recollect.errors import Interrupted
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.formatting import count_of, excerpt
from recollect.serve.cli.interrupts import StopBetweenBatches, report_interrupted
from recollect.serve.cli.output import ItemProgress
from recollect.serve.cli.renderer import Renderer, Span, Tone

if TYPE_CHECKING:
    from recollect.companion.report import ExtractedItem, ExtractionReport, SessionExtraction
    from recollect.serve.cli.app_context import AppContext

# Listed here so that the help needs no import of the readers; a test checks that the two lists agree.
FORMATS = ("claude-code", "codex", "messages", "markdown", "chatgpt", "claude", "swe-agent")
_MARKS: dict[str, tuple[str, str, Tone]] = {
    "kept": ("✓", "kept", "good"),
    "replaced": ("↻", "replaced", "warn"),
    "merged": ("+", "known already", "dim"),
    "refused": ("✗", "refused", "bad"),
}
_LONGEST_QUOTE = 110
_MAX_SESSIONS = 50


@click.command(
    "extract",
    cls=MemoryCommand,
    examples=(
        "extract session.jsonl --dry-run",
        "extract ~/.claude/projects/shop/*.jsonl",
        "extract .specstory/history/*.md --json",
        "extract conversations.json --verbatim",
        "extract - --session standup < talk.md",
    ),
)
@click.argument("transcripts", nargs=-1, required=True, metavar="TRANSCRIPT…")
@click.option("--dry-run", is_flag=True, help="Show what would be kept and refused; store nothing.")
@click.option("--verbatim", is_flag=True, help="Also store the messages themselves, so that they can be recalled.")
@click.option("--narrative", is_flag=True, help="Also store the brief of each session as its narrative.")
@click.option("--session", metavar="NAME", help="The name of the session, if the transcript does not name it.")
@click.option(
    "--format", "format_name", type=click.Choice(FORMATS), metavar="FORM", help="The form, if it cannot be seen."
)
@click.pass_obj
def extract(
    app: AppContext,
    transcripts: tuple[str, ...],
    dry_run: bool,
    verbatim: bool,
    narrative: bool,
    session: str | None,
    format_name: str | None,
) -> int:
    """Store what was stated in the sessions of a transcript.

    TRANSCRIPT is a session of Claude Code, Codex or SWE-agent, a list of chat messages, an export of ChatGPT or Claude
    (conversations.json), a Markdown log, or - for stdin; .gz is read too. Kept are plain statements of the user that hold for
    later sessions, proposals the user agreed to, and commands that worked after an error. What was read once is not read
    again. Secrets are refused and reported, with exit code 1.
    """
    reports = []
    with (
        app.open_for_writing("lazy", create=True, dry_run=dry_run) as memory,
        ItemProgress("reading", quiet=app.quiet) as bar,
        StopBetweenBatches(bar) as progress,
    ):
        try:
            for each in transcripts:
                source = sys.stdin.buffer if each == "-" else each
                reports.append(
                    memory.extract(
                        source,
                        session=session,
                        dry_run=dry_run,
                        format=format_name,
                        verbatim=verbatim,
                        narrative=narrative,
                        progress=progress,
                    )
                )
        except Interrupted as stopped:
            return report_interrupted(stopped, "message", "the same command; what was read is not read again")
    app.print_change(lambda: _to_json(transcripts, reports), lambda out: _show(out, transcripts, reports))
    return EXIT_REFUSED if any(report.counts["refused"] for report in reports) else 0


def _to_json(names: Sequence[str], reports: Sequence[ExtractionReport]) -> list[dict[str, Any]]:
    return [
        {
            "transcript": name,
            "dry_run": report.dry_run,
            "operation": report.operation,
            "counts": dict(report.counts),
            "sessions": [asdict(session) for session in report.sessions],
        }
        for name, report in zip(names, reports, strict=True)
    ]


def _show(out: Renderer, names: Sequence[str], reports: Sequence[ExtractionReport]) -> None:
    """Each transcript with its sessions, then the totals."""
    total = Counter[str]()
    for name, report in zip(names, reports, strict=True):
        total.update(report.counts)
        out.line()
        out.line(Span(name, "strong"), f"  {_totals(report.counts)}")
        told = [session for session in report.sessions if session.items]
        for session in told[: out.room and _MAX_SESSIONS]:
            _show_session(out, session)
        if out.room and len(told) > _MAX_SESSIONS:
            out.line(Span(f"  … and {len(told) - _MAX_SESSIONS:,} more sessions; --json shows all", "dim"))
        for reason, count in _skipped(report).most_common():
            out.line(Span(f"  · {count_of(count, 'message')} skipped: {reason}", "dim"))
        if report.operation is not None:
            out.line(Span(f"  recollect undo {report.operation} takes it back", "dim"))
    out.line()
    dry_run = any(report.dry_run for report in reports)
    out.line(Span("dry run" if dry_run else "total", "strong"), f"  {_totals(total)}")
    if dry_run:
        out.line(Span("nothing was changed; omit --dry-run to store", "dim"))


def _show_session(out: Renderer, session: SessionExtraction) -> None:
    out.line(f"  {session.session}  ", Span(f"{count_of(session.new, 'new message')} of {session.messages:,}", "dim"))
    for item in session.items:
        mark, _, tone = _MARKS[item.outcome]
        out.line(
            Span(f"    {mark} {_place(item)} {item.type}", tone),
            "  ",
            excerpt(item.text, _LONGEST_QUOTE),
            Span(f"  ({item.reason or item.cue})", "dim"),
        )


def _place(item: ExtractedItem) -> str:
    first, last = item.message_range
    return str(first) if first == last else f"{first}–{last}"


def _skipped(report: ExtractionReport) -> Counter[str]:
    found = Counter[str]()
    for session in report.sessions:
        found.update(session.skipped)
    return found


def _totals(counts: Counter[str] | Any) -> str:
    parts = [f"{counts[outcome]:,} {name}" for outcome, (_, name, _) in _MARKS.items() if counts[outcome]]
    if counts["turns"]:
        parts.append(f"{count_of(counts['turns'], 'message')} stored")
    return ", ".join(parts) or "nothing to keep"
