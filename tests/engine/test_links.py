"""Links, what is related, provenance and tags: made, walked, taken back, and never further than one may see."""

import pytest

from recollect import InvalidInput, NotFound


@pytest.fixture
def pair(memory):
    """Two memories that share no word and no tag."""
    one = memory.remember("Kestrel builds run nightly", tags=["build"]).memory
    two = memory.remember("Zoltan pays the invoices", tags=["money"]).memory
    return one, two


def contents(found) -> set[str]:
    return {each.memory.content for each in found}


def test_a_link_is_kept_walked_both_ways_and_told(memory, pair) -> None:
    one, two = pair
    linked = memory.link(one.id, two.short_id, "relates_to", 0.6)
    assert [(link.target, link.relation, link.weight) for link in linked.links] == [(two.id, "relates_to", 0.6)]
    (there,), (back,) = memory.related(one.id), memory.related(two.id)
    assert (there.memory.id, back.memory.id) == (two.id, one.id)
    assert there.score == pytest.approx(0.6 * 0.7)
    assert there.path == (f"relates_to {two.short_id} “{two.content}”",)
    assert [event.kind for event in memory.history(one.id)] == ["remember", "link"]


def test_linking_again_changes_the_weight_from_either_side(memory, pair) -> None:
    one, two = pair
    memory.link(one.id, two.id, weight=0.2)
    memory.link(two.id, one.id, weight=0.9)
    assert [link.weight for link in memory.get(one.id).links] == [0.9]
    assert memory.get(two.id).links == ()


def test_a_link_can_be_undone_and_redone(memory, pair) -> None:
    one, two = pair
    memory.link(one.id, two.id)
    memory.undo()
    assert memory.related(one.id) == []
    memory.undo(memory.log(limit=1)[0].operation)
    assert contents(memory.related(one.id)) == {two.content}


def test_unlink_takes_one_relation_or_all(memory, pair) -> None:
    one, two = pair
    memory.link(one.id, two.id, "relates_to")
    memory.link(two.id, one.id, "contradicts")
    memory.unlink(one.id, two.id, "contradicts")
    assert (len(memory.get(one.id).links), memory.get(two.id).links) == (1, ())
    memory.unlink(two.id, one.id)
    assert memory.related(one.id) == []
    with pytest.raises(NotFound, match="related"):
        memory.unlink(one.id, two.id)


def test_superseding_by_link_is_superseding(memory, pair) -> None:
    one, two = pair
    memory.link(two.id, one.id, "supersedes")
    assert memory.get(one.id).status == "superseded"
    memory.unlink(two.id, one.id, "supersedes")
    assert memory.get(one.id).status == "active"


@pytest.mark.parametrize("relation", ["relates_to", "contradicts", "derived_from", "supersedes"])
def test_a_memory_cannot_be_linked_to_itself(memory, pair, relation) -> None:
    before = memory.log(limit=50)
    with pytest.raises(InvalidInput):
        memory.link(pair[0].id, pair[0].id, relation)
    assert memory.log(limit=50) == before


def test_what_is_derived_cannot_be_its_own_source(memory, pair) -> None:
    one, two = pair
    three = memory.remember("Quarterly numbers follow from both", tags=["x"]).memory
    memory.link(two.id, one.id, "derived_from")
    memory.link(three.id, two.id, "derived_from")
    with pytest.raises(InvalidInput, match="circle"):
        memory.link(one.id, three.id, "derived_from")


@pytest.mark.parametrize(("field", "bad"), [("relation", "likes"), ("weight", 0), ("weight", 2), ("weight", "much")])
def test_a_bad_link_names_the_field(memory, pair, field, bad) -> None:
    with pytest.raises(InvalidInput, match=field):
        memory.link(pair[0].id, pair[1].id, **{field: bad})


def test_a_forgotten_memory_cannot_be_linked_and_is_not_walked_to(memory, pair) -> None:
    one, two = pair
    memory.link(one.id, two.id)
    memory.forget(two.id)
    assert memory.related(one.id) == []
    with pytest.raises(InvalidInput, match="restore"):
        memory.link(one.id, two.id, "contradicts")


# Every verb that relates one memory, which is in use, to another one that is not.
RELATING = {
    "link": lambda memory, used, gone: memory.link(used, gone),
    "link to what supersedes it": lambda memory, used, gone: memory.link(gone, used, "supersedes"),
    "link to what it supersedes": lambda memory, used, gone: memory.link(used, gone, "supersedes"),
    "supersede it": lambda memory, used, gone: memory.supersede(gone, used),
    "let it supersede": lambda memory, used, gone: memory.supersede(used, gone),
    "remember what supersedes it": lambda memory, _, gone: memory.remember("Zoltan keeps the books", supersedes=gone),
    "remember what is derived": lambda memory, _, gone: memory.remember("Zoltan keeps books", derived_from=[gone]),
    "resolve by superseding": lambda memory, used, gone: memory.resolve((gone, used), "supersede"),
    "resolve by superseding it": lambda memory, used, gone: memory.resolve((used, gone), "supersede"),
    "resolve by an update": lambda memory, used, gone: memory.resolve((gone, used), "update"),
    "resolve by an update of it": lambda memory, used, gone: memory.resolve((used, gone), "update"),
    "resolve by forgetting the other": lambda memory, used, gone: memory.resolve((gone, used), "forget"),
    "confirm": lambda memory, used, gone: memory.confirm(used, gone),
    "confirm it alone": lambda memory, _, gone: memory.confirm(gone),
}


@pytest.mark.parametrize("verb", RELATING)
@pytest.mark.parametrize("status", ["forgotten", "archived"])
def test_no_verb_relates_a_memory_to_one_that_was_put_away(memory, pair, verb, status) -> None:
    used, gone = pair
    if status == "forgotten":
        memory.forget(gone.id)
    else:
        other = memory.remember("Zoltan pays invoices twice a month", tags=["money"]).memory
        memory.resolve((gone.id, other.id), "update")
    assert memory.get(gone.id).status == status
    before = memory.log(limit=50)
    with pytest.raises(InvalidInput, match=rf"{gone.short_id} is {status}.*restore"):
        RELATING[verb](memory, used.id, gone.id)
    assert memory.log(limit=50) == before
    assert memory.get(used.id).status == "active"


def test_praise_links_what_helped_with_nothing_that_was_forgotten_since(memory) -> None:
    one = memory.remember("Kestrel builds run nightly").memory
    two = memory.remember("Kestrel builds take an hour").memory
    memory.recall("Kestrel builds")
    memory.feedback(one.id, helpful=True)
    memory.forget(one.id)
    assert memory.feedback(two.id, helpful=True).strength > two.strength
    assert memory.get(two.id).links == ()


def test_links_of_others_are_not_found(memory, pair) -> None:
    theirs = memory.with_identity(agent="eve").remember("Eve keeps a private ledger", scope="agent", tags=["z"]).memory
    foreign = memory.with_identity(account="other").remember("A foreign fact", tags=["z"]).memory
    for target in (theirs, foreign):
        with pytest.raises(NotFound):
            memory.with_identity(agent="ada").link(pair[0].id, target.id)


def test_a_hop_never_passes_over_what_one_may_not_see(memory, pair) -> None:
    one, two = pair
    eve, ada = memory.with_identity(agent="eve"), memory.with_identity(agent="ada")
    bridge = eve.remember("Eve knows both of them", scope="agent", tags=["q"]).memory
    eve.link(one.id, bridge.id)
    eve.link(bridge.id, two.id)
    assert contents(eve.related(one.id, depth=2)) == {bridge.content, two.content}
    assert ada.related(one.id, depth=2) == []
    assert all("Eve" not in str(node) for node in ada.graph(id=one.id, depth=2).nodes)


def test_links_may_cross_a_project_and_what_is_global(memory) -> None:
    here = memory.remember("The shop ships from Porto", project="shop", tags=["a"]).memory
    wide = memory.remember("Zoltan signs for parcels", tags=["b"]).memory
    memory.link(wide.id, here.id)
    assert contents(memory.related(here.id)) == {wide.content}
    # Standing outside the project, what is in it is not seen.
    assert memory.related(wide.id) == []


def test_what_shares_a_tag_is_one_hop_away(memory) -> None:
    one = memory.remember("Kestrel builds run nightly", tags=["nightly"]).memory
    two = memory.remember("Zoltan reads the report", tags=["nightly"]).memory
    (found,) = memory.related(one.id)
    assert (found.memory.id, found.path[0]) == (two.id, "has_tag nightly")


def test_trust_is_the_lowest_of_all_sources(memory) -> None:
    turn = memory.remember("The tool said the port is 8080", source="tool", session="s1", position=4).memory
    guess = memory.remember("Kestrel probably listens on 8080", source="inferred", derived_from=[turn.id]).memory
    made = memory.remember("Zoltan connects to Kestrel", derived_from=[guess.short_id], tags=["x"]).memory
    assert (turn.trust, guess.trust, made.trust) == (0.7, 0.5, 0.5)
    origin = memory.provenance(made.id)
    assert [source.id for source in origin.sources] == [guess.id, turn.id]
    assert (origin.sources[-1].session, origin.sources[-1].position, origin.trust) == ("s1", 4, 0.5)
    memory.update(turn.id, confidence=0.4)
    with pytest.raises(InvalidInput, match="derived_from"):
        memory.remember("From nowhere", derived_from=["ffffffff"])


def test_tags_are_nodes_with_a_meaning(memory, pair) -> None:
    memory.remember("Nightly builds are kept a week", tags=["build"])
    memory.describe_tag("#Build", "how Kestrel is built")
    memory.describe_tag("unused", "for later")
    told = [(tag.name, tag.count, tag.description) for tag in memory.tags()]
    assert told == [("build", 2, "how Kestrel is built"), ("money", 1, None), ("unused", 0, "for later")]
    memory.describe_tag("build", None)
    assert memory.tags()[0].description is None
    memory.undo()
    assert memory.tags()[0].description == "how Kestrel is built"
    with pytest.raises(NotFound):
        memory.describe_tag("nothing", None)
    with pytest.raises(InvalidInput, match="description"):
        memory.describe_tag("keys", "deploy key: AKIAQYLPMN5HFIQR7XYA")


def test_renaming_and_merging_tags_is_one_operation(memory, pair) -> None:
    one, two = pair
    memory.describe_tag("money", "who pays")
    assert memory.rename_tag("money", "billing") == 1
    assert (memory.get(two.id).tags, memory.tags()[0].description) == (("billing",), "who pays")
    assert memory.merge_tags("ops", "build", "billing") == 2
    assert {memory.get(one.id).tags, memory.get(two.id).tags} == {("ops",)}
    memory.undo()
    assert (memory.get(one.id).tags, memory.get(two.id).tags) == (("build",), ("billing",))
    with pytest.raises(NotFound, match="tags"):
        memory.rename_tag("nothing", "something")
    with pytest.raises(InvalidInput):
        memory.merge_tags("ops", "ops")


def test_what_an_agent_says_of_a_tag_is_its_own(memory) -> None:
    eve, ada = memory.with_identity(agent="eve"), memory.with_identity(agent="ada")
    eve.remember("Hidden thing", scope="agent", tags=["plot"])
    eve.describe_tag("plot", "what Eve is up to")
    assert [tag.name for tag in eve.tags()] == ["plot"]
    assert ada.tags() == []
    assert all(event.document is None for event in ada.log())


def test_the_graph_of_a_forgotten_memory_holds_its_neighbours_but_not_itself(memory, pair) -> None:
    one, other = pair
    memory.link(one.id, other.id)
    memory.forget(one.id)
    for limit in (1, 60):
        graph = memory.graph(id=one.id, limit=limit)
        assert [node.key for node in graph.nodes if node.kind == "memory"] == [other.id]
        assert graph.left_out == 0


def test_the_graph_holds_hits_tags_and_links(memory, pair) -> None:
    one, two = pair
    memory.link(one.id, two.id, weight=0.5)
    graph = memory.graph("Kestrel nightly builds")
    assert {node.kind for node in graph.nodes} == {"memory", "tag"}
    assert {(edge.relation, edge.weight) for edge in graph.edges} == {("relates_to", 0.5), ("has_tag", 1.0)}
    assert {node.key for node in graph.nodes if node.seed} >= {one.id}
    whole = memory.graph()
    assert {node.key for node in whole.nodes if node.kind == "memory"} == {one.id, two.id}
    assert memory.graph(limit=1).left_out == 1
    with pytest.raises(InvalidInput):
        memory.graph("x", id=one.id)
    with pytest.raises(InvalidInput, match="depth"):
        memory.graph("x", depth=9)
