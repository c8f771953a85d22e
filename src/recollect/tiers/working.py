"""Working memory: JSON values for the task at hand, each with a TTL of at most a day.

Values live in namespaces: one per agent, one per task of an agent, one per workflow run, one per pair of agents that share. They
are stored through `ports.Working` (a SQLite file or Redis), not in the main store; `persist_to_database` copies a namespace there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import InvalidInput, ReadOnly
from recollect.log import logged
from recollect.ports import Namespace, Reader, Transaction
from recollect.runtime import Runtime
from recollect.tiers.json_values import json_text, screened_json
from recollect.unit_of_work import Verbs
from recollect.validation import require_name, shown
from recollect.values.document import Document
from recollect.values.ids import new_id
from recollect.values.plain import strings_in
from recollect.values.scope import Identity, Place, owner_key, owner_place

Lifetime = float | timedelta
# Key, JSON text, and the time it expires in epoch seconds.
Item = tuple[str, str, float]

HOUR = 3600.0
DAY = timedelta(days=1)
# The unit separator keeps our own keys and namespaces apart from those of callers: names with a control character are refused.
SEPARATOR = "\x1f"
STATE, CONVERSATION, SCRATCH_PAD = f"{SEPARATOR}state", f"{SEPARATOR}conversation", f"{SEPARATOR}scratch_pad"
# How much of what is there is screened together with what is put after it.
_TAIL, _MOST_LINES = 4000, 4
RESULT, TOOL = f"{SEPARATOR}result{SEPARATOR}", f"{SEPARATOR}tool{SEPARATOR}"


@dataclass(frozen=True, slots=True)
class Addition:
    """What is put after a stored value; `joined` gives the texts that arise at the joint."""

    field: str
    value: Any
    joined: Callable[[str | None, Any], Sequence[str]]


class _ChangedMeanwhile(Exception):
    """Another writer changed the value since it was read for the screen."""


@logged
class WorkingMemory(Verbs):
    """The values of one namespace."""

    def __init__(
        self, runtime: Runtime, identity: Identity, project: str | None = None, namespace: Namespace | None = None
    ) -> None:
        super().__init__(runtime, identity, project)
        self._namespace = namespace_of(identity) if namespace is None else namespace

    def store(self, key: str, value: Any, ttl: Lifetime = HOUR) -> None:
        """Store a value under a key for `ttl` seconds, at most a day; an existing value is replaced."""
        self._put(require_name("key", key), "value", value, ttl)

    def retrieve(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default when there is none or it expired."""
        return self._get(require_name("key", key), default)

    def exists(self, key: str) -> bool:
        """Whether a key has a value now."""
        return self._text(self._namespace, require_name("key", key)) is not None

    def remove(self, key: str) -> bool:
        """Remove a key; returns whether it existed."""
        name = require_name("key", key)
        self._require_present()
        self._uow.check_enabled()
        return self._runtime.working.remove(self._namespace, name, self._now())

    def keys(self) -> list[str]:
        """The keys stored with `store`, sorted; task state, results, conversation and the like are not among them."""
        return [key for key, _, _ in self._items() if not key.startswith(SEPARATOR)]

    def clear(self) -> int:
        """Remove every value of this namespace, task state included; returns how many there were."""
        self._require_present()
        self._uow.check_enabled()
        self._runtime.working.sweep(self._now())
        return self._runtime.working.clear(self._namespace)

    def task(self, name: str) -> WorkingMemory:
        """The working memory of one task of this agent."""
        return self._in(namespace_of(self._viewer.identity, self._uow.require_name("task", name)))

    def workflow(self, run_id: str) -> WorkingMemory:
        """The working memory of one workflow run, shared by all agents of the account that name the run."""
        return self._in(workflow_namespace(self._viewer.identity, self._uow.require_name("run_id", run_id)))

    # Recipes: values of a task under reserved keys

    def store_task_state(self, state: Any, ttl: Lifetime = HOUR) -> None:
        """Store the state of the task."""
        self._put(STATE, "state", state, ttl)

    def task_state(self) -> Any:
        """The state of the task, or None."""
        return self._get(STATE)

    def store_intermediate_result(self, step: str, result: Any, ttl: Lifetime = HOUR) -> None:
        """Store the result of a step."""
        self._put(RESULT + require_name("step", step), "result", result, ttl)

    def intermediate_result(self, step: str) -> Any:
        """The result of a step, or None."""
        return self._get(RESULT + require_name("step", step))

    def intermediate_results(self) -> dict[str, Any]:
        """The results of all steps, by name."""
        return {key.removeprefix(RESULT): json.loads(text) for key, text, _ in self._items() if key.startswith(RESULT)}

    def store_conversation_context(self, messages: list[Any], ttl: Lifetime = HOUR) -> None:
        """Store the messages of a conversation."""
        if not isinstance(messages, list | tuple):
            raise InvalidInput("messages", f"{type(messages).__name__} is not a list", "give a list of messages")
        self._put(CONVERSATION, "messages", messages, ttl)

    def append_to_conversation(self, message: Any, ttl: Lifetime = HOUR) -> int:
        """Append one message atomically; returns how many messages there are."""
        added = Addition("message", message, _after_last_message)
        appended = self._change(
            CONVERSATION, added, ttl, lambda old: [*json.loads(old or "[]"), json.loads(json.dumps(message))]
        )
        return len(appended)

    def conversation_context(self) -> list[Any]:
        """The messages of the conversation, oldest first."""
        return list(self._get(CONVERSATION, []))

    def store_tool_state(self, tool: str, state: Any, ttl: Lifetime = HOUR) -> None:
        """Store the state of a tool."""
        self._put(TOOL + require_name("tool", tool), "state", state, ttl)

    def tool_state(self, tool: str) -> Any:
        """The state of a tool, or None."""
        return self._get(TOOL + require_name("tool", tool))

    def store_scratch_pad(self, text: str, ttl: Lifetime = HOUR) -> None:
        """Store free text; existing text is replaced."""
        self._put(SCRATCH_PAD, "text", _string(text), ttl)

    def append_to_scratch_pad(self, text: str, ttl: Lifetime = HOUR) -> None:
        """Append free text atomically, on a new line."""
        self._change(
            SCRATCH_PAD, Addition("text", _string(text), _after_last_lines), ttl, lambda old: _with_line(old, text)
        )

    def scratch_pad(self) -> str:
        """The free text, or an empty string."""
        return str(self._get(SCRATCH_PAD, ""))

    # Between two agents

    def share_with_agent(self, agent: str, key: str, value: Any, ttl: Lifetime = HOUR) -> None:
        """Store a value that only one other agent can read."""
        shared = shared_namespace(self._viewer.identity, self._agent(), self._uow.require_name("agent", agent))
        self._in(shared).store(key, value, ttl)

    def retrieve_shared(self, from_agent: str, key: str, default: Any = None) -> Any:
        """The value another agent shared with this one under a key, or the default."""
        shared = shared_namespace(self._viewer.identity, require_name("from_agent", from_agent), self._agent())
        return self._in(shared).retrieve(key, default)

    # Copies in the main store

    def persist_to_database(self) -> int:
        """Copy this namespace into the store, as one operation that can be undone; returns how many values it has."""
        now = self._runtime.clock()
        items = self._runtime.working.items(self._namespace, now.timestamp())
        while True:
            with self._uow.transaction() as tx:
                over = expired(tx, self._namespace, now)
                if not over:
                    return persist(tx, self._namespace, items, now)
                # An operation of its own: an operation that purged something cannot be undone.
                for document in over:
                    tx.purge_document(document)

    def load_from_database(self) -> int:
        """Load persisted values that have not expired and are not in working memory; returns how many."""
        now = self._runtime.clock()
        with self._uow.view() as reader:
            copies = persisted(reader, self._namespace, now)
        known = {key for key, _, _ in self._runtime.working.items(self._namespace, now.timestamp())}
        missing = [item for item in copies if item[0] not in known and self._may_return(item)]
        for key, text, expires_at in missing:
            self._runtime.working.put(self._namespace, key, text, now.timestamp(), expires_at)
        return len(missing)

    def _may_return(self, item: Item) -> bool:
        """Whether a persisted value contains nothing that was forgotten or purged since."""
        try:
            self._uow.check_value("value", list(strings_in(json.loads(item[1]))))
        except InvalidInput:
            return False
        return True

    def _in(self, namespace: Namespace) -> WorkingMemory:
        return WorkingMemory(self._runtime, self._viewer.identity, self._viewer.project, namespace)

    def _agent(self) -> str:
        agent = self._viewer.identity.agent
        if agent is None:
            raise InvalidInput(
                "agent", "is missing: sharing is between two agents", 'use memory.with_identity(agent="…").working'
            )
        return agent

    def _require_present(self) -> None:
        if self._runtime.past:
            raise ReadOnly("a view of the past", "write to the store itself")

    def _put(self, key: str, field: str, value: Any, ttl: Lifetime) -> None:
        self._require_present()
        text, until = self._checked(key, field, value, ttl)
        self._runtime.working.put(self._namespace, key, text, self._now(), until)

    def _change(self, key: str, added: Addition, ttl: Lifetime, make: Callable[[str | None], Any]) -> Any:
        """Replace a value by one made of it, atomically. What is new in it passes the screen, alone and after what was there."""
        self._require_present()
        while True:
            seen = self._runtime.working.get(self._namespace, key, self._now())
            _, until = self._checked(key, added.field, added.value, ttl, added.joined(seen, added.value))

            def changed(old: str | None, seen: str | None = seen) -> str:
                if old != seen:
                    raise _ChangedMeanwhile
                return json_text(added.field, make(old))

            try:
                made = self._runtime.working.change(self._namespace, key, self._now(), until, changed)
            except _ChangedMeanwhile:
                continue
            return json.loads(made)

    def _checked(
        self, key: str, field: str, value: Any, ttl: Lifetime, joined: Sequence[str] = ()
    ) -> tuple[str, float]:
        """A value as screened JSON text, and when it expires; refused while memory is off.

        `joined` are texts that arise where it is put after another one.
        """
        name, task = key.rpartition(SEPARATOR)[2], self._namespace[2].rpartition(SEPARATOR)[2]
        text = screened_json(self._runtime.gate.policy, field, value, name, task)
        for one in joined:
            self._runtime.gate.require_text(field, one)
        lives = lifetime(ttl, DAY)
        rooms = [part.rpartition(SEPARATOR)[2] for part in self._namespace[1:]]
        self._uow.check_value(field, [name, *strings_in(value), *joined], rooms)
        return text, (self._runtime.clock() + lives).timestamp()

    def _get(self, key: str, default: Any = None) -> Any:
        text = self._text(self._namespace, key)
        return default if text is None else json.loads(text)

    def _text(self, namespace: Namespace, key: str) -> str | None:
        self._uow.check_enabled()
        return self._runtime.working.get(namespace, key, self._now())

    def _items(self) -> list[Item]:
        self._uow.check_enabled()
        return self._runtime.working.items(self._namespace, self._now())

    def _now(self) -> float:
        return self._runtime.clock().timestamp()


def namespace_of(identity: Identity, task: str = "") -> Namespace:
    """The namespace of an agent, or of one of its tasks."""
    return identity.account, owner_key(identity), task


def workflow_namespace(identity: Identity, run: str) -> Namespace:
    """The namespace that all agents of an account, or all that serve one user, share in one workflow run."""
    return identity.account, owner_key(replace(identity, agent=None)), f"{SEPARATOR}workflow{SEPARATOR}{run}"


def shared_namespace(identity: Identity, giver: str, taker: str) -> Namespace:
    """The namespace of the values that one agent shares with another; of those who serve one user, only for that user."""
    return identity.account, owner_key(replace(identity, agent=giver)), f"{SEPARATOR}for{SEPARATOR}{taker}"


def lifetime(ttl: Any, most: timedelta) -> timedelta:
    """A TTL from seconds or a timedelta: above zero, and at most so long."""
    fix = f"give seconds above 0, at most {int(most.total_seconds())}, or a timedelta"
    if isinstance(ttl, bool) or not isinstance(ttl, int | float | timedelta):
        raise InvalidInput("ttl", f"{shown(ttl)} is not a time to live", fix)
    try:
        lives = ttl if isinstance(ttl, timedelta) else timedelta(seconds=ttl)
    except (OverflowError, ValueError):  # infinity, nan, and numbers beyond any time
        raise InvalidInput("ttl", "is not a time to live", fix) from None
    if not timedelta(0) < lives <= most:
        raise InvalidInput("ttl", f"{lives.total_seconds():g} seconds is out of range", fix)
    return lives


def expired(reader: Reader, namespace: Namespace, now: datetime) -> list[Document]:
    """The expired copies in the store of all namespaces of one agent."""
    place = _place(namespace)
    return [
        document
        for document in reader.documents(namespace[0], "working")
        if document.place == place and _body(document)["expires_at"] <= now.timestamp()
    ]


def persist(tx: Transaction, namespace: Namespace, items: Sequence[Item], now: datetime) -> int:
    """Make the copies in the store equal to the namespace; returns how many values it has."""
    copies = {_body(document)["key"]: document for document in _copies(tx, namespace)}
    account, _, task = namespace
    for key, text, expires_at in items:
        old = copies.pop(key, None)
        body = {"task": task, "key": key, "value": json.loads(text), "expires_at": expires_at}
        if old is not None and old.body == body:
            continue
        new = old or Document(new_id(now), account, "working", f"{task}{SEPARATOR}{key}", now, now, _place(namespace))
        tx.put_document(old, replace(new, body=body, updated_at=now), "persist")
    for old in copies.values():
        tx.put_document(old, None, "persist")
    return len(items)


def persisted(reader: Reader, namespace: Namespace, now: datetime) -> list[Item]:
    """The copies in the store of a namespace that have not expired."""
    bodies = [_body(document) for document in _copies(reader, namespace)]
    return [
        (body["key"], json_text("value", body["value"]), body["expires_at"])
        for body in bodies
        if body["expires_at"] > now.timestamp()
    ]


def _copies(reader: Reader, namespace: Namespace) -> list[Document]:
    account, _, task = namespace
    found = reader.documents(account, "working", prefix=f"{task}{SEPARATOR}")
    return [copy for copy in found if copy.place == _place(namespace) and _body(copy)["task"] == task]


def _place(namespace: Namespace) -> Place:
    return owner_place(namespace[1])


def _body(document: Document) -> dict[str, Any]:
    return dict(document.body or {})


def _with_line(old: str | None, text: str) -> str:
    before = "" if old is None else str(json.loads(old))
    return f"{before}\n{text}" if before else text


def _after_last_lines(old: str | None, text: str) -> list[str]:
    """A new line after the last lines of a pad: what was put there in pieces can be said by several lines together."""
    lines = [] if old is None else str(json.loads(old))[-_TAIL:].splitlines()
    near = [" ".join(map(str.strip, (*lines[-count:], text))) for count in range(1, min(len(lines), _MOST_LINES) + 1)]
    return near if len(lines) <= _MOST_LINES else ["\n".join([*lines, text]), *near]


def _after_last_message(old: str | None, message: Any) -> list[str]:
    """What the last message of a conversation and a new one say together."""
    messages = json.loads(old or "[]")
    before, now = _said(messages[-1]) if messages else "", _said(message)
    return [f"{before[-_TAIL:]}\n{now}"] if before and now else []


def _said(message: Any) -> str:
    said = message.get("content") if isinstance(message, Mapping) else message
    return said if isinstance(said, str) else ""


def _string(text: Any) -> str:
    if not isinstance(text, str):
        raise InvalidInput("text", f"{type(text).__name__} is not text", "give a string")
    return text
