"""What is no message is answered, under its own id wherever that can be read; batches exist in one protocol version only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_clients import RawClient, on_http

from recollect.serve.mcp.jsonrpc import read_line

PARSE, INVALID = -32700, -32600
LISTING = '"jsonrpc": "2.0", "method": "tools/list"'
# A line, and the id and code of each error it is answered with.
LINES: list[tuple[str, list[tuple[Any, int]]]] = [
    (f'{{{LISTING}, "id": 1}}', []),
    (f"{{{LISTING}}}", []),
    ("", []),
    (" \t", []),
    (f'{{{LISTING}, "id": null}}', [(None, INVALID)]),
    (f'{{{LISTING}, "id": 1.5}}', [(1.5, INVALID)]),
    (f'{{{LISTING}, "id": 1.0}}', []),
    (f'{{{LISTING}, "id": true}}', [(None, INVALID)]),
    (f'{{{LISTING}, "id": {{"a": 1}}}}', [(None, INVALID)]),
    ("{broken", [(None, PARSE)]),
    ('{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"a', [(5, PARSE)]),
    ('{"method": "x", "params": {"id": 6, "b": [1]}, "id": "seven"', [("seven", PARSE)]),
    ('{"params": {"id": 6', [(None, PARSE)]),
    ('{"id": 1.5, "method": broken', [(None, PARSE)]),
    ('{"id"', [(None, PARSE)]),
    ('"text"', [(None, INVALID)]),
    ("null", [(None, INVALID)]),
    ("[]", [(None, INVALID)]),
    ('{"jsonrpc": "1.0", "id": 4, "method": "x"}', [(4, INVALID)]),
    ('{"jsonrpc": "2.0", "id": 4, "method": "x", "params": [1]}', [(4, INVALID)]),
    (f'[{{{LISTING}, "id": 1}}, {{{LISTING}, "id": "b"}}]', [(1, INVALID), ("b", INVALID)]),
    (f"[{{{LISTING}}}, 7]", [(None, INVALID)]),
    ("[" * 100_000, [(None, PARSE)]),
    ('{"jsonrpc": "2.0", "id": 8, "method": "x", "params": {"a": ' + "[" * 500 + "]" * 500 + "}}", [(8, INVALID)]),
]


@pytest.mark.parametrize(("line", "errors"), LINES, ids=lambda value: value[:60] if isinstance(value, str) else "")
def test_a_line_is_a_message_or_has_its_error(line: str, errors: list[tuple[Any, int]]) -> None:
    found = read_line(line)
    assert [(error.id, error.error.code) for error in found.errors] == errors
    assert bool(found.messages) == (not errors and bool(line.strip()))


@given(text=st.text() | st.text(alphabet='{}[]",:id1.5ax\\'))
def test_any_line_is_read_without_an_exception(text: str) -> None:
    found = read_line(text, batches=True)
    assert found.messages or found.errors or not text.strip()


def test_half_a_surrogate_pair_is_mended() -> None:
    (message,) = read_line('{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": "cut \\ud83d"}}').messages
    assert message.params == {"a": "cut \ufffd"}


@pytest.mark.parametrize(
    ("sent", "means"), [([], {}), ("", {}), ('{"query": "x"}', {"query": "x"}), ("x", "x"), ([1], [1]), (None, None)]
)
def test_arguments_may_be_json_text_or_the_empty_list_of_php(sent: Any, means: Any) -> None:
    called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "recall", "arguments": sent}}
    (message,) = read_line(json.dumps(called)).messages
    assert message.params["arguments"] == means  # type: ignore[union-attr, index]


def test_a_batch_is_read_where_the_version_has_it() -> None:
    found = read_line(f'[{{{LISTING}, "id": 1}}, {{{LISTING}}}, {{{LISTING}, "id": 2.5}}]', batches=True)
    assert found.batch and len(found.messages) == 2
    assert [error.id for error in found.errors] == [2.5]


@pytest.fixture
def raw(store: Path) -> Iterator[RawClient]:
    with RawClient(store) as client:
        yield client


def test_on_stdio_every_request_is_answered_under_its_id(raw: RawClient) -> None:
    raw.initialize()
    raw.send('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "recall", "argu')
    raw.send(f'{{{LISTING}, "id": null}}')
    raw.send(f'{{{LISTING}, "id": 2.5}}')
    raw.send(f'[{{{LISTING}, "id": 3}}]')
    answers = [raw.read() for _ in range(4)]
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [
        (1, PARSE),
        (None, INVALID),
        (2.5, INVALID),
        (3, INVALID),
    ]
    raw.send(
        '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"remember","arguments":{"content":"cut \\ud83d"}}}'
    )
    assert raw.read()["result"]["structuredContent"]["kind"] == "stored"


@pytest.mark.parametrize(
    ("version", "has_batches"), [("2025-03-26", True), ("2025-06-18", False), ("2024-11-05", False)]
)
def test_batches_are_answered_as_the_version_says(raw: RawClient, version: str, has_batches: bool) -> None:
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    raw.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about})
    assert raw.read()["result"]["protocolVersion"] == version
    raw.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    batch = [
        {"jsonrpc": "2.0", "id": n, "method": method}
        for n, method in ((1, "ping"), (2, "prompts/list"), (3, "no/such"))
    ]
    raw.send(json.dumps([*batch, {"jsonrpc": "2.0", "id": 4.5, "method": "ping"}]))
    if not has_batches:
        assert [raw.read()["error"]["code"] for _ in batch] == [INVALID] * 3
        return
    answers: Any = raw.read()
    assert {answer["id"]: "result" in answer for answer in answers} == {1: True, 2: True, 3: False, 4.5: False}
    raw.send(
        json.dumps(
            [{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}]
        )
    )
    raw.send({"jsonrpc": "2.0", "id": 9, "method": "ping"})
    assert raw.read()["id"] == 9, "notifications alone are not answered"


def test_on_http_a_body_that_is_no_message_is_answered_under_its_id(store: Path) -> None:
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    modern = {**headers, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "remember"}
    with on_http(store) as (url, _), httpx2.Client(headers=headers, timeout=30) as web:
        for line, errors in LINES:
            if errors:
                told = web.post(url, content=line.encode())
                assert told.status_code == 400, line
                assert (told.json()["id"], told.json()["error"]["code"]) == errors[0]
        params = {"name": "remember", "arguments": {"content": "cut \ud83d"}, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        kept = web.post(url, content=body.encode(), headers=modern).json()
        assert kept["result"]["structuredContent"]["memory"]["content"] == "cut \ufffd"
        params = {"name": "remember", "arguments": '{"content": "The mill grinds at dawn"}', "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
        kept = web.post(url, content=body.encode(), headers=modern).json()
        assert kept["result"]["structuredContent"]["memory"]["content"] == "The mill grinds at dawn"
