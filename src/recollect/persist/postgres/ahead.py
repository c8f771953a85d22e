"""Ahead: the first questions of a change or a view go to the server together with its beginning, for a question that waits alone
waits longer than it is worked on. What a process knows of an account from before says how to ask; whether that still holds is
seen from where the account turns out to stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from recollect.persist.postgres.filter import compile_search
from recollect.persist.postgres.legs import Leg, Together, text_of
from recollect.persist.postgres.link import Facts, Link, Shared
from recollect.persist.postgres.look import Look
from recollect.persist.postgres.nearest import Found, foreseen, nearest
from recollect.persist.postgres.pending import RESERVED, Gathered
from recollect.persist.postgres.replacements import NO_ROWS
from recollect.persist.postgres.rows import account_number
from recollect.persist.postgres.session import Rows, Session, Standing
from recollect.persist.postgres.sql import queries
from recollect.values.event import Operation
from recollect.values.first import First
from recollect.values.ids import fingerprint
from recollect.values.memory import Record
from recollect.values.search import Floats, Search


@dataclass(slots=True)
class Ahead:
    """What was asked with the beginning of a change, and the answers; good until something is written. The memory itself went
    with it, as a proposal, if it is likely to be new: the last one was."""

    link: Link
    first: First
    secret: bytes
    facts: Facts
    same: Rows
    leg: Leg[Found]
    row: Any

    def said(self, text: str, secrets: Sequence[bytes]) -> Rows | None:
        """The rows of a text, if they were asked for."""
        return self.same if text == self.first.memory.content and secrets[0] == self.secret else None

    def near(self, search: Search, vectors: Sequence[Floats]) -> Leg[Found] | None:
        """The rest of the way to the nearest, once, if its beginning was asked for and is still the way to go."""
        asked = len(vectors) == 1 and search == self.first.search and np.array_equal(vectors[0], self.first.vectors[0])
        if not asked or self.row is None or not self.link.still_tell(self.facts):
            return None
        row, self.row = self.row, None
        return _resumed(self.leg, row)

    def holds(self, memory: Record, vectors: Floats | None, secrets: Sequence[bytes]) -> bool:
        """Whether this memory was proposed, just as it is to be stored."""
        return memory is self.first.memory and vectors is self.first.vectors and secrets[0] == self.secret


def begun(session: Session, shared: Shared, account: str, operation: Operation, first: First) -> Ahead | None:
    """Begin a change with its first questions; None when they are not known ahead, or have to be asked again."""
    secrets, number = shared.secrets, account_number(account)
    link = shared.link(session.connection, Standing(account, number), None, still=False)
    _, facts = link.lately(first.search)
    # Where what is superseded is wanted as well, no row depends on who replaced it.
    under = compile_search(first.search, number, NO_ROWS)
    if not secrets or facts is None or not foreseen(under, facts, first.search.depth):
        return None
    if not {"active", "superseded"} <= set(first.search.filter.statuses):
        return None
    leg = nearest(link, under, facts, first.vectors[0], first.search.depth)
    ask = next(leg)
    digest = fingerprint(first.memory.content, secrets[0])
    own = {"account_id": number}

    def meanwhile() -> None:
        if shared.likely_new(number):
            new = Gathered(session.connection, number, shared.model)
            new.store(RESERVED, first.memory, digest, first.vectors, operation, "remember")
            session.connection.propose([(queries()["nothing_barred"], own), *new.statements()])
        first.meanwhile()

    asked = [(queries()["by_digest"], own | {"digest": digest}, False), (ask.statement, own | ask.values, True)]
    answers = session.begin(account, asked, meanwhile)
    link.standing = session.at(account)
    link.stamp = link.standing.seq
    if link.standing.bars:
        session.connection.withdraw()
    if not answers or not link.standing.known:
        return None
    same, (row,) = answers
    return Ahead(link, first, secrets[0], facts, same, leg, row)


@dataclass(frozen=True, slots=True)
class Outlook:
    """A search whose legs set out with the beginning of a view; good for that search, whatever rows are named besides."""

    link: Link
    look: Look
    legs: Together
    search: Search

    def serves(self, search: Search) -> bool:
        """Whether this is the search that was told with the beginning."""
        return all(getattr(search, name) is getattr(self.search, name) for name in _OF_THE_LEGS)


_OF_THE_LEGS = tuple(field.name for field in fields(Search) if field.name != "rows")


def looked(session: Session, shared: Shared, search: Search) -> Outlook | Link | None:
    """Begin a view with a search: its legs set out with the beginning where the account is known from before; where it is not,
    what has to be known of it comes with the beginning. None when the account has become another since."""
    account = search.viewer.account
    number = account_number(account)
    link = shared.link(session.connection, Standing(account, number), None, still=True)
    before, facts = link.lately(search)
    if facts is None:
        return _met(session, link, search)
    # As if the account stood where it stood when it was last looked at.
    link.stamp, link.standing = before, Standing(account, number, held=facts.held, replacing=facts.replacing)
    if not search.terms or not search.depth or not link.knows_replaced():
        return None
    look = Look(link, search)
    legs = look.set_out(facts)
    own = {"account_id": link.account_id}

    def heard(which: int, rows: Rows) -> None:
        # What one leg found is worked on while the server is at the next, if nothing has to be asked for that.
        if session.at(account).seq == before:
            legs.told(which, rows[0] if rows else None)

    answers = session.begin(account, [(ask.statement, own | ask.values, True) for _, ask in legs.asked], heard=heard)
    if not answers:
        return None
    link.standing = session.at(account)
    link.stamp = link.standing.seq
    if link.stamp != before:
        if facts.replacing or link.standing.replacing or not link.still_tell(facts):
            return None
        legs.told_all([rows[0] if rows else None for rows in answers])
    return Outlook(link, look, legs, search)


def _met(session: Session, link: Link, search: Search) -> Link | None:
    """Begin a view of an account that is met for the first time."""
    own = {"account_id": link.account_id}
    asked = [(text_of("facts"), link.facts_of(search), True), (queries()["all_triggers"], own, False)]
    answers = session.begin(link.account, asked)
    if not answers:
        return None
    link.standing = session.at(link.account)
    link.stamp = link.standing.seq
    facts, triggers = answers
    link.told_facts(search, facts[0] if facts else None)
    link.known.keep(("all_triggers", link.account_id), link.stamp, list(triggers))
    return link


def _resumed(leg: Leg[Found], row: Any) -> Leg[Found]:
    """A leg that was begun elsewhere, from the answer to its first question on."""
    try:
        ask = leg.send(row)
        while True:
            ask = leg.send((yield ask))
    except StopIteration as done:
        found: Found = done.value
        return found
