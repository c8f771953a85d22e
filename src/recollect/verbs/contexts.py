"""Contexts: containers of memories with versions, grants, an access log and snapshots. Who may: `tiers/access.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from recollect.capture.edit import edited
from recollect.capture.fields import clean_id, clean_name, one_of
from recollect.errors import InvalidInput
from recollect.handle import Handle
from recollect.ports import Reader
from recollect.showing import shown
from recollect.tiers import contexts as tier
from recollect.tiers.access import entries_team
from recollect.tiers.contexts import NewContext, context_of, entry, newest, place_of_entries
from recollect.upkeep.gaps import erase
from recollect.values.access import Access
from recollect.values.container import Context, ContextFields
from recollect.values.document import Document
from recollect.values.draft import DraftFields
from recollect.values.hit import Recalled
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Refused
from recollect.values.scope import Viewer
from recollect.values.words import CONTEXT_TYPES, AccessLevel, ContextType
from recollect.verbs.containers import named
from recollect.verbs.snapshots import SnapshotVerbs

# The verb `list` hides the built-in inside the class.
Listed = list[Context]
Records = list[Record]
Log = list[Access]
# Where an entry belongs is its context's to say, and versions are made by `update_content`.
_FIXED = ("scope", "team", "project", "agent", "task", "supersedes")
_MOST = 1000


class Contexts(SnapshotVerbs):
    """The contexts of an account that one identity reaches. A context is named by its name or its id."""

    def create(self, name: str, *, type: ContextType, **fields: Unpack[ContextFields]) -> Context:
        """Make an empty context; the scope says where it belongs, else: the account."""
        title = named("name", name)
        one_of("type", named("type", type), CONTEXT_TYPES)
        for field in fields:
            if field not in ContextFields.__annotations__:
                known = ", ".join(ContextFields.__annotations__)
                raise InvalidInput(field, "is not a field of a context", f"fields: type, {known}")
        place = self._place(fields.get("scope") or "global", fields)
        if place[0] == "project":
            self._handle.awake(place[1])
        self._screened("name", title)
        given = fields.get("description")
        about = None if given is None else self._screened("description", given)
        grants = self._grants(fields.get("access"), place)
        new = NewContext(title, type, place, self._viewer.identity.agent, grants, about)
        with self._handle.changing() as tx:
            return context_of(tier.create(tx, self._viewer.identity, new, self._parts.clock()))

    def get(self, context: str) -> Context:
        """A context by its name or id."""
        return context_of(self._opened(context))

    def list(self, type: ContextType | None = None, archived: bool = False) -> Listed:
        """The contexts within reach that are in use, by name; with `archived`, those that were put away."""
        one_of("type", type, CONTEXT_TYPES)
        with self._handle.reading() as reader:
            found = [context_of(held) for held in self._within_reach(reader)]
        kept = [context for context in found if type in (None, context.type) and context.archived is archived]
        return sorted(kept, key=lambda context: (context.name, context.id))

    def add(self, context: str, content: str, **fields: Unpack[DraftFields]) -> Outcome:
        """Keep one thing in a context, on the same way as `remember`; the outcome says what became of it."""
        for name in _FIXED:
            if fields.get(name) is not None:
                raise InvalidInput(name, "is not for entries", "leave it out; the context says where an entry belongs")
        with self._handle.reading() as reader:
            held = self._usable(reader, context, "write")
        self._handle.settle()
        team, mine = entries_team(held.id), self._viewer.identity
        draft = {**fields, "content": content, "scope": "team", "team": team}
        identity = replace(mine, teams=(*mine.teams, team))
        (outcome,) = self._handle.told(self._parts.capture.remember([draft], identity, None))
        if outcome.memory is not None:
            self._log(held, "add", outcome.memory.id)
        return outcome

    def entries(self, context: str, limit: int = 50) -> Records:
        """The entries that stand, newest first."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST:
            raise InvalidInput("limit", f"{limit!r} is out of range", f"give a whole number from 1 to {_MOST}")
        held = self._opened(context)
        with self._handle.reading() as reader:
            return shown(reader, self._viewer.identity, tier.entries(reader, held, self._parts.clock(), limit=limit))

    def search(self, context: str, query: str, limit: int = 10, profile: str = "hybrid") -> Recalled:
        """What a context holds about something, best first."""
        with self._handle.reading() as reader:
            held = self._usable(reader, context)
        handle = Handle(self._parts, Viewer(tier.inside(held)))
        asked = handle.asked(query, handle.viewer, handle.profile(profile), limit, {"scope": "team"})
        found, place = handle.ask(asked), place_of_entries(held)
        self._log(held, "search")
        return replace(found, hits=tuple(hit for hit in found if hit.memory.place == place))

    def get_entry(self, context: str, id: str) -> Record:
        """One entry by its id, or by a unique beginning or end of it."""
        return self._entry(context, id)

    def update_content(self, context: str, id: str, content: str, editor: str | None = None) -> Record:
        """Say an entry anew: a version that supersedes the one before, which stays with its vector and tags."""
        now, who = self._parts.clock(), clean_name("editor", editor) or self._viewer.identity.agent
        with self._handle.reading() as reader:
            held, old = self._named(reader, context, id)
            said = self._said(reader, newest(reader, old), content)
        vectors = self._parts.embed(said)
        with self._handle.changing() as tx:
            # Embedded outside the lock; a version another process made meanwhile is the one to replace.
            held, old = self._named(tx, context, id)
            last = newest(tx, old)
            new = tier.version_of(last, self._said(tx, last, content), who, now)
            tx.insert(new, vectors, "supersede")
            self._note(tx, held, "update", new.id)
            return shown(tx, self._viewer.identity, new)

    def versions(self, context: str, id: str) -> Records:
        """An entry's versions, newest first."""
        record = self._entry(context, id)
        with self._handle.reading() as reader:
            found = tier.versions(reader, self._held(reader, context), record, self._parts.clock())
            return shown(reader, self._viewer.identity, found)

    def boost_importance(self, context: str, id: str, by: float = 0.1) -> Record:
        """Let an entry matter more, up to 1."""
        return self._moved(context, id, "boost", _amount(by))

    def reduce_importance(self, context: str, id: str, by: float = 0.1) -> Record:
        """Let an entry matter less, down to 0."""
        return self._moved(context, id, "reduce", -_amount(by))

    def effective_relevance(self, context: str, id: str) -> float:
        """Importance · confidence · exp(−0.01 · days since the last access)."""
        self._handle.settle()
        return tier.effective_relevance(self._entry(context, id), self._parts.clock())

    def remove_entry(self, context: str, id: str) -> Record:
        """Forget an entry with all its versions: hidden, and kept from coming back until that is undone."""
        with self._handle.changing() as tx:
            held, named_one = self._named(tx, context, id)
            for old in tier.versions(tx, held, named_one, self._parts.clock()):
                if old.status != "forgotten":
                    tx.change(old, old.with_(status="forgotten"), "forget", reason="remove")
            self._note(tx, held, "remove", named_one.id)
            return shown(tx, self._viewer.identity, named_one.with_(status="forgotten"))

    def purge_entry(self, context: str, id: str) -> int:
        """Erase an entry and all its versions for good; no snapshot brings it back. Returns how many versions went."""
        with self._handle.changing() as tx:
            held, named_one = self._named(tx, context, id)
            gone = tier.versions(tx, held, named_one, self._parts.clock())
            for old in gone:
                tx.purge(old)
                erase(tx, old)
            self._note(tx, held, "remove", named_one.id)
        self._parts.recalled.clear()
        self._parts.store.erase_traces(held.account)
        return len(gone)

    def archive(self, context: str) -> Context:
        """Put a context away: not searched, not written, kept."""
        return self._archived(context, away=True)

    def unarchive(self, context: str) -> Context:
        """Take an archived context into use again."""
        return self._archived(context, away=False)

    def grant(self, context: str, agent: str, level: AccessLevel) -> Context:
        """Let another agent read, or read and write."""
        return context_of(self._granted(context, agent, level))

    def revoke(self, context: str, agent: str, level: AccessLevel | None = None) -> Context:
        """Take a grant back: `write` leaves reading if that was granted too, `read` and None leave nothing."""
        return context_of(self._revoked(context, agent, level))

    def access_log(self, context: str, limit: int = 50) -> Log:
        """Who read and wrote the context and its entries, newest first; only its owner sees it."""
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise InvalidInput("limit", f"{limit!r} is out of range", "give a whole number from 1")
        with self._handle.reading() as reader:
            held = self._held(reader, context, "own")
            return reader.accesses(held.account, held.id, limit)

    def _opened(self, context: str) -> Document:
        """A context, read once this is in its log."""
        with self._handle.reading() as reader:
            held = self._held(reader, context)
        self._log(held, "read")
        return held

    def _entry(self, context: str, id: str) -> Record:
        with self._handle.reading() as reader:
            held = self._held(reader, context)
            record = shown(reader, self._viewer.identity, entry(reader, held, clean_id("id", id)))
        self._log(held, "read", record.id)
        return record

    def _said(self, reader: Reader, old: Record, content: str) -> Record:
        """An entry with another text, screened."""
        new = edited(old, {"content": content}, self._parts.vetting, self._parts.clock())
        if isinstance(new, Refused):
            raise InvalidInput("content", new.reason, "give another text")
        if new.content == old.content:
            raise InvalidInput("content", "is what the entry says already", "give another text")
        if reader.purged(old.account, new.content):
            raise InvalidInput("content", "was erased for good", "give another text")
        return new

    def _named(self, reader: Reader, context: str, id: str) -> tuple[Document, Record]:
        held = self._usable(reader, context, "write")
        return held, entry(reader, held, clean_id("id", id))

    def _moved(self, context: str, id: str, action: str, by: float) -> Record:
        now = self._parts.clock()
        with self._handle.changing() as tx:
            held, old = self._named(tx, context, id)
            new = tier.moved(old, by, now)
            tx.change(old, new, "update", reason=action)
            self._note(tx, held, action, old.id)
            return shown(tx, self._viewer.identity, new)

    def _archived(self, context: str, *, away: bool) -> Context:
        action = "archive" if away else "unarchive"
        with self._handle.changing() as tx:
            held = self._held(tx, context, "own")
            after = tier.archived(held, self._parts.clock(), away=away)
            tx.put_document(held, after, "context", action)
            self._note(tx, held, action)
        return context_of(after)


def _amount(by: Any) -> float:
    if isinstance(by, bool) or not isinstance(by, (int, float)) or not 0 < by <= 1:
        raise InvalidInput("by", f"{by!r} is out of range", "give a number above 0, at most 1")
    return float(by)
