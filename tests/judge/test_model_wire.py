"""A language model behind a real HTTP server that fails in every way we know: no answer is ever more than the schema allows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.judge.model_servers import KEY, answers, anthropic, failing, openai, sent

from recollect.errors import JudgeError
from recollect.judge.models.anthropic import AnthropicMessages
from recollect.judge.models.breaker import CircuitBreaker
from recollect.judge.models.model_judge import ModelJudge
from recollect.judge.models.openai import OpenAIChat
from recollect.values.conversation import Message
from recollect.values.judging import Evidence, HowRelated, IsRelevant, WorthKeeping, WritingTask

PAIR = HowRelated(Evidence("The vault is in Bern"), Evidence("The vault is in Basel"))
APIS = {"openai": (OpenAIChat, "/v1", openai), "anthropic": (AnthropicMessages, "", anthropic)}


class Time:
    """Monotonic seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture(params=list(APIS))
def api(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def judging(serve, ledger, time):
    """Starts a server and returns it with a judge that asks it."""

    def start(api: str, script, **options: Any):
        server = serve(script)
        made, path, _ = APIS[api]
        options = {"sleep": lambda seconds: None, **options}
        chat = made(server.url + path, "m", KEY, **options)
        return server, ModelJudge(chat, ledger, CircuitBreaker(time))

    return start


def said(decisions) -> list[object]:
    return [None if decision is None else decision.answer for decision in decisions]


def test_openai_gets_the_schema_and_the_key(judging) -> None:
    server, judge = judging("openai", lambda n, body: openai(answers(body, "changed")))
    (decision,) = judge.decide([PAIR])
    assert (decision.answer, decision.reason, str(decision.by)) == ("changed", "because", "openai m how_related/1")
    (body,) = server.requests
    assert server.paths == ["/v1/chat/completions"] and server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert body["response_format"]["type"] == "json_schema" and body["response_format"]["json_schema"]["strict"]
    assert (
        body["temperature"] == 0
        and body["max_tokens"] > 0
        and [m["role"] for m in body["messages"]] == ["system", "user"]
    )


def test_anthropic_gets_a_forced_tool_and_the_key(judging) -> None:
    server, judge = judging("anthropic", lambda n, body: anthropic(answers(body, "same")))
    (decision,) = judge.decide([PAIR])
    assert (decision.answer, str(decision.by)) == ("same", "anthropic m how_related/1")
    (body,) = server.requests
    sent_headers = {name.lower(): value for name, value in server.headers[0].items()}
    assert server.paths == ["/v1/messages"] and sent_headers["x-api-key"] == KEY and "authorization" not in sent_headers
    assert sent_headers["anthropic-version"] and body["tool_choice"] == {"type": "tool", "name": "how_related"}
    assert body["tools"][0]["input_schema"]["required"] == ["answers"]


def test_questions_go_in_batches_one_kind_at_a_time_and_keep_their_order(judging, ledger) -> None:
    def by_kind(n, body):
        kind = body["response_format"]["json_schema"]["name"]
        return openai(answers(body, {"how_related": "related", "is_relevant": False, "worth_keeping": 0.5}[kind]))

    server, judge = judging("openai", by_kind)
    questions = [PAIR, IsRelevant("c", Evidence("m")), WorthKeeping(Evidence("t"))] * 10
    assert said(judge.decide(questions)) == ["related", False, 0.5] * 10
    assert [len(sent(body)) for body in server.requests] == [8, 2] * 3
    assert (ledger.calls, ledger.asked, ledger.kept, ledger.tokens) == (6, 30, 30, 6 * 110)


def test_the_second_opinion_reads_the_newer_text_first(judging) -> None:
    server, judge = judging("openai", lambda n, body: openai(answers(body, "related")))
    judge.decide([PAIR])
    judge.decide([HowRelated(PAIR.old, PAIR.new, newer_first=True)])
    orders = [[name for name in sent(body)[0] if name != "number"] for body in server.requests]
    assert orders == [["old", "new"], ["new", "old"]]


@pytest.mark.parametrize("wrong", [
    '{"answers": [{"number": 1, "reason": "r", "answer": "obliterates"}]}',
    '{"answers": [{"number": "one", "reason": "r", "answer": "same"}]}',
    '{"answers": [{"number": 1, "answer": "same"}]}',
    '{"answers": {"number": 1}}',
    '{"answers": [{"number": true, "reason": "r", "answer": "same"}]}',
    "[]", "", "null", "I would rather not.", '{"answers": [', "[" * 5000, '{"verdict": "same"}',
])  # fmt: skip
def test_an_answer_of_another_form_is_sent_back_once_and_then_dropped(judging, wrong, ledger) -> None:
    server, judge = judging("openai", lambda n, body: openai(wrong))
    assert judge.decide([PAIR]) == [None]
    assert len(server.requests) == 2 and ledger.kept == 0
    assert "An earlier answer was not valid" in server.requests[1]["messages"][0]["content"]
    assert sent(server.requests[1]) == sent(server.requests[0])


def test_an_answer_that_is_repaired_counts(judging, api) -> None:
    reply = APIS[api][2]
    _, judge = judging(api, lambda n, body: reply(answers(body, "same") if n == 2 else {"oops": 1}))
    assert said(judge.decide([PAIR])) == ["same"]


@pytest.mark.parametrize("wrapped", ["```json\nHERE\n```", "<think>maybe {1}</think>\nHERE", "Sure! HERE", "{} HERE"])
def test_thoughts_and_code_blocks_around_the_answer_do_no_harm(judging, wrapped) -> None:
    server, judge = judging(
        "openai", lambda n, body: openai(wrapped.replace("HERE", json.dumps(answers(body, "same"))))
    )
    assert said(judge.decide([PAIR])) == ["same"] and len(server.requests) == 1


@pytest.mark.parametrize(("given", "kept"), [([], [None, None]), ([1], ["same", None]),
                                              ([2], [None, "same"]), ([1, 1], [None, None]),
                                         ([1, 2, 3, 0, -1], ["same", "same"]), ([7], [None, None])])  # fmt: skip
def test_missing_invented_and_repeated_numbers_answer_nothing(judging, given, kept) -> None:
    def script(n, body):
        return openai({"answers": [{"number": number, "reason": "r", "answer": "same"} for number in given]})

    assert said(judging("openai", script)[1].decide([PAIR, PAIR])) == kept


def test_a_cut_answer_is_asked_again_in_halves(judging, api) -> None:
    reply = APIS[api][2]
    cut = {"openai": {"finish": "length"}, "anthropic": {"stop": "max_tokens"}}[api]

    def script(n, body):
        return reply(answers(body, "same"), **(cut if len(sent(body)) > 2 else {}))

    server, judge = judging(api, script)
    assert said(judge.decide([PAIR] * 5)) == ["same"] * 5
    assert [len(sent(body)) for body in server.requests] == [5, 2, 3, 1, 2]


def test_one_question_whose_answer_is_cut_is_dropped(judging) -> None:
    server, judge = judging("openai", lambda n, body: openai('{"answers": [{"numb', finish="length"))
    assert judge.decide([PAIR]) == [None] and len(server.requests) == 1


def test_all_tokens_spent_on_thinking_is_a_cut_answer(judging) -> None:
    def silent(n, body):
        reply = {"choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": None}}]}
        return 200, json.dumps(reply).encode(), {}

    assert judging("openai", silent)[1].decide([PAIR]) == [None]


def test_429_is_waited_out(judging, api) -> None:
    waits: list[float] = []
    reply = APIS[api][2]
    _, judge = judging(
        api, lambda n, body: failing(429, "slow", "3") if n == 1 else reply(answers(body, "same")), sleep=waits.append
    )
    assert said(judge.decide([PAIR])) == ["same"] and waits == [3.0]


@pytest.mark.parametrize("answer", [
    failing(500, f"no good {KEY}"), failing(401, f"bad key {KEY}"), failing(404), failing(200, "half an ans"), failing(200, "{}"),
    failing(200, '{"choices": []}'), failing(200, '{"choices": [{"message": {}}]}'), failing(200, '{"content": "x"}'),
    failing(302, "", None),
], ids=str)  # fmt: skip
def test_whatever_it_answers_instead_is_one_error_without_the_key(judging, api, answer) -> None:
    _, judge = judging(api, lambda n, body: answer)
    with pytest.raises(JudgeError) as raised:
        judge.decide([PAIR])
    assert KEY not in str(raised.value) and "127.0.0.1" in str(raised.value)


def test_half_of_a_response_is_an_error(judging) -> None:
    _, judge = judging("openai", lambda n, body: (200, openai("x")[1][:20], {"Content-Length": "4000"}))
    with pytest.raises(JudgeError):
        judge.decide([PAIR])


def test_a_server_that_hangs_is_given_up_after_the_timeout(judging) -> None:
    server = None

    def hanging(n, body):
        server.go_on.wait(60)
        return openai({})

    server, judge = judging("openai", hanging, timeout=0.2)
    with pytest.raises(JudgeError, match=r"did not answer within 0\.2 s; raise judge_seconds"):
        judge.decide([PAIR])
    assert len(server.requests) == 1


def test_a_server_that_knows_no_schemas_is_asked_without(judging) -> None:
    def script(n, body):
        return (
            failing(400, "unknown field response_format")
            if "response_format" in body
            else openai(answers(body, "same"))
        )

    server, judge = judging("openai", script)
    assert said(judge.decide([PAIR])) == ["same"] and len(server.requests) == 2
    assert "matches this schema" in server.requests[1]["messages"][0]["content"]


def test_after_two_failures_nobody_asks_for_half_a_minute(judging, time) -> None:
    server, judge = judging(
        "openai", lambda n, body: failing(500) if n <= 2 else openai(answers(body, "same")), retries=0
    )
    for _ in range(2):
        with pytest.raises(JudgeError, match="answered 500"):
            judge.decide([PAIR])
    for time.now in (0.0, 29.9):
        with pytest.raises(JudgeError, match="not asked for another"):
            judge.decide([PAIR])
    assert len(server.requests) == 2
    time.now = 30.0
    assert said(judge.decide([PAIR])) == ["same"]
    assert said(judge.decide([PAIR])) == ["same"]


def test_a_try_that_fails_opens_the_breaker_again(judging, time) -> None:
    server, judge = judging("openai", lambda n, body: failing(500), retries=0)
    for time.now in (0.0, 0.0, 30.0, 31.0, 59.0, 60.0):
        with pytest.raises(JudgeError):
            judge.decide([PAIR])
    assert len(server.requests) == 4


def test_over_the_budget_nothing_is_sent(judging, ledger) -> None:
    server, judge = judging("openai", lambda n, body: openai(answers(body, "same")))
    ledger.left = 10
    with pytest.raises(JudgeError, match="budget"):
        judge.decide([PAIR])
    assert not server.requests


def test_what_was_answered_before_the_failure_is_kept(judging) -> None:
    _, judge = judging("openai", lambda n, body: openai(answers(body, "same")) if n == 1 else failing(400, "no"))
    assert said(judge.decide([PAIR] * 10)) == ["same"] * 8 + [None] * 2


def test_ids_and_lone_surrogates_do_not_travel(judging) -> None:
    server, judge = judging("openai", lambda n, body: openai(answers(body, "same")))
    judge.decide([HowRelated(Evidence("a \ud800 b", id="secret-id"), Evidence("b", source="observed"))])
    (asked,) = sent(server.requests[0])
    assert (asked["old"], asked["new"]) == ({"text": "a ? b"}, {"text": "b", "source": "observed"})


def test_a_long_text_is_judged_by_its_beginning(judging) -> None:
    server, judge = judging("openai", lambda n, body: openai(answers(body, 0.5)))
    judge.decide([WorthKeeping(Evidence("x" * 10_000))])
    assert len(sent(server.requests[0])[0]["text"]) == 4000


@pytest.mark.parametrize(
    ("score", "kept"), [(0, 0), (1, 1), (0.4, 0.4), (1.5, None), (-1, None), (float("nan"), None), (True, None)]
)
def test_a_score_is_between_0_and_1(judging, score, kept) -> None:
    _, judge = judging("openai", lambda n, body: openai(answers(body, score)))
    assert said(judge.decide([WorthKeeping(Evidence("t"))])) == [kept]


# Writing

TALK = tuple(
    Message("user", text, place) for place, text in enumerate(("We use uv", "ok", "Never push on Fridays", "right"))
)


def fact(content: str, *positions: int, kind: str = "rule") -> dict[str, Any]:
    return {"content": content, "type": kind, "tags": ["t"], "positions": list(positions)}


def test_facts_are_extracted_with_their_positions(judging) -> None:
    _, judge = judging("openai", lambda n, body: openai({"facts": [fact("Never push on Fridays", 2)]}))
    (written,) = judge.write([WritingTask("extract", messages=TALK)])
    assert [(one.content, one.type, one.positions) for one in written.facts] == [
        ("Never push on Fridays", "rule", (2,))
    ]
    assert str(written.by) == "openai m extract/1"


def test_facts_without_a_message_that_states_them_are_dropped(judging) -> None:
    made_up = [fact("Ada likes tea", 9), fact("Bob likes tea"), fact("  ", 1)]
    _, judge = judging("openai", lambda n, body: openai({"facts": made_up}))
    (written,) = judge.write([WritingTask("extract", messages=TALK)])
    assert written is not None and not written.facts


def test_a_long_talk_is_extracted_in_halves(judging) -> None:
    def script(n, body):
        positions = [message["position"] for message in sent(body)["messages"]]  # type: ignore[call-overload]
        return openai(
            {"facts": [fact(f"fact {p}", p) for p in positions]}, finish="length" if len(positions) > 2 else "stop"
        )

    (written,) = judging("openai", script)[1].write([WritingTask("extract", messages=TALK)])
    assert [one.content for one in written.facts] == [f"fact {n}" for n in range(4)]


def test_what_came_from_memory_is_not_extracted_again(judging) -> None:
    server, judge = judging("openai", lambda n, body: openai({"facts": []}))
    judge.write([WritingTask("extract", messages=[*TALK, Message("tool", "The vault is in Bern", 4, recalled=True)])])
    assert "Bern" not in json.dumps(server.requests)


def test_merge_name_and_summarise(judging) -> None:
    def script(n, body):
        kind = body["response_format"]["json_schema"]["name"]
        lists = {name: ["x"] for name in ("decisions", "action_items", "unresolved", "next_questions")}
        return openai({"narrative": "We met.", **lists} if kind == "summarise" else {"text": f" a {kind} "})

    tasks = [WritingTask(kind, texts=[Evidence("a"), Evidence("b")]) for kind in ("merge", "name", "summarise")]
    merged, named, summed = judging("openai", script)[1].write(tasks)
    assert (merged.text, named.text) == ("a merge", "a name")
    assert summed.summary.narrative == "We met." and summed.summary.decisions == ("x",)


def test_nothing_to_write_is_a_good_answer(judging) -> None:
    _, judge = judging("openai", lambda n, body: openai({"text": " "}))
    assert judge.write([WritingTask("merge", texts=[Evidence("a"), Evidence("b")])]) == [None]


def test_two_texts_that_the_model_would_see_cut_are_not_compared(judging, ledger) -> None:
    server, judge = judging("openai", lambda n, body: openai(answers(body, "same")))
    long = "The plan has many steps. " * 200
    assert judge.decide([HowRelated(Evidence(long + "It ends in May."), Evidence(long + "It ends in June."))]) == [None]
    assert (server.requests, ledger.calls) == ([], 0)
