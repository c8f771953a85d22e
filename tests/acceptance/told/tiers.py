"""Normal forms of what the tiers answer, and of imports."""

from __future__ import annotations

from typing import Any

from told.normal import Form, memories, still


def entry(form: Form) -> dict[str, Any]:
    return {name: form[name] for name in ("session", "key", "value", "type", "ttl", "access_count")}


def written(form: Form) -> Any:
    return entry(form) if "ttl" in form else None


def pool(form: Form) -> dict[str, Any]:
    return {name: form[name] for name in ("name", "type", "version", "data")}


def use(form: Form) -> dict[str, Any]:
    """How a pool was used, without when and how often it was read: a server counts reads when it has time."""
    return {name: value for name, value in form.items() if isinstance(value, int) and "read" not in name}


def listed_pool(form: Form) -> dict[str, Any]:
    keys = form["keys"] if "keys" in form else sorted(form["data"])
    return {"name": form["name"], "type": form["type"], "version": form["version"], "keys": keys}


def container(form: Form) -> dict[str, Any]:
    return {name: form[name] for name in ("name", "type", "scope", "access", "archived", "owner", "description")}


def difference(form: Form) -> dict[str, Any]:
    changes = [[still(each["before"]), still(each["after"])] for each in form["changed"]]
    return {"added": memories(form["added"]), "removed": memories(form["removed"]), "changed": changes}


def consolidated(form: Form) -> dict[str, Any]:
    return {**form, "promoted": memories(form["promoted"]), "known": memories(form["known"])}


def met(form: Form) -> list[Any]:
    return [form["tier"], form["key"], form["text"]]


def routed(form: Form) -> list[Any]:
    return [form["tier"], form["key"], form["value"]]


def imported(form: Form) -> dict[str, Any]:
    return {name: form[name] for name in ("stored", "updated", "unchanged", "refused", "forgotten", "dry_run")}
