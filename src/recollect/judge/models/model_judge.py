"""A language model as the judge: questions in batches, answers checked, repaired once or dropped, cut ones asked again in halves.

Every request passes the circuit breaker and the budget. What a model answers is data: it is only ever one of the answers that the
schema allows, or a text that passes the gate before anybody stores it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recollect.errors import JudgeError
from recollect.judge.models.breaker import CircuitBreaker
from recollect.judge.models.chat import ChatModel, ChatReply, ChatRequest, estimate_tokens
from recollect.judge.models.questions import QuestionForm, form_of, is_whole
from recollect.judge.models.schema import Schema, parse_object, problem_of
from recollect.judge.models.writing import FORMS, data_of
from recollect.judge.prompts import QuestionPrompt, prompt
from recollect.log import warning
from recollect.ports import TokenLedger
from recollect.values.judging import Decision, JudgedBy, Question, WritingTask, Written

_BATCH = 8
# Models that think first spend tokens on it; the answer itself takes about forty a question.
_TOKENS_PER_ANSWER, _TOKENS_TO_THINK = 120, 2_000


class _Truncated(Exception):
    """The answer was cut off."""


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Asks one model on the account of one ledger; the breaker is shared by all that ask the same server."""

    chat: ChatModel
    ledger: TokenLedger
    breaker: CircuitBreaker

    @property
    def name(self) -> str:
        return f"{self.chat.provider} {self.chat.model}"

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
        """One answer per question; None where the model gave no valid one, or could not see two texts whole."""
        found: list[Decision | None] = [None] * len(questions)
        problem: JudgeError | None = None
        for form, places in _batches(questions):
            try:
                answers = self._decide(form, [questions[place] for place in places])
            except JudgeError as error:
                problem = error
                break
            for place, answer in zip(places, answers, strict=True):
                found[place] = answer
        if problem is not None and not any(found):
            raise problem
        return found

    def write(self, tasks: Sequence[WritingTask]) -> list[Written | None]:
        """One text per task; None where the model had none to give."""
        found: list[Written | None] = []
        for task in tasks:
            try:
                found.append(self._write(task))
            except JudgeError:
                if not any(found):
                    raise
                break
        return [*found, *[None] * (len(tasks) - len(found))]

    def _decide(self, form: QuestionForm, questions: Sequence[Question]) -> list[Decision | None]:
        told = prompt(form.prompt)
        most = _TOKENS_TO_THINK + _TOKENS_PER_ANSWER * len(questions)
        request = ChatRequest(told.name, told.text, form.batch(questions), form.schema(len(questions)), most)
        try:
            answer = self._ask(request, len(questions))
        except _Truncated:
            if len(questions) == 1:
                return [None]
            middle = len(questions) // 2
            return [*self._decide(form, questions[:middle]), *self._decide(form, questions[middle:])]
        by = self._by(told)
        given = {} if answer is None else _by_number(answer["answers"])
        found = [_decision(given.get(number), by) for number in range(1, len(questions) + 1)]
        self.ledger.add(
            told.name, calls=0, asked=0, kept=sum(each is not None for each in found), tokens_in=0, tokens_out=0
        )
        return found

    def _write(self, task: WritingTask) -> Written | None:
        form, told = FORMS[task.kind], prompt(task.kind)
        request = ChatRequest(told.name, told.text, data_of(task), form.schema, form.most_tokens)
        try:
            answer = self._ask(request, 1)
        except _Truncated:
            return self._write_in_halves(task)
        written = None if answer is None else form.read(answer, task, self._by(told))
        if written is not None:
            self.ledger.add(told.name, calls=0, asked=0, kept=1, tokens_in=0, tokens_out=0)
        return written

    def _write_in_halves(self, task: WritingTask) -> Written | None:
        """Facts are extracted from each half of the messages; any other text cannot be written in parts."""
        if task.kind != "extract" or len(task.messages) < 2:
            return None
        middle = len(task.messages) // 2
        halves = [
            self._write(replace(task, messages=part)) for part in (task.messages[:middle], task.messages[middle:])
        ]
        facts = tuple(fact for half in halves if half is not None for fact in half.facts)
        by = next((half.by for half in halves if half is not None), None)
        return None if by is None else Written(by, facts=facts)

    def _ask(self, request: ChatRequest, asked: int) -> Mapping[str, Any] | None:
        """The valid answer. One that is not valid is sent back once; a second one is dropped."""
        reply = self._complete(request, asked)
        answer, problem = _read(reply.text, request.schema)
        if answer is None:
            told = f"{request.instructions}\n\nAn earlier answer was not valid: {problem}. Answer everything again."
            reply = self._complete(replace(request, instructions=told), 0)
            answer, problem = _read(reply.text, request.schema)
            if answer is None:
                warning("an answer of %s to %s is dropped: %s", self.name, request.name, problem)
        return answer

    def _complete(self, request: ChatRequest, asked: int) -> ChatReply:
        self.breaker.require_closed()
        self.ledger.require(request.estimated_tokens)
        try:
            reply = self.chat.complete(request)
        except JudgeError as error:
            self.breaker.failed(str(error))
            warning("%s did not answer %s: %s", self.name, request.name, type(error).__name__)
            self.ledger.add(request.name, calls=1, asked=asked, kept=0, tokens_in=0, tokens_out=0)
            raise
        self.breaker.succeeded()
        self.ledger.add(
            request.name,
            calls=1,
            asked=asked,
            kept=0,
            tokens_in=reply.tokens_in or request.estimated_tokens,
            tokens_out=reply.tokens_out or estimate_tokens(reply.text),
        )
        if reply.truncated:
            raise _Truncated
        return reply

    def _by(self, told: QuestionPrompt) -> JudgedBy:
        return JudgedBy(self.chat.provider, self.chat.model, str(told))


def _batches(questions: Sequence[Question]) -> Iterator[tuple[QuestionForm, list[int]]]:
    """The places of the questions of each kind, a few at a time."""
    kinds: dict[str, tuple[QuestionForm, list[int]]] = {}
    for place, question in enumerate(questions):
        if not is_whole(question):
            continue
        form = form_of(question)
        kinds.setdefault(form.prompt, (form, []))[1].append(place)
    for form, places in kinds.values():
        for first in range(0, len(places), _BATCH):
            yield form, places[first : first + _BATCH]


def _read(text: str, schema: Schema) -> tuple[Mapping[str, Any] | None, str]:
    """The answer if it holds to the schema, else what is wrong with it."""
    try:
        answer = parse_object(text)
    except JudgeError as error:
        return None, str(error)
    problem = problem_of(answer, schema)
    return (None, problem) if problem else (answer, "")


def _by_number(answers: Sequence[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """The answers by the number of their question. Two to the same question are none."""
    counts = Counter(each["number"] for each in answers)
    return {each["number"]: each for each in answers if counts[each["number"]] == 1}


def _decision(answer: Mapping[str, Any] | None, by: JudgedBy) -> Decision | None:
    return None if answer is None else Decision(answer["answer"], " ".join(answer.get("reason", "").split())[:200], by)
