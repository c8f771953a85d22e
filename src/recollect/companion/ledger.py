"""The ledger: what each turn of a session retrieved, what was injected, and what the reply then used.

It holds ids and times, never a text, and lives in working memory: bounded, gone after a month.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.errors import WorkingUnavailable
from recollect.ports import Namespace, Working
from recollect.runtime import Runtime
from recollect.tiers.working import SEPARATOR
from recollect.unit_of_work import UnitOfWork
from recollect.values.companion import Turn
from recollect.values.memory import Record
from recollect.values.scope import Identity, owner_key
from recollect.values.terms import query_words, terms_of

MOST_TURNS = 200
STATE, TURNS = f"{SEPARATOR}state", f"{SEPARATOR}turn{SEPARATOR}"
KEPT_STATE, KEPT_TURNS = 86_400.0, 30 * 86_400.0
# The reply to a turn is looked for in the messages of so many turns after what was injected.
REPLY_TURNS = 3
# A reply uses a memory if it has this share of its rare words, and at least two of them unless it has only two.
_SHARE, _FEWEST = 0.4, 2
_SHORTEST = 3
_SPACE = f"{SEPARATOR}companion{SEPARATOR}"


@dataclass(slots=True)
class Ledger:
    """The last turns of one session, by number. Each is a value of its own in working memory, written when it changed."""

    session: str
    turns: dict[int, Turn] = field(default_factory=dict)
    _changed: set[int] = field(default_factory=set)
    _dropped: list[int] = field(default_factory=list)

    def add(self, turn: Turn) -> None:
        """Add the newest turn, or put it in the place of what was known of it."""
        self.turns[turn.number] = turn
        self._changed.add(turn.number)
        while len(self.turns) > MOST_TURNS:
            oldest = next(iter(self.turns))
            del self.turns[oldest]
            self._dropped.append(oldest)

    def change(self, number: int, **more: Iterable[str]) -> None:
        """Add ids to the lists of one turn."""
        turn = self.turns.get(number)
        if turn is not None:
            added = {name: tuple(dict.fromkeys((*getattr(turn, name), *ids))) for name, ids in more.items()}
            self.turns[number] = replace(turn, **added)  # type: ignore[arg-type]
            self._changed.add(number)

    def persist(self, working: Working, space: Namespace, now: float) -> None:
        """Write what changed."""
        for number in sorted(self._changed & self.turns.keys()):
            working.put(space, _key(number), json.dumps(self.turns[number].to_dict()), now, now + KEPT_TURNS)
        for number in self._dropped:
            working.remove(space, _key(number), now)
        self._changed.clear()
        self._dropped.clear()

    def load(self, working: Working, space: Namespace, now: float) -> None:
        """Go on after the turns that another process wrote."""
        self.turns = {turn.number: turn for turn in _of(working, space, now)} | self.turns


def companion_namespace(identity: Identity, project: str | None, session: str) -> Namespace:
    """Where in working memory the companion of a session keeps its state and its turns."""
    return identity.account, owner_key(identity), f"{_SPACE}{project or ''}{SEPARATOR}{session}"


def persisted_turns(runtime: Runtime, identity: Identity, session: str | None, limit: int) -> list[Turn]:
    """The last turns of an identity, of one session or of all, oldest first."""
    working, now = runtime.working, _now(runtime)
    spaces = [
        space for space in working.namespaces(identity.account, owner_key(identity)) if space[2].startswith(_SPACE)
    ]
    wanted = [space for space in spaces if session is None or space[2].rpartition(SEPARATOR)[2] == session]
    found = [turn for space in wanted for turn in _of(working, space, now)]
    return sorted(found, key=lambda turn: (turn.at, turn.number))[-limit:]


def injected_texts(uow: UnitOfWork, session: str) -> list[str]:
    """The texts that companions of any process injected into a session: what a message repeats of them is not new."""
    runtime, viewer = uow.runtime, uow.viewer
    try:
        turns = list(_of(runtime.working, companion_namespace(viewer.identity, viewer.project, session), _now(runtime)))
    except WorkingUnavailable:
        return []
    ids = list(dict.fromkeys(each for turn in turns for each in turn.injected))
    if not ids:
        return []
    with uow.view() as reader:
        return [record.content for record in reader.get(viewer.account, ids) if record is not None]


def _now(runtime: Runtime) -> float:
    return runtime.clock().timestamp()


def _of(working: Working, space: Namespace, now: float) -> Iterator[Turn]:
    """The turns of one session, oldest first."""
    for key, text, _ in working.items(space, now):
        if key.startswith(TURNS):
            yield Turn.from_dict(json.loads(text))


def _key(number: int) -> str:
    return f"{TURNS}{number:010}"


@dataclass(frozen=True, slots=True)
class Injected:
    """A memory that was handed out: in which turn, what was asked then, and its rare words."""

    memory: Record
    turn: int
    at: datetime
    asked: str
    rare: frozenset[str]


def telling_terms(memory: Record, asked: str) -> list[str]:
    """The terms of a memory that a reply could only have from it: not those of the question, and none too short."""
    known = set(terms_of(asked))
    words = query_words(memory.content)
    return [term for term, word in words.items() if term not in known and (len(word) >= _SHORTEST or word.isdecimal())]


def used_in(injected: Injected, reply: str, terms: frozenset[str]) -> bool:
    """Whether a reply uses a memory: it names its id, or has enough of its rare words. `terms` are those of the reply."""
    memory = injected.memory
    if re.search(rf"(?<!\w){memory.short_id}(?!\w)", reply) or memory.id in reply:
        return True
    found = injected.rare & terms
    fewest = _FEWEST if len(injected.rare) > _FEWEST else 1
    return len(found) >= max(fewest, _SHARE * len(injected.rare))


def cited(injected: Sequence[Injected], reply: str) -> list[Injected]:
    """The injected memories that a reply uses."""
    terms = frozenset(terms_of(reply)) if reply else frozenset()
    return [one for one in injected if reply and used_in(one, reply, terms)]


def by_turn(found: Sequence[Injected]) -> Mapping[int, list[Injected]]:
    """Injected memories by their turn."""
    groups: dict[int, list[Injected]] = {}
    for one in found:
        groups.setdefault(one.turn, []).append(one)
    return groups
