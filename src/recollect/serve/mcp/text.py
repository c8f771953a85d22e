"""The text of tool results, as an agent reads it. What a memory says is inside a fence, as data; our own words are outside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recollect.serve.mcp.tool import ShortIds, ToolContext
from recollect.serve.words import DOTTED, replace_dotted
from recollect.values.enums import LOW_TRUST
from recollect.values.memory import Record
from recollect.values.outcome import Conflict, Outcome, Refused, Superseded
from recollect.values.recalled import NOT_ANSWERED, Explanation, Hit, Recalled

_INVISIBLE = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MAX_TERMS, _MAX_NOTES = 6, 2
_FULL_TRUST = 0.9
# A verb that a message of the library tells to use, as in "`restore 1a2b3c4d` first".
_QUOTED_VERB = re.compile(r"`([a-z_]+)([^`\n]*)`")
_VERBS = frozenset(
    "remember recall search update tag untag supersede forget restore purge get list history log undo feedback link unlink resolve"
    " contradictions gaps tags related graph stats context reembed doctor enable disable export import".split()
)
NOTHING_KNOWN = "Nothing known is about this. Try once with other words, not a third time."


@dataclass(frozen=True, slots=True)
class Advice:
    """What an agent can do about an outcome, as calls of the tools it has, from the short ids of the new and the old memory."""

    ways_out: Callable[[str, str], Sequence[str]]  # of a contradiction
    way_back: Callable[[str, str], str]  # from a supersession
    in_short: Callable[[str, str], str] | None = None  # the ways out in one line, if they can be said shorter

    def in_one_line(self, new: str, old: str) -> str:
        """The ways out in one line."""
        return self.in_short(new, old) if self.in_short is not None else "; ".join(self.ways_out(new, old))


def fence(context: ToolContext, lines: Sequence[str]) -> str:
    """Lines of recalled text between two fence lines."""
    from recollect.recall.assembly import add_fence  # imports numpy, which the handshake does not need

    return add_fence("".join(f"{line}\n" for line in lines), context.fence_seed)


def memory_line(context: ToolContext, record: Record, *, whole: bool = False) -> str:
    """One memory as a list item: its labels, its short id, type, day and trust, and how to get the rest of a text that is cut."""
    from recollect.recall.assembly import MAX_TEXT, render_memory

    short = context.ids.shorten(record)
    line = render_memory(record, whole=whole).removesuffix(f"[{record.short_id}]")
    day = (record.occurred_at or record.created_at).date().isoformat()
    facts = [record.type, day, f"trust {trust_word(record)}"]
    if record.status != "active":
        facts.append(record.status)
    if not whole and len(record.content) > MAX_TEXT:
        facts.append(cut_note(context, record))
    return f"{line}[{short}] {' · '.join(facts)}"


def cut_note(context: ToolContext, record: Record) -> str:
    """That a text is cut, and the call that shows the rest if there is one."""
    rest = context.hint("get", context.ids.shorten(record))
    return f"cut, {len(record.content):,} characters{f': {rest}' if rest else ''}"


def trust_word(record: Record) -> str:
    """How far to trust a memory, in a word."""
    if record.trust <= LOW_TRUST:
        return "low"
    return "full" if record.trust >= _FULL_TRUST else "some"


def in_words_of_tools(hints: Mapping[str, str], message: str) -> str:
    """A message of the library in the words of the tools there are; what none of them does, a person does on the command line."""

    def said(found: re.Match[str]) -> str:
        verb, rest = found[1], found[2].strip()
        if verb not in _VERBS:
            return found[0]
        call = hints[verb].replace("{}", rest) if verb in hints else None
        return f"`{call}`" if call else f"`{f'recollect {verb} {rest}'.rstrip()}` on the command line"

    def dotted(verb: str) -> str:
        return f"`{hints[verb]}`" if verb in hints else f"`recollect {DOTTED[verb]}` on the command line"

    return replace_dotted(_QUOTED_VERB.sub(said, message), dotted)


def recalled_text(context: ToolContext, found: Recalled) -> str:
    """Hits with their reasons, best first, and the notes about them."""
    notes = [f"note: {in_words_of_tools(context.hints, note)}" for note in found.notes]
    if not found:
        return "\n".join([NOTHING_KNOWN, *notes])
    lines = [
        f"{memory_line(context, hit.memory)}\n  why: {_INVISIBLE.sub(' ', why(hit, context.ids))}" for hit in found
    ]
    said = [] if found.answered else [NOT_ANSWERED]
    return "\n".join([*said, fence(context, lines), *notes])


def memories_text(context: ToolContext, records: Sequence[Record]) -> str:
    """Memories, one below the other."""
    if not records:
        return "No memories."
    return fence(context, [memory_line(context, record) for record in records])


def why(hit: Hit, ids: ShortIds) -> str:
    """The reason for a hit in a few words, and which newer hit to believe instead."""
    reasons = [f"older; see [{ids.shorten_id(hit.newer)}]"] if hit.newer is not None else []
    reasons += [f"trigger {hit.trigger} matches"] if hit.trigger is not None else []
    if hit.similarity is not None:
        reasons.append(f"similarity {hit.similarity:.2f}")
    reasons.append(f"relevance {hit.relevance:.0%}")
    if hit.explain is not None:
        reasons += _explained(hit.explain, hit.trigger)
    return "; ".join(reasons) or "applies to this project"


def outcome_text(context: ToolContext, outcome: Outcome, advice: Advice) -> str:
    """What became of a draft, how to take back a supersession, and how to resolve contradictions."""
    if isinstance(outcome, Refused):
        return f"refused: {outcome.reason}. Nothing was stored."
    short = context.ids.shorten(outcome.memory)
    lines = [f"{outcome.kind} [{short}] ({_INVISIBLE.sub(' ', _place(outcome.memory))}): {_reason(context, outcome)}"]
    lines += [f"note: {in_words_of_tools(context.hints, note)}" for note in outcome.notes]
    lines += [f"note: {note}" for note in way_back(context, outcome, advice)]
    if outcome.conflicts:
        lines += _conflict_lines(context, outcome.conflicts, short, advice)
    elif outcome.related:
        lines += _related_lines(context, outcome.related, short, advice)
    return "\n".join(lines)


def way_back(context: ToolContext, outcome: Outcome, advice: Advice) -> list[str]:
    """How to bring back what was superseded: a memory that is still true must not stay hidden."""
    if not isinstance(outcome, Superseded):
        return []
    new, old = context.ids.shorten(outcome.memory), context.ids.shorten(outcome.old)
    return [f"if [{old}] is still true, bring it back: {advice.way_back(new, old)}"]


def _ways_out(new: str, old: str) -> tuple[str, ...]:
    call = f'resolve(new="{new}", old="{old}", resolution='
    return (
        f'both are true, each in its own case: {call}"keep_both")',
        f'the old one needs another text: {call}"update", content="…")',
        f'the new one replaces it from now on: {call}"supersede")',
        f'the old one was wrong: {call}"forget")',
    )


def _keep_both(new: str, old: str) -> str:
    return f'resolve(new="{new}", old="{old}", resolution="keep_both")'


def _in_short(new: str, old: str) -> str:
    return f'resolve(new="{new}", old="{old}", resolution="keep_both" | "update" | "supersede" | "forget")'


# As calls of the tool `resolve`.
RESOLVE = Advice(_ways_out, _keep_both, _in_short)


def _explained(explain: Explanation, trigger: str | None) -> list[str]:
    reasons = [f"matched terms: {', '.join(explain.terms[:_MAX_TERMS])}"] if explain.terms else []
    if explain.path:
        reasons.append(f"path: {' → '.join(explain.path)}")
    # The note about the trigger repeats what `why` has said already.
    return reasons + [note for note in explain.notes[:_MAX_NOTES] if trigger is None or trigger not in note]


def _place(record: Record) -> str:
    """The scope of a memory, and the name it belongs to."""
    names = {
        "project": record.project,
        "agent": record.agent,
        "team": record.team,
        "task": record.task,
        "session": record.session,
    }
    return f"{record.scope} {names[record.scope]}" if names.get(record.scope) else record.scope


def _reason(context: ToolContext, outcome: Outcome) -> str:
    if isinstance(outcome, Superseded):
        return f"it replaces [{context.ids.shorten(outcome.old)}], which is kept with its history"
    return _INVISIBLE.sub(" ", outcome.reason)


def _told_line(context: ToolContext, told: Conflict) -> str:
    reason = _INVISIBLE.sub(" ", told.reason)
    return f"{memory_line(context, told.memory)}\n  similarity {told.similarity:.2f}: {reason}"


def _related_lines(context: ToolContext, related: Sequence[Conflict], new: str, advice: Advice) -> list[str]:
    """The nearest of the memories that bear on the new one, in two lines: an agent reads this after most of its writes."""
    first, more = related[0], f" (and {len(related) - 1} more)" if len(related) > 1 else ""
    old = context.ids.shorten(first.memory)
    return [
        fence(context, [_told_line(context, first)]),
        f"Both are kept{more}. Does the old one still hold? If not: {advice.in_one_line(new, old)}",
    ]


def _conflict_lines(context: ToolContext, conflicts: Sequence[Conflict], new: str, advice: Advice) -> list[str]:
    old = context.ids.shorten(conflicts[0].memory)
    return [
        "It may contradict existing memories:",
        fence(context, [_told_line(context, conflict) for conflict in conflicts]),
        "Both are stored for now. Ask the user which one is correct, unless they have just said so. Four ways out:",
        *(f"- {way}" for way in advice.ways_out(new, old)),
    ]
