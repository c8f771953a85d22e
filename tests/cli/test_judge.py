"""The command line: a judge from the settings, its test, its costs, and a second look at what was remembered."""

from __future__ import annotations

import json

import pytest
from tests.judge.model_servers import KEY, answers, failing, openai, started


@pytest.fixture
def model(monkeypatch):
    """A real server with a language model that says what it is told to, named in the environment."""
    said = {"how_related": "changed", "is_relevant": True, "status": 200}

    def script(n, body):
        kind = body["response_format"]["json_schema"]["name"]
        return failing(said["status"], f"no {KEY}") if said["status"] != 200 else openai(answers(body, said[kind]))

    state, server = started(script)
    for name, value in {"": "openai", "_URL": f"{state.url}/v1", "_MODEL": "small", "_KEY": KEY}.items():
        monkeypatch.setenv(f"RECOLLECT_JUDGE{name}", value)
    yield said
    server.shutdown()
    server.server_close()


def test_test_says_whether_it_answers_and_what_it_cost(run, model) -> None:
    done = run("judge", "test")
    assert done.code == 0 and done.out.startswith("✓ openai small answers  prompt is_relevant/1\n")
    assert "100 tokens sent, 10 received" in done.out
    assert run("judge", "test", "--json").json["works"] is True


def test_test_says_what_is_wrong_without_the_key(run, model) -> None:
    model["status"] = 401
    done = run("judge", "test")
    assert done.code == 3 and "answered 401" in done.out and "check the API key" in done.out and KEY not in done.out


def test_usage_lists_days_and_questions(run, model) -> None:
    assert run("judge", "usage").out == "openai small  0 of 500,000 tokens today\n"
    run("judge", "test")
    done = run("judge", "usage")
    assert "110 of 500,000 tokens today" in done.out and "is_relevant" in done.out
    (row,) = run("judge", "usage", "--json").json["rows"]
    assert (row["question"], row["calls"], row["kept"], row["tokens_in"]) == ("is_relevant", 1, 1, 100)


def test_without_a_judge_both_say_so(run) -> None:
    assert run("judge", "usage").out.startswith("no judge is configured")
    assert run("judge", "test").code == 3


def test_remember_now_and_recall_verified(run, keep, model) -> None:
    keep("The backup of the shop database runs on the blue server at night")
    done = run("remember", "The backup of the shop database happens on the green machine at night", "--judge", "now")
    assert "judged changed by openai small how_related/1" in done.out
    model["is_relevant"] = False
    assert "the judge rejected 1 hit" in run("recall", "backup of the database", "--verify").err


def test_the_key_is_masked(run, model) -> None:
    done = run("config", "--json")
    assert KEY not in done.out and json.loads(done.out)["judge_key"]["value"] == "••••"


def test_commands_that_need_no_judge_work_with_a_wrong_one(run, keep, model, monkeypatch) -> None:
    keep("Deploy with make ship")
    monkeypatch.delenv("RECOLLECT_JUDGE_URL")
    assert run("list").code == 0
    done = run("recall", "deploy")
    assert done.code == 2 and "set judge_url" in done.err
