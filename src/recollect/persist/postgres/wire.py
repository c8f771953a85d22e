"""Wire: a connection that asks without cursors. The driver's cursors are made for statements of every kind and take two thirds
longer over a short one; how values are sent, errors told and a wait interrupted is the driver's here too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import psycopg
from psycopg import generators
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus, Format, TransactionStatus

from recollect.persist.postgres.binding import automatic, numbered

if TYPE_CHECKING:
    from psycopg.abc import Buffer, PQGen
    from psycopg.pq.abc import PGresult

Rows = list[tuple[Any, ...]]
# A statement and the types of its values.
Key = tuple[bytes, tuple[int, ...]]
# A statement, what it binds, and whether it is answered in binary.
Asked = tuple[str, Mapping[str, Any], bool]
# Told of the answer to the first, the second … thing asked.
Heard: TypeAlias = "Callable[[int, Rows], None]"
Bound: TypeAlias = "tuple[Key, Sequence[Buffer | None], Sequence[Format]]"

_ANSWERED = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK, ExecStatus.EMPTY_QUERY)
# So many statements are kept prepared: what viewers and filters differ in makes statements of their own.
_MOST = 200
_SAVEPOINT, _BACK = "SAVEPOINT proposed", "ROLLBACK TO SAVEPOINT proposed"


class Wire(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose statements are prepared once, each with the types of its values, and sent one by one or together."""

    def ready(self, most: int = _MOST) -> None:
        """Begin to ask, once every type is known; so many statements are kept prepared."""
        self._most = most
        self._given, self._told = Transformer(self), Transformer(self)
        self._names: OrderedDict[Key, bytes] = OrderedDict()
        self._made, self._sent, self._parting = 0, 0, False
        self.proposed = False
        self._fresh: list[Key] = []

    def ask(self, statement: str, values: Mapping[str, Any], *, binary: bool = True) -> Rows:
        """The rows of a statement, after what is on its way."""
        self._take_back()
        if self._sent:
            self.send(statement, values, binary=binary)
            return self._rows(self._heard()[-1])
        key, given, formats = self._bound(statement, values)
        self.pgconn.send_query_prepared(self._name(key), given, formats, Format.BINARY if binary else Format.TEXT)
        return self._rows(self._answers()[0])

    def ask_all(self, asked: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Rows]:
        """The rows of each of several statements, in one round trip."""
        self._take_back()
        if len(asked) <= 1 or self._sent:
            return [self.ask(*one) for one in asked]
        # Prepared before, so that there is one answer for each of them.
        bound = [(self._name(key), given, formats) for key, given, formats in (self._bound(*one) for one in asked)]
        self.pgconn.enter_pipeline_mode()
        for one in bound:
            self._sent += 1
            self.pgconn.send_query_prepared(*one, Format.BINARY)
        return [self._rows(answer) for answer in self._heard()]

    def send(self, statement: str, values: Mapping[str, Any], *, binary: bool = True) -> None:
        """Have a statement on its way: the server works on it meanwhile, and what it says to it is heard later."""
        self._take_back()
        self._put(statement, values, binary=binary)

    def propose(self, statements: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Have statements on their way that hold only if they are accepted: whatever is asked or sent next takes them back.

        What was asked before is answered before.
        """
        self._have_answered()
        self._put(_SAVEPOINT, {})
        for statement, values in statements:
            self._put(statement, values)
        self.proposed = True

    def accept(self) -> None:
        """Let hold what was proposed."""
        self.proposed = False

    def withdraw(self) -> None:
        """Take back what was proposed, though the server may have refused it."""
        if self.proposed:
            self.proposed = False
            self._hear(self._sent, None)
            for key in self._fresh:
                self._names.pop(key, None)
            self._fresh.clear()
            self.several(_BACK)

    def settle(self) -> None:
        """Hear what the server says to everything on its way."""
        self._heard()

    def several(self, statements: str) -> list[Rows]:
        """The rows of each of several statements that take no values, in one round trip."""
        self._take_back()
        self.settle()
        self.pgconn.send_query(statements.encode())
        return [self._rows(answer) for answer in self._answers()]

    def begin(
        self,
        statements: Sequence[str],
        asked: Sequence[Asked],
        meanwhile: Callable[[], object],
        heard: Heard | None = None,
    ) -> tuple[list[Rows], list[Rows]]:
        """Statements that take no values, and what is asked after them, in one round trip; `meanwhile` the server works, and
        something may be proposed.

        Whoever wants to have `heard` each answer as soon as it is there works on it while the server is at the next; nothing
        may be asked then.
        """
        self.settle()
        self._make_room()
        self.pgconn.enter_pipeline_mode()
        for statement in statements:
            self._sent += 1
            self.pgconn.send_query_params(statement.encode(), None)
        places = []
        for statement, values, binary in asked:
            self.send(statement, values, binary=binary)
            places.append(self._sent - 1)
            if heard is not None:
                self._have_answered()
        asked_for = self._sent
        try:
            meanwhile()
        except BaseException:  # Ctrl-C too: what was not heard to its end can be asked nothing more
            self.close()
            raise
        rows: list[Rows] = []

        def hear(place: int, answer: PGresult) -> None:
            if len(rows) < len(places) and place == places[len(rows)] and answer.status in _ANSWERED:
                rows.append(self._rows(answer))
                if heard is not None:
                    heard(len(rows) - 1, rows[-1])

        answers = self._heard(hear, asked_for)
        return [self._rows(one) for one in answers[: len(statements)]], rows

    def part(self) -> None:
        """End a view. What the server says to that is heard when the connection is used again: it cannot matter before."""
        self.settle()
        self.pgconn.send_query(b"COMMIT")
        self.pgconn.flush()
        self._parting = True

    @property
    def at_rest(self) -> bool:
        """Whether nothing is open on it, or only a view that is being ended."""
        return self._parting or self.pgconn.transaction_status == TransactionStatus.IDLE

    def hear_out(self) -> None:
        """Hear the server's last word."""
        if self._parting:
            self._parting = False
            self._answers()

    def _take_back(self) -> None:
        if self.proposed:
            self.proposed = False
            self._put(_BACK, {})

    def _put(self, statement: str, values: Mapping[str, Any], *, binary: bool = True) -> None:
        key, given, formats = self._bound(statement, values)
        if not self._sent:
            self.pgconn.enter_pipeline_mode()
        self._sent += 1
        name = self._known(key) or self._prepared_with_it(key)
        self.pgconn.send_query_prepared(name, given, formats, Format.BINARY if binary else Format.TEXT)
        self.pgconn.flush()

    def _bound(self, statement: str, values: Mapping[str, Any]) -> Bound:
        """A statement as it is prepared, and its values as they are sent."""
        text, names = numbered(statement)
        given = self._given.dump_sequence([values[name] for name in names], automatic(len(names)))
        return (text, self._given.types or ()), given, self._given.formats  # type: ignore[return-value]

    def _name(self, key: Key) -> bytes:
        """The name under which a statement is prepared for values of its types."""
        name = self._known(key)
        if name is None:
            self._make_room()
            name = self._new_name()
            self.pgconn.send_prepare(name, *key)
            self._answers()
            self._names[key] = name
        return name

    def _known(self, key: Key) -> bytes | None:
        name = self._names.get(key)
        if name is not None:
            self._names.move_to_end(key)
        return name

    def _make_room(self) -> None:
        """Let go of the statements used longest ago, several at once: each of a large account's is its own."""
        if len(self._names) >= self._most:
            left = [
                self._names.popitem(last=False)[1] for _ in range(len(self._names) - self._most + self._most // 8 + 1)
            ]
            self.several("; ".join(f"DEALLOCATE {name.decode()}" for name in left))

    def _prepared_with_it(self, key: Key) -> bytes:
        """The same for a statement that goes with others: whether it could be prepared is heard with the rest."""
        name = self._names[key] = self._new_name()
        self._fresh.append(key)
        self._sent += 1
        self.pgconn.send_prepare(name, *key)
        return name

    def _new_name(self) -> bytes:
        self._made += 1
        return b"ask_%d" % self._made

    def _answers(self) -> list[PGresult]:
        """What the server says to what was sent by itself."""
        return self._checked(self.wait(generators.execute(self.pgconn)))

    def _have_answered(self) -> None:
        """Have the server answer what it got so far without waiting for more."""
        self.pgconn.send_flush_request()
        self.pgconn.flush()

    def _heard(self, each: Callable[[int, PGresult], None] | None = None, first: int | None = None) -> list[PGresult]:
        """What the server says to everything on its way, or to the first of it, in its order; `each` answer may be looked at
        when it comes."""
        if not self._sent:
            return []
        answers = self._hear(self._sent if first is None else first, each)
        if self._sent and not all(answer.status in _ANSWERED for answer in answers):
            # The server passes over all that follows: nothing of it may stay unheard.
            answers += self._hear(self._sent, None)
        return self._checked(answers)

    def _hear(self, count: int, each: Callable[[int, PGresult], None] | None) -> list[PGresult]:
        """So many answers; with the last of all, that there are no more."""
        last = count == self._sent
        self._sent -= count
        try:
            if last:
                self.pgconn.pipeline_sync()
            answers = self.wait(self._gathered(count, last, each))
            if last:
                self.pgconn.exit_pipeline_mode()
        except BaseException:  # Ctrl-C too: what was not heard to its end can be asked nothing more
            self.close()
            raise
        return answers

    def _gathered(self, count: int, last: bool, each: Callable[[int, PGresult], None] | None) -> PQGen[list[PGresult]]:
        yield from generators.send(self.pgconn)
        answers: list[PGresult] = []
        for place in range(count):
            answers += yield from generators.fetch_many(self.pgconn)
            if each is not None:
                each(place, answers[-1])
        if last:
            yield from generators.fetch_many(self.pgconn)  # that this was all
        return answers

    def _checked(self, answers: list[PGresult]) -> list[PGresult]:
        """As the driver's error where the server says no; what was to be prepared meanwhile may not be."""
        fresh = list(self._fresh)
        if not self._sent:
            self._fresh.clear()
        for answer in answers:
            if answer.status not in _ANSWERED:
                self.proposed = False  # it fell with the rest
                for key in fresh:
                    self._names.pop(key, None)
                raise psycopg.errors.error_from_result(answer, self.info.encoding)
        return answers

    def _rows(self, answer: PGresult) -> Rows:
        if not answer.nfields:
            return []
        self._told.set_pgresult(answer)
        return self._told.load_rows(0, answer.ntuples, tuple)
