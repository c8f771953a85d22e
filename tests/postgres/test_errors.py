"""What a person must put right is told as that, with the cure, and nobody is told to try again."""

from __future__ import annotations

import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError, SettingsError, StoreBusy, StoreError, StoreUnavailable
from recollect.store.postgres.errors import translated
from recollect.store.postgres.options import Options, parse_address
from recollect.testing.servers import fresh_database, postgres_server


@dataclass(frozen=True)
class Place:
    """A database of ours over TCP, where passwords are asked for, and a login without any rights."""

    url: str
    user: str
    superuser: psycopg.Connection

    def at(
        self, user: str | None = None, password: str = "tenant", database: str | None = None, query: str = ""
    ) -> str:
        parts = urlsplit(self.url)
        login = parts.netloc.rpartition("@")[0] if user is None else f"{user}:{password}".rstrip(":")
        return f"postgresql://{login}@{parts.hostname}:{parts.port}/{database or parts.path.lstrip('/')}{query}"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres_server(tcp=True) as started:
        yield started.url


@pytest.fixture
def place(server: str) -> Iterator[Place]:
    with fresh_database(server) as url, psycopg.connect(url, autocommit=True) as superuser:
        opened(url).close()
        user = f"tenant_{secrets.token_hex(4)}"
        superuser.execute(f"CREATE ROLE {user} LOGIN PASSWORD 'tenant'")  # type: ignore[arg-type]
        yield Place(url, user, superuser)
        superuser.execute(f"DROP OWNED BY {user}; DROP ROLE {user}")  # type: ignore[arg-type]


def opened(url: str, **settings: str) -> recollect.Memory:
    return recollect.open(
        url,
        embedder="none",
        postgres_partitions=1,
        postgres_connect_seconds=2,
        postgres_wait_seconds=0.5,
        **settings,  # type: ignore[arg-type]
    )


def no_login(place: Place) -> str:
    place.superuser.execute(f"ALTER ROLE {place.user} NOLOGIN")  # type: ignore[arg-type]
    return place.at(place.user)


def no_connect(place: Place) -> str:
    name = urlsplit(place.url).path.lstrip("/")
    place.superuser.execute(f'REVOKE CONNECT ON DATABASE "{name}" FROM PUBLIC')  # type: ignore[arg-type]
    return place.at(place.user)


def no_table(place: Place) -> str:
    place.superuser.execute(f"GRANT recollect_app TO {place.user}")  # type: ignore[arg-type]
    place.superuser.execute("REVOKE ALL ON ALL TABLES IN SCHEMA recollect FROM recollect_app")
    return place.at(place.user)


def no_extension(place: Place) -> str:
    place.superuser.execute("DROP EXTENSION vector CASCADE")
    return place.url


def no_schema_right(place: Place) -> str:
    place.superuser.execute("DROP SCHEMA recollect CASCADE; DROP EXTENSION vector")
    return place.at(place.user)


# What is wrong, how it is made so, and what the error must say: the problem, then the cure.
REFUSALS: dict[str, tuple[Callable[[Place], str], str, str]] = {
    "wrong password": (lambda place: place.at(place.user, "wrong"), "user or password", "PGPASSWORD"),
    "no password": (lambda place: place.at(place.user, ""), "user or password", "PGPASSWORD"),
    "missing user": (lambda place: place.at("nobody_here"), "user or password", "correct them in `db`"),
    "user that may not log in": (no_login, "does not let this user in", "may LOGIN"),
    "missing database": (lambda place: place.at(database="nowhere"), "no such database", "createdb"),
    "no right to connect": (no_connect, "does not let this user use the database", "GRANT CONNECT"),
    "no right to the role": (lambda place: place.at(place.user), "act as postgres_role", "GRANT that role"),
    "no right to a table": (no_table, "does not allow", "recollect migrate"),
    "missing extension": (no_extension, "lacks the extension vector", "recollect migrate"),
    "no right to make the extension": (no_schema_right, "lacks the extension vector", "CREATE EXTENSION vector"),
    "encryption": (lambda place: place.at(query="?sslmode=require"), "encryption", "sslmode"),
    "unknown parameter": (lambda place: place.at(query="?options=-c%20nope%3D1"), "does not know a parameter", "`db`"),
}


@pytest.mark.parametrize("wrong", REFUSALS)
def test_what_is_wrong_is_said_with_its_cure(place: Place, wrong: str) -> None:
    make, problem, cure = REFUSALS[wrong]
    url = make(place)
    with pytest.raises(StoreError) as raised, opened(url) as memory:
        memory.remember("The vault is in Bern")
    assert not isinstance(raised.value, StoreUnavailable | StoreBusy)
    said = str(raised.value)
    assert problem in said and cure in said and "try again" not in said
    assert "tenant'" not in said and ":tenant" not in said


def test_a_role_that_is_missing_is_named_and_not_taken_for_bad_input(place: Place) -> None:
    with pytest.raises(StoreError, match=r"postgres_role names .*no_such_role.*recollect migrate"):
        opened(place.url, postgres_role="no_such_role")


# Texts that only a pooler or another server says; the driver gives no SQLSTATE with them.
TEXTS: dict[str, tuple[type[RecollectError], str]] = {
    'FATAL:  no such database: "app"': (StoreError, "createdb"),
    "FATAL:  no such user": (StoreError, "check the user"),
    "FATAL:  query_wait_timeout": (StoreError, "start the server behind it"),
    "FATAL:  server login has been failing, try again later (server_login_retry)": (StoreError, "start the server"),
    "FATAL:  unsupported startup parameter: extra_float_digits": (StoreError, "let the pooler ignore it"),
    "FATAL:  no more connections allowed (max_client_conn)": (StoreBusy, "postgres_connections"),
    "FATAL:  sorry, too many clients already": (StoreBusy, "postgres_connections"),
    'FATAL:  no pg_hba.conf entry for host "10.0.0.9", user "app"': (StoreError, "pg_hba.conf"),
    "failed to resolve host 'db.invalid': [Errno -2] Name or service not known": (StoreError, "correct the host"),
    "FATAL:  the database system is starting up": (StoreUnavailable, "try again"),
    "connection refused; is the server running?": (StoreUnavailable, "try again"),
    "SSL SYSCALL error: EOF detected": (StoreUnavailable, "try again"),
}
ADDRESS = parse_address("postgresql://app@db.invalid/app", Options())


@pytest.mark.parametrize("text", TEXTS)
def test_texts_without_a_code_are_understood(text: str) -> None:
    kind, cure = TEXTS[text]
    made = translated(psycopg.OperationalError(text), ADDRESS)
    assert type(made) is kind and cure in str(made)


@pytest.mark.parametrize("error", [psycopg.errors.InvalidSqlStatementName, psycopg.errors.DuplicatePreparedStatement])
def test_a_pooler_that_loses_prepared_statements_is_named(error: type[psycopg.Error]) -> None:
    assert "postgres_prepared = false" in str(translated(error("prepared statement"), ADDRESS))


@pytest.mark.parametrize(
    "place",
    ["db.invalid:notaport", "db.invalid:0", "db.invalid:65536", "db.invalid:-1", "db.invalid:5432,b:x", "app:hunter2"],
)
def test_a_port_that_is_none_is_told_as_that_and_not_shown(place: str) -> None:
    with pytest.raises(SettingsError, match=r"db: has a port that is no number from 1 to 65535; .*5432") as refused:
        recollect.open(f"postgresql://{place}/app", embedder="none")
    assert "hunter2" not in str(refused.value) and "try again" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://db/app",
        "postgresql://db:5432/app",
        "postgresql://a:1,b:2/app",
        "postgresql://a,b/app",
    ],
)
def test_any_other_port_is_passed_on(url: str) -> None:
    assert parse_address(url, Options()).shown.startswith("postgresql://")


LOSES_ITS_CONNECTIONS = """
import sys, psycopg, recollect
with recollect.open(sys.argv[1], embedder="none", postgres_partitions=1) as memory:
    memory.remember("The vault is in Bern")
    with psycopg.connect(sys.argv[1], autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'recollect' AND datname = current_database()"
        )
    for _ in range(3):
        try:
            print(memory.recall("vault")[0].memory.content)
        except recollect.RecollectError as error:
            print(type(error).__name__)
"""


@pytest.mark.parametrize("logging", ["", "import logging; logging.basicConfig(level=logging.WARNING)"])
def test_a_lost_connection_writes_nothing_to_stderr_unless_the_program_logs(place: Place, logging: str) -> None:
    program = [sys.executable, "-c", logging + LOSES_ITS_CONNECTIONS, place.url]
    done = subprocess.run(program, check=False, capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("The vault is in Bern\n"), done.stderr
    assert ("connection" in done.stderr) == bool(logging)
