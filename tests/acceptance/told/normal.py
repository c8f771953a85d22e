"""Normal forms: what is the same at every door of what a verb answers. Never ids, times or scores; orders, texts and kinds always.

Every function takes the form of one value, whole as the library and the command line give it or short as MCP does; fields a
short form leaves out are at their defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from recollect.values.enums import LOW_TRUST

Form = Mapping[str, Any]
_NONE_OR = dict.fromkeys(
    ("project", "agent", "team", "session", "task", "season", "supersedes", "superseded_by", "source", "type", "scope")
)
_USUAL = {"status": "active", "delivery": "on_demand", "importance": 0.5, "weight": 1.0, "score": 0}
_LISTS = ("tags", "labels", "triggers")
_WHOLE = ("confidence", "strength", "key", "speaker", "position", "snippet", "reason")
_MOVING = ("updated_at", "hit_at", "accessed_at", "access_count", "breadcrumbs", "expires_at")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{4}([0-9a-f]{8})|\b([0-9a-f]{8})\b")
_FENCE = re.compile(r"recalled-memories-[0-9a-f]{8}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+\+00:00")


def named(value: Any, names: Mapping[str, str]) -> Any:
    """A value with the name of each memory in the place of its id, whole or short; ids of other things are only ids."""
    if isinstance(value, str):
        told = _TIME.sub("<time>", _FENCE.sub("recalled-memories", value))
        return _ID.sub(lambda found: _name(found, names), told)
    if isinstance(value, list):
        return [named(each, names) for each in value]
    if isinstance(value, dict):
        return {name: named(each, names) for name, each in value.items()}
    return value


def _name(found: re.Match[str], names: Mapping[str, str]) -> str:
    known = names.get(found[1] or found[2])
    return f"${known}" if known else "<id>" if found[1] else found[0]


def memory(form: Form) -> dict[str, Any]:
    """What every door tells of a memory."""
    return {
        "id": form.get("short_id") or form["id"],
        "content": form["content"],
        **{name: form.get(name) or None for name in _NONE_OR},
        **{name: form.get(name, usual) for name, usual in _USUAL.items()},
        **{name: list(form.get(name) or ()) for name in _LISTS},
        "links": [[link["relation"], link.get("id") or link["target"]] for link in form.get("links", ())],
        "metadata": dict(form.get("metadata") or {}),
        "trust": _trust(form["trust"]),
        "ends": bool(form.get("expires_at")),
    }


def _trust(trust: float | str) -> str:
    if isinstance(trust, str):
        return trust
    return "low" if trust <= LOW_TRUST else "full" if trust >= 0.9 else "some"


def whole(form: Form) -> dict[str, Any]:
    """One memory in full."""
    crumbs = [crumb["session"] for crumb in form.get("breadcrumbs", ())]
    return {**memory(form), **{name: form.get(name) for name in _WHOLE}, "said again in": crumbs}


def memories(forms: Iterable[Form]) -> list[Any]:
    return [memory(form) for form in forms]


def outcome(form: Form) -> dict[str, Any]:
    """What became of a draft."""
    held, old = form.get("memory"), form.get("old")
    conflicts = [(each.get("memory") or each)["content"] for each in form.get("conflicts", ())]
    return {
        "kind": form["kind"],
        "reason": form["reason"],
        "memory": None if held is None else memory(held),
        "conflicts": conflicts,
        # How a superseded memory is brought back is said in the words of each door.
        "notes": [note for note in form.get("notes", ()) if "bring it back" not in note],
        "old": None if old is None else memory(old),
    }


def changed(form: Form) -> dict[str, Any]:
    """A memory, or the refusal to change it."""
    if form.get("kind") == "refused":
        return {"refused": form["reason"]}
    return memory(form)


def recalled(form: Form) -> list[Any]:
    """The hits, best first; a trigger that called one up is part of the answer."""
    return [memory(hit.get("memory") or hit) for hit in form["hits"]]


def event(form: Form) -> dict[str, Any]:
    """One line of the journal, with what changed; times and counters move by themselves."""
    sides = {side: still(form.get(side) or {}) for side in ("before", "after")}
    return {"kind": form["kind"], "actor": form["actor"], "reason": form.get("reason"), **sides}


def still(image: Form) -> dict[str, Any]:
    kept = {name: value for name, value in image.items() if name not in _MOVING and not name.endswith("_at")}
    if "links" in kept:
        kept["links"] = [[link["relation"], link["target"]] for link in kept["links"]]
    return kept if "content" not in kept or len(kept) < 10 else {"content": kept["content"]}


def line(form: Form) -> dict[str, Any]:
    """One line of the whole journal: also what it is about."""
    about = form["document"] or form["memory_id"]
    return {"kind": form["kind"], "of": about, "actor": form["actor"], "reason": form["reason"]}


def related(form: Form) -> dict[str, Any]:
    return {**memory(form.get("memory") or form), "path": form["path"]}


def contradiction(form: Form) -> dict[str, Any]:
    newer, older = form.get("newer") or form["new"], form.get("older") or form["old"]
    return {"newer": memory(newer), "older": memory(older), "reason": form["reason"]}


def topic(form: Form) -> dict[str, Any]:
    """A topic with its questions."""
    gaps = form.get("gaps")
    questions = form["questions"] if gaps is None else [gap["question"] for gap in gaps]
    return {"name": form.get("name") or form["topic"], "questions": questions}


def answered(form: Form) -> dict[str, Any]:
    return {**topic(form), "answered": [gap["answered_by"] for gap in form["gaps"]]}


def tag(form: Form) -> dict[str, Any]:
    return {"name": form.get("name") or form["tag"], "count": form["count"], "means": form.get("description")}


def block(form: Form) -> dict[str, Any]:
    """The text of a context, and which memories are in it for which layer."""
    items = [[item.get("id") or item["memory"]["id"], item["layer"]] for item in form["items"]]
    left = form["left_out"]
    return {"text": form["text"], "items": items, "left out": left if isinstance(left, int) else len(left)}


def graph(form: Form) -> dict[str, Any]:
    """Which nodes there are and how they hang together, in no order: clusters have ids of their own."""
    labels = {node["key"]: node.get("content") or f"{node['kind']} {node['label']}" for node in form["nodes"]}
    edges = [[labels[edge["source"]], edge["relation"], labels[edge["target"]]] for edge in form["edges"]]
    return {"nodes": sorted(labels.values()), "edges": sorted(edges), "left out": form["left_out"]}


def health(form: Form) -> dict[str, Any]:
    """What the doctor says of every back end; how safely a server keeps what it is given is told of servers alone."""
    problems = [problem for problem in form["problems"] if not problem.startswith("the server ")]
    kept = {name: form[name] for name in ("integrity", "orphans", "memories", "vectors", "embedder")}
    return {**kept, "problems": problems}
