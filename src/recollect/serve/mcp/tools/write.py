"""The tools remember, update and forget."""

from __future__ import annotations

from typing import Any

from recollect.errors import InvalidInput
from recollect.serve.mcp.arguments import Arguments, drafts, fields, flag, id_, text, texts
from recollect.serve.mcp.fields import CHANGES, DRAFT, only, without
from recollect.serve.mcp.results import changed_result, several_result, update_result
from recollect.serve.mcp.schemas import enum, object_, objects, output, string, strings
from recollect.serve.mcp.tool import Tool, ToolContext, ToolResult
from recollect.values.memory import Record
from recollect.values.outcome import Refused

CHANGED = output("kind", kind=string(), id=string(), reason=string(), memory=object_())
_REMEMBERED = only(
    DRAFT,
    *"type tags importance delivery ttl scope source supersedes triggers session task metadata".split(),
)
_UPDATED = only(CHANGES, "content", "type", "tags", "importance", "metadata")


def _remember(context: ToolContext, given: Arguments) -> ToolResult:
    given = {"source": "observed", **_with_more(given)}
    drafts = [{"content": given.pop("content")}] if "content" in given else []
    drafts += given.pop("facts", [])
    if not drafts:
        raise InvalidInput("content", "is missing; remember needs it", "give text, or several as facts")
    outcomes = context.memory.remember_many([_expanded(context, given | draft) for draft in drafts])
    return several_result(context, outcomes)


def _update(context: ToolContext, given: Arguments) -> ToolResult:
    memory, memory_id = context.memory, context.ids.expand(given.pop("id"))
    added, removed, replaces = (given.pop(name, None) for name in ("add_tags", "remove_tags", "replaces"))
    changes = _with_more(given)
    done: Record | Refused | None = None
    if changes or not (added or removed or replaces):
        done = memory.update(memory_id, **changes)
        if isinstance(done, Refused):
            return update_result(context, done)
    # Each is an operation of its own; `undo` takes those of one call back together.
    done = memory.tag(memory_id, *added) if added else done
    done = memory.untag(memory_id, *removed) if removed else done
    done = memory.supersede(context.ids.expand(replaces), memory_id) if replaces else done
    return update_result(context, done or memory.get(memory_id))


def _forget(context: ToolContext, given: Arguments) -> ToolResult:
    memory_id = context.ids.expand(given["id"])
    if given.get("restore"):
        return changed_result(context, "restored", context.memory.restore(memory_id))
    forgotten = context.memory.forget(memory_id, given.get("reason"))
    return changed_result(context, "forgotten", forgotten, "It stays hidden until it is restored.")


def _with_more(given: Arguments) -> dict[str, Any]:
    """The arguments of a call together with the rarer fields in `more`."""
    more: dict[str, Any] = given.pop("more", {})
    for name, value in more.items():
        if name in given and given[name] != value:
            raise InvalidInput(f"more.{name}", f"is given twice, and differs from {name}", "give it once")
    return given | more


def _expanded(context: ToolContext, draft: Arguments) -> Arguments:
    """The same fields with full ids."""
    made = dict(draft)
    if "supersedes" in made:
        made["supersedes"] = context.ids.expand(made["supersedes"])
    if "derived_from" in made:
        made["derived_from"] = [context.ids.expand(each) for each in made["derived_from"]]
    return made


REMEMBER = Tool(
    name="remember",
    title="Remember",
    description=(
        "Store one thing that later sessions should know: a decision and its reason, a preference or correction of "
        "the user, how something is done here, a warning, a fact that took effort to find. One fact each, "
        "in words that need no other context.\n"
        "The result says what became of it: stored, reinforced (known already), superseded (a new value of the "
        "same thing) or refused (secrets, chat). If it warns of a contradiction, ask the user which one "
        "is right, then call resolve.\n"
        "Do NOT use it for what files or this conversation show anyway, for temporary state (pool), for secrets or "
        "guesses, for text just recalled, or to correct a memory whose id you have (update)."
    ),
    arguments={
        "content": text("the fact, in whole sentences"),
        "facts": drafts(DRAFT, "several at once: each a text, or JSON with its own fields", also=("memories",)),
        **_REMEMBERED,
        "more": fields(
            without(DRAFT, "content"),
            "JSON of project, team, speaker, occurred_at, valid_from, valid_until, file_paths, reason, key, procedure …",
        ),
    },
    output_schema=output(
        "kind",
        "reason",
        kind=enum(("stored", "reinforced", "superseded", "refused", "several")),
        id=string(),
        reason=string(),
        conflicts=objects(id=string(), reason=string()),
        related=objects(relation=string()),
        outcomes=objects(kind=string()),
        notes=strings(),
    ),
    run=_remember,
    hints={"remember": 'remember(content="…")'},
)

UPDATE = Tool(
    name="update",
    title="Update a memory",
    description=(
        "Correct or refine a memory in place, by its id; its history is kept. Use it when a recalled memory is "
        "incomplete or partly wrong.\n"
        "Do NOT use it when the old text was true once and the facts changed: remember the new fact with "
        "`supersedes`, or give `replaces`. Not for saying that a memory was useful (feedback)."
    ),
    arguments={
        "id": id_(),
        **_UPDATED,
        "add_tags": texts(commas=True),
        "remove_tags": texts(commas=True),
        "replaces": id_("id of the older memory"),
        "more": fields(
            CHANGES,
            "JSON of weight, confidence, delivery, ttl, valid_from, valid_until, triggers, replace_metadata",
            nulls=True,
        ),
    },
    required=("id",),
    output_schema=CHANGED,
    run=_update,
    hints={
        "update": 'update(id="{}")',
        "tag": 'update(id="{}", add_tags=[…])',
        "untag": 'update(id="{}", remove_tags=[…])',
        "supersede": 'update(id="…", replaces="…")',
    },
    destructive=True,
    idempotent=True,
)

FORGET = Tool(
    name="forget",
    title="Forget a memory",
    description=(
        "Hide a memory that is wrong, or that the user wants removed; it is not stored again, even "
        "reworded. `restore` brings a forgotten one back.\n"
        "Do NOT use it for what is merely outdated (update, or remember with supersedes) or did not help this time "
        "(feedback: demote)."
    ),
    arguments={"id": id_(), "reason": text("why, for the journal"), "restore": flag("restore it instead")},
    required=("id",),
    output_schema=CHANGED,
    run=_forget,
    hints={"forget": 'forget(id="{}")', "restore": 'forget(id="{}", restore=true)'},
    destructive=True,
    idempotent=True,
)
