"""What writing tells: nobody's draft, edit or undo learns of rooms its writer does not reach, or changes anything in them."""

from __future__ import annotations

import re

import pytest

from recollect import InvalidInput, NotFound
from recollect.values.plain import plain


def every_field(value: object) -> str:
    """All that a value tells, not only what its short `repr` shows."""
    return repr(plain(value))


SECRET = "The vault door opens with port 8080"
_DOES, _AT = ("sleeps", "sails", "leaks"), ("harbour", "bay", "river", "dock")
_WHO, _HOW = ("Acme", "Globex", "Initech", "Hooli"), ("paid", "sent", "lost")
OTHER_VALUE = "The vault door opens with port 9090"


@pytest.fixture
def eve(memory):
    return memory.with_identity(agent="eve", teams=["ops"])


@pytest.fixture
def ada(memory):
    return memory.with_identity(agent="ada", teams=["core"])


@pytest.fixture(params=["agent", "team", "user", "account"])
def kept(request, memory, eve):
    """A secret in a room Ada does not reach, and its owner."""
    if request.param == "user":
        owner = memory.with_identity(agent="ada", teams=["core"], user="uwe")
        return owner, owner.remember(SECRET, key="k", tags=["plot"]).memory
    if request.param == "account":
        owner = memory.with_identity(account="other")
        return owner, owner.remember(SECRET, key="k", tags=["plot"]).memory
    where = {"scope": "agent"} if request.param == "agent" else {"scope": "team", "team": "ops"}
    return eve, eve.remember(SECRET, key="k", tags=["plot"], **where).memory


@pytest.fixture(params=["agent", "team", "user"])
def neighbour(request, eve):
    """Who has another room of Ada's own account, and which."""
    if request.param == "user":
        return eve.with_identity(agent="eve", user="uwe"), {"scope": "user"}
    return eve, {"scope": "agent"} if request.param == "agent" else {"scope": "team", "team": "ops"}


@pytest.fixture
def beside(neighbour):
    """A secret in that room."""
    owner, where = neighbour
    return owner.remember(SECRET, **where).memory


def whole(owner) -> tuple:
    """All an owner sees of its own."""
    return owner.list(limit=100, status="all"), owner.log(limit=100), owner.tags(), owner.gaps(answered=True)


# Remembering beside a secret


@pytest.mark.parametrize(
    "text", [SECRET, SECRET.upper() + "!", OTHER_VALUE, "The vault door does not open with port 8080"]
)
@pytest.mark.parametrize("scope", ["global", "agent"])
def test_a_draft_like_anothers_secret_is_new(ada, kept, text, scope) -> None:
    owner, secret = kept
    before = whole(owner)
    out = ada.remember(text, scope=scope, key="k" if scope == "agent" else None)
    assert (out.kind, out.conflicts, out.reason, out.notes) == ("stored", (), "new", ())
    assert secret.id not in every_field(out)
    assert [record for record in whole(owner)[0] if record.id == secret.id] == [before[0][0]]


@pytest.mark.parametrize("text", [SECRET, "The vault door opens with the port 8080"])
def test_a_draft_like_what_another_forgot_is_not_refused(ada, kept, text) -> None:
    owner, secret = kept
    owner.forget(secret.id)
    assert ada.remember(text).kind == "stored"


def test_a_key_of_others_is_free(ada, kept) -> None:
    out = ada.remember("Ada's own diary entry about geese", scope="agent", key="k")
    assert (out.kind, out.reason) == ("stored", "new")


def test_a_batch_learns_no_more_than_one_draft(ada, kept) -> None:
    outcomes = ada.remember_many([SECRET, OTHER_VALUE.replace("vault", "cellar"), "Penguins eat fish"])
    assert {(out.kind, out.conflicts) for out in outcomes} == {("stored", ())}


@pytest.mark.parametrize(
    "where",
    [{"scope": "agent", "agent": "eve"}, {"scope": "team", "team": "ops"}, {"scope": "user", "user": "uwe"}],
)
@pytest.mark.parametrize("text", [SECRET, OTHER_VALUE, "Something quite different about geese"])
def test_nobody_plants_a_memory_in_anothers_room(ada, kept, where, text) -> None:
    owner, secret = kept
    before = whole(owner)
    for plant in (ada.remember, lambda text, **fields: ada.remember_many([{"content": text, **fields}], verbatim=True)):
        with pytest.raises(InvalidInput, match=r"you are not|you do not serve") as refused:
            plant(text, key="k", **where)
        assert secret.id not in str(refused.value)
    assert whole(owner) == before


@pytest.mark.parametrize("scope", [None, "global", "project", "session"])
def test_nobody_writes_in_the_name_of_another_agent_or_team(memory, beside, scope) -> None:
    where = {"scope": scope, "project": "shop", "session": "s1"}
    names = {"team": {"team": "ops"}, "agent": {"agent": "eve"}, "user": {"user": "uwe"}}[beside.scope]
    for ada in (memory.with_identity(agent="ada"), memory.with_identity(agent="ada", teams=["red"])):
        with pytest.raises(InvalidInput, match=r"you are not (in 'ops'|'eve')|you do not serve 'uwe'") as refused:
            ada.remember(OTHER_VALUE, **where, **names)
        assert beside.id not in str(refused.value)
        assert ada.list() == []


def test_a_member_names_its_own_teams_and_who_has_no_name_names_any(memory) -> None:
    red = memory.with_identity(teams=["red", "blue"])
    assert red.remember("The tram is early", team="blue").memory.team == "blue"
    with pytest.raises(InvalidInput, match="you are not in 'green'"):
        red.remember("The tram is late", team="green")
    assert memory.remember("The tram is full", team="green", agent="eve").memory.team == "green"


def test_what_another_recalled_is_no_echo_of_mine(memory, ada, kept) -> None:
    owner, _ = kept
    owner.recall("vault door port")
    assert ada.remember(SECRET, source="inferred").kind == "stored"


# Undoing, and the journal


def test_a_purged_secret_leaves_nothing_in_the_log_of_others(ada, neighbour, beside) -> None:
    owner, _ = neighbour
    owner.update(beside.id, importance=0.9)
    operations = [event.operation for event in owner.log()]
    owner.purge(beside.id)
    assert ada.log() == []
    for operation in operations:
        with pytest.raises(NotFound):
            ada.undo(operation)


def test_what_another_took_back_cannot_be_named_by_its_number(ada, neighbour, beside) -> None:
    owner, _ = neighbour
    made = owner.history(beside.id)[0]
    owner.undo()
    for name in (str(made.seq), made.operation):
        with pytest.raises(NotFound):
            ada.undo(name)


def test_an_operation_that_also_changed_a_hidden_room_is_not_undone_by_others(ada, eve) -> None:
    drafts = [{"content": "Penguins eat fish in winter"}, {"content": SECRET, "scope": "agent"}]
    _, secret = (out.memory for out in eve.remember_many(drafts))
    for operation in (None, eve.log()[0].operation):
        with pytest.raises(NotFound):
            ada.undo(operation)
    assert eve.get(secret.id).content == SECRET


# What is shared and points into a room


@pytest.fixture
def pointing(memory, eve):
    """Something all may read that replaced a secret of Eve's."""
    secret = eve.remember(SECRET, scope="agent").memory
    return secret, eve.remember("Vaults moved to Lisbon last year", supersedes=secret.id).memory


def test_settling_a_contradiction_does_not_hand_it_down_into_a_hidden_room(ada, eve, pointing) -> None:
    secret, shared = pointing
    mine = ada.remember("Zoltan pays the invoices monthly").memory
    before = eve.get(secret.id)
    with pytest.raises(InvalidInput) as refused:
        ada.resolve((shared.id, mine.id), "supersede")
    assert secret.id not in str(refused.value)
    assert eve.get(secret.id) == before


def test_superseding_by_what_replaced_a_secret_does_not_name_it(ada, pointing) -> None:
    secret, shared = pointing
    mine = ada.remember("Zoltan pays the invoices monthly").memory
    with pytest.raises(InvalidInput) as refused:
        ada.supersede(mine.id, shared.id)
    assert secret.id not in str(refused.value)


@pytest.mark.parametrize("relation", ["relates_to", "contradicts", "derived_from"])
def test_a_link_into_a_hidden_room_is_not_shown(ada, eve, relation) -> None:
    secret = eve.remember(SECRET, scope="agent").memory
    shared = ada.remember("Vaults moved to Lisbon last year").memory
    eve.link(shared.id, secret.id, relation)
    told = every_field([ada.get(shared.id), ada.list(), ada.recall("vaults"), ada.history(shared.id), ada.log()])
    assert secret.id not in told
    assert [event.kind for event in ada.log()] == ["remember"]


@pytest.mark.parametrize("relation", ["relates_to", "contradicts", "derived_from"])
def test_what_is_not_shown_is_not_lost_by_an_edit(ada, eve, relation) -> None:
    secret = eve.remember(SECRET, scope="agent").memory
    shared, mine = (ada.remember(text).memory for text in ("Vaults moved to Lisbon last year", "Geese fly south"))
    eve.link(shared.id, secret.id, relation)
    changed = [
        ada.update(shared.id, importance=0.9),
        ada.tag(shared.id, "vaults"),
        ada.link(shared.id, mine.id),
        ada.feedback(shared.id, helpful=True),
        *ada.unlink(shared.id, mine.id),
        *ada.confirm(shared.id),
        ada.forget(shared.id),
        ada.restore(shared.id),
    ]
    assert secret.id not in every_field(changed)
    assert [link.target for link in eve.get(shared.id).links] == [secret.id]
    assert secret.id in every_field(eve.history(shared.id))


def test_a_link_nobody_else_sees_is_not_theirs_to_undo(ada, eve) -> None:
    secret = eve.remember(SECRET, scope="agent").memory
    shared = ada.remember("Vaults moved to Lisbon last year").memory
    eve.link(shared.id, secret.id)
    with pytest.raises(NotFound):
        ada.undo(eve.log()[0].operation)
    assert ada.undo().memories == (shared.id,)


def test_a_link_to_what_was_purged_in_a_hidden_room_is_not_shown(ada, eve) -> None:
    secret = eve.remember(SECRET, scope="agent").memory
    shared = ada.remember("Vaults moved to Lisbon last year").memory
    eve.link(shared.id, secret.id)
    eve.purge(secret.id)
    assert secret.id not in every_field([ada.get(shared.id), ada.list(), ada.history(shared.id), ada.log()])


def test_an_outcome_does_not_show_what_its_memory_is_linked_to(ada, eve) -> None:
    secret = eve.remember(SECRET, scope="agent").memory
    shared = ada.remember("The vault of Lisbon opens at nine").memory
    eve.link(shared.id, secret.id)
    for text in ("The vault of Lisbon opens at nine", "The vault of Lisbon opens at ten"):
        out = ada.remember(text)
        assert shared.id in every_field(out)
        assert secret.id not in every_field(out)


def test_an_entry_of_a_shared_context_does_not_show_what_it_was_made_of(ada, eve) -> None:
    secret = eve.remember(SECRET, scope="agent").memory
    eve.contexts.create("notes", type="agent_memory", access={"write": ["ada"]})
    entry = eve.contexts.add("notes", "Vaults moved to Lisbon", derived_from=[secret.id]).memory
    told = [
        ada.contexts.entries("notes"),
        ada.contexts.get_entry("notes", entry.id),
        ada.contexts.search("notes", "vaults"),
        ada.contexts.boost_importance("notes", entry.id),
        ada.contexts.update_content("notes", entry.id, "Vaults moved to Porto"),
        ada.contexts.versions("notes", entry.id),
        ada.log(),
    ]
    assert secret.id not in every_field(told)
    assert [record.derived_from for record in eve.contexts.entries("notes")] == [(secret.id,)]


def test_a_narrative_does_not_show_which_hidden_memories_it_tells_of(ada, eve) -> None:
    secret = eve.remember(SECRET, scope="agent").memory
    told = eve.narratives.write("We moved the vaults", session="s1", memories=[secret.id], scope="global")
    seen = [ada.narratives.latest(), ada.narratives.search("vaults"), ada.narratives.memories(told.id), ada.context()]
    assert told.id in every_field(seen)
    assert secret.id not in every_field(seen)


def test_what_replaced_a_secret_does_not_show_its_id(ada, pointing) -> None:
    secret, shared = pointing
    assert secret.id not in every_field([ada.get(shared.id), ada.list(), ada.log()])


# Numbers


def test_stats_do_not_move_when_somebody_writes_elsewhere(memory, ada, eve) -> None:
    ada.remember("Penguins eat fish in winter")
    before = ada.stats(), memory.stats()
    kept = eve.remember(SECRET, scope="agent", tags=["plot"]).memory
    eve.remember("The team meets in the cellar", scope="team", team="ops", project="atlas")
    memory.with_identity(account="other").remember("A foreign fact about geese")
    eve.update(kept.id, importance=0.9)
    eve.describe_tag("plot", "what Eve is up to")
    eve.recall("where is the treasure buried")
    eve.forget(kept.id)
    assert (ada.stats(), memory.stats()) == before
    assert eve.stats() != before


def test_what_a_recall_looked_through_is_counted_within_reach_only(memory, ada, eve) -> None:
    ada.remember("Penguins eat fish in winter")
    ada.remember("The gateway routes traffic to Porto", project="atlas")

    def counted(**where):
        trace = ada.recall("penguins", explain=True, **where).trace
        return trace.considered, trace.visible, trace.hidden

    before = counted(), counted(project="atlas")
    assert [found[0] for found in before] == [2, 2]
    eve.remember(SECRET, scope="agent")
    eve.remember("The team meets in the cellar", scope="team", team="ops")
    assert (counted(), counted(project="atlas")) == before


@pytest.mark.parametrize("profile", ["hybrid", "belief", "hebbian", "composite", "relevance", "cascade"])
def test_no_score_or_count_moves_when_another_account_writes(memory, ada, profile) -> None:
    ada.remember_many(["The gateway routes traffic to Porto", "Penguins eat fish in winter"], verbatim=True)

    def told():
        health = ada.doctor()
        numbers = (health["memories"], health["vectors"], health["problems"], ada.stats(), memory.stats())
        return ada.recall("gateway traffic", profile=profile, explain=True), numbers

    before = told()
    drafts = [f"The gateway of vault {number}" for number in range(5)]
    memory.with_identity(account="other", agent="ada", teams=["core"]).remember_many(drafts, verbatim=True)
    assert told() == before


# Clusters


def test_clusters_found_anew_are_named_after_their_own_room_only(memory, ada, eve) -> None:
    def grown(view, word, **where):
        boats = [f"The {word} boat {does} in the {at}" for does in _DOES for at in _AT]
        texts = [*boats, *(f"Invoices of {word} {who} were {how}" for who in _WHO for how in _HOW)]
        view.remember_many([{"content": text, **where} for text in texts], verbatim=True)

    grown(eve, "zanzibar", scope="agent")
    grown(eve, "marzipan", scope="team", team="ops")
    grown(ada, "porcupine", scope="agent")
    grown(memory.with_identity(account="other"), "velociraptor")
    grown(memory, "cucumber")
    told = every_field(ada.clusters(refresh=True)).casefold()
    assert set(re.findall("zanzibar|marzipan|porcupine|velociraptor|cucumber", told)) <= {"porcupine", "cucumber"}
    assert {cluster.owner for cluster in ada.clusters()} == {("agent", "ada", ""), ("global", "", "")}
    found = {record.content for cluster in ada.clusters() for record in ada.members(cluster.id, limit=100)}
    assert not any(word in text for text in found for word in ("zanzibar", "marzipan", "velociraptor"))
