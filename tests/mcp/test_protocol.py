"""What a client sees before it calls a tool: few tools, well described, in a fixed order; resources and prompts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_clients import call
from mcp_types import ListToolsResult, ResourceTemplateReference

import recollect
from recollect.adapters.toolsets import TOOLSETS
from recollect.serve.cli.commands.mcp import install, mcp
from recollect.serve.mcp.app import describe
from recollect.serve.mcp.tool import ShortIds
from recollect.serve.mcp.tools import TOOLS

RunScene = Callable[..., Any]
NAMES = ["remember", "recall", "update", "forget", "feedback", "link", "context", "list", "resolve", "pool", "undo"]
READING = {"recall", "context", "list"}
DESTRUCTIVE = {"update", "forget", "link", "resolve", "pool", "undo"}
# Four bytes of English and JSON per token is the average of current tokenizers. A tenth is left as margin.
BYTES_PER_TOKEN, MOST_TOKENS = 4, 4500


def wire_of(result: ListToolsResult) -> str:
    return result.model_dump_json(by_alias=True, exclude_none=True)


def test_the_eleven_tools_are_listed_in_the_same_order_to_the_byte(run_scene: RunScene, era: str) -> None:
    async def scene(client: Client) -> list[str]:
        return [wire_of(await client.list_tools(cache_mode="bypass")) for _ in range(2)]

    first, second = run_scene(scene, mode=era)
    assert first == second == run_scene(scene, mode=era)[0]
    assert [tool["name"] for tool in json.loads(first)["tools"]] == NAMES


def test_the_whole_list_costs_less_than_five_thousand_tokens(run_scene: RunScene) -> None:
    async def scene(client: Client) -> str:
        return wire_of(await client.list_tools())

    assert len(run_scene(scene).encode()) / BYTES_PER_TOKEN <= MOST_TOKENS


@pytest.mark.parametrize("tools", TOOLSETS)
def test_every_tool_says_when_to_use_it_and_is_valid_json_schema(tools: str) -> None:
    assert len(TOOLSETS[tools]) <= 11
    for tool in map(describe, TOOLSETS[tools]):
        assert tool.description is not None and 30 < len(tool.description) <= 1200
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None and schema["type"] == "object"
            assert "$schema" not in schema
            Draft202012Validator.check_schema(schema)
        assert set(tool.input_schema.get("required", ())) <= tool.input_schema["properties"].keys()


def test_our_tools_say_when_not_to_use_them() -> None:
    for tool in TOOLS:
        assert "Do NOT" in tool.description, tool.name


def test_every_tool_says_what_it_does_to_memory() -> None:
    hints = {tool.name: describe(tool).annotations for tool in TOOLS}
    assert {name for name, hint in hints.items() if hint and hint.read_only_hint} == READING
    assert {name for name, hint in hints.items() if hint and hint.destructive_hint} == DESTRUCTIVE
    assert all(hint is not None and hint.open_world_hint is False for hint in hints.values())
    assert {name for name, hint in hints.items() if hint and hint.idempotent_hint} == READING | {
        "update",
        "forget",
        "link",
    }


def test_every_answer_fits_its_schema(run_scene: RunScene) -> None:
    async def scene(client: Client) -> list[tuple[str, Any]]:
        told = []
        old = await call(client, "remember", content="The web team ships on Friday")
        new = await call(client, "remember", content="The web team does not ship on Friday")
        one, other = new.structured["id"], old.structured["id"]
        told += [("remember", old.structured), ("remember", new.structured)]
        told.append(("remember", (await call(client, "remember", content="ok thanks")).structured))
        for tool, arguments in (
            ("recall", {"query": "when do we ship?"}),
            ("recall", {"query": "ship", "mode": "lexical"}),
            ("update", {"id": one, "importance": 0.7}),
            ("feedback", {"ids": [one], "verdict": "helpful"}),
            ("link", {"source": one, "target": other}),
            ("context", {"topic": "shipping", "start": True}),
            *(("list", {"view": view, **({"id": one} if view in ("history", "related") else {})}) for view in VIEWS),
            ("list", {"id": one}),
            ("resolve", {"new": one, "old": other, "resolution": "supersede"}),
            ("forget", {"id": one}),
            ("pool", {"action": "create", "name": "board", "value": {"a": [1, None]}}),
            ("pool", {"action": "read", "name": "board", "key": "a"}),
            ("pool", {"action": "list"}),
            ("pool", {"action": "drop", "name": "board"}),
        ):
            answer = await call(client, tool, **arguments)
            assert not answer.failed, (tool, arguments, answer.text)
            told.append((tool, answer.structured))
        return told

    schemas = {tool.name: describe(tool).output_schema for tool in TOOLS}
    for tool, form in run_scene(scene):
        Draft202012Validator(schemas[tool]).validate(form)


VIEWS = ("memories", "history", "contradictions", "gaps", "tags", "related", "stats")


def test_resources_are_the_session_start_pinned_memories_one_memory_and_the_latest_narrative(
    run_scene: RunScene, memory: recollect.Memory, era: str
) -> None:
    seen = memory.with_identity()
    seen.remember("Answer in German", delivery="pinned", type="preference", scope="global")
    kept = seen.remember("The build needs Node 22", scope="global", type="rule")
    seen.narratives.write("We moved the build to Node 22.", session="s1", project="shop")

    async def scene(client: Client) -> None:
        listed = [resource.uri for resource in (await client.list_resources()).resources]
        assert listed == ["recollect://bootstrap", "recollect://pinned", "recollect://narrative/latest"]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "recollect://memory/{id}"

        async def read(uri: str) -> str:
            return (await client.read_resource(uri)).contents[0].text

        assert "Answer in German" in await read("recollect://bootstrap")
        pinned = await read("recollect://pinned")
        assert "Answer in German" in pinned and "Node" not in pinned
        assert "The build needs Node 22" in await read(f"recollect://memory/{kept.memory.short_id}")
        assert "moved the build" in await read("recollect://narrative/latest")

    run_scene(scene, mode=era)


@pytest.mark.parametrize(
    "uri", ["recollect://memory/deadbeef", "recollect://memory/../../x", "recollect://nothing", "file:///etc/passwd"]
)
def test_an_unknown_resource_is_an_error_that_lists_the_known_ones(run_scene: RunScene, uri: str) -> None:
    async def scene(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        assert "Traceback" not in caught.value.message
        assert (caught.value.data["uri"], caught.value.data["kind"]) == (uri, "NotFound")
        return caught.value.code

    assert run_scene(scene) == -32602


def test_ids_are_completed(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        kept = (await call(client, "remember", content="The door code changes weekly")).structured["id"]
        reference = ResourceTemplateReference(type="ref/resource", uri="recollect://memory/{id}")
        found = await client.complete(reference, {"name": "id", "value": kept[:3]})
        assert found.completion.values == [kept]

    run_scene(scene)


def test_prompts_recall_before_work_and_keep_at_the_end(run_scene: RunScene, era: str) -> None:
    async def scene(client: Client) -> None:
        await call(client, "remember", content="Releases are tagged with git tag -s")
        listed = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in listed] == ["recall-before-work", "keep-what-was-learned"]
        before = (await client.get_prompt("recall-before-work", {"topic": "a release"})).messages[0]
        assert "Releases are tagged with git tag -s" in before.content.text and "a release" in before.content.text
        after = (await client.get_prompt("keep-what-was-learned")).messages[0]
        assert "remember" in after.content.text and "secrets" in after.content.text
        with pytest.raises(MCPError, match="no prompt"):
            await client.get_prompt("nonsense")
        with pytest.raises(MCPError, match="is not an argument"):
            await client.get_prompt("recall-before-work", {"nonsense": "x"})

    run_scene(scene, mode=era)


def test_a_tool_that_does_not_exist_is_a_protocol_error_with_the_list(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        with pytest.raises(MCPError, match="no tool 'memorise'; tools: remember, recall"):
            await client.call_tool("memorise", {})

    run_scene(scene)


def test_a_list_has_one_page(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        for listed in (client.list_tools, client.list_resources, client.list_resource_templates, client.list_prompts):
            with pytest.raises(MCPError, match="one page"):
                await listed(cursor="nonsense")

    run_scene(scene)


def test_short_ids_are_unambiguous_and_full_ids_are_accepted() -> None:
    ids = ShortIds()
    one, other = "0193a000-0000-7000-8000-aaaa12345678", "0193a000-0000-7000-8000-bbbb12345678"
    assert ids.shorten_id(one) == "12345678"
    assert ids.shorten_id(other) == "bbbb12345678"
    assert [ids.expand("12345678"), ids.expand("BBBB12345678 "), ids.expand("recollect://memory/12345678")] == [
        one,
        other,
        one,
    ]
    assert ids.expand(other) == other and ids.expand("beef") == "beef"
    assert ids.shorten_id(one) == "12345678", "the short id of a memory does not change"


def test_the_commands_offer_every_tool_set() -> None:
    for command in (mcp, install):
        (option,) = (param for param in command.params if param.name == "tools")
        assert list(option.type.choices) == list(TOOLSETS)
