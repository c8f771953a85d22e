"""Another's memory by its id, short id or beginning: every verb answers as it would for an id that was never given."""

from __future__ import annotations

import pytest

from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.redaction import visible_events
from recollect.values.scope import Identity

NEVER = "ffffffff-ffff-7fff-bfff-ffffffffffff"
STRANGERS = (
    Identity("default", "ada"),
    Identity("default"),
    Identity("default", "ada", user="ulla"),
    Identity("other", "eve", ("core", "ops"), user="uwe"),
)

# Verbs that take one id; `memory` is the stranger's view.
BY_ID = {
    "get": lambda memory, id: memory.get(id),
    "history": lambda memory, id: memory.history(id),
    "related": lambda memory, id: memory.related(id),
    "graph": lambda memory, id: memory.graph(id=id),
    "provenance": lambda memory, id: memory.provenance(id),
    "update": lambda memory, id: memory.update(id, content="Something else altogether"),
    "update of nothing": lambda memory, id: memory.update(id),
    "tag": lambda memory, id: memory.tag(id, "mine"),
    "untag": lambda memory, id: memory.untag(id, "mine"),
    "forget": lambda memory, id: memory.forget(id),
    "restore": lambda memory, id: memory.restore(id),
    "purge": lambda memory, id: memory.purge(id),
    "reinforce": lambda memory, id: memory.reinforce(id),
    "demote": lambda memory, id: memory.demote(id),
    "helpful": lambda memory, id: memory.feedback(id, helpful=True),
    "unhelpful": lambda memory, id: memory.feedback(id, helpful=False),
    "confirm": lambda memory, id: memory.confirm(id),
    "reject": lambda memory, id: memory.confirm(rejected=[id]),
}
# Verbs that take two; `own` is a memory the stranger reaches.
WITH_OWN = {
    "link to": lambda memory, id, own: memory.link(own, id),
    "link from": lambda memory, id, own: memory.link(id, own),
    "derive": lambda memory, id, own: memory.link(own, id, "derived_from"),
    "link as superseding": lambda memory, id, own: memory.link(own, id, "supersedes"),
    "unlink": lambda memory, id, own: memory.unlink(own, id),
    "unlink from": lambda memory, id, own: memory.unlink(id, own),
    "supersede": lambda memory, id, own: memory.supersede(id, own),
    "supersede by": lambda memory, id, own: memory.supersede(own, id),
    "confirm together": lambda memory, id, own: memory.confirm(own, id),
    "reject beside": lambda memory, id, own: memory.confirm(own, rejected=[id]),
    **{
        f"resolve {way}": lambda memory, id, own, way=way: memory.resolve((own, id), way)
        for way in ("keep_both", "update", "supersede", "forget")
    },
    "resolve against": lambda memory, id, own: memory.resolve((id, own), "supersede"),
}
# Drafts that name another memory: the field is wrong, whatever it names.
IN_DRAFTS = {
    "supersedes": lambda memory, id: memory.remember("A perfectly plain story about penguins", supersedes=id),
    "derived_from": lambda memory, id: memory.remember("A perfectly plain story about geese", derived_from=[id]),
}


def parts_of(id: str) -> tuple[str, ...]:
    """The ways to spell an id: whole, its short end, a beginning, and without hyphens."""
    return id, id[-8:], id[:23], id.replace("-", "")


def said(call, id: str) -> tuple[str, str]:
    """What the error of a call is and says, but for the id itself."""
    with pytest.raises(RecollectError) as caught:
        call(id)
    assert not isinstance(caught.value.__cause__, RecollectError)
    return type(caught.value).__name__, str(caught.value).replace(id, "…")


def state_of(world):
    """Everything there is, whoever it belongs to; every change of a memory or a document is in the journal as well."""
    with world.quiet._runtime.store.view() as reader:
        return [
            (len(reader.events(account)), reader.get(account, [plant.id for plant in _living(world, account)]))
            for account in ("default", "other")
        ]


def _living(world, account):
    return [plant for plant in world.plants if plant.id and plant.asked and plant.account == account]


@pytest.fixture(scope="module")
def unchanged(world):
    """What there was before anybody tried anything."""
    return state_of(world)


@pytest.fixture(params=STRANGERS, ids=lambda who: f"{who.account}-{who.agent}-{who.user}")
def stranger(request, world):
    """A stranger's view, what it does not reach, and something it does."""
    view = world.with_identity(request.param)
    hidden = world.unreachable(request.param)
    assert len(hidden) >= 4
    return view, hidden, view.list(limit=1)[0].id


@pytest.mark.parametrize("verb", BY_ID)
def test_by_its_id_anothers_memory_is_not_there(world, unchanged, stranger, verb) -> None:
    view, hidden, _ = stranger
    nothing = said(lambda id: BY_ID[verb](view, id), NEVER)
    for plant in hidden:
        for part in parts_of(plant.id):
            answer = said(lambda id: BY_ID[verb](view, id), part)
            assert answer == nothing, plant
            assert answer[0] == "NotFound"
    assert state_of(world) == unchanged


@pytest.mark.parametrize("verb", WITH_OWN)
def test_beside_ones_own_anothers_memory_is_not_there(world, unchanged, stranger, verb) -> None:
    view, hidden, own = stranger
    nothing = said(lambda id: WITH_OWN[verb](view, id, own), NEVER)
    for plant in hidden:
        for part in parts_of(plant.id):
            answer = said(lambda id: WITH_OWN[verb](view, id, own), part)
            assert answer == nothing, plant
            assert answer[0] == "NotFound"
    assert state_of(world) == unchanged


@pytest.mark.parametrize("field", IN_DRAFTS)
def test_a_draft_that_names_anothers_memory_is_told_what_a_wrong_id_is_told(world, unchanged, stranger, field) -> None:
    view, hidden, _ = stranger
    nothing = said(lambda id: IN_DRAFTS[field](view, id), NEVER)
    for plant in hidden:
        for part in parts_of(plant.id):
            answer = said(lambda id: IN_DRAFTS[field](view, id), part)
            assert answer == nothing, plant
            assert answer[0] == InvalidInput.__name__
    assert state_of(world) == unchanged


def test_an_operation_of_others_is_not_found_by_its_id_or_number(world, unchanged, stranger) -> None:
    view, _, _ = stranger
    identity = view._viewer.identity
    with world.quiet._runtime.store.view() as reader:
        # By its name, an operation of any session or task is found, as their memories are by id.
        seen = {event.operation for event in visible_events(reader, identity, reader.events(identity.account))}
        events = [event for account in ("default", "other") for event in reader.events(account)]
        gone = {event.memory_id for event in events if event.after is None and not event.before}
    hidden = [
        e for e in events if e.operation not in seen and e.memory_id not in gone and e.kind not in ("miss", "embed")
    ]
    removed = {event.memory_id for event in hidden if event.after is None}
    assert hidden
    for event in hidden:
        if event.memory_id in removed and event.after is not None:
            continue  # told apart below
        with pytest.raises(NotFound):
            view.undo(event.operation)
        with pytest.raises(NotFound):
            view.undo(str(event.seq))
    assert state_of(world) == unchanged
