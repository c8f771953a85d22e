"""What was forgotten or purged does not come back inside another text, in a field beside one, as a name, or in disguise."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.capture.tombstones import FORGOTTEN, PURGED
from recollect.errors import InvalidInput
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

TEXT = "Ruben is negotiating with Initech behind our director's back"
LABEL = "ruben-is-negotiating-with-initech-behind-our-directors-back"
GONE = {"forgotten": FORGOTTEN, "purged": PURGED}

INSIDE = {
    "between commas": f"It rained all day, {TEXT}, and the train was late",
    "before a comma": f"{TEXT}, which explains the late train",
    "after and": f"The train was late and {TEXT}",
    "before and": f"{TEXT} and the train was late",
    "after because": f"The train was late because {TEXT}",
    "after since": f"Nobody answers the phone since {TEXT}",
    "after but": f"The train was late, but {TEXT} again",
    "in brackets": f"The train was late ({TEXT})",
    "in square brackets": f"The train was late [{TEXT}]",
    "after a dash": f"The train was late — {TEXT}",
    "between dashes": f"The train was late – {TEXT} – as always",
    "after a hyphen": f"The train was late - {TEXT}",
    "after a semicolon": f"The train was late; {TEXT}",
    "after a colon": f"The train was late: {TEXT}",
    "after a label": f"note:{TEXT}",
    "after an equals sign": f"note={TEXT}",
    "in a table": f"| note | {TEXT} | Monday |",
    "in a list": f"- bread\n- {TEXT}\n- milk",
    "in quotation marks": f"“{TEXT}”, said Eve",
    "in straight quotation marks": f'Eve whispered "{TEXT}" to me',
    "around brackets": "Ruben (from the third floor) is negotiating with Initech behind our director's back",
    "in two clauses": f"The train was late, it rained, {TEXT}, the canteen was closed, and everybody went home early",
}
DISGUISED = {
    "in tags": f"<p>{TEXT}</p>",
    "with tags between its words": TEXT.replace("Ruben", "<b>Ruben</b>").replace("Initech", "<i>Initech</i>"),
    "with character references": TEXT.replace("'", "&#39;"),
    "in Markdown": TEXT.replace("Ruben", "**Ruben**").replace("negotiating", "_negotiating_"),
    "with its end in front": "Behind our director's back, Ruben is negotiating with Initech",
    "with its end in front, without a comma": "Behind our director's back Ruben is negotiating with Initech",
    "with Cyrillic letters": TEXT.translate(str.maketrans("aeo", "аео")),
    "with a Greek letter": TEXT.replace("o", "ο"),
    "with one Armenian letter": TEXT.replace("Ruben", "Rubeո"),
    "with accents": TEXT.replace("Ruben", "Rübén"),
    "as a label": LABEL,
    "as a name of a program": LABEL.replace("-", "_"),
    "with typographic apostrophes": TEXT.replace("'", "’"),
    "without an apostrophe": TEXT.replace("'", ""),
    "inside a clause, disguised": f"The train was late ({TEXT.translate(str.maketrans('aeo', 'аео'))})",
}
WORDED = {
    "the same": TEXT,
    "a label": LABEL,
    "the name of a variable": LABEL.replace("-", "_"),
    "after because": f"because {TEXT}",
    "after since": f"since {TEXT}",
    "in brackets": f"see ({TEXT})",
    "after a label": f"see: {TEXT}",
    "with Cyrillic letters": TEXT.translate(str.maketrans("aeo", "аео")),
}


class World:
    """A store with something of everything that a verb can bring a text into."""

    def __init__(self, memory: recollect.Memory) -> None:
        self.memory = memory
        self.other = memory.remember("The printer is on the second floor").memory.id
        memory.pools.create("board", data={"a": 1})
        memory.contexts.create("base", type="knowledge_base")
        self.entry = memory.contexts.add("base", "Builds run every night").memory.id


@pytest.fixture
def world(memory: recollect.Memory) -> World:
    return World(memory)


def give_up(world: World, how: str) -> None:
    """Store the text in a project, and take it away there."""
    record = world.memory.remember(TEXT, project="atlas").memory
    (world.memory.forget if how == "forgotten" else world.memory.purge)(record.id)


def answer(call: Callable[[], object]) -> str:
    """What a verb says, as an error or as a value."""
    try:
        done = call()
    except InvalidInput as error:
        return str(error)
    return done.reason if isinstance(done, recollect.Refused) else str(done)


SHIPS = "A harmless note about ships"
BESIDE: dict[str, Callable[[World, str], object]] = {
    "tags": lambda w, text: w.memory.remember(SHIPS, tags=[text]),
    "season": lambda w, text: w.memory.remember(SHIPS, season=text),
    "reason": lambda w, text: w.memory.remember(SHIPS, reason=text),
    "snippet": lambda w, text: w.memory.remember(SHIPS, snippet=f"u: {text} ok"),
    "key": lambda w, text: w.memory.remember(SHIPS, key=text),
    "speaker": lambda w, text: w.memory.remember(SHIPS, speaker=text),
    "session": lambda w, text: w.memory.remember(SHIPS, session=text),
    "project": lambda w, text: w.memory.remember(SHIPS, project=text),
    "triggers": lambda w, text: w.memory.remember(SHIPS, triggers=[text]),
    "triggers of words": lambda w, text: w.memory.remember(SHIPS, triggers=[f"word:{text}"]),
    "triggers of unknown kinds": lambda w, text: w.memory.remember(SHIPS, triggers=[f"when:{text}"]),
    "file_paths": lambda w, text: w.memory.remember(SHIPS, file_paths=[f"notes/{text.replace(' ', '_')}.md"]),
    "season of update": lambda w, text: w.memory.update(w.other, season=text),
    "triggers of update": lambda w, text: w.memory.update(w.other, triggers=[f"word:{text}"]),
    "tag": lambda w, text: w.memory.tag(w.other, text),
    "rename_tag": lambda w, text: (w.memory.tag(w.other, "old"), w.memory.rename_tag("old", text)),
    "reason of forget": lambda w, text: w.memory.forget(w.other, text),
    "describe_tag": lambda w, text: w.memory.describe_tag("office", text),
    "name of describe_tag": lambda w, text: w.memory.describe_tag(text, "fine"),
    "contexts.create": lambda w, text: w.memory.contexts.create(text, type="knowledge_base"),
    "contexts.snapshot": lambda w, text: w.memory.contexts.snapshot("base", text),
    "pools.create": lambda w, text: w.memory.pools.create(text),
    "pools.write": lambda w, text: w.memory.pools.write("board", {"note": text}),
    "pools.write_key": lambda w, text: w.memory.pools.write_key("board", text, 1),
    "short_term.write": lambda w, text: w.memory.short_term.write("k", [text], session="s1"),
    "working.store": lambda w, text: w.memory.working.store("k", {"note": text}),
    "narratives.write": lambda w, text: w.memory.narratives.write("We met.", session=text),
}  # fmt: skip
NAMES: dict[str, Callable[[World, str], object]] = {
    "editor": lambda w, text: w.memory.contexts.update_content("base", w.entry, "Builds run at noon", editor=text),
    "contexts.grant": lambda w, text: w.memory.contexts.grant("base", text, "read"),
    "pools.grant": lambda w, text: w.memory.pools.grant("board", text, "write"),
    "access of contexts.create": lambda w, text: w.memory.contexts.create("c", type="knowledge_base", access={"read": [text]}),
    "access of pools.create": lambda w, text: w.memory.pools.create("p", access={"write": [text]}),
    "session of pools.create": lambda w, text: w.memory.pools.create("p", scope="session", session=text),
    "project of contexts.create": lambda w, text: w.memory.contexts.create("c", type="tool_cache", scope="project", project=text),
    "pools.workflow": lambda w, text: w.memory.pools.workflow(text),
    "working.task": lambda w, text: w.memory.working.task(text).store("k", 1),
    "working.workflow": lambda w, text: w.memory.working.workflow(text).store("k", 1),
    "working.store_tool_state": lambda w, text: w.memory.working.store_tool_state(text, 1),
    "share_with_agent": lambda w, text: w.memory.with_identity(agent="ann").working.share_with_agent(text, "k", 1),
    "disable": lambda w, text: w.memory.disable(text),
    "agent": lambda w, text: w.memory.with_identity(agent=text).remember(SHIPS),
    "agent of a pool": lambda w, text: w.memory.with_identity(agent=text).pools.create("mine"),
    "agent of working": lambda w, text: w.memory.with_identity(agent=text).working.store("k", 1),
    "client": lambda w, text: w.memory.called_by(text).remember(SHIPS),
}  # fmt: skip


def texts_in(memory: recollect.Memory) -> str:
    """All that a reader of the store sees, in lower case."""
    memory.flush()
    raw = io.BytesIO()
    memory.export(raw, everything=True)
    lines = [json.loads(line) for line in raw.getvalue().splitlines()]
    visible = [line for line in lines if line.get("memory", {}).get("status") != "forgotten"]
    return json.dumps(visible, ensure_ascii=False).casefold()


@pytest.mark.parametrize("how", GONE)
def test_a_text_that_is_gone_does_not_come_back_inside_another_or_disguised(world: World, how: str) -> None:
    give_up(world, how)
    said = {
        name: answer(lambda text=text: world.memory.remember(text)) for name, text in {**INSIDE, **DISGUISED}.items()
    }
    assert said == dict.fromkeys(said, GONE[how])


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize("field", BESIDE)
def test_nor_in_a_field_in_any_spelling(world: World, field: str, how: str) -> None:
    give_up(world, how)
    came_back = [
        name for name, text in WORDED.items() if GONE[how] not in answer(lambda text=text: BESIDE[field](world, text))
    ]
    assert came_back == []
    assert "initech" not in texts_in(world.memory)


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize("name", NAMES)
def test_nor_as_a_name_that_is_stored(world: World, name: str, how: str) -> None:
    give_up(world, how)
    for text in (TEXT, LABEL):
        assert GONE[how] in answer(lambda text=text: NAMES[name](world, text))
    assert "initech" not in texts_in(world.memory)


def test_a_name_with_few_words_says_nothing(world: World) -> None:
    world.memory.forget(world.memory.remember("Selma rests").memory.id)
    assert world.memory.with_identity(agent="Selma rests").remember(SHIPS).kind == "stored"
    world.memory.disable("selma-rests")
    world.memory.pools.grant("board", "Selma rests", "read")


QUESTIONS = (
    f"{TEXT}?",
    f"Is it true that {TEXT}?",
    f"Did you hear that {TEXT}",
    "Is Ruben negotiating with Initech behind our director's back?",
    "Why is Ruben negotiating with Initech behind our director's back?",
    "Since when is Ruben negotiating with Initech behind our director's back?",
    f"what about {LABEL}",
)


@pytest.mark.parametrize("how", GONE)
def test_a_question_that_contains_it_is_not_kept_as_a_gap(world: World, how: str) -> None:
    give_up(world, how)
    for question in QUESTIONS:
        world.memory.recall(question)
    world.memory.recall("Where do the ferries of Oslo go")
    world.memory.flush()
    told = repr(world.memory.gaps())
    assert "ferries" in told
    assert "Initech" not in told
    assert "initech" not in texts_in(world.memory)


IMPORTED: dict[str, Callable[[recollect.Memory, str], object]] = {
    "description of a tag": lambda m, text: m.describe_tag("office", text),
    "value of a pool": lambda m, text: m.pools.create("plans", data={"note": text}),
    "key of a pool": lambda m, text: m.pools.create("plans", data={text: 1}),
    "description of a context": lambda m, text: m.contexts.create("talks", type="knowledge_base", description=text),
    "name of a context": lambda m, text: m.contexts.create(text, type="knowledge_base"),
    "short-term value": lambda m, text: m.short_term.write("k", text, session="s9"),
    "session of a short-term value": lambda m, text: m.short_term.write("k", 1, session=text),
    "grant of a pool": lambda m, text: m.pools.create("plans", access={"read": [text]}),
    "project that is switched off": lambda m, text: m.disable(text),
    "tag of a memory": lambda m, text: m.remember(SHIPS, tags=[text]),
    "season of a memory": lambda m, text: m.remember(SHIPS, season=text),
    "reason of a memory": lambda m, text: m.remember(SHIPS, reason=text),
}  # fmt: skip


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize("what", IMPORTED)
def test_an_import_does_not_bring_it_back_either(world: World, what: str, how: str) -> None:
    files = []
    for text in (f"See: {TEXT}", f"note ({TEXT})", f"because {TEXT}", LABEL):
        with recollect.open(":memory:", embedder=HashingEmbedder()) as elsewhere:
            IMPORTED[what](elsewhere, text)
            files.append(io.BytesIO())
            elsewhere.export(files[-1], everything=True)
    give_up(world, how)
    for file in files:
        file.seek(0)
        assert world.memory.import_data(file, everything=True).left_out
    assert "initech" not in texts_in(world.memory)


def test_what_an_agent_gave_up_in_its_own_room_is_refused_to_nobody_else(world: World) -> None:
    eve: Any = world.memory.with_identity(agent="eve")
    for give in (eve.forget, eve.purge):
        give(eve.remember(TEXT, scope="agent", revive=True).memory.id)
        for text in (*INSIDE.values(), LABEL):
            done = world.memory.remember(text)
            assert not isinstance(done, recollect.Refused)
        assert world.memory.remember(SHIPS, tags=[LABEL]).kind in ("stored", "reinforced")
        world.memory.pools.grant("board", TEXT, "read")


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize(
    ("gone", "other"),
    [
        (TEXT, "Ruben is negotiating with Umbrella behind our director's back"),
        (TEXT, "It rained all day, Ruben is ill, and Initech is behind with its work"),
        (TEXT, "Our director is negotiating with Initech (Ruben is back)"),
        ("The ticket costs 10 euros a month", "The ticket costs 10.50 euros a month"),
        ("The limit is 5 requests per second", "The limit is 15 requests per second"),
        ("The freezer holds -5 degrees at night", "The freezer holds 15 degrees at night"),
        ("Nina sold her old car", "Nina sold her old carpet"),
        ("Nina sold her old car", "Nina sold her old car's radio"),
        ("Ada teaches old Greek to Tim", "Ada teaches cold Greek toast recipes to Tim"),
        ("Eva, Jan and Kim share the attic flat", "Eva and Jan met, and Kim keeps the attic flat"),
    ],
)  # fmt: skip
def test_other_statements_with_the_same_words_are_stored(
    memory: recollect.Memory, gone: str, other: str, how: str
) -> None:
    record = memory.remember(gone).memory
    (memory.forget if how == "forgotten" else memory.purge)(record.id)
    assert memory.remember(other).kind == "stored"
    assert memory.remember(f"Note ({gone})").kind == "refused"


@pytest.mark.parametrize("how", GONE)
@pytest.mark.parametrize(
    ("gone", "other"),
    [
        ("我正在瞒着经理找新工作", "因为我正在瞒着经理找新工作，所以很忙"),
        ("Нина тайно встречается с Борисом по пятницам", "Дождь (Нина тайно встречается с Борисом по пятницам)"),
        ("Jörg verhandelt heimlich mit der Konkurrenz", "Es regnet, Jörg verhandelt heimlich mit der Konkurrenz, leider"),
        ("I don't trust Marek with our keys", "because I dont trust Marek with our keys"),
    ],
)  # fmt: skip
def test_texts_of_other_scripts_and_languages_do_not_come_back_either(
    memory: recollect.Memory, gone: str, other: str, how: str
) -> None:
    record = memory.remember(gone).memory
    (memory.forget if how == "forgotten" else memory.purge)(record.id)
    assert memory.remember(other).kind == "refused"


def test_a_disguise_that_was_purged_does_not_come_back_plain(memory: recollect.Memory) -> None:
    memory.purge(memory.remember(DISGUISED["with Cyrillic letters"]).memory.id)
    assert memory.remember(TEXT).kind == "refused"
    assert memory.remember(f"The train was late ({TEXT})").kind == "refused"
    assert memory.remember(TEXT, revive=True).kind == "stored"


@pytest.mark.parametrize("how", GONE)
def test_a_newer_copy_of_a_known_memory_brings_no_tag_with_it(world: World, how: str, clock: FixedClock) -> None:
    file = io.BytesIO()
    world.memory.export(file)
    clock.advance(60)
    with recollect.open(":memory:", embedder=HashingEmbedder(), clock=clock) as elsewhere:
        file.seek(0)
        elsewhere.import_data(file)
        elsewhere.update(world.other, tags=[LABEL], importance=0.9)
        file = io.BytesIO()
        elsewhere.export(file)
    give_up(world, how)
    file.seek(0)
    assert [left.reason for left in world.memory.import_data(file).left_out] == [GONE[how]]
    assert world.memory.get(world.other).tags == ()


@pytest.mark.parametrize("how", GONE)
def test_an_edited_file_brings_no_tag_with_it(world: World, how: str, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    world.memory.tag(world.other, "office")
    world.memory.export(folder, format="markdown")
    (page,) = [path for path in folder.rglob("*.md") if "printer" in path.read_text()]
    page.write_text(page.read_text().replace("office", LABEL))
    give_up(world, how)
    assert [left.reason for left in world.memory.import_data(folder).left_out] == [GONE[how]]
    assert world.memory.get(world.other).tags == ("office",)
