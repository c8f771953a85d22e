"""The tools remember, update and forget."""

from __future__ import annotations

from typing import Any

from recollect.errors import InvalidInput
from recollect.serve.mcp.results import changed_result, outcome_result, update_result
from recollect.serve.mcp.schemas import boolean, enum, number, object_, objects, output, string, strings
from recollect.serve.mcp.tool import Arguments, Tool, ToolContext, ToolResult
from recollect.values.draft import DraftFields
from recollect.values.enums import DELIVERIES, MEMORY_TYPES, PROVENANCE_KINDS, SCOPES

CHANGED = output("kind", kind=string(), id=string(), reason=string(), memory=object_())
SOURCE = enum(PROVENANCE_KINDS, "default observed; user_stated only if the user said it")
# An agent may not say who it is, nor how far it is trusted.
_RESERVED = ("agent", "trust")
_DRAFT_FIELDS = tuple(name for name in DraftFields.__annotations__ if name not in _RESERVED)
_ID_FIELDS = ("supersedes", "derived_from")


def _remember(context: ToolContext, given: Arguments) -> ToolResult:
    content = given.pop("content")
    fields = _with_more(given, _DRAFT_FIELDS)
    for name in _ID_FIELDS:
        if name in fields:
            fields[name] = _expand(context, fields[name])
    return outcome_result(context, context.memory.remember(content, **{"source": "observed", **fields}))


def _update(context: ToolContext, given: Arguments) -> ToolResult:
    from recollect.capture.edit import EDITABLE  # imports the screening rules, which the handshake does not need

    memory, memory_id = context.memory, context.ids.expand(given.pop("id"))
    separate = [name for name in ("add_tags", "remove_tags", "replaces") if name in given]
    if separate and len(given) > 1:
        raise InvalidInput(separate[0], "cannot be given together with other changes", "make two calls")
    match separate:
        case ["add_tags"]:
            return update_result(context, memory.tag(memory_id, *given["add_tags"]))
        case ["remove_tags"]:
            return update_result(context, memory.untag(memory_id, *given["remove_tags"]))
        case ["replaces"]:
            return update_result(context, memory.supersede(context.ids.expand(given["replaces"]), memory_id))
    return update_result(context, memory.update(memory_id, **_with_more(given, EDITABLE)))


def _forget(context: ToolContext, given: Arguments) -> ToolResult:
    memory_id = context.ids.expand(given["id"])
    if given.get("restore"):
        return changed_result(context, "restored", context.memory.restore(memory_id))
    forgotten = context.memory.forget(memory_id, given.get("reason"))
    return changed_result(context, "forgotten", forgotten, "It stays hidden until it is restored.")


def _with_more(given: Arguments, known: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of a call together with the rarer fields in `more`."""
    more: dict[str, Any] = given.pop("more", {})
    for name in more:
        if name not in known:
            raise InvalidInput(f"more.{name}"[:80], "is unknown", f"known: {', '.join(known)}")
        if name in given:
            raise InvalidInput(f"more.{name}", "is given twice", "give it once")
    return given | more


def _expand(context: ToolContext, value: Any) -> Any:
    """Full ids for a short one or a list of them; a value of another type is left for the engine to reject."""
    if isinstance(value, list):
        return [_expand(context, each) for each in value]
    return context.ids.expand(value) if isinstance(value, str) else value


REMEMBER = Tool(
    name="remember",
    title="Remember",
    description=(
        "Store one thing that later sessions should know: a decision and its reason, a preference or correction of "
        "the user, how something is done here, a warning, a fact that took effort to find. One fact per call, "
        "in words that need no other context.\n"
        "The result says what became of it: stored, reinforced (known already), superseded (a new value of the "
        "same thing) or refused (secrets, chat). If it warns of a contradiction, ask the user which one "
        "is right, then call resolve.\n"
        "Do NOT use it for what files or this conversation show anyway, for temporary state (pool), for secrets or "
        "guesses, for text just recalled, or to correct a memory whose id you have (update)."
    ),
    arguments={
        "content": string("the fact, in whole sentences"),
        "type": enum(MEMORY_TYPES),
        "tags": strings(),
        "importance": number("0 to 1"),
        "delivery": enum(DELIVERIES, "pinned: in every context"),
        "ttl": number("seconds to live"),
        "scope": enum(SCOPES, "default: this project"),
        "source": SOURCE,
        "supersedes": string("id of the memory it replaces"),
        "triggers": strings("patterns like glob:*.env or word:drop table"),
        "session": string(),
        "task": string(),
        "more": object_(
            "project, team, valid_from, valid_until, occurred_at, speaker, file_paths, reason, key, procedure …"
        ),
    },
    required=("content",),
    output_schema=output(
        "kind",
        "reason",
        kind=enum(("stored", "reinforced", "superseded", "refused")),
        id=string(),
        reason=string(),
        conflicts=objects(id=string(), reason=string()),
        related=objects(relation=string()),
        notes=strings(),
    ),
    run=_remember,
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
        "id": string(),
        "content": string("the whole new text"),
        "type": string(),
        "tags": strings("replaces all its tags"),
        "importance": number(),
        "add_tags": strings(),
        "remove_tags": strings(),
        "replaces": string("id of the older memory"),
        "more": object_("weight, confidence, delivery, ttl, valid_from, valid_until, triggers, season"),
    },
    required=("id",),
    output_schema=CHANGED,
    run=_update,
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
    arguments={"id": string(), "reason": string("why, for the journal"), "restore": boolean("restore it instead")},
    required=("id",),
    output_schema=CHANGED,
    run=_forget,
    destructive=True,
    idempotent=True,
)
