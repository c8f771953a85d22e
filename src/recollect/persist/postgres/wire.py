"""Wire: a connection that asks in one step. The driver's cursors are made for statements of every kind and take three times as
long over a short one; what they do with values and errors is the same here.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import generators
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus, Format, PipelineStatus

if TYPE_CHECKING:
    from psycopg.abc import Buffer, PQGen
    from psycopg.pq.abc import PGresult

Rows = list[tuple[Any, ...]]

_PLACE = re.compile(r"%(?:%|\((\w+)\)s)")
_ANSWERED = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK, ExecStatus.EMPTY_QUERY)
# So many statements are kept prepared: what viewers and filters differ in makes statements of their own.
_MOST = 200


class Wire(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose statements are prepared once and answered in columns, without an object for each of them."""

    def ready(self) -> None:
        """Begin to ask, once every type is known."""
        self._given, self._told = Transformer(self), Transformer(self)
        self._names: OrderedDict[tuple[bytes, tuple[int, ...]], bytes] = OrderedDict()
        self._made = 0

    def ask(self, statement: str, values: Mapping[str, Any], *, binary: bool = True) -> Rows:
        """The rows of a statement."""
        if self.pgconn.pipeline_status != PipelineStatus.OFF:  # among statements that are on their way already
            return self.execute(statement, values, binary=binary).fetchall()
        self.pgconn.send_query_prepared(*self._bound(statement, values), Format.BINARY if binary else Format.TEXT)
        return self._rows(self._answers()[0])

    def ask_all(self, asked: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Rows]:
        """The rows of each of several statements, in one round trip."""
        if len(asked) == 1 or self.pgconn.pipeline_status != PipelineStatus.OFF:
            return [self.ask(*one) for one in asked]
        bound = [self._bound(*one) for one in asked]
        self.pgconn.enter_pipeline_mode()
        try:
            for one in bound:
                self.pgconn.send_query_prepared(*one, Format.BINARY)
            self.pgconn.pipeline_sync()
            answers = self.wait(self._answered(len(bound)))
        finally:
            if not self.closed:
                self.pgconn.exit_pipeline_mode()
        return [self._rows(answer) for answer in self._checked(answers)]

    def several(self, statements: str) -> list[Rows]:
        """The rows of each of several statements that take no values, in one round trip."""
        self.pgconn.send_query(statements.encode())
        return [self._rows(answer) for answer in self._answers()]

    def _bound(
        self, statement: str, values: Mapping[str, Any]
    ) -> tuple[bytes, Sequence[Buffer | None], Sequence[Format]]:
        """The name of a statement that is prepared, and its values as they are sent."""
        text, names = _numbered(statement)
        given = self._given.dump_sequence([values[name] for name in names], _formats(len(names)))
        types, formats = self._given.types or (), self._given.formats
        return self._name(text, types), given, formats  # type: ignore[return-value]

    def _name(self, text: bytes, types: tuple[int, ...]) -> bytes:
        """The name under which a statement is prepared for values of these types."""
        key = (text, types)
        name = self._names.get(key)
        if name is not None:
            self._names.move_to_end(key)
            return name
        self._made += 1
        name = b"ask_%d" % self._made
        self.pgconn.send_prepare(name, text, types)
        self._answers()
        self._names[key] = name
        if len(self._names) > _MOST:
            self.several(f"DEALLOCATE {self._names.popitem(last=False)[1].decode()}")
        return name

    def _answers(self) -> list[PGresult]:
        """What the server says to what was sent; as the driver's error where it says no."""
        return self._checked(self.wait(generators.execute(self.pgconn)))

    def _answered(self, count: int) -> PQGen[list[PGresult]]:
        """The answers to so many statements, and the end of them."""
        yield from generators.send(self.pgconn)
        answers: list[PGresult] = []
        for _ in range(count + 1):
            answers += yield from generators.fetch_many(self.pgconn)
        return answers[:-1]

    def _checked(self, answers: list[PGresult]) -> list[PGresult]:
        for answer in answers:
            if answer.status not in _ANSWERED:
                raise psycopg.errors.error_from_result(answer, self.info.encoding)
        return answers

    def _rows(self, answer: PGresult) -> Rows:
        if not answer.nfields:
            return []
        self._told.set_pgresult(answer)
        return self._told.load_rows(0, answer.ntuples, tuple)


@lru_cache(maxsize=1024)
def _numbered(statement: str) -> tuple[bytes, tuple[str, ...]]:
    """A statement with numbers in place of names, and the names in their order."""
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return "%" if found[1] is None else f"${names.setdefault(found[1], len(names) + 1)}"

    return _PLACE.sub(number, statement).encode(), tuple(names)


@lru_cache(maxsize=64)
def _formats(count: int) -> list[PyFormat]:
    return [PyFormat.AUTO] * count
