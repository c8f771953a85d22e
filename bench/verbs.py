"""Every verb of `Memory` as a call that can be timed: `growth` runs them at two sizes, `compare` with two checkouts.

A verb here takes a `Case`, prepares what it needs, and returns the call that is timed: for `undo` the change to take back is made
before the clock starts. Words that older checkouts know too are preferred, so that `compare` can run them there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

Timed = Callable[[], object]

# Verbs whose work is the whole store or the process, not one answer; `speed`, `graph` and `reliability` measure some of them.
NOT_TIMED = frozenset(
    "as_of called_by close companion disable doctor enable erase_user export extract feedback_many flush import_data import_from "
    "iter_all judge_test judge_usage members reembed remember_many resolve router turns vacuum with_identity".split()
)


@dataclass
class Case:
    """An open store with what was loaded into it; a number is never given twice."""

    memory: Any
    texts: Sequence[str]
    ids: Sequence[str]
    numbers: count[int] = field(default_factory=count)

    def number(self) -> int:
        return next(self.numbers)

    def id(self) -> str:
        """A memory of the store; a prime step visits all of them before one comes again."""
        return self.ids[self.number() * 7919 % len(self.ids)]

    def query(self) -> str:
        """The first words of a stored text."""
        return " ".join(self.texts[self.number() * 7919 % len(self.texts)].split()[:9])

    def stored(self) -> str:
        """A memory that nothing else refers to."""
        outcome = self.memory.remember_many([f"{self.query()}, crate {self.number()}"], verbatim=True)[0]
        return str(outcome.memory.id)


def _by_id(verb: Callable[[Any, str], object]) -> Callable[[Case], Timed]:
    def prepare(case: Case) -> Timed:
        one = case.id()
        return lambda: verb(case.memory, one)

    return prepare


def _by_query(verb: Callable[[Any, str], object]) -> Callable[[Case], Timed]:
    def prepare(case: Case) -> Timed:
        asked = case.query()
        return lambda: verb(case.memory, asked)

    return prepare


def _by_number(verb: Callable[[Any, int], object]) -> Callable[[Case], Timed]:
    def prepare(case: Case) -> Timed:
        number = case.number()
        return lambda: verb(case.memory, number)

    return prepare


def _plain(verb: Callable[[Any], object]) -> Callable[[Case], Timed]:
    return lambda case: lambda: verb(case.memory)


def _undo(case: Case) -> Timed:
    case.memory.tag(case.id(), f"undone{case.number()}")
    return lambda: case.memory.undo()


def _undo_confirm(case: Case) -> Timed:
    case.memory.confirm(case.id(), case.id())
    return lambda: case.memory.undo()


def _untag(case: Case) -> Timed:
    one, tag = case.id(), f"tag{case.number()}"
    case.memory.tag(one, tag)
    return lambda: case.memory.untag(one, tag)


def _restore(case: Case) -> Timed:
    one = case.stored()
    case.memory.forget(one)
    return lambda: case.memory.restore(one)


def _forget(case: Case) -> Timed:
    one = case.stored()
    return lambda: case.memory.forget(one)


def _archive(case: Case) -> Timed:
    one = case.stored()
    return lambda: case.memory.archive(one)


def _unarchive(case: Case) -> Timed:
    one = case.stored()
    case.memory.archive(one)
    return lambda: case.memory.unarchive(one)


def _move(case: Case) -> Timed:
    one = case.stored()
    return lambda: case.memory.move(one, project="large")


def _select(case: Case) -> Timed:
    """Three memories by their metadata."""
    group = case.number()
    for text in (case.stored() for _ in range(3)):
        case.memory.update(text, metadata={"group": group})
    return lambda: case.memory.select(metadata={"group": group}).tag("selected")


def _purge(case: Case) -> Timed:
    one = case.stored()
    return lambda: case.memory.purge(one)


def _supersede(case: Case) -> Timed:
    old, new = case.stored(), case.stored()
    return lambda: case.memory.supersede(old, new)


def _unlink(case: Case) -> Timed:
    one, other = case.id(), case.id()
    case.memory.link(one, other)
    return lambda: case.memory.unlink(one, other)


def _rename_tag(case: Case) -> Timed:
    old = f"old{case.number()}"
    case.memory.tag(case.id(), old)
    return lambda: case.memory.rename_tag(old, f"new{case.number()}")


def _merge_tags(case: Case) -> Timed:
    one, other = f"one{case.number()}", f"other{case.number()}"
    case.memory.tag(case.id(), one)
    case.memory.tag(case.id(), other)
    return lambda: case.memory.merge_tags(one, other)


def _pool(case: Case) -> str:
    name = f"pool{case.number()}"
    case.memory.pools.create(name, data={"parcels": 1})
    return name


def _pool_read(case: Case) -> Timed:
    name = _pool(case)
    return lambda: case.memory.pools.read(name)


def _pool_write(case: Case) -> Timed:
    name = _pool(case)
    return lambda: case.memory.pools.write(name, {"parcels": 2})


def _context(case: Case) -> str:
    name = f"context{case.number()}"
    case.memory.contexts.create(name, type="shared_context")
    return name


def _context_add(case: Case) -> Timed:
    name = _context(case)
    return lambda: case.memory.contexts.add(name, f"Parcel {case.number()} went into a context")


def _context_search(case: Case) -> Timed:
    name = _context(case)
    case.memory.contexts.add(name, f"Parcel {case.number()} went into a context")
    return lambda: case.memory.contexts.search(name, "parcel")


def _short_term_read(case: Case) -> Timed:
    key = f"key{case.number()}"
    case.memory.short_term.write(key, "a note", session="bench")
    return lambda: case.memory.short_term.read(key, session="bench")


def _working_read(case: Case) -> Timed:
    key = f"key{case.number()}"
    case.memory.working.store(key, 1)
    return lambda: case.memory.working.retrieve(key)


def _link(case: Case) -> Timed:
    one, other = case.id(), case.id()
    return lambda: case.memory.link(one, other)


def _tag(case: Case) -> Timed:
    one, tag = case.id(), f"tag{case.number() % 50}"
    return lambda: case.memory.tag(one, tag)


def _update(case: Case) -> Timed:
    one, importance = case.id(), 0.1 + case.number() % 60 / 100
    return lambda: case.memory.update(one, importance=importance)


def _update_text(case: Case) -> Timed:
    one, text = case.stored(), f"Reworded {case.number()}: the lamp in room {case.number()} is new"
    return lambda: case.memory.update(one, content=text)


def _remember_known(case: Case) -> Timed:
    text = case.texts[case.number() * 7919 % len(case.texts)]
    return lambda: case.memory.remember(text)


def _remember(case: Case) -> Timed:
    text = f"{case.query()} {case.number()} was moved to shelf {case.number()}"
    return lambda: case.memory.remember(text)


def _narrative(case: Case) -> Timed:
    text = f"Session {case.number()}: parcels were counted"
    return lambda: case.memory.narratives.write(text, session=f"session{case.number()}")


VERBS: dict[str, Callable[[Case], Timed]] = {
    "recall": _by_query(lambda memory, query: memory.recall(query)),
    "recall explain": _by_query(lambda memory, query: memory.recall(query, explain=True)),
    "remember": _remember,
    "remember known": _remember_known,
    "search": _by_query(lambda memory, query: memory.search(query)),
    "search lexical": _by_query(lambda memory, query: memory.search(query, mode="lexical")),
    "search semantic": _by_query(lambda memory, query: memory.search(query, mode="semantic")),
    "context": _by_query(lambda memory, query: memory.context(query, budget=4000)),
    "preview": _by_query(lambda memory, query: memory.preview(query, budget=4000)),
    "get": _by_id(lambda memory, one: memory.get(one)),
    "get by ending": _by_id(lambda memory, one: memory.get(one[-8:])),
    "list": _plain(lambda memory: memory.list()),
    "list in_project": _plain(lambda memory: memory.list(in_project="small")),
    "list forgotten": _plain(lambda memory: memory.list(status="forgotten")),
    "count": _plain(lambda memory: memory.count()),
    "history": _by_id(lambda memory, one: memory.history(one)),
    "log": _plain(lambda memory: memory.log(limit=20)),
    "stats": _plain(lambda memory: memory.stats()),
    "tag": _tag,
    "untag": _untag,
    "undo": _undo,
    "undo a confirm": _undo_confirm,
    "update": _update,
    "update the text": _update_text,
    "forget": _forget,
    "restore": _restore,
    "archive": _archive,
    "unarchive": _unarchive,
    "move": _move,
    "select and tag": _select,
    "list by metadata": _by_number(lambda memory, number: memory.list(metadata={"group": number})),
    "purge": _purge,
    "reinforce": _by_id(lambda memory, one: memory.reinforce(one)),
    "demote": _by_id(lambda memory, one: memory.demote(one)),
    "feedback": _by_id(lambda memory, one: memory.feedback(one, helpful=True)),
    "confirm": _by_id(lambda memory, one: memory.confirm(one)),
    "contradictions": _plain(lambda memory: memory.contradictions()),
    "gaps": _plain(lambda memory: memory.gaps()),
    "link": _link,
    "unlink": _unlink,
    "supersede": _supersede,
    "related": _by_id(lambda memory, one: memory.related(one)),
    "graph": _by_id(lambda memory, one: memory.graph(id=one)),
    "provenance": _by_id(lambda memory, one: memory.provenance(one)),
    "tags": _plain(lambda memory: memory.tags()),
    "describe_tag": _by_number(lambda memory, number: memory.describe_tag(f"tag{number % 50}", f"number {number}")),
    "rename_tag": _rename_tag,
    "merge_tags": _merge_tags,
    "clusters": _plain(lambda memory: memory.clusters()),
    "working store": _by_number(lambda memory, number: memory.working.store(f"key{number % 20}", number)),
    "working retrieve": _working_read,
    "short_term write": _by_number(
        lambda memory, number: memory.short_term.write(f"key{number % 20}", "a note", session="bench")
    ),
    "short_term read": _short_term_read,
    "pools write": _pool_write,
    "pools read": _pool_read,
    "contexts add": _context_add,
    "contexts search": _context_search,
    "narratives write": _narrative,
    "narratives latest": _plain(lambda memory: memory.narratives.latest()),
}
