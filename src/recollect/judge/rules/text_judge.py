"""What the rules can decide and write without a language model; nothing where they would have to guess.

They know the words of English only where they look for markers, and say nothing about a text without them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from recollect.judge.rules.compare import compare
from recollect.values.judging import (
    Decision,
    Evidence,
    HowRelated,
    IsRelevant,
    JudgedBy,
    Question,
    Summary,
    WorthKeeping,
    WritingTask,
    Written,
)
from recollect.values.terms import query_terms, query_words

BY = JudgedBy("rules")
# Without a similarity, only what the words alone show is decided; a lesser certainty is a guess.
_CERTAIN = 0.7
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_DECIDED = re.compile(r"\b(?:decided|we(?:'ll| will) use|let's use|agreed|settled on|chose|went with)\b", re.IGNORECASE)
_TO_DO = re.compile(r"\b(?:todo|to do|still (?:need|have) to|next step|remaining|follow[- ]up)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:unclear|don't know yet|not sure|still fails|unresolved|blocked|open question)\b", re.IGNORECASE
)
_LASTING = re.compile(r"\b(?:always|never|prefers?|decided|must|from now on|don't ever)\b", re.IGNORECASE)
_MOST_LINES, _LONGEST_NARRATIVE = 8, 600


class RuleTextJudge:
    """Decides and writes by rules."""

    name = "rules"

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
        """One answer per question, or None."""
        return [_decide(question) for question in questions]

    def write(self, tasks: Sequence[WritingTask]) -> list[Written | None]:
        """One text per task, or None; facts are not extracted here."""
        return [_write(task) for task in tasks]


def _decide(question: Question) -> Decision | None:
    match question:
        case HowRelated(old, new):
            verdict = compare(old.text, new.text, 0.0)
            return Decision(verdict.relation, verdict.reason, BY) if verdict.certainty >= _CERTAIN else None
        case IsRelevant(context, memory):
            return _relevant(context, memory)
        case WorthKeeping(text):
            return _worth(text.text)


def _relevant(context: str, memory: Evidence) -> Decision | None:
    """A memory with every content word of a question is relevant; fewer words say nothing."""
    asked = set(query_terms(context))
    if len(asked) >= 2 and asked <= set(query_terms(memory.text)):
        return Decision(answer=True, reason="it has every word of the question", by=BY)
    return None


def _worth(text: str) -> Decision | None:
    if len(query_terms(text)) < 2:
        return Decision(0.0, "it says too little", BY)
    if text.rstrip().endswith(("?", "？")):
        return Decision(0.1, "it is a question", BY)
    return Decision(0.8, "it is a rule, a preference or a decision", BY) if _LASTING.search(text) else None


def _write(task: WritingTask) -> Written | None:
    match task.kind:
        case "merge":
            return _text(_merged([text.text for text in task.texts]))
        case "name":
            return _text(_named([text.text for text in task.texts]))
        case "summarise":
            return _summary(
                [*(text.text for text in task.texts), *(each.text for each in task.messages if not each.recalled)]
            )
        case "extract":
            return None


def _text(text: str) -> Written | None:
    return Written(BY, text=text) if text else None


def _merged(texts: Sequence[str]) -> str:
    """The text that has every word of all the others, if there is one."""
    words = [set(query_terms(text)) for text in texts]
    whole = set[str]().union(*words)
    return next((text for text, own in zip(texts, words, strict=True) if own == whole), "")


def _named(texts: Sequence[str]) -> str:
    """The words that most of the texts have."""
    written = [query_words(text) for text in texts]
    counts = Counter(term for words in written for term in words)
    shared = [term for term, count in counts.most_common(3) if count * 2 > len(texts)]
    return " ".join(next(words[term] for words in written if term in words) for term in shared)


def _summary(texts: Sequence[str]) -> Written | None:
    """The first sentence of each text, and the sentences that say that something was decided, is to be done or is open."""
    sentences = [[each.strip() for each in _SENTENCE.findall(text) if each.strip()] for text in texts]
    narrative = " ".join(some[0] for some in sentences if some)[:_LONGEST_NARRATIVE].strip()
    if not narrative:
        return None
    every = [each for some in sentences for each in some]
    summary = Summary(
        narrative,
        _with(_DECIDED, every),
        _with(_TO_DO, every),
        _with(_OPEN, every),
        tuple(each for each in every if each.endswith("?"))[-_MOST_LINES:],
    )
    return Written(BY, summary=summary)


def _with(marker: re.Pattern[str], sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in sentences if marker.search(each)))[:_MOST_LINES]
