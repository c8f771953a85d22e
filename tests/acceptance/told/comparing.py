"""Which normal form each verb's answer has, and that of a whole store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import told.normal as n
import told.tiers as t


def each(normal: Callable[[Any], Any]) -> Callable[[Iterable[Any]], list[Any]]:
    """The same for a list."""
    return lambda forms: [normal(form) for form in forms]


def same(form: Any) -> Any:
    return form


def exported(path: Path) -> list[Any]:
    """What a file of JSON lines holds that is the same wherever the story was told: memories, documents and the journal.

    The journal of each memory is in its order; what a recall missed is noted when a door comes to it.
    """
    items = [next(iter(json.loads(raw).items())) for raw in path.read_text("utf-8").splitlines()]
    documents = sorted(
        json.dumps([said["kind"], said["name"].split("/")[-1]]) for kind, said in items if kind == "document"
    )
    kept = [json.loads(document) for document in documents]
    kept += [n.whole(said) for kind, said in items if kind == "memory"]
    journal: dict[str, list[Any]] = {}
    for said in (said for kind, said in items if kind == "event"):
        document = said.get("document")
        told = n.event(said) if document is None else [said["kind"], said["actor"], said.get("reason")]
        journal.setdefault(document or said["memory"], []).append(told)
    return kept + [list(each) for each in journal.items()]


_OF_ONE = (
    *(
        "tag",
        "untag",
        "forget",
        "restore",
        "archive",
        "unarchive",
        "move",
        "reinforce",
        "demote",
        "feedback",
        "link",
        "supersede",
    ),
    *("contexts.update_content", "contexts.remove_entry", "narratives.write", "narratives.latest"),
)
_OF_MANY = (
    *("list", "confirm", "feedback_many", "resolve", "unlink", "members", "contexts.versions", "contexts.entries"),
    *("narratives.chain", "narratives.memories", "narratives.of"),
)
_OF_POOLS = ("create", "get", "write", "write_key", "merge", "remove_key", "grant", "revoke", "extend", "workflow")
_OF_CONTEXTS = ("create", "get", "grant", "revoke", "archive", "unarchive")
NORMAL: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("remember", "contexts.add"), n.outcome),
    "remember_many": each(n.outcome),
    **dict.fromkeys(("recall", "search", "contexts.search", "narratives.search"), n.recalled),
    "get": n.whole,
    "update": n.changed,
    **dict.fromkeys(_OF_ONE, n.memory),
    **dict.fromkeys(_OF_MANY, n.memories),
    "history": each(n.event),
    "log": each(n.line),
    "contradictions": each(n.contradiction),
    "gaps": each(n.topic),
    "gaps answered": each(n.answered),
    "related": each(n.related),
    "provenance": lambda form: {
        "memory": n.memory(form["memory"]),
        "sources": n.memories(form["sources"]),
        "trust": form["trust"],
    },
    "tags": each(n.tag),
    "clusters": each(lambda form: [form["name"], form["size"]]),
    "graph": n.graph,
    **dict.fromkeys(("context", "preview"), n.block),
    "doctor": n.health,
    "purge": lambda form: [[each["kind"] for each in form["repeats"]], list(form["pending"])],
    "vacuum": lambda form: list(form["pending"]),
    **dict.fromkeys(("short_term.write", "short_term.read", "short_term.peek", "short_term.refresh_ttl"), t.entry),
    "short_term.entries": each(t.entry),
    "router.write": t.written,
    "router.read": t.routed,
    "router.semantic_search": each(t.met),
    "router.consolidate": t.consolidated,
    **dict.fromkeys((f"pools.{verb}" for verb in _OF_POOLS), t.pool),
    "pools.statistics": t.use,
    "pools.list": each(t.listed_pool),
    **dict.fromkeys((f"contexts.{verb}" for verb in _OF_CONTEXTS), t.container),
    "contexts.list": each(t.container),
    "contexts.access_log": each(lambda form: [form["agent"], form["action"], form["memory_id"]]),
    "contexts.snapshots": each(lambda form: [form["name"], form["entries"]]),
    "contexts.snapshot": lambda form: [form["name"], form["entries"]],
    "contexts.diff": t.difference,
    "export": lambda form: {name: count for name, count in form["counts"].items() if name != "access"},
    "import_": t.imported,
}
