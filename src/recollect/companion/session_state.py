"""The state of one session of a companion: what was handed out and when, the running topic, and what was said last.

It is kept in working memory, so that another process goes on with it: ids, times, digests and a vector, never a text.
"""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

import numpy as np

from recollect.values.ids import fingerprint
from recollect.values.search import Floats

# For how many seconds the same text, a set of mostly the same memories, and the same memory do not come again.
SAME_TEXT, SAME_SET, SAME_MEMORY = 90.0, 180.0, 2700.0
OVERLAP = 0.5
# How much of the running topic is the newest turn.
_TOPIC_SHARE = 0.4
_MOST_HANDED, _MOST_SEEN = 500, 64


@dataclass(slots=True)
class SessionState:
    """What a companion knows about its session.

    The agent's thread adds to `handed` and `texts`, the worker reads them and drops what is old; single operations on a dict
    need no lock.
    """

    turn: int = 0
    # When each memory was handed out, and each text, by digest.
    handed: dict[str, float] = field(default_factory=dict)
    texts: dict[str, float] = field(default_factory=dict)
    sets: deque[tuple[float, frozenset[str]]] = field(default_factory=lambda: deque(maxlen=20))
    topic: Floats | None = None
    # Digests of the last messages, so that a whole conversation given again is recognised.
    seen: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_SEEN))
    extracted_at: int = 0
    # The key of the digests: those of two sessions cannot be compared.
    key: str = field(default_factory=lambda: token_hex(16))

    def digest(self, text: str) -> str:
        """The digest of a text, whatever its case, spacing and final full stop."""
        return fingerprint(text, bytes.fromhex(self.key)).hex()

    def may_hand(self, memory_id: str, text: str, now: float, *, warning: bool) -> bool:
        """Whether a memory may be handed out now: a warning again when its text may, anything else once in its window."""
        if now - self.texts.get(text, -SAME_TEXT) < SAME_TEXT:
            return False
        return warning or now - self.handed.get(memory_id, -SAME_MEMORY) >= SAME_MEMORY

    def repeats_a_set(self, ids: Iterable[str], now: float) -> bool:
        """Whether most of these memories were handed out together a moment ago."""
        wanted = frozenset(ids)
        recent = [known for at, known in list(self.sets) if now - at < SAME_SET]
        return any(len(wanted & known) >= OVERLAP * len(wanted) for known in recent) if wanted else False

    def hand(self, memories: Mapping[str, str], now: float) -> None:
        """Note what was handed out: the digest of its text by id."""
        for memory_id, text in memories.items():
            self.handed[memory_id] = self.texts[text] = now
        self.sets.append((now, frozenset(memories)))

    def forget_old(self, now: float) -> None:
        """Drop what no longer matters."""
        for known, kept in ((self.handed, SAME_MEMORY), (self.texts, SAME_TEXT)):
            times = known.copy()
            latest = sorted(times, key=times.__getitem__, reverse=True)
            for key in [key for place, key in enumerate(latest) if place >= _MOST_HANDED or now - times[key] >= kept]:
                known.pop(key, None)

    def unseen(self, messages: Sequence[tuple[str, str]]) -> int:
        """How many messages from the start were seen before, as the end of what was seen; notes the others as seen."""
        digests = [self.digest(f"{role}\n{text}") for role, text in messages]
        known = list(self.seen)
        again = next((n for n in range(min(len(digests), len(known)), 0, -1) if digests[:n] == known[-n:]), 0)
        self.seen.extend(digests[again:])
        return again

    def follow(self, vector: Floats, *, changed: bool) -> None:
        """Take a turn into the running topic. One that begins a new topic clears what was handed out."""
        if changed or self.topic is None:
            self.topic = vector
        else:
            mixed = (1 - _TOPIC_SHARE) * self.topic + _TOPIC_SHARE * vector
            self.topic = (mixed / max(float(np.linalg.norm(mixed)), 1e-9)).astype(np.float32)
        if changed:
            self.handed.clear()

    def dump(self) -> str:
        """The state as JSON text."""
        topic = None if self.topic is None else base64.b64encode(self.topic.astype("<f2").tobytes()).decode()
        state = {
            "turn": self.turn,
            "handed": self.handed.copy(),
            "texts": self.texts.copy(),
            "sets": [(at, sorted(ids)) for at, ids in list(self.sets)],
            "topic": topic,
            "seen": list(self.seen),
            "extracted_at": self.extracted_at,
            "key": self.key,
        }
        return json.dumps(state)

    def load(self, text: str) -> None:
        """Go on from a state that was dumped; what was noted since stays."""
        state: dict[str, Any] = json.loads(text)
        self.turn = max(self.turn, state["turn"])
        self.handed.update(state["handed"] | self.handed)
        self.texts.update(state["texts"] | self.texts)
        self.sets.extendleft((at, frozenset(ids)) for at, ids in reversed(state["sets"]))
        self.seen.extendleft(reversed(state["seen"]))
        self.extracted_at, self.key = state["extracted_at"], state["key"]
        if state["topic"] is not None:
            self.topic = np.frombuffer(base64.b64decode(state["topic"]), "<f2").astype(np.float32)
