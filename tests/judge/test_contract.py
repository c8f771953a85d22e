"""Whoever decides and writes is held to the same contract: the rules, a language model, and somebody else's judge."""

from __future__ import annotations

import pytest
from tests.judge.model_servers import openai, sent
from tests.judge.scripted import ScriptedJudge

from recollect.judge.models.breaker import CircuitBreaker
from recollect.judge.models.callable import Deadline
from recollect.judge.models.given import GivenJudge
from recollect.judge.models.model_judge import ModelJudge
from recollect.judge.models.openai import OpenAIChat
from recollect.judge.rules.text_judge import RuleTextJudge
from recollect.testing.contract.judge import JudgeContract


def value_of(schema):
    """The first value that a schema allows."""
    match schema["type"]:
        case "object":
            return {name: value_of(inner) for name, inner in schema["properties"].items()}
        case "array":
            return [{**value_of(schema["items"]), "number": n + 1} for n in range(schema.get("minItems", 0))]
        case kind:
            return schema.get("enum", [{"string": "x", "boolean": True, "integer": 1, "number": 0.5}.get(kind)])[0]


def obedient(n, body):
    assert sent(body) is not None
    return openai(value_of(body["response_format"]["json_schema"]["schema"]))


class TestRules(JudgeContract):
    @pytest.fixture
    def judge(self):
        return RuleTextJudge()


class TestModel(JudgeContract):
    @pytest.fixture
    def judge(self, serve, ledger):
        return ModelJudge(OpenAIChat(serve(obedient).url, "m"), ledger, CircuitBreaker())


class TestGiven(JudgeContract):
    @pytest.fixture
    def judge(self, ledger):
        by_type = {"HowRelated": "same", "IsRelevant": True, "WorthKeeping": 0.5}
        scripted = ScriptedJudge(lambda question: by_type[type(question).__name__])
        return GivenJudge(scripted, ledger, CircuitBreaker(), Deadline("m", 30))
