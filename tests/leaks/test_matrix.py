"""Every verb that reads, for everybody and from everywhere: no answer tells a word of what its asker does not reach."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import pytest

from recollect.errors import NotFound
from recollect.portable.graph import render_graph
from recollect.values.scope import Identity, Viewer

PROFILES = ("hybrid", "belief", "hebbian", "composite", "relevance", "cascade")
COMMON = "the ledger lists the harbour"
MANY = 1000
CONTEXTS = (
    (None, None, None), ("atlas", None, None), (None, "s1", "t2"), ("atlas", "s1", "t1"), ("zephyr", "s2", None),
)  # fmt: skip


def _recall(profile, **more):
    def read(memory, world, where):
        return memory.recall(
            f"{COMMON} {world.asking()}", profile=profile, explain=True, limit=MANY, **(where | more)
        )  # fmt: skip

    return read


def _warned(memory, world, where):
    return memory.recall(COMMON, working_on=world.asking(), explain=True, limit=MANY, **where)


def _search(mode):
    return lambda memory, world, where: memory.search(f"{COMMON} {world.asking()}", mode=mode, limit=MANY, **where)


def _drawn(memory, world, where):
    graph = memory.graph(COMMON, depth=2, limit=MANY, **where)
    return [graph, *(render_graph(graph, form) for form in ("html", "json"))]


# What is told from where one stands: only what lies in the places of that viewer.
FROM_A_PLACE = {
    **{f"recall {profile}": _recall(profile) for profile in PROFILES},
    "recall of all": _recall("hybrid", status="all"),
    "recall named": _recall("hybrid", named=True),
    "recall of the past": _recall("hybrid", true_at="2026-01-01T12:30:00+00:00"),
    "recall with a season": _recall("hybrid", season="spring"),
    "recall with a warning": _warned,
    **{f"search {mode}": _search(mode) for mode in ("lexical", "semantic", "hybrid")},
    "graph of a question": _drawn,
}


def _list(**filters):
    return lambda memory, world: memory.list(limit=MANY, **filters)


def _tagged(memory, world):
    return [memory.list(limit=MANY, status="all", tags=word) for plant in world.plants for word in plant.asked[1:2]]


def _described(memory, world):
    """What a filter on metadata finds, with each word that anybody has there, also where the condition is turned round."""
    words = [word for plant in world.plants if plant.id and plant.asked for word in plant.told[8:9]]
    asked = [{"metadata": {word: {"$exists": True}}} for word in words]
    either = {"OR": asked[:50]}
    return [memory.list(limit=MANY, status="all", where=where) for where in (either, {"NOT": either}, *asked[:5])]


def _counted(memory, world):
    """The numbers tell of nothing but what is listed too."""
    words = {word for record in memory.iter_all(status="all") for word in record.metadata}
    for plant in (plant for plant in world.plants if plant.id and plant.asked):
        (word,) = plant.told[8:9]
        page = memory.list(status="all", metadata={word: {"$exists": True}}, total=True)
        counted = memory.count(status="all", metadata={word: {"$exists": True}})
        assert counted == page.total == (word in words)
    return memory.list(status="all", total=True)


def _members(memory, world):
    return [memory.members(cluster.id, limit=MANY) for cluster in memory.clusters()]


def _everything(memory, world):
    graph = memory.graph(limit=MANY, depth=2)
    return [graph, *(render_graph(graph, form) for form in ("html", "json"))]


def _each(memory, world):
    own = [record.id for record in memory.list(limit=MANY, status="all")]
    return [[memory.get(id), memory.history(id), memory.provenance(id)] for id in own]


def _past(memory, world):
    with memory.as_of(world.before) as then:
        told = [then.list(limit=MANY, status="all"), then.log(limit=MANY), then.tags(), then.gaps(answered=True)]
        return [*told, then.recall(f"{COMMON} {world.asking()}", limit=MANY, explain=True)]


def _past_stats(memory, world):
    with memory.as_of(world.before) as then:
        return then.stats()


# What is told of everything an identity reaches, wherever it stands.
FROM_ANYWHERE = {
    "list": _list(),
    "list of all": _list(status="all"),
    **{f"list of {scope}": _list(scope=scope, status="all") for scope in ("agent", "team", "user", "session", "task")},
    "list of a project": _list(in_project="atlas", status="all"),
    "list of a session": _list(in_session="s1", status="all"),
    "list by tag": _tagged,
    "list by metadata": _described,
    "iter_all": lambda memory, world: list(memory.iter_all(status="all")),
    "count": _counted,
    "log": lambda memory, world: memory.log(limit=MANY),
    "tags": lambda memory, world: memory.tags(),
    "clusters": lambda memory, world: memory.clusters(),
    "members": _members,
    "gaps": lambda memory, world: memory.gaps(answered=True),
    "contradictions": lambda memory, world: memory.contradictions(),
    "graph": _everything,
    "get, history, provenance": _each,
    "as_of": _past,
    "stats": lambda memory, world: memory.stats(),
    "stats of the past": _past_stats,
    "doctor": lambda memory, world: memory.doctor(),
}


# A filter names the session; the counts of `stats` are those of the account.
BY_NAME = ("list of a session", "stats", "stats of the past")


@pytest.mark.parametrize("verb", FROM_A_PLACE)
def test_nothing_is_told_of_places_out_of_sight(world, who, verb) -> None:
    for project, session, task in CONTEXTS:
        viewer = Viewer(who, project, session, task)
        where = {"project": project, "session": session, "task": task}
        answer = FROM_A_PLACE[verb](world.with_identity(who), world, where)
        assert world.leaks(answer, lambda plant, viewer=viewer: plant.within(viewer)) == [], viewer


@pytest.mark.parametrize("verb", FROM_ANYWHERE)
def test_nothing_is_told_of_rooms_of_others(world, who, verb) -> None:
    answer = FROM_ANYWHERE[verb](world.with_identity(who), world)
    named = verb in BY_NAME
    assert world.leaks(answer, lambda plant: plant.reached(who) and (named or plant.unasked)) == []


def test_what_is_related_is_seen_from_where_the_memory_stands(world, who) -> None:
    memory = world.with_identity(who)
    for record in memory.list(limit=MANY):
        viewer = Viewer(who, record.project, record.session, record.task)
        for answer in (memory.related(record.id, depth=2, limit=200), memory.graph(id=record.id, depth=2)):
            assert world.leaks(answer, lambda plant, viewer=viewer: plant.within(viewer)) == []


def test_a_cluster_of_others_is_not_found_by_its_id_or_name(world, who) -> None:
    memory, every = world.with_identity(who), [plant for plant in world.plants if plant.id and not plant.asked]
    hidden = [plant for plant in every if not plant.reached(who)]
    assert hidden
    for name in chain.from_iterable((plant.id, plant.id[-8:], *plant.told) for plant in hidden):
        with pytest.raises(NotFound):
            memory.members(name)


def test_a_scan_for_contradictions_flags_and_tells_only_what_is_reached(world, who) -> None:
    memory = world.with_identity(who)
    assert world.leaks(memory.contradictions(scan=True), lambda plant: plant.reached(who)) == []


# The matrix can fail


def test_whoever_reaches_a_place_is_told_of_it(world) -> None:
    everything = Identity("default", "eve", ("core", "ops"), user="uwe")
    memory = world.with_identity(everything)
    visits = [{"session": session, "task": task} for session in ("s1", "s2") for task in ("t1", "t2")]
    told = {p.place for visit in visits for p in world.found(memory.list(limit=MANY, status="all", **visit))}
    assert told == {p.place for p in world.plants if p.id and p.reached(everything)}
    here = Viewer(everything, "atlas", "s1", "t1")
    found = memory.recall(COMMON, limit=MANY, project="atlas", session="s1", task="t1")
    assert {plant.place for plant in world.found(found)} == here.places()
    for verb in ("log", "tags", "clusters", "members", "gaps", "contradictions", "as_of"):
        places = {plant.place for plant in world.found(FROM_ANYWHERE[verb](memory, world))}
        assert {("agent", "eve", ""), ("user", "uwe", "")} <= places, verb


@dataclass(frozen=True)
class Leaky:
    """A verb that forgets to ask who is looking."""

    world: object

    def recall(self, **_):
        with self.world.quiet._runtime.store.view() as reader:
            plants = [plant for plant in self.world.plants if plant.id and plant.account == "default"]
            return reader.get("default", [plant.id for plant in plants])

    def failing(self):
        try:
            raise KeyError(self.world.plants[-1].told[0])
        except KeyError:
            raise NotFound("memory", "x") from None


def test_a_leaky_verb_is_caught(world) -> None:
    stranger = Identity("default", "ada")
    leaked = world.leaks({"hits": (Leaky(world).recall(),)}, lambda plant: plant.reached(stranger))
    assert {plant.place[:2] for plant in leaked} == {
        ("agent", "eve"),
        ("team", "core"),
        ("team", "ops"),
        ("user", "ulla"),
        ("user", "uwe"),
    }


def test_an_error_that_hides_a_secret_in_its_context_is_caught(world) -> None:
    with pytest.raises(NotFound) as caught:
        Leaky(world).failing()
    assert world.leaks(caught.value, lambda plant: False)


@pytest.mark.parametrize("nest", [str, list, repr, lambda word: {word: 1}, lambda word: [{"a": (word,)}], str.encode])
def test_a_word_is_found_however_deep_it_is(world, nest) -> None:
    assert world.found(nest(world.plants[0].told[0]) if nest is not list else [world.plants[0].told[0]])
