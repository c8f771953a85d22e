"""What was forgotten or purged stays so: every verb that brings a text, through every door, refuses it with the same words."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.adapters.toolsets import TOOLSETS
from recollect.capture.tombstones import FORGOTTEN, PURGED
from recollect.errors import InvalidInput
from recollect.serve.mcp.tool import ShortIds, ToolContext
from recollect.testing.embedding import HashingEmbedder

TEXT = "Tom is looking for a new job"
SPELLINGS = {
    "same": TEXT,
    "other case and spacing": "  tom IS looking  for a new JOB! ",
    "in other words": "Tom looks for a new job",
}
GONE = {"forgotten": FORGOTTEN, "purged": PURGED}


@dataclass(frozen=True, slots=True)
class World:
    """A store with something of everything that a verb can bring a text into."""

    memory: recollect.Memory
    folder: Path
    other: str
    pair: tuple[str, str]
    entry: str


@pytest.fixture
def world(memory: recollect.Memory, tmp_path: Path) -> World:
    other = memory.remember("The printer is on the second floor").memory.id
    older = memory.remember("The gateway listens on port 8080").memory.id
    newer = memory.remember("Invoices are paid within thirty days").memory.id
    memory.link(newer, older, "contradicts")
    memory.pools.create("board", data={"a": 1})
    memory.contexts.create("base", type="knowledge_base")
    entry = memory.contexts.add("base", "Builds run every night").memory.id
    return World(memory, tmp_path, other, (newer, older), entry)


def tool(toolset: str, called: str, /, **arguments: Any) -> Callable[[World, str], object]:
    """A call of a tool of a tool set; `TEXT` among its arguments stands for the text."""

    def call(world: World, text: str) -> object:
        places = {"TEXT": text, "OTHER": world.other, "NEW": world.pair[0], "OLD": world.pair[1]}
        given = {key: places.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}
        chosen = next(each for each in TOOLSETS[toolset] if each.name == called)
        return chosen.run(ToolContext(world.memory, ShortIds()), given).text

    return call


def imported(world: World, text: str) -> object:
    """An export of another store that has the text."""
    with recollect.open(world.folder / "elsewhere.db", embedder=HashingEmbedder()) as elsewhere:
        elsewhere.remember_many([text], verbatim=True)
        raw = io.BytesIO()
        elsewhere.export(raw)
    raw.seek(0)
    return world.memory.import_data(raw).left_out


def imported_markdown(world: World, text: str) -> object:
    folder = world.folder / "notes"
    folder.mkdir()
    (folder / "new.md").write_text(f"{text}\n")
    return world.memory.import_data(folder).left_out


def edited_markdown(world: World, text: str) -> object:
    folder = world.folder / "notes"
    world.memory.export(folder, format="markdown")
    (page,) = [path for path in folder.rglob("*.md") if "printer" in path.read_text()]
    page.write_text(page.read_text().replace("The printer is on the second floor", text.strip()))
    return world.memory.import_data(folder).left_out


def imported_from_files(world: World, text: str) -> object:
    path = world.folder / "MEMORY.md"
    path.write_text(f"# Notes\n\n- {text.strip()}\n")
    (batch,) = world.memory.import_from("memory-files", path).batches
    return [item.reason for item in batch.items]


def extracted(world: World, text: str) -> object:
    """A session in which the user states the text."""
    said = f"## User\n\nRemember that {text.strip()}\n\n## Assistant\n\nYes.\n"
    (session,) = world.memory.extract(io.BytesIO(said.encode())).sessions
    return [item.reason for item in session.items]


VERBS: dict[str, Callable[[World, str], object]] = {
    "remember": lambda w, text: w.memory.remember(text),
    "remember with a key": lambda w, text: w.memory.remember(text, key="k"),
    "remember in another project": lambda w, text: w.memory.remember(text, project="zephyr"),
    "remember for all": lambda w, text: w.memory.remember(text, scope="global"),
    "remember in a session": lambda w, text: w.memory.remember(text, scope="session", session="s1"),
    "remember for a task": lambda w, text: w.memory.remember(text, scope="task", task="t1"),
    "remember of another source": lambda w, text: w.memory.remember(text, source="inferred", importance=1.0),
    "remember instead of another": lambda w, text: w.memory.remember(text, supersedes=w.other),
    "remember derived from another": lambda w, text: w.memory.remember(text, derived_from=[w.other]),
    "remember_many": lambda w, text: w.memory.remember_many(["The harbour closes at ten", text])[1],
    "remember_many verbatim": lambda w, text: w.memory.remember_many([text], verbatim=True)[0],
    "update": lambda w, text: w.memory.update(w.other, content=text),
    "resolve": lambda w, text: w.memory.resolve(w.pair, "update", content=text),
    "contexts.create": lambda w, text: w.memory.contexts.create("more", type="knowledge_base", description=text),
    "contexts.add": lambda w, text: w.memory.contexts.add("base", text),
    "contexts.update_content": lambda w, text: w.memory.contexts.update_content("base", w.entry, text),
    "pools.create": lambda w, text: w.memory.pools.create("more", data={"note": text}),
    "pools.write": lambda w, text: w.memory.pools.write("board", {"note": text}),
    "pools.write_key": lambda w, text: w.memory.pools.write_key("board", "note", [text]),
    "pools.merge": lambda w, text: w.memory.pools.merge("board", {"deep": {"note": text}}),
    "narratives.write": lambda w, text: w.memory.narratives.write(text, session="s1"),
    "describe_tag": lambda w, text: w.memory.describe_tag("office", text),
    "short_term.write": lambda w, text: w.memory.short_term.write("k", text, session="s1"),
    "working.store": lambda w, text: w.memory.working.store("k", {"note": text}),
    "working.append_to_conversation": lambda w, text: w.memory.working.append_to_conversation(text),
    "router.write": lambda w, text: w.memory.router.write("k", text, tier="long_term"),
    "import_data": imported,
    "import_data of a new file": imported_markdown,
    "import_data of an edited file": edited_markdown,
    "import_from": imported_from_files,
    "extract": extracted,
    "MCP remember": tool("recollect", "remember", content="TEXT"),
    "MCP update": tool("recollect", "update", id="OTHER", content="TEXT"),
    "MCP resolve": tool("recollect", "resolve", new="NEW", old="OLD", resolution="update", content="TEXT"),
    "MCP pool": tool("recollect", "pool", action="write", name="board", key="note", value="TEXT"),
    "koshi store": tool("koshi", "memory_store", content="TEXT"),
    "koshi update": tool("koshi", "memory_update", id="OTHER", content="TEXT"),
    "jcode remember": tool("jcode", "memory", action="remember", content="TEXT"),
    "mememory remember": tool("mememory", "remember", content="TEXT"),
    "mememory remember instead": tool("mememory", "remember", content="TEXT", supersedes="OTHER"),
    "mememory update": tool("mememory", "update", id="OTHER", content="TEXT"),
}  # fmt: skip
# Fields beside a text are compared by their words alone.
BESIDE: dict[str, Callable[[World, str], object]] = {
    "tags of remember": lambda w, text: w.memory.remember("A harmless note about ships", tags=[text]),
    "reason of remember": lambda w, text: w.memory.remember("A harmless note about ships", reason=text),
    "snippet of remember": lambda w, text: w.memory.remember("A harmless note about ships", snippet=text),
    "session of remember": lambda w, text: w.memory.remember("A harmless note about ships", session=text),
    "tags of update": lambda w, text: w.memory.update(w.other, tags=[text]),
    "tag": lambda w, text: w.memory.tag(w.other, text),
    "reason of forget": lambda w, text: w.memory.forget(w.other, text),
    "merge_tags": lambda w, text: (w.memory.tag(w.other, "old"), w.memory.rename_tag("old", text)),
    "contexts.snapshot": lambda w, text: w.memory.contexts.snapshot("base", text),
    "contexts.create by name": lambda w, text: w.memory.contexts.create(text, type="knowledge_base"),
    "pools.create by name": lambda w, text: w.memory.pools.create(text),
    "key of pools.write_key": lambda w, text: w.memory.pools.write_key("board", text, 1),
    "key of short_term.write": lambda w, text: w.memory.short_term.write(text, 1, session="s1"),
    "key of working.store": lambda w, text: w.memory.working.store(text, 1),
}


def give_up(world: World, how: str) -> None:
    """Store the text in a project, and take it away there."""
    record = world.memory.remember(TEXT, project="atlas").memory
    if how == "forgotten":
        world.memory.forget(record.id)
    else:
        world.memory.purge(record.id)


def answer(call: Callable[[], object]) -> str:
    """What a verb says, as an error or as a value."""
    try:
        return str(recollect_value(call()))
    except InvalidInput as error:
        return str(error)


def recollect_value(value: object) -> object:
    return value.reason if isinstance(value, recollect.Refused) else value


def everything(memory: recollect.Memory) -> str:
    """All that a reader of the store sees."""
    raw = io.BytesIO()
    memory.export(raw, everything=True)
    shown = [json.loads(line) for line in raw.getvalue().splitlines()]
    visible = [line for line in shown if line.get("memory", {}).get("status") != "forgotten"]
    return json.dumps(visible, ensure_ascii=False).casefold()


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize("verb", VERBS)
def test_a_text_that_is_gone_is_refused_with_the_same_words(world: World, verb: str, how: str) -> None:
    give_up(world, how)
    before = {record.content for record in world.memory.iter_all()}
    for spelling, text in SPELLINGS.items():
        here = replace(world, folder=world.folder / spelling)
        here.folder.mkdir()
        said = answer(lambda here=here, text=text: VERBS[verb](here, text))
        assert GONE[how] in said, spelling
        assert not any(word in said for word in ("revive", "restore it")), spelling
        after = {record.content for record in world.memory.iter_all()}
        assert after - {"The harbour closes at ten"} == before, spelling
        assert text.strip().casefold() not in everything(world.memory), spelling


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize("field", BESIDE)
def test_nor_does_it_come_back_in_a_field_beside_a_text(world: World, field: str, how: str) -> None:
    give_up(world, how)
    for spelling in ("same", "other case and spacing"):
        assert GONE[how] in answer(lambda spelling=spelling: BESIDE[field](world, SPELLINGS[spelling].strip()))


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("how", GONE)
def test_revive_brings_it_back_where_it_is_offered(world: World, how: str, spelling: str) -> None:
    give_up(world, how)
    refused = world.memory.remember(SPELLINGS[spelling])
    assert isinstance(refused, recollect.Refused)
    assert refused.revivable
    brought = world.memory.remember(SPELLINGS[spelling], revive=True)
    assert brought.kind in ("stored", "reinforced")
    assert brought.memory.status == "active"
    assert world.memory.remember(SPELLINGS[spelling]).kind == "reinforced"


def test_restore_lifts_the_tombstone_of_a_forgotten_memory(world: World) -> None:
    give_up(world, "forgotten")
    refused = world.memory.remember(TEXT)
    world.memory.restore(refused.forgotten)
    assert (
        world.memory.update(world.other, content="Tom is looking for a new flat").content
        == "Tom is looking for a new flat"
    )
    assert world.memory.remember(TEXT, project="atlas").kind == "reinforced"


def test_an_undo_does_not_bring_back_what_was_forgotten_since(world: World) -> None:
    world.memory.update(world.other, content=TEXT)
    world.memory.update(world.other, content="The printer moved to the first floor")
    edit = world.memory.history(world.other)[-1].operation
    give_up_elsewhere = world.memory.remember(TEXT, project="atlas").memory
    world.memory.forget(give_up_elsewhere.id)
    with pytest.raises(InvalidInput, match=FORGOTTEN):
        world.memory.undo(edit)
    assert world.memory.get(world.other).content == "The printer moved to the first floor"


def test_what_another_forgot_in_its_own_room_is_not_refused(world: World) -> None:
    eve = world.memory.with_identity(agent="eve")
    eve.forget(eve.remember(TEXT, scope="agent").memory.id)
    assert world.memory.remember(TEXT).kind == "stored"
    assert eve.remember(TEXT, scope="agent", project="zephyr").kind == "refused"


def test_another_name_or_number_is_not_the_same(world: World) -> None:
    give_up(world, "forgotten")
    for other in ("Anna is looking for a new job", "Tom is looking for a new car", "Tom is not looking for a new job"):
        assert world.memory.remember(other).kind == "stored"


@pytest.mark.parametrize("on_server", [False, True], ids=["file", "server"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_without_a_model_the_words_are_enough(request, tmp_path: Path, clock, on_server: bool, spelling: str) -> None:
    place = request.getfixturevalue("empty_database") if on_server else str(tmp_path / "words.db")
    with recollect.open(place, embedder="none", clock=clock) as memory:
        memory.forget(memory.remember(TEXT, project="atlas").memory.id)
        assert memory.remember(SPELLINGS[spelling]).kind == "refused"
        with pytest.raises(InvalidInput, match=FORGOTTEN):
            memory.short_term.write("k", SPELLINGS[spelling], session="s1")
        assert memory.remember("The harbour closes at ten in the evening").kind == "stored"


def forgotten_elsewhere(memory: recollect.Memory) -> None:
    memory.forget(memory.remember(TEXT, project="atlas").memory.id)


def test_a_contradiction_with_a_forgotten_side_cannot_be_resolved(world: World) -> None:
    newer, older = world.pair
    world.memory.forget(older)
    for resolution in ("update", "supersede"):
        with pytest.raises(InvalidInput, match="is forgotten"):
            world.memory.resolve((newer, older), resolution)
    assert world.memory.remember("The gateway listens on port 8080").kind == "refused"


def test_a_forgotten_memory_keeps_its_text(world: World) -> None:
    gone = world.memory.remember(TEXT).memory
    world.memory.forget(gone.id)
    assert isinstance(world.memory.update(gone.id, content="Ships are large"), recollect.Refused)
    assert world.memory.remember(TEXT).kind == "refused"
    assert world.memory.remember("Ships are large").kind == "stored"


def test_an_undo_brings_nothing_back_into_documents_and_tags(world: World) -> None:
    memory = world.memory
    memory.pools.write("board", {"note": TEXT})
    memory.pools.write("board", {"note": "fine"})
    pool = memory.log(limit=1)[0].operation
    memory.describe_tag("office", TEXT)
    memory.describe_tag("office", None)
    tag = memory.log(limit=1)[0].operation
    memory.tag(world.other, TEXT)
    memory.untag(world.other, TEXT)
    untag = memory.log(limit=1)[0].operation
    forgotten_elsewhere(memory)
    for operation in (pool, tag, untag):
        with pytest.raises(InvalidInput, match=FORGOTTEN):
            memory.undo(operation)


@pytest.mark.parametrize("how", GONE)
def test_a_snapshot_does_not_bring_back_what_was_forgotten_elsewhere(world: World, how: str) -> None:
    contexts = world.memory.contexts
    entry = contexts.add("base", TEXT).memory
    contexts.snapshot("base", "before")
    contexts.update_content("base", entry.id, "Ships are large")
    give_up(world, how)
    contexts.restore("base", "before")
    assert TEXT not in [one.content for one in contexts.entries("base")]


def test_a_snapshot_brings_back_what_was_removed_from_its_context(world: World) -> None:
    contexts = world.memory.contexts
    contexts.snapshot("base", "before")
    contexts.remove_entry("base", world.entry)
    contexts.restore("base", "before")
    assert [one.content for one in contexts.entries("base")] == ["Builds run every night"]


def test_a_superseded_copy_does_not_wake_up(world: World) -> None:
    old = world.memory.remember(TEXT).memory
    new = world.memory.remember("Tom starts in the harbour office in May", supersedes=old.id).memory
    forgotten_elsewhere(world.memory)
    world.memory.forget(new.id)
    assert TEXT not in [hit.memory.content for hit in world.memory.recall("Tom new job")]


@pytest.mark.parametrize("how", GONE)
def test_an_import_of_documents_brings_nothing_back(world: World, how: str) -> None:
    with recollect.open(world.folder / "elsewhere.db", embedder=HashingEmbedder()) as elsewhere:
        elsewhere.pools.create("plans", data={"note": TEXT})
        elsewhere.describe_tag("office", TEXT)
        elsewhere.contexts.create("talks", type="knowledge_base", description=TEXT)
        elsewhere.short_term.write("k", TEXT, session="s9")
        raw = io.BytesIO()
        elsewhere.export(raw, everything=True)
    raw.seek(0)
    give_up(world, how)
    done = world.memory.import_data(raw, everything=True)
    assert [left.reason for left in done.left_out] == [GONE[how]] * 4
    assert TEXT.casefold() not in everything(world.memory)


def test_persisted_working_values_do_not_bring_it_back(world: World) -> None:
    world.memory.working.store("k", TEXT)
    world.memory.working.persist_to_database()
    world.memory.working.clear()
    forgotten_elsewhere(world.memory)
    assert world.memory.working.load_from_database() == 0


HIDDEN = "To\u200bm is look\u200bing for a new job"
DISGUISED: dict[str, Callable[[World], object]] = {
    "working": lambda w: w.memory.working.store("k", HIDDEN),
    "short term": lambda w: w.memory.short_term.write("k", HIDDEN, session="s1"),
    "reason": lambda w: w.memory.forget(w.other, HIDDEN),
    "season": lambda w: w.memory.remember("Ships are large", season=TEXT),
    "a sentence of a longer text": lambda w: w.memory.remember(f"The ferry leaves at noon. {TEXT}. Bring some bread."),
    "after a word": lambda w: w.memory.remember(f"Note: {TEXT}"),
    "as what somebody said": lambda w: w.memory.remember(f"Eve said that {TEXT}"),
}


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize("disguise", DISGUISED)
def test_a_disguise_does_not_bring_it_back(world: World, disguise: str, how: str) -> None:
    give_up(world, how)
    assert GONE[how] in answer(lambda: DISGUISED[disguise](world))


def test_a_question_that_repeats_it_is_not_kept_as_a_gap(world: World) -> None:
    forgotten_elsewhere(world.memory)
    world.memory.recall(TEXT)
    world.memory.flush()
    assert TEXT not in repr(world.memory.gaps())


@pytest.mark.parametrize(
    ("gone", "other"),
    [
        ("Use the staging cluster eu-west-2 for load tests", "Use the staging cluster eu-west-1 for load tests"),
        ("Bob owes Carol fifty euros since May", "Carol owes Bob fifty euros since May"),
        ("Use version 2 of the billing interface", "Use version 3 of the billing interface"),
        ("Priya moved out of her parents' house", "Priya moved into her parents' house"),
    ],
)
def test_a_purge_does_not_refuse_another_statement(world: World, gone: str, other: str) -> None:
    world.memory.purge(world.memory.remember(gone).memory.id)
    assert world.memory.remember(other).kind == "stored"
    assert world.memory.remember(gone).kind == "refused"


def test_a_purge_does_not_erase_what_superseded_the_text(world: World) -> None:
    old = world.memory.remember("Nadia visits doctor Zorblax on Thursdays").memory
    new = world.memory.remember("Nadia moved to Rome last summer", supersedes=old.id).memory
    assert world.memory.purge(old.id, repeats=True).repeats == ()
    assert world.memory.get(new.id).content == "Nadia moved to Rome last summer"


def test_forgetting_one_of_two_copies_forgets_both(world: World) -> None:
    one, two = (outcome.memory for outcome in world.memory.remember_many([TEXT, TEXT], verbatim=True))
    elsewhere = world.memory.remember(TEXT, project="atlas").memory
    assert world.memory.forget(one.id).status == "forgotten"
    assert world.memory.get(two.id).status == "forgotten"
    assert TEXT not in [hit.memory.content for hit in world.memory.recall("Tom new job")]
    assert world.memory.remember(TEXT).kind == "refused"
    assert (
        world.memory.get(elsewhere.id).status == "active"
    )  # another place, perhaps of others: it is forgotten by itself
    world.memory.undo()
    assert [world.memory.get(each.id).status for each in (one, two)] == ["active", "active"]


def test_forgetting_what_an_update_made_superfluous_keeps_the_text(world: World) -> None:
    newer, older = world.pair
    world.memory.update(older, content="Invoices are paid within thirty days")
    assert world.memory.forget(newer).status == "archived"
    assert world.memory.get(older).status == "active"
    assert world.memory.remember("Invoices are paid within thirty days").kind == "reinforced"


def test_deleting_one_of_two_keys_keeps_the_value_of_the_other(world: World) -> None:
    for key in ("a", "b"):
        world.memory.router.write(key, TEXT, tier="long_term")
    world.memory.router.delete("a")
    assert world.memory.router.read("b").value == TEXT


@pytest.mark.parametrize("again", ["{}?", "{} 👀", "~ {}", "{} [x]", "**{}** 🎉"])
def test_a_symbol_more_does_not_bring_back_what_was_forgotten(memory, again) -> None:
    text = "Priya is interviewing at Globex behind our manager's back"
    memory.forget(memory.remember(text).memory.id)
    out = memory.remember(again.format(text))
    assert (out.kind, memory.list()) == ("refused", [])
