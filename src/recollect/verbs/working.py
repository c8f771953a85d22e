"""Working memory: JSON values for the task at hand, each agent and task in a room of its own, gone after their time.

Values live in `ports.Working`, apart from the store: nothing here is journalled, recalled or undone until it is persisted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from recollect.capture.fields import clean_name
from recollect.capture.screen.policy import Action, Refusal, apply_policy
from recollect.errors import InvalidInput
from recollect.parts import Parts
from recollect.ports import Room
from recollect.tiers import working as rooms
from recollect.tiers.jsonable import json_text, strings
from recollect.tiers.working import CONVERSATION, DAY, HOUR, JOIN, RESULT, SCRATCH_PAD, STATE, TOOL
from recollect.values.scope import Identity
from recollect.verbs.view import View

Lifetime = float | timedelta


class WorkingMemory(View):
    """The values of one room."""

    def __init__(self, parts: Parts, identity: Identity, project: str | None = None, room: Room | None = None) -> None:
        super().__init__(parts, identity, project)
        self._room = rooms.room_of(identity) if room is None else room

    def store(self, key: str, value: Any, ttl: Lifetime = HOUR) -> None:
        """Keep a value under a key for a while, at most a day; a value that was there is replaced."""
        name = required("key", key)
        self._put(self._room, name, screened(self._policy, "value", value, name), ttl)

    def retrieve(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default when there is none any more."""
        return self._get(self._room, required("key", key), default)

    def exists(self, key: str) -> bool:
        """Whether a key has a value now."""
        return self._text(self._room, required("key", key)) is not None

    def remove(self, key: str) -> bool:
        """Take a key away; whether it was there."""
        name = required("key", key)
        self._awake()
        return self._parts.working.remove(self._room, name, self._now())

    def keys(self) -> list[str]:
        """The keys that were stored here, by name; task state, results, conversation and the like have none."""
        return [key for key, _, _ in self._items() if not key.startswith(JOIN)]

    def clear(self) -> int:
        """Empty this room, task state and all; returns how many values went."""
        self._awake()
        self._parts.working.sweep(self._now())
        return self._parts.working.clear(self._room)

    def task(self, name: str) -> WorkingMemory:
        """The working memory of one task of this agent."""
        return self._at(rooms.room_of(self._viewer.identity, required("task", name)))

    def workflow(self, run_id: str) -> WorkingMemory:
        """The working memory of one run of a workflow, shared by all agents of the account that name it."""
        return self._at(rooms.workflow_room(self._viewer.account, required("run_id", run_id)))

    # What a task is made of

    def store_task_state(self, state: Any, ttl: Lifetime = HOUR) -> None:
        """Keep where the task stands."""
        self._put(self._room, STATE, screened(self._policy, "state", state), ttl)

    def task_state(self) -> Any:
        """Where the task stands, or None."""
        return self._get(self._room, STATE)

    def store_intermediate_result(self, step: str, result: Any, ttl: Lifetime = HOUR) -> None:
        """Keep what a step came to."""
        name = required("step", step)
        self._put(self._room, RESULT + name, screened(self._policy, "result", result, name), ttl)

    def intermediate_result(self, step: str) -> Any:
        """What a step came to, or None."""
        return self._get(self._room, RESULT + required("step", step))

    def intermediate_results(self) -> dict[str, Any]:
        """What every step came to, by its name."""
        return {key.removeprefix(RESULT): json.loads(text) for key, text, _ in self._items() if key.startswith(RESULT)}

    def store_conversation_context(self, messages: list[Any], ttl: Lifetime = HOUR) -> None:
        """Keep the messages of a conversation."""
        if not isinstance(messages, list | tuple):
            raise InvalidInput("messages", f"{type(messages).__name__} is not a list", "give a list of messages")
        self._put(self._room, CONVERSATION, screened(self._policy, "messages", messages), ttl)

    def append_to_conversation(self, message: Any, ttl: Lifetime = HOUR) -> int:
        """Add one message, whoever adds others at the same time; returns how many there are."""
        text = screened(self._policy, "message", message)
        return len(json.loads(self._change(CONVERSATION, lambda held: rooms.with_message(held, text), ttl)))

    def conversation_context(self) -> list[Any]:
        """The messages of the conversation, oldest first."""
        return list(self._get(self._room, CONVERSATION, []))

    def store_tool_state(self, tool: str, state: Any, ttl: Lifetime = HOUR) -> None:
        """Keep what a tool needs to go on."""
        name = required("tool", tool)
        self._put(self._room, TOOL + name, screened(self._policy, "state", state, name), ttl)

    def tool_state(self, tool: str) -> Any:
        """What a tool needs to go on, or None."""
        return self._get(self._room, TOOL + required("tool", tool))

    def store_scratch_pad(self, text: str, ttl: Lifetime = HOUR) -> None:
        """Keep free text, in the place of what was there."""
        self._put(self._room, SCRATCH_PAD, screened(self._policy, "text", _string(text)), ttl)

    def append_to_scratch_pad(self, text: str, ttl: Lifetime = HOUR) -> None:
        """Add free text on a line of its own, whoever adds more at the same time."""
        screened(self._policy, "text", _string(text))
        self._change(SCRATCH_PAD, lambda held: rooms.with_line(held, text), ttl)

    def scratch_pad(self) -> str:
        """The free text, or an empty one."""
        return str(self._get(self._room, SCRATCH_PAD, ""))

    # Between two agents

    def share_with_agent(self, agent: str, key: str, value: Any, ttl: Lifetime = HOUR) -> None:
        """Keep a value for another agent, which alone can take it."""
        name = required("key", key)
        room = rooms.shared_room(self._viewer.account, self._agent(), required("agent", agent))
        self._put(room, name, screened(self._policy, "value", value, name), ttl)

    def retrieve_shared(self, from_agent: str, key: str, default: Any = None) -> Any:
        """What another agent keeps for this one under a key, or the default."""
        room = rooms.shared_room(self._viewer.account, required("from_agent", from_agent), self._agent())
        return self._get(room, required("key", key), default)

    # In the store

    def persist_to_database(self) -> int:
        """Copy this room into the store, as one operation that can be undone; returns how many values it holds."""
        now = self._parts.clock()
        with self._handle.reading() as reader:
            over = rooms.expired(reader, self._room, now)
        if over:
            # An operation of its own: what is erased for good must not keep the copying from being undone.
            with self._handle.changing() as tx:
                for document in rooms.expired(tx, self._room, now):
                    tx.purge_document(document)
        with self._handle.changing() as tx:
            return rooms.persist(tx, self._room, self._items(), now)

    def load_from_database(self) -> int:
        """Bring back what was persisted and has not expired; what is here already is newer and stays. Returns how many."""
        now = self._parts.clock()
        with self._handle.reading() as reader:
            copies = rooms.persisted(reader, self._room, now)
        here = {key for key, _, _ in self._items()}
        missing = [item for item in copies if item[0] not in here]
        for key, text, expires_at in missing:
            self._parts.working.put(self._room, key, text, now.timestamp(), expires_at)
        return len(missing)

    def _at(self, room: Room) -> WorkingMemory:
        return WorkingMemory(self._parts, self._viewer.identity, self._viewer.project, room)

    def _agent(self) -> str:
        agent = self._viewer.identity.agent
        if agent is None:
            raise InvalidInput("agent", "nobody says who is sharing", 'name this agent: memory.as_(agent="…").working')
        return agent

    def _put(self, room: Room, key: str, text: str, ttl: Lifetime) -> None:
        lives = rooms.lifetime(ttl, DAY)
        self._awake()
        now = self._parts.clock()
        self._parts.working.put(room, key, text, now.timestamp(), (now + lives).timestamp())

    def _change(self, key: str, change: Callable[[str | None], str], ttl: Lifetime) -> str:
        lives = rooms.lifetime(ttl, DAY)
        self._awake()
        now = self._parts.clock()
        return self._parts.working.change(self._room, key, now.timestamp(), (now + lives).timestamp(), change)

    def _get(self, room: Room, key: str, default: Any = None) -> Any:
        text = self._text(room, key)
        return default if text is None else json.loads(text)

    def _text(self, room: Room, key: str) -> str | None:
        self._awake()
        return self._parts.working.get(room, key, self._now())

    def _items(self) -> list[rooms.Item]:
        self._awake()
        return self._parts.working.items(self._room, self._now())

    def _awake(self) -> None:
        self._handle.awake(self._viewer.project)

    def _now(self) -> float:
        return self._parts.clock().timestamp()

    @property
    def _policy(self) -> Mapping[str, Action]:
        return self._parts.vetting.policy


def required(field: str, value: Any) -> str:
    """A name that must be given: real text on one line."""
    name = clean_name(field, value)
    if name is None:
        raise InvalidInput(field, "is missing", "give a name")
    return name


def screened(policy: Mapping[str, Action], field: str, value: Any, name: str = "") -> str:
    """A value as JSON text, if the screen lets it through under its name; blotting out inside a value would be guessing."""
    text = json_text(field, value)
    # The name tells what a value is (`password`); and what JSON escapes is read as it was written, too.
    readings = [f"{{{json.dumps(name)}: {text}}}", *(["\n".join(strings(json.loads(text)))] if "\\" in text else [])]
    for reading in readings:
        found = apply_policy(reading, policy)
        if isinstance(found, Refusal):
            raise InvalidInput(field, found.reason, "keep a reference to it instead")
        if found.redacted:
            kinds = ", ".join(sorted(set(found.redacted)))
            raise InvalidInput(field, f"the value holds {kinds}", "take it out, or change the policy for it")
    return text


def _string(text: Any) -> str:
    if not isinstance(text, str):
        raise InvalidInput("text", f"{type(text).__name__} is not text", "give a string")
    return text
