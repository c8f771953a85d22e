"""remember: from the command line, from stdin, from a file; and what it says became of it."""

import json

import pytest


def test_what_was_stored_is_shown_with_its_short_id(run) -> None:
    done = run("remember", "We deploy with make deploy", "--type", "procedure", "-t", "Deploy")
    assert done.code == 0
    assert done.out.startswith("✓ stored  We deploy with make deploy\n")
    assert "procedure · shop · just now · #deploy" in done.out
    assert run("list", "--json").json[0]["short_id"] in done.out


def test_json_has_the_whole_outcome(run) -> None:
    done = run("--json", "remember", "We deploy with make deploy")
    assert set(done.json) == {"kind", "memory", "reason", "conflicts", "related", "notes", "old"}
    assert done.json["kind"] == "stored"
    memory = done.json["memory"]
    assert memory["content"] == "We deploy with make deploy"
    assert memory["short_id"] == memory["id"][-8:]
    assert memory["scope"] == "project"
    assert memory["project"] == "shop"
    assert done.err == ""


def test_words_need_no_quotes(run) -> None:
    assert (
        run("remember", "We", "deploy", "on", "Fridays", "--json").json["memory"]["content"] == "We deploy on Fridays"
    )


def test_global_belongs_to_no_project(run) -> None:
    memory = run("remember", "Answer me in German", "--global", "--json").json["memory"]
    assert memory["scope"] == "global"
    assert memory["project"] is None
    clash = run("--project", "shop", "remember", "Answer me in German", "--global")
    assert clash.code == 2
    assert "--global" in clash.err


def test_every_field_of_a_draft_has_an_option(run) -> None:
    from recollect.serve.cli.commands.remember import remember
    from recollect.values.draft import DraftFields

    options = {option.name for option in remember.params}
    # The project, the agent and the user are said before the command; a procedure is said in parts.
    assert set(DraftFields.__annotations__) - options <= {"project", "agent", "user", "procedure", "metadata"}
    assert {"steps", "prerequisites", "warnings", "when"} <= options


def test_fields_arrive(run) -> None:
    done = run(
        "remember", "The import starts at two", "--session", "s1", "--position", "4", "--speaker", "Ana", "--importance",
        "0.9", "--weight", "0.5", "--messages", "3", "5", "--snippet", "it starts at two", "--ttl", "30d",
        "--occurred-at", "2026-01-02T03:04:05+00:00", "--key", "import", "--json",
    )  # fmt: skip
    memory = done.json["memory"]
    expected = {
        "session": "s1", "position": 4, "speaker": "Ana", "importance": 0.9, "weight": 0.5, "message_range": [3, 5],
        "snippet": "it starts at two", "occurred_at": "2026-01-02T03:04:05+00:00", "key": "import",
    }  # fmt: skip
    assert {name: memory[name] for name in expected} == expected
    assert memory["expires_at"] > memory["created_at"]


def test_a_procedure_is_said_in_parts(run) -> None:
    done = run(
        "remember", "Release the shop", "--when", "main is green", "--prerequisite", "CI passed", "--step", "make tag",
        "--step", "make ship", "--warning", "not on Fridays", "--json",
    )  # fmt: skip
    memory = done.json["memory"]
    assert memory["type"] == "procedure"
    assert memory["content"].split("\n") == [
        "Release the shop", "When: main is green", "Before:", "- CI passed", "1. make tag", "2. make ship",
        "Warning: not on Fridays",
    ]  # fmt: skip


def test_a_procedure_needs_steps(run) -> None:
    done = run("remember", "Release the shop", "--warning", "not on Fridays", "--json")
    assert done.code == 2
    assert done.error["field"] == "procedure"


def test_triggers_are_told_also_when_the_text_gave_them(run) -> None:
    assert "triggers  println!" in run("remember", "Never use println! in the shop").out
    done = run("remember", "Keep secrets out", "--trigger", "glob:*.env", "--trigger", "word:drop table", "--json")
    assert done.json["memory"]["triggers"] == ["glob:*.env", "word:drop table"]


@pytest.mark.parametrize("pattern", ["re:(", "x", "glob:*", "re:.*", ""])
def test_a_bad_trigger_is_refused(run, pattern) -> None:
    done = run("remember", "Keep secrets out", "--trigger", pattern, "--json")
    assert done.code == 2
    assert done.error["field"] == "triggers"
    assert run("list", "--json").json == []


def test_what_is_derived_is_trusted_no_more_than_its_source(run, keep) -> None:
    source = keep("Maria owns the billing service", "--source", "inferred")
    memory = run("remember", "Ask Maria about invoices", "--derived-from", source, "--json").json["memory"]
    assert memory["trust"] == 0.5
    assert [link["relation"] for link in memory["links"]] == ["derived_from"]
    done = run("remember", "Ask Tom about taxes", "--derived-from", "00000000", "--json")
    assert (done.code, done.error["field"]) == (2, "derived_from")


def test_a_dash_reads_stdin(run) -> None:
    done = run("remember", "-", "--json", stdin="Two lines\nof one memory\n")
    assert done.json["memory"]["content"] == "Two lines\nof one memory"
    broken = run("remember", "-", stdin=b"caf\xe9")
    assert broken.code == 2
    assert "UTF-8" in broken.err


def test_saying_it_again_reinforces(run) -> None:
    run("remember", "We deploy with make deploy")
    again = run("remember", "we deploy with make deploy.")
    assert again.code == 0
    assert again.out.startswith("+ reinforced")
    assert "strength 2" in again.out


def test_a_refusal_gives_its_reason_and_exit_code_1(run) -> None:
    done = run("remember", "The token is ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a")
    assert done.code == 1
    assert done.out.startswith("✗ refused")
    assert "secret" in done.out
    asked = run("--json", "remember", "The token is ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a")
    assert asked.code == 1
    assert asked.json["kind"] == "refused"
    assert asked.json["memory"] is None
    assert run("list", "--json").json == []


def test_a_replaced_memory_is_named(run, keep) -> None:
    old = keep("The shop's database is PostgreSQL 16")
    done = run("remember", "The shop's database is PostgreSQL 17", "--supersedes", old)
    assert done.out.startswith("↻ superseded")
    assert f"was  The shop's database is PostgreSQL 16  {old}" in done.out
    form = run("remember", "The shop's database is PostgreSQL 18", "--supersedes", old, "--json").json
    assert form["old"]["short_id"] == old


def test_quiet_says_nothing_when_all_is_well(run) -> None:
    done = run("-q", "remember", "We deploy with make deploy")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert run("-q", "remember", "ok thanks").out.startswith("✗ refused")


def test_nothing_to_remember(run) -> None:
    assert run("remember").code == 2
    done = run("--json", "remember", "  ")
    assert done.code == 2
    assert done.error["type"] == "InvalidInput"
    assert done.error["field"] == "content"


class TestManyAtOnce:
    """remember --jsonl"""

    def test_a_file_is_loaded_and_summed_up(self, run, tmp_path) -> None:
        lines = [
            {"content": "The office is in Berlin", "tags": ["office"]},
            {"content": "ok thanks"},
            {"content": "the office is in Berlin."},
        ]
        file = tmp_path / "facts.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)) + "\n\n" + '"The cat is called Momo"\n')
        done = run("remember", "--jsonl", str(file))
        assert done.code == 0
        assert "4 drafts" in done.out
        assert [line.split() for line in done.out.splitlines()[1:4]] == [
            ["✓", "stored", "2"], ["+", "reinforced", "1"], ["✗", "refused", "1"],
        ]  # fmt: skip
        assert "line 2  an acknowledgement" in done.out

    def test_json_keeps_the_order_and_the_line(self, run) -> None:
        done = run(
            "remember", "--jsonl", "-", "--json", stdin='{"content": "The office is in Berlin"}\n\n"ok thanks"\n'
        )
        assert done.json["counts"] == {"stored": 1, "refused": 1}
        assert [(out["line"], out["kind"]) for out in done.json["outcomes"]] == [(1, "stored"), (3, "refused")]

    def test_options_hold_where_a_line_says_nothing(self, run) -> None:
        lines = '{"content": "The office is in Berlin", "type": "rule"}\n{"content": "The cat is called Momo"}\n'
        done = run("remember", "--jsonl", "-", "--type", "observation", "-t", "x", "--json", stdin=lines)
        made = [out["memory"] for out in done.json["outcomes"]]
        assert [memory["type"] for memory in made] == ["rule", "observation"]
        assert all(memory["tags"] == ["x"] for memory in made)

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("nope", "line 3: is not JSON"),
            ("[" * 100_000, "line 3: is not JSON"),
            ("[1]", "line 3: is a list, not a draft"),
            ('{"content": "Fine", "weight": 7}', "line 3: weight: 7 is out of range"),
            ('{"content": "Fine", "colour": "red"}', "line 3: colour: is not a field"),
            ('{"content": ""}', "line 3: content: is empty"),
            (
                '{"content": "Fine", "occurred_at": "2026-01-01"}',
                "line 3: occurred_at: 2026-01-01T00:00:00 has no time zone",
            ),
        ],
    )
    def test_a_bad_line_is_named_and_nothing_is_stored(self, run, line, problem) -> None:
        done = run("remember", "--jsonl", "-", stdin=f'"The office is in Berlin"\n\n{line}\n')
        assert done.code == 2
        assert done.err.startswith(f"error: {problem}")
        assert run("list", "--json").json == []

    def test_bytes_that_are_no_text(self, run) -> None:
        done = run("remember", "--jsonl", "-", stdin=b'"fine"\n"caf\xe9"\n')
        assert done.code == 2
        assert "line 2: is not UTF-8" in done.err

    def test_a_missing_and_an_empty_file(self, run) -> None:
        assert run("remember", "--jsonl", "nowhere.jsonl").code == 2
        assert "contains no drafts" in run("remember", "--jsonl", "-", stdin="\n").err

    def test_verbatim_keeps_what_reconcile_would_merge(self, run) -> None:
        done = run("remember", "--jsonl", "-", "--verbatim", stdin='"ok thanks"\n"ok thanks"\n')
        assert "✓ stored" in done.out
        assert len(run("list", "--json").json) == 2

    def test_all_refused_is_exit_code_1(self, run) -> None:
        assert run("remember", "--jsonl", "-", stdin='"ok thanks"\n').code == 1
