"""Surfacing: the query that a turn makes, and which of the memories found are good enough to be put before the agent unasked.

A recall that was asked for may return its nearest memories; a companion that does that is noise. So the gate is stricter: a memory
comes up if it is relevant by itself and not much less relevant than the best one, or if one of its triggers matches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from recollect.recall.assembly import FENCE, add_fence, fence_length, render_memory
from recollect.recall.query import detect_intent
from recollect.values.companion import CHARACTERS_PER_TOKEN
from recollect.values.conversation import Message
from recollect.values.memory import Record
from recollect.values.recalled import Hit, Recalled
from recollect.values.terms import query_terms

MOST_SURFACED = 5
# So many hits are retrieved: the best five, and others in place of those that are kept back.
CANDIDATES = 20
# Of the best hit a memory needs this share of the score. Below it, more is lost than gained (docs/decisions/0038-the-companion.md).
NEAR_BEST = 0.63
# In a store of few memories the best relevance must be at least this, and so where words alone are compared.
RELEVANT = 0.4
# In a larger one, a logistic regression says whether anything found is about the message. It was fitted on messages that were
# shown to their own conversation and to strangers: the log odds of the best relevance and of the mean of the best five, the best
# score, and how long the message is, because a long one has something in common with everything.
_BEST, _MEAN, _SCORE, _LENGTH, _CONSTANT = 0.31, 1.14, 5.8, -0.83, -3.0
_MANY, _SHORTEST = 100, 8
# With fewer words of its own, a message is about what was said before it.
_FEW_WORDS = 2
_LONG, _SALIENT, _BEFORE, _LONGEST_CODE = 700, 4, 200, 300
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_REFERS_BACK = re.compile(
    r"^\s*(?:and|but|so|ok(?:ay)?|yes|no|then|also|what about|how about|why|that|this|it|they|he|she|those|these|the same)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?\s*$|^\s*(?:who|whose|whom|what|which|when|where|why|how|do|does|did|is|are|was|were|has|have|had|should|can|could|will"
    r"|would|remind me|tell me)\b",
    re.IGNORECASE | re.MULTILINE,
)
_BLOCK = re.compile(rf"[^\n]*\n<{FENCE}-(?P<mark>\w+)>\n.*?(?:</{FENCE}-(?P=mark)>|\Z)", re.DOTALL)


def without_recalled(text: str) -> str:
    """A message without the blocks of recalled memories in it: what we said ourselves is no news."""
    return _BLOCK.sub("", text).strip() if FENCE in text else text


def turn_query(message: str, before: str = "") -> str:
    """The text to search with for a message: its telling sentences, after a little of the message before if it refers back."""
    text = salient(message)
    return f"{salient(before, _BEFORE)}\n{text}".strip() if before and refers_back(text) else text


def refers_back(message: str) -> bool:
    """Whether a message says too little to be understood alone."""
    words = len(query_terms(message))
    return words <= _FEW_WORDS or (words <= 2 * _FEW_WORDS and _REFERS_BACK.match(message) is not None)


def salient(message: str, longest: int = _LONG) -> str:
    """A short message as it is; of a long one its first sentence, its questions, its last ones, and those with most names."""
    text = _CODE.sub(lambda code: code[0][:_LONGEST_CODE], message).strip()
    if len(text) <= longest:
        return text
    sentences = [sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip()]
    order = sorted(range(len(sentences)), key=lambda place: -_telling(sentences, place))
    chosen, used = [], 0
    for place in order:
        if used + len(sentences[place]) <= longest:
            chosen.append(place)
            used += len(sentences[place])
        if len(chosen) == _SALIENT:
            break
    return " ".join(sentences[place] for place in sorted(chosen)) or text[:longest]


def asks(message: str) -> bool:
    """Whether a message asks for something that may be known; a request to do or suggest something does not."""
    text = salient(message)
    return _ASKS.search(text) is not None and not detect_intent(text).asks_for_help


def good_enough(recalled: Recalled, query: str) -> list[Hit]:
    """The hits that may be surfaced, in their order. Those whose trigger matches may in any case."""
    about = evidence(recalled, query) >= 0
    least = NEAR_BEST * max((hit.score for hit in recalled), default=0.0)
    first = [hit for hit in recalled if hit.trigger is None][:MOST_SURFACED]
    near = {hit.memory.id for hit in first if about and hit.score >= least}
    return [hit for hit in recalled if hit.trigger is not None or hit.memory.id in near]


def evidence(recalled: Recalled, query: str) -> float:
    """Whether anything found is about the query: above zero it is more probable than not."""
    best = sorted((hit.relevance for hit in recalled), reverse=True)[:1]
    if not best:
        return -math.inf
    alone = _log_odds(best[0]) - _log_odds(RELEVANT)
    if any(hit.similarity is None for hit in recalled):
        return alone
    first = [hit.relevance for hit in recalled[:MOST_SURFACED]]
    length = math.log(max(len(query), _SHORTEST) / 100)
    together = (
        _BEST * _log_odds(best[0])
        + _MEAN * _log_odds(sum(first) / MOST_SURFACED)
        + _SCORE * max(hit.score for hit in recalled)
        + _LENGTH * length
        + _CONSTANT
    )
    many = min(1.0, recalled.trace.considered / _MANY)
    return many * together + (1 - many) * alone


def _log_odds(share: float) -> float:
    share = min(max(share, 0.001), 0.999)
    return math.log(share / (1 - share))


def warns(hit: Hit) -> bool:
    """Whether a hit is a warning that applies now: a negative memory whose trigger matches."""
    return hit.trigger is not None and hit.memory.type == "negative"


def render(memory: Record) -> str:
    """A memory as a line of the block, with the day it is from."""
    day = (memory.occurred_at or memory.created_at).date().isoformat()
    return f"- [{day}] {render_memory(memory).removeprefix('- ')}\n"


def fitting(lines: Sequence[str], budget: int) -> int:
    """How many of the lines fit into a budget of tokens, the fence included, at most five."""
    used, room = fence_length(), budget * CHARACTERS_PER_TOKEN
    for count, line in enumerate(lines[:MOST_SURFACED]):
        used += len(line)
        if used > room:
            return count
    return min(len(lines), MOST_SURFACED)


def block(lines: Sequence[str], seed: str) -> str:
    """The text for the prompt."""
    return add_fence("".join(lines), seed)


def last_said(messages: Sequence[Message], *roles: str) -> str:
    """The last text of some roles, or an empty one."""
    return next((message.text for message in reversed(messages) if message.role in roles and message.text), "")


def _telling(sentences: Sequence[str], place: int) -> float:
    sentence = sentences[place]
    names = len(re.findall(r"(?<!^)\b[A-Z]\w+|\b\w*\d\w*\b|`[^`]+`", sentence))
    ends = (place == 0) + 1.5 * (place >= len(sentences) - 2)
    return 3.0 * sentence.endswith(("?", "？")) + ends + min(names, 4) * 0.5 + min(len(query_terms(sentence)), 12) / 12
