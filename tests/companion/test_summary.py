"""The brief of a session is made of its own sentences: what was asked and decided, what is to be done, what is open."""

from __future__ import annotations

from recollect.companion.summary import summarise
from recollect.values.conversation import Message, Role


def session(*turns: tuple[Role, str]) -> list[Message]:
    return [Message(role, text, position) for position, (role, text) in enumerate(turns)]


def test_the_brief_of_a_session() -> None:
    messages = session(
        ("user", "Move the shop to the new payment API."),
        ("assistant", "I changed the client. Which currency is the default?"),
        ("user", "We decided to use euros. We still need to update the docs."),
        ("assistant", "The client uses euros now."),
        ("user", "The refund test is still failing. Is it flaky?"),
        ("assistant", "I look into it. Should I skip it for now?"),
    )
    brief = summarise(messages)
    assert brief is not None
    assert brief.decisions == ("We decided to use euros.",)
    assert brief.action_items == ("We still need to update the docs.",)
    assert brief.unresolved == ("The refund test is still failing.",)
    assert brief.next_questions == ("Should I skip it for now?",)
    assert brief.narrative.splitlines() == [
        "Asked: Move the shop to the new payment API.",
        "Last: The refund test is still failing.",
        "Decided: We decided to use euros.",
        "Outcome: I look into it.",
        "Open: The refund test is still failing.",
    ]


def test_every_line_is_taken_from_the_messages() -> None:
    messages = session(
        ("user", "Baue die Suche um. Wir haben uns für Postgres entschieden."), ("assistant", "Erledigt.")
    )
    brief = summarise(messages)
    assert brief is not None
    said = " ".join(message.text for message in messages)
    for line in (*brief.decisions, *(line.partition(": ")[2] for line in brief.narrative.splitlines())):
        assert line in said
    assert brief.decisions == ("Wir haben uns für Postgres entschieden.",)


def test_a_command_that_failed_last_is_open() -> None:
    messages = [
        Message("user", "Run the tests.", 0),
        Message("assistant", "make test", 1, tool="Bash"),
        Message("tool", "boom", 2, tool="Bash", failed=True),
    ]
    brief = summarise(messages)
    assert brief is not None
    assert brief.unresolved == ("`make test` failed last",)


def test_a_session_in_which_nobody_asked_anything_has_none() -> None:
    assert summarise(session(("assistant", "Hello."), ("user", "<command-name>/exit</command-name>"))) is None
