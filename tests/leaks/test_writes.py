"""What writing tells: nobody's draft, edit or undo learns of rooms its writer does not reach, or changes anything in them."""

from __future__ import annotations

import re

import pytest

from recollect import InvalidInput, NotFound, RecollectError


def leak(how):
    """A promise that is broken today; the mark goes when it is kept."""
    return pytest.mark.xfail(raises=(AssertionError, RecollectError, pytest.fail.Exception), reason=how)


SECRET = "The vault door opens with port 8080"
_DOES, _AT = ("sleeps", "sails", "leaks"), ("harbour", "bay", "river", "dock")
_WHO, _HOW = ("Acme", "Globex", "Initech", "Hooli"), ("paid", "sent", "lost")
OTHER_VALUE = "The vault door opens with port 9090"


@pytest.fixture
def eve(memory):
    return memory.as_(agent="eve", teams=["ops"])


@pytest.fixture
def ada(memory):
    return memory.as_(agent="ada", teams=["core"])


@pytest.fixture(params=["agent", "team", "account"])
def kept(request, memory, eve):
    """A secret in a room Ada does not reach, and its owner."""
    if request.param == "account":
        owner = memory.as_(account="other")
        return owner, owner.remember(SECRET, key="k", tags=["plot"]).memory
    where = {"scope": "agent"} if request.param == "agent" else {"scope": "team", "team": "ops"}
    return eve, eve.remember(SECRET, key="k", tags=["plot"], **where).memory


@pytest.fixture(params=["agent", "team"])
def beside(request, eve):
    """A secret in another room of Ada's own account."""
    where = {"scope": "agent"} if request.param == "agent" else {"scope": "team", "team": "ops"}
    return eve.remember(SECRET, **where).memory


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
    assert secret.id not in repr(out)
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


@pytest.mark.parametrize("where", [{"scope": "agent", "agent": "eve"}, {"scope": "team", "team": "ops"}])
@pytest.mark.parametrize("text", [SECRET, OTHER_VALUE, "Something quite different about geese"])
def test_leaving_something_in_anothers_room_tells_nothing_of_it(ada, kept, where, text) -> None:
    owner, secret = kept
    before = owner.get(secret.id)
    out = ada.remember(text, key="k", **where)
    assert (out.kind, out.conflicts, out.memory.content) == ("stored", (), text)
    assert secret.id not in repr(out)
    assert owner.get(secret.id) == before


def test_naming_another_in_a_draft_shows_nothing_of_its_room(ada, beside) -> None:
    named = {"team": "ops"} if beside.scope == "team" else {"agent": "eve"}
    out = ada.remember(OTHER_VALUE, scope="global", **named)
    assert beside.id not in repr(out)


def test_what_another_recalled_is_no_echo_of_mine(memory, ada, kept) -> None:
    owner, _ = kept
    owner.recall("vault door port")
    assert ada.remember(SECRET, source="inferred").kind == "stored"


# Undoing, and the journal


def test_a_purged_secret_leaves_nothing_in_the_log_of_others(ada, eve, beside) -> None:
    eve.update(beside.id, importance=0.9)
    operations = [event.operation for event in eve.log()]
    eve.purge(beside.id)
    assert ada.log() == []
    for operation in operations:
        with pytest.raises(NotFound):
            ada.undo(operation)


def test_what_another_took_back_cannot_be_named_by_its_number(ada, eve, beside) -> None:
    made = eve.history(beside.id)[0]
    eve.undo()
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


@leak("links are shown whoever looks, and an id tells when its memory was made")
@pytest.mark.parametrize("relation", ["relates_to", "contradicts", "derived_from"])
def test_a_link_into_a_hidden_room_is_not_shown(ada, eve, relation) -> None:
    secret = eve.remember(SECRET, scope="agent").memory
    shared = ada.remember("Vaults moved to Lisbon last year").memory
    eve.link(shared.id, secret.id, relation)
    told = repr([ada.get(shared.id), ada.list(), ada.recall("vaults"), ada.history(shared.id), ada.log()])
    assert secret.id not in told


@leak("the id of what was replaced is shown whoever looks")
def test_what_replaced_a_secret_does_not_show_its_id(ada, pointing) -> None:
    secret, shared = pointing
    assert secret.id not in repr([ada.get(shared.id), ada.list(), ada.log()])


# Numbers


def test_stats_do_not_move_when_somebody_writes_elsewhere(memory, ada, eve) -> None:
    ada.remember("Penguins eat fish in winter")
    before = ada.stats(), memory.stats()
    kept = eve.remember(SECRET, scope="agent", tags=["plot"]).memory
    eve.remember("The team meets in the cellar", scope="team", team="ops", project="atlas")
    memory.as_(account="other").remember("A foreign fact about geese")
    eve.update(kept.id, importance=0.9)
    eve.describe_tag("plot", "what Eve is up to")
    eve.recall("where is the treasure buried")
    eve.forget(kept.id)
    assert (ada.stats(), memory.stats()) == before
    assert eve.stats() != before


@pytest.mark.parametrize("profile", ["hybrid", "belief", "hebbian", "composite", "relevance", "cascade"])
def test_no_score_or_count_moves_when_another_account_writes(memory, ada, profile) -> None:
    ada.remember_many(["The gateway routes traffic to Porto", "Penguins eat fish in winter"], verbatim=True)

    def told():
        health = ada.doctor()
        numbers = (health["memories"], health["vectors"], health["problems"], ada.stats(), memory.stats())
        return ada.recall("gateway traffic", profile=profile, explain=True), numbers

    before = told()
    drafts = [f"The gateway of vault {number}" for number in range(5)]
    memory.as_(account="other", agent="ada", teams=["core"]).remember_many(drafts, verbatim=True)
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
    grown(memory.as_(account="other"), "velociraptor")
    grown(memory, "cucumber")
    told = repr(ada.clusters(refresh=True)).casefold()
    assert set(re.findall("zanzibar|marzipan|porcupine|velociraptor|cucumber", told)) <= {"porcupine", "cucumber"}
    assert {cluster.wall for cluster in ada.clusters()} == {("agent", "ada", ""), ("global", "", "")}
    found = {record.content for cluster in ada.clusters() for record in ada.members(cluster.id, limit=100)}
    assert not any(word in text for text in found for word in ("zanzibar", "marzipan", "velociraptor"))
