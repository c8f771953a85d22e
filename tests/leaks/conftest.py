"""One store with everybody's secrets in it, and a scan that finds any of them in whatever a verb answers.

Every planted thing carries words of its own that occur nowhere else: some that the tests ask for (`asked`), some that nobody
ever types (`told`). A told word in an answer therefore comes from the store, and its place says who may read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.errors import RecollectError
from recollect.ports import Clock, Store, Working
from recollect.runtime import Runtime
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.store.redis.working import RedisWorking
from recollect.store.sqlite.connection import MEMORY
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.in_memory import InMemoryStore
from recollect.testing.servers import fresh_database, fresh_prefix
from recollect.values.cluster import Cluster, owner_of
from recollect.values.ids import new_id
from recollect.values.scope import GLOBAL, Identity, Place, Viewer, place_of, reaches
from recollect.wiring import assemble

BACK_ENDS = ("file", "memory", "reference", "postgres")
ACCOUNTS = ("default", "other")
PROJECTS = (None, "atlas", "zephyr")
ROOMS = (("agent", "ada"), ("agent", "eve"), ("team", "core"), ("team", "ops"), ("user", "ulla"), ("user", "uwe"))
VISITS = (("session", "s1"), ("session", "s2"), ("task", "t1"), ("task", "t2"))
EVERYBODY = ("core", "ops")
IDENTITIES = (
    Identity("default"),
    Identity("default", None, ("core",)),
    Identity("default", "ada"),
    Identity("default", "ada", ("core",)),
    Identity("default", "eve"),
    Identity("default", "eve", EVERYBODY),
    Identity("default", user="ulla"),
    Identity("default", "ada", ("core",), user="ulla"),
    Identity("default", "eve", user="uwe"),
    Identity("other"),
    Identity("other", "ada", ("core",)),
    Identity("other", "ada", user="ulla"),
)
SYLLABLES = tuple(map("".join, product("bdfgklmnprstvz", "aeiou")))
COMMON = "The ledger lists the harbour"
_TOKENS = re.compile(r"[a-z0-9]+")

May = Callable[["Plant"], bool]
# A store and working memory that are open already; None is made by kind.
Given = tuple[Store | None, Working | None]
NOTHING: Given = (None, None)


@dataclass(frozen=True, slots=True)
class Plant:
    """Something in the store that has a place, the words to ask for it, and the words only its readers may be told."""

    account: str
    place: Place
    asked: tuple[str, ...]
    told: tuple[str, ...]
    id: str = ""

    def within(self, viewer: Viewer) -> bool:
        """Whether a context verb may tell of it."""
        return self.account == viewer.account and self.place in viewer.places()

    @property
    def unasked(self) -> bool:
        """Whether it is told to those who name no session and no task."""
        return self.place[0] not in ("session", "task")

    def reached(self, identity: Identity) -> bool:
        """Whether a verb that knows no context may tell of it."""
        return self.account == identity.account and reaches(identity, self.place)


@dataclass(slots=True)
class World:
    """The planted store: `writing` is for planting, `quiet` keeps nothing of what is asked of it."""

    writing: Memory
    quiet: Memory
    clock: FixedClock
    plants: list[Plant] = field(default_factory=list)
    before: datetime = field(default_factory=FixedClock())
    _owners: dict[str, Plant] = field(default_factory=dict)
    _count: int = 0

    def word(self) -> str:
        """A new word of eight letters, unlike the others."""
        self._count += 1
        number, word = self._count * 7_368_787 % len(SYLLABLES) ** 4, ""
        for _ in range(4):
            number, place = divmod(number, len(SYLLABLES))
            word += SYLLABLES[place]
        return word

    def words(self, many: int) -> tuple[str, ...]:
        return tuple(self.word() for _ in range(many))

    def add(self, plant: Plant) -> Plant:
        """Watch for a plant, by its words and by its id."""
        self.plants.append(plant)
        tokens = [plant.id[-12:], plant.id[-8:]] if plant.id else []
        self._owners |= dict.fromkeys((*plant.told, *tokens), plant)
        return plant

    def unwatch(self, plant: Plant) -> None:
        """Stop watching for an id that the rest of a purge tells."""
        for token in (plant.id[-12:], plant.id[-8:]):
            self._owners.pop(token, None)

    def watch(self, identity: Identity) -> str:
        """A new word that only one agent, or one agent for a user, may be told."""
        (word,) = self.words(1)
        self.add(Plant(identity.account, identity.private_place(), (), (word,)))
        return word

    def with_identity(self, identity: Identity, *, quiet: bool = True) -> Memory:
        """The store seen by an identity; quietly, nothing a recall does is kept."""
        memory = self.quiet if quiet else self.writing
        return memory.with_identity(
            account=identity.account, agent=identity.agent, teams=identity.teams, user=identity.user
        )

    def asking(self) -> str:
        """Every asked word in one question."""
        return " ".join(word for plant in self.plants for word in plant.asked)

    def found(self, answer: Any) -> list[Plant]:
        """The plants an answer tells of."""
        tokens = dict.fromkeys(_TOKENS.findall("\n".join(texts(answer)).casefold()))
        return [self._owners[token] for token in tokens if token in self._owners]

    def leaks(self, answer: Any, may: May) -> list[Plant]:
        """The plants an answer tells of and may not."""
        return [plant for plant in self.found(answer) if not may(plant)]

    def unreachable(self, identity: Identity) -> list[Plant]:
        """Memories this identity does not reach, one of each room and account."""
        kept = {(plant.account, owner_of(plant.place)): plant for plant in self.plants if plant.id and plant.asked}
        return [plant for plant in kept.values() if not plant.reached(identity)]


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, however deep: fields, keys, items, and what an error says and was caused by."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, BaseException):
        yield from (str(value), repr(value))
        yield from texts([*value.args, vars(value), value.__cause__, value.__context__])
    elif is_dataclass(value) and not isinstance(value, type):
        yield from texts([getattr(value, each.name) for each in fields(value)])
    elif isinstance(value, Mapping):
        yield from texts([*value.keys(), *value.values()])
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from texts(item)
    elif not isinstance(value, (int, float, type(None), datetime, np.ndarray)):
        yield repr(value)


def tried(call: Callable[[], Any]) -> Any:
    """What a call answers, or the error it raises: both are told to the caller."""
    try:
        return call()
    except RecollectError as error:
        return error


def engine(kind: str, folder: Path, clock: Clock, given: Given = NOTHING, **settings: Any) -> Memory:
    """An engine on one of the back ends, or on what is open already."""
    store, working = given
    return Memory(_wired(store or _store(kind, folder), folder, clock, settings, working), Identity())


def _store(kind: str, folder: Path) -> Store:
    if kind == "reference":
        return InMemoryStore()
    return SqliteStore(MEMORY if kind == "memory" else folder / "memory.db", durable=False)


@contextmanager
def servers(request: pytest.FixtureRequest) -> Iterator[Given]:
    """What lives on servers, when that is the kind asked for: a store in a database of its own, working memory in a Redis."""
    if request.param != "postgres":
        yield NOTHING
        return
    with ExitStack() as stack:
        working = RedisWorking(stack.enter_context(fresh_prefix(request.getfixturevalue("redis"))))
        if request.scope == "function":
            # For one test, a database that is used again.
            yield PostgresStore(request.getfixturevalue("empty_database"), Options(connections=4)), working
        else:
            url = stack.enter_context(fresh_database(request.getfixturevalue("postgres")))
            yield PostgresStore(url, Options(partitions=2, connections=4)), working


def _wired(
    store: Store, folder: Path, clock: Clock, settings: Mapping[str, Any], working: Working | None = None
) -> Runtime:
    loaded = load({"XDG_CONFIG_HOME": str(folder)}, db=str(folder / "memory.db"), embedder="none", **settings)
    embedder = StoreEmbedder(HashingEmbedder(), store)
    # Measured and stored at first use; here before anything else, so that no reading has to write.
    assert embedder.calibration and embedder.query_calibration
    parts = assemble(loaded, store, embedder, None, clock, working)
    if not isinstance(store, InMemoryStore):
        return parts
    return replace(parts, blank=lambda name, then: _wired(InMemoryStore(name), folder, then, settings))


def coordinates() -> Iterator[dict[str, Any]]:
    """The draft fields of one memory in every place of an account."""
    yield {"scope": "global"}
    yield from ({"scope": "project", "project": project} for project in PROJECTS if project)
    for (scope, name), project in product((*ROOMS, *VISITS), PROJECTS):
        yield {"scope": scope, scope: name, "project": project}


def _owner(account: str, where: Mapping[str, Any]) -> Identity:
    """Who lives at some coordinates."""
    return Identity(account, where.get("agent"), EVERYBODY, user=where.get("user"))


def plant_memory(world: World, account: str, where: Mapping[str, Any], text: str | None = None) -> Plant:
    """A memory with a word of its own in every field that holds text, planted by whoever lives there."""
    (content, tag, trigger), told = world.words(3), world.words(10)
    draft = {
        "content": f"{COMMON} {content} {told[0]}" if text is None else text,
        "tags": [tag, told[1]],
        "triggers": [trigger, told[2]],
        "season": told[3],
        "snippet": told[4],
        "reason": told[5],
        "speaker": told[6],
        "file_paths": [f"src/{told[7]}.py"],
        "key": f"key of {tag}",
        "metadata": {told[8]: [{"note": told[9]}]},
        **{name: value for name, value in where.items() if value is not None},
    }
    owner = world.with_identity(_owner(account, where), quiet=False)
    made = owner.remember_many([draft], verbatim=True)[0].memory
    assert made is not None
    return world.add(Plant(account, made.place, (content, tag, trigger), told, made.id))


def _plant_fates(world: World, account: str, scope: str, name: str) -> None:
    """In one room: a memory that was forgotten, one superseded, one undone, one purged, two that contradict each other."""
    where = {"scope": scope, scope: name}
    owner = world.with_identity(_owner(account, where), quiet=False)
    (reason,) = world.words(1)
    owner.forget(plant_memory(world, account, where).id, reason=reason)
    world.add(Plant(account, place_of(scope, where), (), (reason,)))
    old, new = (plant_memory(world, account, where) for _ in range(2))
    owner.supersede(old.id, new.id)
    world.clock.advance(1)
    plant_memory(world, account, where)
    owner.undo()
    gone = plant_memory(world, account, where)
    owner.purge(gone.id)
    world.unwatch(gone)
    (gate,) = world.words(1)
    world.add(Plant(account, place_of(scope, where), (), (gate,)))
    ports = (f"The {gate} gate listens on port {port}" for port in ("8080", "9090"))
    first, second = (plant_memory(world, account, where, text) for text in ports)
    owner.link(second.id, first.id, "contradicts")


def _plant_around(world: World, account: str, identity: Identity) -> None:
    """What is no memory: a tag's description, unanswered questions, by who said or asked it."""
    owner = world.with_identity(identity, quiet=False)
    tag, told, *asked = world.words(2 + len(PROJECTS))
    place = identity.private_place()
    owner.describe_tag(tag, f"what is called {told}")
    world.add(Plant(account, place, (), (tag, told)))
    for project, word in zip(PROJECTS, asked, strict=True):
        owner.recall(f"zzz {word}", project=project)
        scope, key, _ = place if place != GLOBAL else ("project", project or "", "")
        world.add(Plant(account, (scope, key, project or ""), (), (word,)))
    owner.get(next(plant.id for plant in world.plants if plant.reached(identity) and plant.id))


def _plant_clusters(world: World, account: str) -> None:
    """One cluster a room, of everything in it, with a name of its own."""
    parts, now = world.writing._runtime, world.clock()
    living = [plant for plant in world.plants if plant.account == account and plant.id]
    with parts.store.transaction(account, "test", now) as tx:
        for wall in dict.fromkeys(owner_of(plant.place) for plant in living):
            ids = [plant.id for plant in living if owner_of(plant.place) == wall]
            rows, name = tx.rows_of(account, ids), world.word()
            cluster = Cluster(new_id(now), name, len(rows), np.eye(1, 128, dtype=np.float32)[0], 0.9, now, wall)
            tx.put_cluster(account, cluster, rows)
            world.add(Plant(account, wall, (), (name,), cluster.id))


def _plant_bridges(world: World, account: str) -> None:
    """Links from what all may read into each room and out again."""
    shared = [plant_memory(world, account, {"scope": "global"}) for _ in range(2)]
    for scope, name in ROOMS:
        hidden = plant_memory(world, account, {"scope": scope, scope: name})
        owner = world.with_identity(_owner(account, {scope: name}), quiet=False)
        owner.link(shared[0].id, hidden.id, "relates_to", 1.0)
        owner.link(hidden.id, shared[1].id, "derived_from")


def planted(kind: str, folder: Path, given: Given = NOTHING) -> World:
    """A store of one kind with everything in it."""
    clock = FixedClock()
    writing = engine(kind, folder, clock, given, refresh_clusters=0)
    opened = (writing._runtime.store, writing._runtime.working)
    quiet = engine(kind, folder, clock, opened, refresh_clusters=0, gaps=False, touch=False)
    world = World(writing, quiet, clock)
    for account in ACCOUNTS:
        for where in coordinates():
            plant_memory(world, account, where)
    world.before = clock()
    clock.advance(timedelta(hours=1))
    for account in ACCOUNTS:
        for room in ROOMS:
            _plant_fates(world, account, *room)
        _plant_bridges(world, account)
        for agent, user in ((None, None), ("ada", None), ("eve", None), (None, "ulla"), ("eve", "uwe")):
            _plant_around(world, account, Identity(account, agent, user=user))
        _plant_clusters(world, account)
    writing.flush()
    return world


@pytest.fixture(scope="module", params=BACK_ENDS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The planted store on every back end, shared by a module: its tests read, or fail to write."""
    with servers(request) as given:
        made = planted(request.param, tmp_path_factory.mktemp("leaks"), given)
        yield made
        made.writing.close()


@pytest.fixture(scope="module", params=BACK_ENDS)
def small_world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """An empty store on every back end, with the scan."""
    clock = FixedClock()
    folder = tmp_path_factory.mktemp("tiers")
    with (
        servers(request) as given,
        engine(request.param, folder, clock, given, touch=False, refresh_clusters=0) as opened,
    ):
        yield World(opened, opened, clock)


@pytest.fixture(params=IDENTITIES, ids=lambda who: f"{who.account}-{who.agent}-{'+'.join(who.teams)}-{who.user}")
def who(request: pytest.FixtureRequest) -> Identity:
    """Everybody who may look, one after the other."""
    found: Identity = request.param
    return found


@pytest.fixture(params=BACK_ENDS)
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    """A fresh store of every kind, to write into; a recall counts no access, so that only what is told changes nothing."""
    with (
        servers(request) as given,
        engine(request.param, tmp_path, clock, given, touch=False, refresh_clusters=0) as opened,
    ):
        yield opened
