"""The schemas of the tools pass the converters of model vendors, in their strict modes, with every argument kept."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_clients import call

from recollect.adapters.toolsets import TOOLSETS
from recollect.serve.mcp.app import describe
from recollect.serve.mcp.tool import Tool

TOOLS = [pytest.param(tool, id=f"{name}-{tool.name}") for name, tools in TOOLSETS.items() for tool in tools]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_argument_has_a_type_and_no_object_is_closed(tool: Tool) -> None:
    schema = describe(tool).input_schema
    assert schema.keys() <= {"type", "properties", "required"}
    for name, argument in schema["properties"].items():
        assert argument["type"] in ("string", "integer", "number", "boolean", "array"), name
        assert argument.keys() <= {"type", "description", "items", "enum"}, name
        assert ("items" in argument) == (argument["type"] == "array")
        assert argument.get("items", {"type": "string"})["type"] in ("string", "integer")
        assert "" not in argument.get("enum", ()), "Gemini refuses an empty word"


@pytest.mark.parametrize("tool", TOOLS)
def test_google_genai_converts_it(tool: Tool) -> None:
    from google.genai._mcp_utils import mcp_to_gemini_tool

    (declared,) = mcp_to_gemini_tool(describe(tool)).function_declarations
    assert declared.name == tool.name
    properties = declared.parameters.properties or {}
    assert properties.keys() == tool.arguments.keys()
    for name, argument in tool.arguments.items():
        assert properties[name].type.value.lower() == argument.schema["type"]
        assert properties[name].enum == argument.schema.get("enum")


@pytest.mark.parametrize("tool", TOOLS)
def test_openai_agents_converts_it_in_strict_mode(tool: Tool) -> None:
    from agents.strict_schema import ensure_strict_json_schema

    schema: dict[str, Any] = copy.deepcopy(describe(tool).input_schema)
    # As its MCP client calls it; a tool without arguments it offers without the strict mode.
    strict = ensure_strict_json_schema(schema, _reject_open_objects=bool(tool.arguments))
    assert strict["additionalProperties"] is False
    assert set(strict.get("required", ())) == strict["properties"].keys() == tool.arguments.keys()


@pytest.mark.parametrize("tool", TOOLS)
def test_langchain_converts_it(tool: Tool) -> None:
    from langchain_core.tools import StructuredTool
    from langchain_core.utils.function_calling import convert_to_openai_tool

    described = describe(tool)
    made = StructuredTool(
        name=tool.name, description=tool.description, args_schema=described.input_schema, func=lambda **given: given
    )
    for strict in (False, True):
        function = convert_to_openai_tool(made, strict=strict)["function"]
        assert function["parameters"]["properties"].keys() == tool.arguments.keys()


# What a model sends for an argument that it must fill and does not use: of a closed list, the word that the description names.
UNUSED: dict[str, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}
DEFAULTS = {"delivery": "on_demand", "scope": "project", "source": "observed", "view": "memories", "type": "fact"}
STRICT = [
    ("recollect", "remember", {"content": "We deploy with make deploy"}),
    ("recollect", "recall", {"query": "how do we deploy?", "min_trust": 0.0}),
    ("recollect", "context", {"topic": "deploying"}),
    ("recollect", "list", {}),
    ("recollect", "pool", {"action": "create", "name": "board", "value": '{"step": 1}'}),
    ("recollect", "pool", {"action": "read", "name": "board"}),
    ("recollect", "pool", {"action": "list"}),
    ("koshi", "memory_store", {"content": "We deploy with make deploy"}),
    ("koshi", "memory_query", {"query": "how do we deploy?"}),
    ("jcode", "memory", {"action": "remember", "content": "We deploy with make deploy"}),
    ("jcode", "memory", {"action": "recall"}),
    ("mememory", "remember", {"content": "We deploy with make deploy"}),
    ("mememory", "recall", {"query": "how do we deploy?"}),
    ("mememory", "list", {}),
]


def test_a_model_that_must_fill_every_argument_is_answered_as_one_that_leaves_them_out(
    run_scene: Callable[..., Any],
) -> None:
    def scene_of(filled: bool, calls: list[tuple[str, dict[str, Any]]], tools: str) -> Callable[[Client], Any]:
        named = {tool.name: tool for tool in TOOLSETS[tools]}

        async def scene(client: Client) -> list[Any]:
            told = []
            for tool, arguments in calls:
                blank = {
                    name: DEFAULTS[name] if "enum" in argument.schema else UNUSED[argument.schema["type"]]
                    for name, argument in named[tool].arguments.items()
                    if name not in arguments
                }
                answer = await call(client, tool, **(blank if filled else {}), **arguments)
                assert not answer.failed, (tool, answer.text)
                told.append(answer.structured.keys())
            return told

        return scene

    for tools in dict.fromkeys(name for name, _, _ in STRICT):
        calls = [(tool, arguments) for name, tool, arguments in STRICT if name == tools]
        plain = run_scene(scene_of(False, calls, tools), tools=tools, project=f"{tools}-plain")
        strict = run_scene(scene_of(True, calls, tools), tools=tools, project=f"{tools}-strict", agent="strict")
        assert strict == plain
