"""A name that says "credential" makes the value under it one; a text is screened as it was given, and as it is put together."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

import recollect
from recollect.errors import InvalidInput

TOKEN = "ghp_x7Kq2Lm9Rt4Wv8Zy1Bn6Cd3Ef5Gh0JkPqAsD"
Call = Callable[[recollect.Memory], object]


def remember(content: str, **fields: Any) -> Call:
    return lambda memory: memory.remember(content, **fields)


def create(name: str, **data: Any) -> Call:
    return lambda memory: memory.pools.create(name, data=data)


def pads(*pieces: str) -> Call:
    def call(memory: recollect.Memory) -> None:
        for piece in pieces:
            memory.working.append_to_scratch_pad(piece)

    return call


NAMED: dict[str, Call] = {
    "key with a quoted value": remember('"hunter2"', key="api_key"),
    "key with a value in JSON": remember('{"v": "hunter2"}', key="password"),
    "key with an equals sign": remember("= hunter2", key="db.password"),
    "key in look-alike letters": remember("hunter2", key="pаsswоrd"),
    "session": remember("hunter2", session="password"),
    "project": remember("hunter2", project="passwords"),
    "task": remember("Tr0ub4dor", task="router password"),
    "reason": remember("hunter2", reason="the password of the database"),
    "season": remember("Tr0ub4dor", season="password"),
    "list": create("a", password=["hunter2"]),
    "plain word in a list": create("a", db={"passwords": ["swordfish", "marmalade"]}),
    "number": create("a", pin=4711),
    "long number": create("a", password=48213377),
    "value under a name that says nothing": create("a", password={"value": "hunter2"}),
    "deep in a list": create("a", users=[{"name": "tom", "passwd": ["hunter2"]}]),
    "API key": create("a", api_key=["hunter2"]),
    "psk": create("a", psk=["n0tSoS3cret"]),
    "pool": create("password", v="hunter2"),
    "pool that is written to": lambda m: (
        m.pools.create("wifi-password"),
        m.pools.write("wifi-password", {"v": "Blue7x"}),
    ),
    "pool by its id": lambda m: m.pools.write(m.pools.create("password").id, {"v": "hunter2"}),
    "key of a pool": lambda m: (m.pools.create("a"), m.pools.write_key("a", "passwords", ["hunter2"])),
    "merge": lambda m: (m.pools.create("a"), m.pools.merge("a", {"db": {"pin": [4711]}})),
    "task of the working memory": lambda m: m.working.task("password").store("k", "hunter2"),
    "state of a task": lambda m: m.working.task("password").store_task_state("hunter2"),
    "workflow": lambda m: m.working.workflow("password").store("v", "hunter2"),
    "session of the short term": lambda m: m.short_term.write("k", "hunter2", session="password"),
    "key of the router": lambda m: m.router.write("passwords", ["hunter2"], session="s"),
    "tag that is described": lambda m: m.describe_tag("password", "hunter2"),
    "tag that is renamed": lambda m: (
        m.remember_many(["hunter2"], verbatim=True),
        _tag(m),
        m.rename_tag("x", "password"),
    ),
    "context": lambda m: (m.contexts.create("password", type="knowledge_base"), m.contexts.add("password", "hunter2")),
    "entry of a context": lambda m: _reworded(m, "hunter2"),
}
PUT_TOGETHER: dict[str, Call] = {
    "pad": pads("the password is", "hunter2"),
    "pad with a space": pads("the password is", " hunter2"),
    "pad with other lines": pads("Lunch at noon", "the password is", "hunter2"),
    "token in a pad": pads(TOKEN[:15], TOKEN[15:30], TOKEN[30:]),
    "conversation": lambda m: [m.working.append_to_conversation(each) for each in ("the password is", "hunter2")],
    "messages": lambda m: [
        m.working.append_to_conversation({"role": "user", "content": each}) for each in ("the password is", "hunter2")
    ],
    "list of a pool": create("a", parts=[TOKEN[:20], TOKEN[20:]]),
    "list of words": create("a", parts=["the password is hun", "ter2"]),
    "list of a working memory": lambda m: m.working.store("k", {"deep": [TOKEN[:18], TOKEN[18:]]}),
}
AS_GIVEN: dict[str, Call] = {
    "season": remember("A note about ships", season="password is Tr0ub4dor&3"),
    "season with a login": remember("A note about ships", season="admin / Summer2026!"),
    "season that is changed": lambda m: m.update(
        m.remember("A note about ships").memory.id, season="admin / Summer2026!"
    ),
    "folder": remember("A note about ships", file_paths=["/x/password is Tr0ub4dor&3/a.txt"]),
    "folder with a login": remember("A note about ships", file_paths=["/x/admin / Summer2026!/a.txt"]),
    "trigger": remember("A note about ships", triggers=["regex:admin / Summer2026!"]),
    "trigger of a kind": remember("A note about ships", triggers=["word:admin / Summer2026!"]),
    "tag": remember("A note about ships", tags=["AKIA" + "Q3RSTUVWXYZ2ABCD"]),
    "tag that is added": lambda m: m.tag(m.remember("A note about ships").memory.id, "AKIA" + "Q3RSTUVWXYZ2ABCD"),
}
HARMLESS: dict[str, Call] = {
    "rules": create("password-rules", password={"min": 8, "max": 128, "rule": "12 characters", "required": True}),
    "numbers": create("a", token={"ttl": 3600}, pin=13, max_tokens=4096, tokens=[12, 400]),
    "references": create("a", api_key="prod/weather-key1", secret="db-creds2", password="see vault"),
    "versions": create("token", count=8192, model="gpt-4o-2024-08-06", items=["v1.2.3"]),
    "state": lambda m: m.working.task("password").store("state", "waiting"),
    "description": lambda m: m.describe_tag("password", "Everything on logins and resets"),
    "sentence": remember("The reset page moved to /account2", project="password-reset", tags=["password"]),
    "key": remember("The password is in the vault", key="password"),
    "list": lambda m: m.working.store("steps", ["open the page", "enter the password", "press F12"]),
    "pad": pads("The password was reset", "Tom has 12 tickets", "the build is green"),
    "paths": remember("The form is in this file", file_paths=["src/password/reset2.py", "docs/admin/users2.md"]),
    "season": remember("We freeze on Friday", season="Release week 2026!"),
}


def _tag(memory: recollect.Memory) -> None:
    memory.tag(memory.list()[0].id, "x")


def _reworded(memory: recollect.Memory, text: str) -> None:
    memory.contexts.create("password", type="knowledge_base")
    entry = memory.contexts.add("password", "Ask Tom for it").memory
    memory.contexts.update_content("password", entry.id, text)


def is_refused(memory: recollect.Memory, call: Call) -> bool:
    try:
        told = call(memory)
    except InvalidInput:
        return True
    last = told[-1] if isinstance(told, list | tuple) and told else told
    return isinstance(last, recollect.Refused)


@pytest.mark.parametrize("name", NAMED)
def test_the_name_of_a_value_makes_it_a_credential(memory: recollect.Memory, name: str) -> None:
    assert is_refused(memory, NAMED[name])


@pytest.mark.parametrize("name", PUT_TOGETHER)
def test_a_text_is_screened_as_it_is_put_together(memory: recollect.Memory, name: str) -> None:
    assert is_refused(memory, PUT_TOGETHER[name])


@pytest.mark.parametrize("name", AS_GIVEN)
def test_a_text_is_screened_before_it_becomes_a_label_or_a_part_of_a_path(memory: recollect.Memory, name: str) -> None:
    assert is_refused(memory, AS_GIVEN[name])


@pytest.mark.parametrize("name", HARMLESS)
def test_settings_rules_and_sentences_pass(memory: recollect.Memory, name: str) -> None:
    assert not is_refused(memory, HARMLESS[name])


def test_a_forgotten_text_does_not_come_back_in_pieces(memory: recollect.Memory) -> None:
    text = "Priya is interviewing at Globex next week"
    memory.forget(memory.remember(text).memory.id)
    memory.working.append_to_scratch_pad("Lunch at noon")
    memory.working.append_to_scratch_pad("Priya is interviewing")
    with pytest.raises(InvalidInput, match="forgotten"):
        memory.working.append_to_scratch_pad("at Globex next week")
    assert memory.working.scratch_pad() == "Lunch at noon\nPriya is interviewing"


def test_an_import_screens_values_by_their_names(memory: recollect.Memory) -> None:
    with recollect.open(":memory:", embedder="none") as other:
        other.pools.create("logins", data={"note": ["marmalade"]})
        written = io.BytesIO()
        other.export(written)
    lines = []
    for line in written.getvalue().decode().splitlines():
        item = json.loads(line.replace('"note"', '"password"') if "marmalade" in line else line)
        item.get("end", {}).pop("sha256", None)
        lines.append(json.dumps(item))
    report = memory.import_data(io.BytesIO(("\n".join(lines) + "\n").encode()))
    assert [pool.name for pool in memory.pools.list()] == []
    assert "must not be stored" in str([left.reason for left in report.left_out])
