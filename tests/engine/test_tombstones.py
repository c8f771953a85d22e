"""What was forgotten or purged stays so: every verb that brings a text, through every door, refuses it with the same words."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
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


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize("verb", VERBS)
def test_a_text_that_is_gone_is_refused_with_the_same_words(world: World, verb: str, how: str, spelling: str) -> None:
    give_up(world, how)
    before = world.memory.list(limit=100)
    said = answer(lambda: VERBS[verb](world, SPELLINGS[spelling]))
    assert GONE[how] in said
    assert not any(word in said for word in ("revive", "restore it"))
    assert {record.content for record in world.memory.list(limit=100)} - {"The harbour closes at ten"} == {
        record.content for record in before
    }
    assert SPELLINGS[spelling].strip().casefold() not in everything(world.memory)


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
