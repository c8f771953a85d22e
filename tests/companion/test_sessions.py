"""Sessions are stored once, through the write path, and one undo takes back what an extraction stored."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import recollect
from recollect import Memory
from recollect.companion.report import ExtractionReport
from recollect.companion.sessions import extract_session, unread_sessions
from recollect.companion.watermark import note_name
from recollect.errors import InvalidInput
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.values.conversation import Message

TOKEN = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
TALK = ["My name is Oskar.", "fix the test", "We use pnpm, not npm.", "ok"]


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder) -> Iterator[Memory]:
    with recollect.open(tmp_path / "memory.db", embedder=embedder, clock=clock, project="shop") as opened:
        yield opened


def transcript(*said: str, session: str = "s1") -> io.BytesIO:
    """A session of Claude Code: the user, and an answer to each message."""
    lines = []
    for text in said:
        for role, content in (("user", text), ("assistant", "Done.")):
            message = {"role": role, "content": content}
            entry = {"type": role, "sessionId": session, "timestamp": "2026-03-04T05:06:07Z", "message": message}
            lines.append(json.dumps(entry))
    return io.BytesIO("\n".join(lines).encode())


def contents(memory: Memory) -> list[str]:
    return sorted(each.content for each in memory.list())


def outcomes(report: ExtractionReport) -> list[tuple[str, str]]:
    return [(item.outcome, item.text) for session in report.sessions for item in session.items]


def test_what_was_stated_is_stored_with_where_it_comes_from(memory: Memory) -> None:
    report = memory.extract(transcript(*TALK))
    assert contents(memory) == ["My name is Oskar.", "We use pnpm, not npm."]
    assert report.counts["kept"] == 2
    (stored,) = (each for each in memory.list() if "pnpm" in each.content)
    origin = stored.provenance
    assert (origin.kind, origin.session, origin.message_range, origin.speaker) == ("user_stated", "s1", (4, 4), "user")
    assert origin.snippet == "We use pnpm, not npm."
    assert origin.occurred_at is not None
    assert stored.project == "shop"
    assert stored.trust == 1.0
    assert "javascript" in stored.tags


def test_every_kept_memory_points_at_its_message(memory: Memory) -> None:
    memory.extract(transcript(*TALK))
    for stored in memory.list():
        first, last = stored.provenance.message_range or (-1, -1)
        assert first == last
        assert stored.content in TALK[first // 2]


def test_twice_adds_nothing(memory: Memory) -> None:
    memory.extract(transcript(*TALK))
    before = [(each.id, each.strength, each.updated_at) for each in memory.list()]
    again = memory.extract(transcript(*TALK))
    assert [(each.id, each.strength, each.updated_at) for each in memory.list()] == before
    assert (again.sessions[0].new, outcomes(again), again.operation) == (0, [], None)


def test_of_a_longer_transcript_only_the_new_messages_are_read(memory: Memory) -> None:
    memory.extract(transcript(*TALK))
    report = memory.extract(transcript(*TALK, "I prefer tabs over spaces."))
    assert outcomes(report) == [("kept", "I prefer tabs over spaces.")]
    assert (report.sessions[0].messages, report.sessions[0].new) == (10, 2)


def test_a_session_that_goes_on_is_understood(memory: Memory) -> None:
    """What the assistant proposed before the watermark is known after it."""
    asked = [Message("user", "hi", 0), Message("assistant", "Should I always run the linter before a commit?", 1)]
    extract_session(memory._uow, asked, "s1")
    report = extract_session(memory._uow, [*asked, Message("user", "yes", 2)], "s1")
    assert [item.text for item in report.items] == ["Always run the linter before a commit"]


def test_of_a_changed_transcript_what_it_gave_before_is_not_stored_again(memory: Memory) -> None:
    memory.extract(transcript(*TALK))
    stored = memory.list()
    for each in stored:
        memory.forget(each.id)
        memory.restore(each.id)
    before = [(each.id, each.strength) for each in memory.list()]
    report = memory.extract(transcript("hello there", *TALK, "I prefer tabs over spaces."))
    assert outcomes(report) == [("kept", "I prefer tabs over spaces.")]
    assert [(each.id, each.strength) for each in memory.list()][-2:] == before


def test_one_undo_takes_it_back_and_then_it_can_be_read_again(memory: Memory, clock: FixedClock) -> None:
    memory.remember("The harbour closes at nine")
    clock.advance(timedelta(minutes=1))
    report = memory.extract(
        io.BytesIO(transcript(*TALK).getvalue() + b"\n" + transcript(*TALK[:1], session="s2").getvalue())
    )
    assert len(report.sessions) == 2
    assert report.operation is not None
    memory.undo(report.operation)
    assert contents(memory) == ["The harbour closes at nine"]
    again = memory.extract(transcript(*TALK))
    assert again.counts["kept"] == 2


def test_an_extraction_is_not_the_last_operation_of_a_person(memory: Memory) -> None:
    memory.remember("The harbour closes at nine")
    memory.extract(transcript(*TALK))
    assert {event.origin for event in memory.log()} == {"person", "import"}
    memory.undo()
    assert contents(memory) == ["My name is Oskar.", "We use pnpm, not npm."]


def test_the_watermark_is_written_with_the_memories(memory: Memory) -> None:
    """One transaction: a crash cannot store the one without the other."""
    memory.extract(transcript(*TALK))
    seqs = [event.seq for event in memory.log()]
    assert len(seqs) == 2
    assert len({event.operation for event in memory.log()}) == 1
    store = memory._runtime.store
    with store.view() as reader:
        assert reader.note(note_name(memory._viewer, "s1"), memory._viewer.account) is not None


def test_a_watermark_says_nothing_of_the_texts(memory: Memory) -> None:
    memory.extract(transcript("My name is Oskar.", session="the secret talk"))
    with memory._runtime.store.view() as reader:
        note = reader.note(note_name(memory._viewer, "the secret talk"), memory._viewer.account)
    assert note is not None
    assert "Oskar" not in note
    assert "secret" not in note


def test_a_secret_is_refused_and_masked(memory: Memory) -> None:
    report = memory.extract(transcript(f"Remember that the token is {TOKEN}."))
    ((outcome, text),) = outcomes(report)
    assert outcome == "refused"
    assert TOKEN not in text
    assert TOKEN not in str(report)
    assert contents(memory) == []


def test_what_was_forgotten_does_not_come_back(memory: Memory) -> None:
    memory.forget(memory.remember("We use pnpm, not npm.").memory.id)  # type: ignore[union-attr]
    report = memory.extract(transcript(*TALK))
    assert ("refused", "We use pnpm, not npm.") in outcomes(report)
    assert contents(memory) == ["My name is Oskar."]


def test_what_is_known_is_strengthened_not_doubled(memory: Memory) -> None:
    memory.remember("We use pnpm, not npm.")
    report = memory.extract(transcript(*TALK))
    assert report.counts == {"kept": 1, "replaced": 0, "merged": 1, "refused": 0, "turns": 0}


def test_a_dry_run_stores_nothing_and_tells_what_would_happen(memory: Memory) -> None:
    memory.remember("My name is Oskar.")
    memory.forget(memory.remember("I prefer tabs over spaces.").memory.id)  # type: ignore[union-attr]
    said = [*TALK, "I prefer tabs over spaces.", f"Remember that the token is {TOKEN}."]
    report = memory.extract(transcript(*said), dry_run=True)
    assert [outcome for outcome, _ in outcomes(report)] == ["merged", "kept", "refused", "refused"]
    assert report.operation is None
    assert contents(memory) == ["My name is Oskar."]
    stored = memory.extract(transcript(*said))
    assert [outcome for outcome, _ in outcomes(stored)] == [outcome for outcome, _ in outcomes(report)]


def test_verbatim_stores_the_messages_too_and_once(memory: Memory) -> None:
    report = memory.extract(transcript(*TALK), verbatim=True)
    assert (report.counts["kept"], report.counts["turns"]) == (2, 8)
    assert memory.extract(transcript(*TALK), verbatim=True).counts["turns"] == 0
    more = memory.extract(transcript(*TALK, "and the footer"), verbatim=True)
    assert more.counts["turns"] == 2
    turns = [each for each in memory.list(session="s1") if each.provenance.position is not None]
    assert sorted(each.provenance.position or 0 for each in turns) == list(range(10))
    assert "fix the test" in [hit.memory.content for hit in memory.recall("fix the test")]


def test_what_programs_add_is_not_stored_verbatim(memory: Memory) -> None:
    command = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    said = [
        Message("user", command, 0),
        Message("user", "## Context\n\nReview it.", 1),
        Message("assistant", "Reviewed.", 2),
        Message("user", "<recalled-memories-1f>\nWe use pnpm.\n</recalled-memories-1f>\nthanks for that", 3),
        Message("user", "<system-reminder>be brief</system-reminder>", 4),
        Message("assistant", "make test", 5, tool="Bash"),
        Message("tool", "ok", 6, tool="Bash"),
    ]
    extract_session(memory._uow, said, "s1", verbatim=True)
    assert contents(memory) == ["Reviewed.", "thanks for that"]


def test_many_messages_are_stored_verbatim_later(memory: Memory) -> None:
    said = [f"fix test {number}" for number in range(700)]
    memory.extract(transcript(*said))
    assert memory.extract(transcript(*said), verbatim=True).counts["turns"] == 1400
    assert memory.extract(transcript(*said), verbatim=True).counts["turns"] == 0


def test_sessions_that_were_not_read_to_their_end_are_found(memory: Memory) -> None:
    memory.extract(transcript(*TALK))
    assert unread_sessions(memory._uow, {"s1": 8, "s2": 1}) == ["s2"]
    assert unread_sessions(memory._uow, {"s1": 9, "s2": 0}) == ["s1"]


def test_on_a_server_too(fresh_database: str, embedder: HashingEmbedder) -> None:
    with recollect.open(fresh_database, embedder=embedder) as memory:
        report = memory.extract(transcript(*TALK), verbatim=True)
        assert (report.counts["kept"], report.counts["turns"]) == (2, 8)
        assert memory.extract(transcript(*TALK), verbatim=True).sessions[0].new == 0
        assert report.operation is not None
        memory.undo(report.operation)
        assert memory.extract(transcript(*TALK)).counts["kept"] == 2


def test_messages_can_be_stored_verbatim_later(memory: Memory) -> None:
    memory.extract(transcript(*TALK))
    report = memory.extract(transcript(*TALK), verbatim=True)
    assert report.counts == {"kept": 0, "replaced": 0, "merged": 0, "refused": 0, "turns": 8}


def test_sessions_of_one_file_may_be_interleaved(memory: Memory) -> None:
    one, two = (
        transcript("My name is Oskar.", "We use pnpm, not npm."),
        transcript("I prefer tabs over spaces.", session="s2"),
    )
    lines = one.getvalue().split(b"\n")
    mixed = b"\n".join([*lines[:2], *two.getvalue().split(b"\n"), *lines[2:]])
    report = memory.extract(io.BytesIO(mixed))
    assert {(each.session, each.messages) for each in report.sessions} == {("s1", 4), ("s2", 2)}
    assert report.counts["kept"] == 3


def test_many_statements_are_stored_page_by_page(memory: Memory) -> None:
    said = [f"Remember that depot {number} opens at gate {number * 7}." for number in range(230)]
    report = memory.extract(transcript(*said))
    assert sum(report.counts[each] for each in ("kept", "merged", "replaced")) == 230
    assert memory.extract(transcript(*said)).sessions[0].new == 0


def test_two_users_have_their_own_watermarks(memory: Memory) -> None:
    ada, eve = memory.with_identity(user="ada"), memory.with_identity(user="eve")
    assert ada.extract(transcript(*TALK)).counts["kept"] == 2
    assert eve.extract(transcript(*TALK)).counts["kept"] == 2


def test_a_session_without_a_name_has_that_of_its_file(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "standup.md"
    path.write_text("## User\n\nMy name is Oskar.\n\n## Assistant\n\nHi.\n")
    assert memory.extract(path).sessions[0].session == "standup"
    assert memory.extract(path, session="monday").sessions[0].session == "monday"


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("notes.md", "just notes\n", "forms"),
        (".env", "A=1\n", "must not be read"),
        ("missing.md", None, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_an_error(
    memory: Memory, tmp_path: Path, name: str, text: str | None, word: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(InvalidInput, match=word):
        memory.extract(path)


def test_a_summary_comes_with_what_is_new(memory: Memory) -> None:
    report = memory.extract(transcript("Add a footer.", "Let's go with the dark one."))
    summary = report.sessions[0].summary
    assert summary is not None
    assert summary.decisions == ("Let's go with the dark one.",)
    assert memory.extract(transcript("Add a footer.", "Let's go with the dark one.")).sessions[0].summary is None


def test_the_brief_of_a_session_may_become_its_narrative(memory: recollect.Memory, tmp_path: Path) -> None:
    talk = tmp_path / "talk.md"
    talk.write_text(
        "## User\n\nWe decided to drop Node 16. The key is ghp_16C7e42F292c6912E7710c838347Ae178B4a. Add a test for the login.\n\n"
        "## Assistant\n\nI will add the test.\n"
    )
    assert memory.extract(talk, narrative=True, dry_run=True).sessions[0].narrative is None
    (session,) = memory.extract(talk, narrative=True).sessions
    told = memory.narratives.latest()
    assert told is not None and told.id == session.narrative
    assert "Node 16" in told.content and "ghp_" not in told.content
    kept = {item.id for item in session.items if item.id is not None}
    assert kept and {one.id for one in memory.narratives.memories(told.id)} == kept
    (again,) = memory.extract(talk, narrative=True).sessions
    assert again.narrative is None
    assert len(memory.narratives.chain()) == 1
