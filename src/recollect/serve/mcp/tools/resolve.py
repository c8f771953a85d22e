"""The tools feedback, link, resolve and undo: what helped, what belongs together, what is correct, what to take back."""

from __future__ import annotations

from collections import Counter

from recollect.errors import InvalidInput, NotFound
from recollect.serve.mcp.arguments import Arguments, choice, flag, id_, ids, number, text
from recollect.serve.mcp.results import memory_json
from recollect.serve.mcp.schemas import object_, objects, output, string, strings
from recollect.serve.mcp.tool import Tool, ToolContext, ToolResult
from recollect.values.enums import LINK_RELATIONS, RESOLUTIONS, VERDICTS
from recollect.values.memory import Record
from recollect.values.undone import Undone

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


def _undo(context: ToolContext, _: Arguments) -> ToolResult:
    done = context.operations
    while done.calls:
        undone = [each for operation in reversed(done.calls[-1]) if (each := _undone(context, operation)) is not None]
        done.calls.pop()
        done.current.clear()  # an undo of the undo is not what the next call is for
        if undone:
            return _undo_result(context, undone)
    raise InvalidInput(
        "undo",
        "nothing of this session is left to undo",
        "a person can undo more, with `recollect undo` on the command line",
    )


def _undone(context: ToolContext, operation: str) -> Undone | None:
    """What an operation had done; None if it had changed nothing."""
    try:
        # What changed many memories needs `force`; here the caller made the change and names it.
        return context.memory.undo(operation, force=True)
    except NotFound:
        return None


def _undo_result(context: ToolContext, undone: list[Undone]) -> ToolResult:
    memories = list(dict.fromkeys(context.ids.shorten_id(memory) for each in undone for memory in each.memories))
    changes: Counter[str] = Counter()
    for each in undone:
        changes.update(each.changes)
    said = ", ".join(f"{count} × {kind}" if count > 1 else kind for kind, count in changes.items())
    shown = " ".join(f"[{short}]" for short in memories)
    return ToolResult(f"undone: {said} {shown}".rstrip(), {"kind": "undone", "changes": changes, "memories": memories})


def _changed_result(context: ToolContext, kind: str, records: list[Record]) -> ToolResult:
    shorts = ", ".join(f"[{context.ids.shorten(record)}]" for record in records)
    changed = [memory_json(context, record) for record in records]
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
    hints={"feedback": 'feedback(ids=["{}"], verdict="…")'},
)

UNDO = Tool(
    name="undo",
    title="Undo the last change",
    description=(
        "Take back what the last call that changed something did; called again, the one before it. Only changes of this "
        "session can be undone here, and none that others built on since.\n"
        "Do NOT use it to correct a memory (update) or to hide one (forget)."
    ),
    arguments={},
    output_schema=output("kind", kind=string(), changes=object_(), memories=strings()),
    run=_undo,
    destructive=True,
    hints={"undo": "undo()"},
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
    hints={"link": "link(source=…, target=…)", "unlink": "link(source=…, target=…, remove=true)"},
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
    hints={"resolve": "resolve(new=…, old=…, resolution=…)"},
    destructive=True,
)
