"""No verb waits for the server more than four times, once a process is warm: beginning, commit and rollback included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import recollect
from recollect.store.postgres.store import PostgresStore
from recollect.testing.embedding import HashingEmbedder

MOST = 4
# Verbs that may wait longer, and why. The rewriting of tables after a purge has a connection of its own and is not counted.
LONGER = {
    "related": (5, "the memory, two levels of the graph, each after the one before, the memories found, and the end"),
    "graph of a memory": (5, "as above"),
    "graph of hits": (8, "a recall with a second look, and then a walk in the same view"),
    "recall with a second look": (5, "the best hits are read before the names in them are looked up"),
    "recall of a memory that only a hit names": (6, "as above, and then the memories with these names are read"),
    "remember many": (5, "as `remember`, and the server numbers the rows of the batch before they are written"),
    "context": (
        5,
        "the switches, the two stages of a search, the lists of the layers with their memories, and the end",
    ),
    "preview": (5, "as above"),
    "purge": (
        8,
        "the account is searched in a view, so that nobody waits for its lock meanwhile; then a transaction erases",
    ),
}
TEXTS = (
    "The vault of the Zephyr project is in Bern",
    "Ada prefers tea to coffee in the morning",
    "The deploy script needs the flag --slow on Fridays",
    "Grace wrote the parser of the Kestrel compiler",
    "The Kestrel compiler is built with make",
    "Never restart the green server without asking",
)


@pytest.fixture
def memory(empty_database: str) -> Iterator[recollect.Memory]:
    """A warm process: a little of everything is stored, and every statement was used before."""
    with recollect.open(empty_database, embedder=HashingEmbedder(), touch=False) as opened:
        for number, text in enumerate(TEXTS):
            opened.remember(text, tags=["kept", f"t{number}"])
        yield opened


def store_of(memory: recollect.Memory) -> PostgresStore:
    store = memory._runtime.store
    assert isinstance(store, PostgresStore)
    return store


def waits(memory: recollect.Memory, call: Callable[[], Any]) -> int:
    before = store_of(memory).waits.count
    call()
    return store_of(memory).waits.count - before


class Verbs:
    """Every verb with a call of it; what a call needs is made before it is counted."""

    def __init__(self, memory: recollect.Memory) -> None:
        self.memory = memory
        self.made = 0

    def new(self) -> str:
        """The id of a memory that is like no other."""
        self.made += 1
        return self.memory.remember(f"Note {self.made * 7919} about item{self.made}x{self.made * 31}").memory.id

    def calls(self, name: str) -> Callable[[], Any]:
        made: Callable[[], Any] = getattr(self, name.replace(" ", "_"))()
        return made

    def remember(self) -> Callable[[], Any]:
        return self.new

    def remember_something_about_a_known_subject(self) -> Callable[[], Any]:
        self.made += 1
        return lambda: self.memory.remember(f"Ada orders {self.made * 7919} cups of tea for the Kestrel team")

    def remember_many(self) -> Callable[[], Any]:
        drafts = [f"Line {self.made} of page {number * 101}" for number in range(20)]
        self.made += 1
        return lambda: self.memory.remember_many(drafts)

    def remember_the_same(self) -> Callable[[], Any]:
        return lambda: self.memory.remember(TEXTS[0])

    def update_of_the_text(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.update(one, content=f"A new text {self.made}")

    def update_of_a_field(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.update(one, importance=0.9)

    def tag(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.tag(one, "blue")

    def untag(self) -> Callable[[], Any]:
        one = self.new()
        self.memory.tag(one, "blue")
        return lambda: self.memory.untag(one, "blue")

    def forget(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.forget(one)

    def restore(self) -> Callable[[], Any]:
        one = self.new()
        self.memory.forget(one)
        return lambda: self.memory.restore(one)

    def purge(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.purge(one)

    def recall(self) -> Callable[[], Any]:
        for _ in range(8):
            self.new()
        return lambda: self.memory.recall("note about item")

    def recall_after_a_change(self) -> Callable[[], Any]:
        self.new()
        return lambda: self.memory.recall("note about item")

    def recall_with_a_second_look(self) -> Callable[[], Any]:
        return lambda: self.memory.recall("who wrote the parser")

    def recall_of_a_memory_that_only_a_hit_names(self) -> Callable[[], Any]:
        filler = [f"Entry {number * 7919} of the ledger, page {number * 31}" for number in range(150)]
        self.memory.remember_many([*filler, "Kestrel 4 runs on a Cray"])
        return lambda: self.memory.recall("who wrote the parser")

    def recall_by_words(self) -> Callable[[], Any]:
        return lambda: self.memory.search("morning", mode="lexical")

    def search(self) -> Callable[[], Any]:
        return lambda: self.memory.search("tea in the morning", mode="semantic")

    def get(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.get(one)

    def get_by_the_end_of_its_id(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.get(one[-8:])

    def list(self) -> Callable[[], Any]:
        return lambda: self.memory.list(limit=5)

    def history(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.history(one)

    def log(self) -> Callable[[], Any]:
        return self.memory.log

    def undo(self) -> Callable[[], Any]:
        one = self.new()
        self.memory.tag(one, "undone")
        return self.memory.undo

    def undo_of_a_named_operation(self) -> Callable[[], Any]:
        self.new()
        operation = self.memory.log(limit=1)[0].operation
        return lambda: self.memory.undo(operation)

    def context(self) -> Callable[[], Any]:
        return lambda: self.memory.context("the vault")

    def preview(self) -> Callable[[], Any]:
        return lambda: self.memory.preview("the vault")

    def reinforce(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.reinforce(one)

    def demote(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.demote(one)

    def feedback(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.feedback(one, helpful=True)

    def confirm(self) -> Callable[[], Any]:
        one, other = self.new(), self.new()
        return lambda: self.memory.confirm(one, rejected=[other])

    def contradictions(self) -> Callable[[], Any]:
        return self.memory.contradictions

    def resolve(self) -> Callable[[], Any]:
        one, other = self.new(), self.new()
        self.memory.link(one, other, "contradicts")
        return lambda: self.memory.resolve((one, other), "keep_both")

    def supersede(self) -> Callable[[], Any]:
        old, new = self.new(), self.new()
        return lambda: self.memory.supersede(old, new)

    def gaps(self) -> Callable[[], Any]:
        return self.memory.gaps

    def link(self) -> Callable[[], Any]:
        one, other = self.new(), self.new()
        return lambda: self.memory.link(one, other)

    def unlink(self) -> Callable[[], Any]:
        one, other = self.new(), self.new()
        self.memory.link(one, other)
        return lambda: self.memory.unlink(one, other)

    def related(self) -> Callable[[], Any]:
        one, other = self.new(), self.new()
        self.memory.link(one, other)
        return lambda: self.memory.related(one)

    def graph_of_a_memory(self) -> Callable[[], Any]:
        one = self.new()
        self.memory.tag(one, "kept")
        return lambda: self.memory.graph(id=one)

    def graph_of_hits(self) -> Callable[[], Any]:
        return lambda: self.memory.graph("tea in the morning")

    def provenance(self) -> Callable[[], Any]:
        one = self.new()
        return lambda: self.memory.provenance(one)

    def tags(self) -> Callable[[], Any]:
        return self.memory.tags

    def describe_tag(self) -> Callable[[], Any]:
        return lambda: self.memory.describe_tag("kept", f"what is kept {self.made}")

    def rename_tag(self) -> Callable[[], Any]:
        self.memory.tag(self.new(), "old")
        return lambda: self.memory.rename_tag("old", "new")

    def clusters(self) -> Callable[[], Any]:
        return self.memory.clusters

    def stats(self) -> Callable[[], Any]:
        return self.memory.stats

    def disable(self) -> Callable[[], Any]:
        self.memory.enable("atlas")
        return lambda: self.memory.disable("atlas")

    def enable(self) -> Callable[[], Any]:
        self.memory.disable("atlas")
        return lambda: self.memory.enable("atlas")

    def pools_create(self) -> Callable[[], Any]:
        self.made += 1
        return lambda: self.memory.pools.create(f"pool{self.made}")

    def pools_write_key(self) -> Callable[[], Any]:
        self.made += 1
        self.memory.pools.create(f"pool{self.made}")
        return lambda: self.memory.pools.write_key(f"pool{self.made}", "colour", "green")

    def contexts_create(self) -> Callable[[], Any]:
        self.made += 1
        return lambda: self.memory.contexts.create(f"context{self.made}", type="project_context")


NAMES = [name.replace("_", " ") for name in vars(Verbs) if not name.startswith("_") and name not in ("new", "calls")]


@pytest.mark.parametrize("name", NAMES)
def test_a_warm_verb_waits_for_few_round_trips(memory: recollect.Memory, name: str) -> None:
    verbs = Verbs(memory)
    verbs.calls(name)()
    counted = waits(memory, verbs.calls(name))
    assert counted <= LONGER.get(name, (MOST,))[0]


def test_verbs_that_may_wait_longer_exist() -> None:
    assert set(LONGER) <= set(NAMES)
