"""The writing tasks as a language model gets them: the data of each, the schema of its answer, and how the answer is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recollect.judge.models.questions import clean, shown
from recollect.judge.models.schema import STRING, Schema, list_of, object_of, one_of
from recollect.values.enums import MEMORY_TYPES
from recollect.values.judging import ExtractedFact, JudgedBy, Summary, WritingKind, WritingTask, Written

_STRINGS = list_of(STRING)
_FACT = object_of(content=STRING, type=one_of(MEMORY_TYPES), tags=_STRINGS, positions=list_of({"type": "integer"}))
_SUMMARY = object_of(
    narrative=STRING, decisions=_STRINGS, action_items=_STRINGS, unresolved=_STRINGS, next_questions=_STRINGS
)


@dataclass(frozen=True, slots=True)
class WritingForm:
    """One kind of task: the schema of its answer, how long that may be, and how it is read. Its prompt has the name of the kind."""

    schema: Schema
    most_tokens: int
    read: Callable[[Mapping[str, Any], WritingTask, JudgedBy], Written | None]


def data_of(task: WritingTask) -> str:
    """The texts and messages of a task as JSON. What came from this memory is left out: it would be extracted again."""
    found: dict[str, Any] = {}
    if task.texts:
        found["texts"] = [shown(text) for text in task.texts]
    if task.messages:
        found["messages"] = [
            {"position": each.position, "role": each.role, "text": clean(each.text)}
            for each in task.messages
            if not each.recalled
        ]
    return json.dumps(found, ensure_ascii=False)


def _read_facts(answer: Mapping[str, Any], task: WritingTask, by: JudgedBy) -> Written:
    """The facts that name messages which exist: a fact without a source was made up."""
    known = {message.position for message in task.messages}
    facts = [
        ExtractedFact(
            fact["content"].strip(), fact["type"], tuple(fact["tags"]), tuple(dict.fromkeys(fact["positions"]))
        )
        for fact in answer["facts"]
        if fact["content"].strip() and (not known or (fact["positions"] and known.issuperset(fact["positions"])))
    ]
    return Written(by, facts=tuple(facts))


def _read_summary(answer: Mapping[str, Any], task: WritingTask, by: JudgedBy) -> Written | None:  # noqa: ARG001 - as the others
    if not answer["narrative"].strip():
        return None
    lists = {name: tuple(answer[name]) for name in ("decisions", "action_items", "unresolved", "next_questions")}
    return Written(by, summary=Summary(answer["narrative"].strip(), **lists))


def _read_text(answer: Mapping[str, Any], task: WritingTask, by: JudgedBy) -> Written | None:  # noqa: ARG001 - as the others
    text = answer["text"].strip()
    return Written(by, text=text) if text else None


FORMS: dict[WritingKind, WritingForm] = {
    "extract": WritingForm(object_of(facts=list_of(_FACT)), 4_000, _read_facts),
    "merge": WritingForm(object_of(text=STRING), 1_500, _read_text),
    "summarise": WritingForm(_SUMMARY, 2_500, _read_summary),
    "name": WritingForm(object_of(text=STRING), 300, _read_text),
}
