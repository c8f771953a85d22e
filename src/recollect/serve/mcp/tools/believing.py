"""feedback, link and resolve: how far memories are believed, how they hang together, and which of two holds."""

from __future__ import annotations

from recollect.serve.mcp.forms import memory_form
from recollect.serve.mcp.schema import answer, flag, number, text, texts, things, word
from recollect.serve.mcp.tool import Answer, Arguments, Desk, Tool
from recollect.values.memory import Record
from recollect.values.words import LINK_RELATIONS, WAYS_OUT

_VERDICTS = ("helpful", "unhelpful", "reinforce", "demote")


def _feedback(desk: Desk, given: Arguments) -> Answer:
    verdict = given["verdict"]
    # All are looked up before the first is changed: an id that names nothing changes nothing.
    ids = list(dict.fromkeys(desk.memory.get(desk.ids.take(part)).id for part in given["ids"]))
    return _changed(desk, verdict, [_judged(desk, one, verdict) for one in ids])


def _judged(desk: Desk, id: str, verdict: str) -> Record:
    match verdict:
        case "reinforce":
            return desk.memory.reinforce(id)
        case "demote":
            return desk.memory.demote(id)
        case _:
            return desk.memory.feedback(id, verdict == "helpful")


def _link(desk: Desk, given: Arguments) -> Answer:
    remove = given.pop("remove", False)
    source, target = (desk.ids.take(given.pop(end)) for end in ("source", "target"))
    if remove:
        return _changed(desk, "unlinked", desk.memory.unlink(source, target, given.get("relation")))
    return _changed(desk, "linked", [desk.memory.link(source, target, **given)])


def _resolve(desk: Desk, given: Arguments) -> Answer:
    pair = (desk.ids.take(given["new"]), desk.ids.take(given["old"]))
    done = desk.memory.resolve(pair, given["way"], content=given.get("content"))
    return _changed(desk, given["way"], done)


def _changed(desk: Desk, kind: str, records: list[Record]) -> Answer:
    shorts = ", ".join(f"[{desk.ids.give(record)}]" for record in records)
    form = {"kind": kind, "changed": [memory_form(record, desk.ids) for record in records]}
    return Answer(f"{kind}: {shorts or 'nothing to change'}", form)


_DONE = answer("kind", "changed", kind=text(), changed=things(id=text()))

FEEDBACK = Tool(
    name="feedback",
    title="Feedback",
    description=(
        "Say whether recalled memories helped, so that the useful ones rise: helpful or unhelpful moves how far "
        "each is believed, and links those that helped together; reinforce (+3) or demote (-1) moves its rank for "
        "good. Call it after you used what recall gave.\n"
        "Do NOT judge what you did not use: no word is no blame. A wrong text needs update or forget."
    ),
    arguments={"ids": texts(), "verdict": word(_VERDICTS)},
    required=("ids", "verdict"),
    answer=_DONE,
    run=_feedback,
)

LINK = Tool(
    name="link",
    title="Link memories",
    description=(
        "Link two memories that belong together, so that recalling one leads to the other: relates_to, "
        "derived_from (source comes from target), contradicts, supersedes (source replaces target). `remove` "
        "takes links away.\n"
        "Do NOT link what shares a tag or merely sounds alike: that is found anyway."
    ),
    arguments={
        "source": text("id"),
        "target": text("id"),
        "relation": word(LINK_RELATIONS),
        "weight": number("0.01 to 1"),
        "remove": flag(),
    },
    required=("source", "target"),
    answer=_DONE,
    run=_link,
    destroys=True,
    repeats=True,
)

RESOLVE = Tool(
    name="resolve",
    title="Settle a contradiction",
    description=(
        "Settle two memories that cannot both hold, in one of four ways: keep_both (each holds in its own case), "
        "update (the old one gets the new text, or `content`), supersede (the new one takes its place), forget "
        "(the old one was wrong). Use it after remember or list warned of a contradiction and the user said which "
        "holds.\n"
        "Do NOT choose for the user; while nobody knows, leave both."
    ),
    arguments={
        "new": text("id"),
        "old": text("id"),
        "way": word(WAYS_OUT),
        "content": text("for update"),
    },
    required=("new", "old", "way"),
    answer=_DONE,
    run=_resolve,
    destroys=True,
)
