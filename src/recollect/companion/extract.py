"""The verb `extract`: reads transcripts and stores what their sessions give."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from recollect.capture.screen.sources import source_problem
from recollect.companion.report import ExtractionReport, SessionExtraction
from recollect.companion.sessions import extract_all
from recollect.companion.transcripts.reading import (
    TRANSCRIPT_FORMATS,
    TranscriptSource,
    is_open,
    open_transcript,
    source_name,
)
from recollect.companion.transcripts.said import Said
from recollect.errors import InvalidInput
from recollect.ports import Progress
from recollect.tiers.narratives import Narratives
from recollect.unit_of_work import UnitOfWork
from recollect.validation import clean_path, one_of
from recollect.values.judging import Summary
from recollect.values.link import MOST_LINKS


def extract(
    uow: UnitOfWork,
    source: TranscriptSource,
    *,
    session: str | None,
    form: str | None,
    dry_run: bool,
    verbatim: bool,
    narrative: bool,
    progress: Progress | None,
) -> ExtractionReport:
    """Store what the sessions of a transcript give. Messages that were read before are not read again."""
    one_of("format", form, TRANSCRIPT_FORMATS)
    _require_readable(uow, source)
    name = uow.name("session", session) or uow.name("source", _session_name(source))
    here = replace(uow, on_behalf_of="import")
    with open_transcript(source, form) as said:
        named = _renamed(said, session) if session is not None else said
        report = extract_all(here, named, name or "transcript", dry_run=dry_run, verbatim=verbatim, progress=progress)
    if dry_run or not narrative:
        return report
    return replace(report, sessions=tuple(_with_narrative(here, each) for each in report.sessions))


def _with_narrative(uow: UnitOfWork, done: SessionExtraction) -> SessionExtraction:
    """Make the brief of a session its narrative, linked with the memories that came from it."""
    text = "" if done.summary is None else brief_text(done.summary)
    if not text:
        return done
    about = list(dict.fromkeys(item.id for item in done.items if item.id is not None))
    try:
        made = Narratives(uow.runtime, uow.viewer.identity, uow.viewer.project).write(
            text, session=done.session, memories=about[:MOST_LINKS]
        )
    except InvalidInput:  # something in it was forgotten: then there is no narrative
        return done
    return replace(done, narrative=made.id)


def brief_text(summary: Summary) -> str:
    """A brief as text: what happened, then its lists."""
    lists = (
        ("Decided", summary.decisions),
        ("To do", summary.action_items),
        ("Open", summary.unresolved),
        ("Next", summary.next_questions),
    )
    told = [f"{name}: {'; '.join(texts)}" for name, texts in lists if texts]
    return "\n".join(filter(None, [summary.narrative, *told]))


def _session_name(source: TranscriptSource) -> str:
    """The name of a session that has none: that of its file."""
    if is_open(source):
        return "transcript"
    return Path(source_name(source)).name.removesuffix(".gz").rsplit(".", 1)[0] or "transcript"


def _require_readable(uow: UnitOfWork, source: TranscriptSource) -> None:
    """Refuse a file that must not be read. That git ignores it is no reason: many people keep their logs out of git."""
    if is_open(source):
        return
    path = clean_path("source", source)
    if path.is_dir():
        raise InvalidInput("source", f"{path} is a folder", "name the transcripts in it")
    problem = source_problem(os.fspath(path.absolute()), uow.runtime.gate.root)
    if problem is not None and not problem.endswith(".gitignore"):
        raise InvalidInput("source", f"{path} must not be read: {problem}", "choose another file")


def _renamed(said: Iterator[Said], session: str) -> Iterator[Said]:
    """All messages as one session, whatever the transcript calls theirs."""
    for position, each in enumerate(said):
        yield Said(session, replace(each.message, position=position))
