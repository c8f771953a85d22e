"""The questions as a language model gets them: the data of each, the schema of its answer, and how the answer is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from recollect.judge.models.schema import STRING, Schema, list_of, object_of, one_of
from recollect.values.judging import Evidence, HowRelated, IsRelevant, Question, WorthKeeping
from recollect.values.outcome import Relation

# Longer texts are cut: what they are about is at their beginning, and nobody wants to pay for the rest.
LONGEST = 4_000
Answer = bool | float | Relation


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """One kind of question: its prompt, the schema of an answer, its data as JSON, and whether a reason is worth its tokens."""

    prompt: str
    answer: Schema
    data: Callable[[Any], Mapping[str, Any]]
    reasoned: bool = False

    def schema(self, count: int) -> Schema:
        """The schema of the answers to some questions."""
        fields = {"number": {"type": "integer"}, **({"reason": STRING} if self.reasoned else {}), "answer": self.answer}
        return object_of(answers={**list_of(object_of(**fields)), "minItems": count, "maxItems": count})

    def batch(self, questions: Sequence[Question]) -> str:
        """Some questions, numbered from 1."""
        items = [{"number": place, **self.data(question)} for place, question in enumerate(questions, 1)]
        return json.dumps(items, ensure_ascii=False)


def form_of(question: Question) -> QuestionForm:
    """How a question is asked."""
    match question:
        case HowRelated():
            return _HOW_RELATED
        case IsRelevant():
            return _IS_RELEVANT
        case WorthKeeping():
            return _WORTH_KEEPING


def is_whole(question: Question) -> bool:
    """Whether the model sees all of two texts that it compares: what they differ in may stand where they are cut."""
    return not isinstance(question, HowRelated) or max(len(question.old.text), len(question.new.text)) <= LONGEST


def shown(evidence: Evidence) -> dict[str, str]:
    """A text with its time and its source, as far as they are known. Ids stay here: a model has no use for them."""
    found = {"text": clean(evidence.text)}
    if evidence.at is not None:
        found["time"] = evidence.at.date().isoformat()
    if evidence.source is not None:
        found["source"] = evidence.source
    return found


def clean(text: str) -> str:
    """A text that servers accept: they answer 400 to the whole request if there is a lone surrogate in it."""
    return text[:LONGEST].encode("utf-8", "replace").decode("utf-8")


def _pair(question: HowRelated) -> dict[str, Any]:
    sides = {"old": shown(question.old), "new": shown(question.new)}
    return dict(reversed(sides.items())) if question.newer_first else sides


_HOW_RELATED = QuestionForm("how_related", one_of(get_args(Relation)), _pair, reasoned=True)
_IS_RELEVANT = QuestionForm(
    "is_relevant",
    {"type": "boolean"},
    lambda question: {"context": clean(question.context), "memory": shown(question.memory)},
)
_WORTH_KEEPING = QuestionForm(
    "worth_keeping",
    {"type": "number", "minimum": 0, "maximum": 1},
    lambda question: shown(question.text),
)
