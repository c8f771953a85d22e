"""The tools feedback, link and resolve: which memories helped, how they are related, and which of two is correct."""

from __future__ import annotations

from recollect.serve.mcp.arguments import Arguments, choice, flag, id_, ids, number, text
from recollect.serve.mcp.results import memory_json
from recollect.serve.mcp.schemas import objects, output, string
from recollect.serve.mcp.tool import Tool, ToolContext, ToolResult
from recollect.values.enums import LINK_RELATIONS, RESOLUTIONS, VERDICTS
from recollect.values.memory import Record

_CHANGED = output("kind", "changed", kind=string(), changed=objects(id=string()))


def _feedback(context: ToolContext, given: Arguments) -> ToolResult:
    ids = [context.ids.expand(short) for short in given["ids"]]
    return _changed_result(context, given["verdict"], context.memory.feedback_many(ids, given["verdict"]))


def _link(context: ToolContext, given: Arguments) -> ToolResult:
    remove = given.pop("remove", False)
    source, target = (context.ids.expand(given.pop(end)) for end in ("source", "target"))
    if remove:
        return _changed_result(context, "unlinked", context.memory.unlink(source, target, given.get("relation")))
    return _changed_result(context, "linked", [context.memory.link(source, target, **given)])


def _resolve(context: ToolContext, given: Arguments) -> ToolResult:
    pair = (context.ids.expand(given["new"]), context.ids.expand(given["old"]))
    changed = context.memory.resolve(pair, given["resolution"], content=given.get("content"))
    return _changed_result(context, given["resolution"], changed)


def _changed_result(context: ToolContext, kind: str, records: list[Record]) -> ToolResult:
    shorts = ", ".join(f"[{context.ids.shorten(record)}]" for record in records)
    changed = [memory_json(record, context.ids) for record in records]
    return ToolResult(f"{kind}: {shorts or 'nothing to change'}", {"kind": kind, "changed": changed})


FEEDBACK = Tool(
    name="feedback",
    title="Feedback",
    description=(
        "Say whether recalled memories helped, so that useful ones rank higher: helpful or unhelpful changes the "
        "confidence of each, and links those that helped together; reinforce (+3) or demote (-1) changes the score "
        "permanently. Call it after you used what recall returned.\n"
        "Do NOT judge what you did not use: no feedback means no penalty. A wrong text needs update or forget."
    ),
    arguments={"ids": ids(), "verdict": choice(VERDICTS)},
    required=("ids", "verdict"),
    output_schema=_CHANGED,
    run=_feedback,
)

LINK = Tool(
    name="link",
    title="Link memories",
    description=(
        "Link two memories that belong together, so that recalling one leads to the other: relates_to, "
        "derived_from (source comes from target), contradicts, supersedes (source replaces target). `remove` "
        "removes links.\n"
        "Do NOT link what shares a tag or is merely similar: that is found anyway."
    ),
    arguments={
        "source": id_(),
        "target": id_(),
        "relation": choice(LINK_RELATIONS, "default relates_to, or with remove any", listed=True),
        "weight": number("0.01 to 1", low=0.01),
        "remove": flag(),
    },
    required=("source", "target"),
    output_schema=_CHANGED,
    run=_link,
    destructive=True,
    idempotent=True,
)

RESOLVE = Tool(
    name="resolve",
    title="Resolve a contradiction",
    description=(
        "Resolve two memories that cannot both be true, in one of four ways: keep_both (each is true in its own "
        "case), update (the old one gets the new text, or `content`), supersede (the new one replaces it), forget "
        "(the old one was wrong). Use it after remember or list warned of a contradiction and the user said which "
        "is correct.\n"
        "Do NOT choose for the user; while nobody knows, leave both."
    ),
    arguments={
        "new": id_(),
        "old": id_(),
        "resolution": choice(RESOLUTIONS),
        "content": text("for update"),
    },
    required=("new", "old", "resolution"),
    output_schema=_CHANGED,
    run=_resolve,
    destructive=True,
)
