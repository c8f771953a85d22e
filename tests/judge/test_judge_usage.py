"""What the judge costs is noted per day and question, limited by a budget, and the judge can be tested."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from tests.judge.model_servers import answers, openai
from tests.judge.scripted import NEW, OLD, OTHER

import recollect
from recollect.config import load
from recollect.errors import JudgeError, SettingsError
from recollect.values.judging import Evidence, IsRelevant, WritingTask


def agreeable(prompt: str) -> str:
    """A model that says `related`, or true."""
    items = json.loads(prompt[prompt.rindex('[{"number"') :])
    answer = True if "context" in items[0] else "related"
    return json.dumps({"answers": [{"number": one["number"], "reason": "r", "answer": answer} for one in items]})


def judged(memory, clock, *texts):
    for text in texts:
        clock.advance(1)
        outcome = memory.remember(text, judge="now")
    return outcome


def test_requests_and_tokens_are_kept_by_day_and_question(opened, clock) -> None:
    memory = opened(agreeable)
    judged(memory, clock, OLD, NEW)
    clock.advance(timedelta(days=1))
    memory.recall("backup", verify=True)
    used = memory.judge_usage()
    assert [(row.day, row.question, row.calls, row.asked, row.kept) for row in used.rows] == [
        ("2026-01-02", "is_relevant", 1, 2, 2),
        ("2026-01-01", "how_related", 1, 1, 1),
    ]
    assert used.judge == "callable agreeable" and used.tokens_today == used.rows[0].tokens > 0
    memory.close()
    assert opened().judge_usage().rows == used.rows


def test_a_month_is_kept(opened, clock) -> None:
    memory = opened(agreeable)
    for _ in range(33):
        memory.judge_test()
        clock.advance(timedelta(days=1))
    memory.flush()
    memory.close()
    assert len(opened().judge_usage().rows) == 31


def test_accounts_do_not_see_each_others_usage(opened, clock) -> None:
    memory = opened(agreeable)
    judged(memory, clock, OLD, NEW)
    assert not memory.with_identity(account="other").judge_usage().rows


def test_the_budget_of_a_day_is_for_all_processes_and_over_the_next_day(opened, clock) -> None:
    first = opened(agreeable)
    judged(first, clock, OLD, NEW)
    spent = first.judge_usage().tokens_today
    first.close()
    memory = opened(agreeable, judge_tokens_per_day=spent + 100)
    assert "budget of today" in memory.judge_test().problem
    outcome = judged(memory, clock, OTHER)
    assert outcome.kind == "stored" and outcome.related
    assert any("budget of today is used up" in note for note in outcome.notes)
    clock.advance(timedelta(days=1))
    assert memory.judge_test().works


def test_the_budget_of_a_run(opened) -> None:
    memory = opened(agreeable, judge_tokens_per_run=500)
    assert memory.judge_test().works
    assert "budget of this run" in (memory.judge_test().problem or "")


def test_the_test_says_what_it_cost_or_what_is_wrong(opened, serve) -> None:
    right = serve(lambda n, body: openai(answers(body, answer=True)))
    found = opened("openai", judge_url=f"{right.url}/v1", judge_model="m").judge_test()
    assert (found.judge, found.works, found.tokens_in, found.tokens_out) == ("openai m", True, 100, 10)
    assert found.prompt == "is_relevant/1" and found.seconds > 0
    assert opened().judge_test().problem == "no judge is configured; set `judge` to openai or anthropic"
    wrong = serve(lambda n, body: openai(answers(body, answer=False)))
    assert "wrongly" in opened("openai", judge_url=wrong.url, judge_model="m").judge_test().problem
    silly = serve(lambda n, body: openai("no"))
    assert "JSON" in opened("openai", judge_url=silly.url, judge_model="m").judge_test().problem


def test_the_test_sends_nothing_of_the_store(opened, serve) -> None:
    server = serve(lambda n, body: openai(answers(body, answer=True)))
    memory = opened("openai", judge_url=server.url, judge_model="m")
    memory.remember("The vault is in Bern")
    memory.judge_test()
    assert "Bern" not in json.dumps(server.requests) and len(server.requests) == 1


# Settings


@pytest.mark.parametrize(("settings", "match"), [
    ({"judge": "openai", "judge_model": "m"}, "needs an address; set judge_url"),
    ({"judge": "openai", "judge_url": "http://h/v1"}, "needs a model; set judge_model"),
    ({"judge": "anthropic"}, "needs a model"),
    ({"judge": "openai", "judge_url": "h", "judge_model": "m"}, "must look like https:..host.v1"),
    ({"judge": "oracle"}, "is not one of openai, anthropic, none"),
    ({"judge": 7}, "int cannot be called"),
    ({"judge": "none", "judge_seconds": 0}, "outside"),
    ({"judge": "none", "judge_tokens_per_day": -1}, "outside"),
])  # fmt: skip
def test_a_wrong_setting_says_what_to_do(tmp_path, settings, match) -> None:
    with pytest.raises(SettingsError, match=match):
        recollect.open(tmp_path / "m.db", embedder="none", **settings)


def test_none_is_the_default_and_nothing_is_configured_by_a_key_alone(tmp_path) -> None:
    assert load({}).settings.judge == "none"
    with recollect.open(tmp_path / "m.db", embedder="none", judge_key="k") as memory:
        assert memory.judge_usage().judge is None


# The rules write and decide without a model


def test_the_rules_decide_what_is_certain_and_nothing_else(opened) -> None:
    (rules,) = opened()._runtime.writers("default")
    sure, open_ = rules.decide([
        IsRelevant("staging database port", Evidence("The staging database has port 5433")),
        IsRelevant("staging database port", Evidence("Kestrels nest on the tower")),
    ])  # fmt: skip
    assert sure.answer is True and str(sure.by) == "rules" and open_ is None


def test_the_rules_write_a_little_and_never_extract(opened) -> None:
    (rules,) = opened()._runtime.writers("default")
    texts = [Evidence("Deploy with make ship"), Evidence("Deploy the shop with make ship. We decided it on Monday.")]
    merge, name, summary, extract = rules.write(
        [WritingTask(k, texts) for k in ("merge", "name", "summarise", "extract")]
    )
    assert merge.text == texts[1].text and "ship" in name.text and extract is None
    assert summary.summary.decisions == ("We decided it on Monday.",)


def test_the_model_writes_first_and_then_the_rules(opened) -> None:
    names = [writer.name for writer in opened(agreeable)._runtime.writers("default")]
    assert names == ["callable agreeable", "rules"]


def test_a_function_that_returns_something_else_is_an_error(opened) -> None:
    memory = opened(lambda prompt: 7)
    with pytest.raises(JudgeError, match="returned int"):
        memory._runtime.text_judge("default").decide([IsRelevant("c", Evidence("m"))])
