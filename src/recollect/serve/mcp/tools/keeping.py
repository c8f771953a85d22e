"""remember, update and forget: what goes into memory, changes there, and leaves it."""

from __future__ import annotations

from typing import Any

from recollect.errors import InvalidInput
from recollect.serve.mcp.forms import memory_form, outcome_form
from recollect.serve.mcp.schema import answer, flag, number, text, texts, thing, things, word
from recollect.serve.mcp.tool import Answer, Arguments, Desk, Tool
from recollect.serve.mcp.wording import outcome_text
from recollect.values.draft import DraftFields
from recollect.values.memory import Record
from recollect.values.outcome import Refused
from recollect.values.words import DELIVERIES, MEMORY_TYPES, PROVENANCE_KINDS, SCOPES

# Who an agent is, and how far it is believed, is not the agent's to say.
_NOT_THEIRS = ("agent", "trust")
_DRAFT = tuple(name for name in DraftFields.__annotations__ if name not in _NOT_THEIRS)
_IDS = ("supersedes", "derived_from")


def _remember(desk: Desk, given: Arguments) -> Answer:
    content = given.pop("content")
    fields = _with_more(given, _DRAFT)
    for name in _IDS:
        if name in fields:
            fields[name] = _whole(desk, fields[name])
    outcome = desk.memory.remember(content, **fields)
    return Answer(outcome_text(outcome, desk.ids, desk.seed), outcome_form(outcome, desk.ids))


def _update(desk: Desk, given: Arguments) -> Answer:
    from recollect.capture.edit import EDITABLE  # with all of the screen, which a server need not load to say hello

    wanted = desk.ids.take(given.pop("id"))
    alone = [name for name in ("add_tags", "remove_tags", "replaces") if name in given]
    if alone and len(given) > 1:
        raise InvalidInput(alone[0], "cannot be given together with other changes", "make two calls of it")
    match alone:
        case ["add_tags"]:
            return changed(desk, "updated", desk.memory.tag(wanted, *given["add_tags"]))
        case ["remove_tags"]:
            return changed(desk, "updated", desk.memory.untag(wanted, *given["remove_tags"]))
        case ["replaces"]:
            return changed(desk, "updated", desk.memory.supersede(desk.ids.take(given["replaces"]), wanted))
    done = desk.memory.update(wanted, **_with_more(given, EDITABLE))
    if isinstance(done, Refused):
        return Answer(f"refused: {done.reason}. Nothing was changed.", {"kind": "refused", "reason": done.reason})
    return changed(desk, "updated", done)


def _forget(desk: Desk, given: Arguments) -> Answer:
    wanted = desk.ids.take(given["id"])
    if given.get("restore"):
        return changed(desk, "restored", desk.memory.restore(wanted))
    done = desk.memory.forget(wanted, given.get("reason"))
    return changed(desk, "forgotten", done, "It stays out until it is restored.")


def changed(desk: Desk, kind: str, record: Record, more: str = "") -> Answer:
    """What was done to one memory."""
    form = {"kind": kind, "id": desk.ids.give(record), "memory": memory_form(record, desk.ids)}
    return Answer(f"{kind} [{desk.ids.give(record)}]. {more}".rstrip(), form)


def _with_more(given: Arguments, known: tuple[str, ...]) -> dict[str, Any]:
    more: dict[str, Any] = given.pop("more", {})
    for name in more:
        if name not in known:
            raise InvalidInput(f"more.{name}"[:80], "is unknown", f"known: {', '.join(known)}")
        if name in given:
            raise InvalidInput(f"more.{name}", "is given twice", "give it once")
    return given | more


def _whole(desk: Desk, value: Any) -> Any:
    if isinstance(value, str):
        return desk.ids.take(value)
    return [desk.ids.take(one) if isinstance(one, str) else one for one in value] if isinstance(value, list) else value


_DONE = answer("kind", kind=text(), id=text(), reason=text(), memory=thing())

REMEMBER = Tool(
    name="remember",
    title="Remember",
    description=(
        "Keep one thing that later sessions should know: a decision and its reason, a preference or correction of "
        "the user, how something is done here, a warning, a fact that took effort to find. One fact a call, in "
        "words that stand alone without this talk.\n"
        "The answer says what became of it: stored, reinforced (known already), superseded (a new value of the "
        "same thing) or refused (secrets, small talk). If it warns of a contradiction, ask the user which one "
        "holds, then call resolve.\n"
        "Do NOT use it for what files or this conversation show anyway, for passing state (pool), for secrets or "
        "guesses, for text you just recalled, or to correct a memory whose id you have (update)."
    ),
    arguments={
        "content": text("the fact, whole sentences"),
        "type": word(MEMORY_TYPES),
        "tags": texts(),
        "importance": number("0 to 1"),
        "delivery": word(DELIVERIES, "pinned: in every context"),
        "ttl": number("seconds to live"),
        "scope": word(SCOPES, "default: this project"),
        "source": word(PROVENANCE_KINDS, "whose word; user_stated only if the user said it"),
        "supersedes": text("id of the memory it replaces"),
        "triggers": texts("call it up, like glob:*.env or word:drop table"),
        "session": text(),
        "task": text(),
        "more": thing(
            "project, team, valid_from, valid_until, occurred_at, speaker, file_paths, reason, key, procedure …"
        ),
    },
    required=("content",),
    answer=answer(
        "kind",
        "reason",
        kind=word(("stored", "reinforced", "superseded", "refused")),
        id=text(),
        reason=text(),
        conflicts=things(id=text(), content=text(), reason=text()),
        notes=texts(),
    ),
    run=_remember,
)

UPDATE = Tool(
    name="update",
    title="Update a memory",
    description=(
        "Correct or refine a memory in place, by its id: its text, tags or other fields; its history is kept. Use "
        "it when a recalled memory is wrong in a detail or incomplete.\n"
        "Do NOT use it when the world changed and the old text was true once: remember the new fact with "
        "`supersedes`, or give `replaces`. Not for saying that a memory was useful (feedback)."
    ),
    arguments={
        "id": text(),
        "content": text("the whole new text"),
        "type": text(),
        "tags": texts("all its tags from now on"),
        "importance": number(),
        "add_tags": texts(),
        "remove_tags": texts(),
        "replaces": text("id of an older memory this one takes the place of"),
        "more": thing("weight, confidence, delivery, ttl, valid_from, valid_until, triggers, season"),
    },
    required=("id",),
    answer=_DONE,
    run=_update,
    destroys=True,
    repeats=True,
)

FORGET = Tool(
    name="forget",
    title="Forget a memory",
    description=(
        "Hide a memory that is wrong, or that the user wants gone; it does not come back in these or other words. "
        "`restore` brings a forgotten one back.\n"
        "Do NOT use it for what is merely old (update, or remember with supersedes) or was no help this time "
        "(feedback: demote)."
    ),
    arguments={"id": text(), "reason": text("why, for the journal"), "restore": flag("bring it back instead")},
    required=("id",),
    answer=_DONE,
    run=_forget,
    destroys=True,
    repeats=True,
)
