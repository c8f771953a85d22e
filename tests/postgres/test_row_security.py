"""The wall between accounts, in the database itself: whatever text an account sends, it finds and changes only its own rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError, StoreError
from recollect.store.postgres.options import Options
from recollect.store.postgres.rows import account_number
from recollect.store.postgres.store import PostgresStore
from recollect.testing.contract.samples import NOW, put, record
from recollect.values.plain import plain
from recollect.values.scope import Identity
from recollect.values.search import Filter

SECRET = "kestrel"
# Text that would end a literal, a name, a comment or a pattern early, or pass for one of our placeholders.
ATTACKS = (
    "x' OR '1'='1",
    "'; SELECT set_config('recollect.account', (SELECT account_id::text FROM accounts LIMIT 1), false); --",
    "$$; RESET ROLE; SELECT content FROM memories; $$",
    '"; SET row_security = off; --',
    "E'\\'; TABLE memories; --",
    "%(account_id)s OR true --",
    "%",
    "_______",
    "*/ OR account_id IS NOT NULL /*",
    "{where} OR true",
    "') UNION SELECT content FROM memories AS m --",
)
Tenant = Callable[[str], str]


def tables(superuser: psycopg.Connection) -> list[str]:
    found = superuser.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind = 'p' ORDER BY 1"
    )
    return [name for (name,) in found]


def rows_of(superuser: psycopg.Connection, account: str) -> dict[str, list[Any]]:
    """Everything an account has, by table."""
    number = account_number(account)
    return {
        name: superuser.execute(
            f"SELECT t::text FROM {name} AS t WHERE account_id = %s ORDER BY 1", [number]
        ).fetchall()
        for name in tables(superuser)
    }


@pytest.fixture
def secretive(tenant: Tenant) -> None:
    """An account with its own role and something of every kind that no other may learn."""
    with recollect.open(tenant("tenant_a"), embedder="none", account="a", gaps=False) as memory:
        first = memory.remember(f"The {SECRET} code is quincunx", tags=[SECRET], key=SECRET, triggers=[SECRET]).memory
        second = memory.remember(
            f"A {SECRET} nests on the tower", project=SECRET, session=SECRET, speaker=SECRET
        ).memory
        memory.link(first.id, second.id)
        memory.describe_tag(SECRET, f"what a {SECRET} is")
        memory.pools.create(SECRET)
        memory.disable(SECRET)


@pytest.fixture
def attacker(tenant: Tenant) -> Iterator[recollect.Memory]:
    with recollect.open(tenant("tenant_b"), embedder="none", account="b") as memory:
        memory.remember("The attic is dry")
        yield memory


def verbs(memory: recollect.Memory, text: str) -> Iterator[Callable[[], Any]]:
    """Every kind of text a caller can send, in every place for it."""
    yield lambda: memory.remember(text)
    for field in ("project", "session", "task", "speaker", "season", "key", "snippet", "reason", "agent", "team"):
        yield lambda field=field: memory.remember(f"The {field} is odd", **{field: text})
    for field in ("tags", "triggers", "labels", "file_paths"):
        yield lambda field=field: memory.remember(f"The {field} are odd", **{field: [text]})
    yield lambda: memory.recall(text, explain=True)
    yield lambda: memory.recall(f'"{text}" #{text}', working_on=text)
    for place in ("project", "session", "task", "season"):
        yield lambda place=place: memory.recall(SECRET, **{place: text})
    yield lambda: memory.search(text)
    for filter_ in ("tag", "source", "type", "scope", "status", "project", "session", "since", "until"):
        yield lambda filter_=filter_: memory.list(**{filter_: text})
    for filter_ in ("tag", "source", "type", "scope", "status", "since", "until"):
        yield lambda filter_=filter_: memory.recall(SECRET, **{filter_: text})
    for phrase in (f"#{text}", f'"{text}"', f"last March {text}"):
        yield lambda phrase=phrase: memory.recall(phrase, working_on=text)
    for verb in ("get", "history", "forget", "undo", "provenance", "related", "members"):
        yield lambda verb=verb: getattr(memory, verb)(text)
    yield lambda: memory.describe_tag(text, text)
    yield lambda: memory.rename_tag(text, f"{text}2")
    yield lambda: memory.rename_tag(SECRET, text)
    yield lambda: memory.disable(text)
    yield lambda: memory.pools.create(text)
    yield lambda: memory.pools.get(text)
    yield lambda: memory.pools.write_key(text, text, text)
    yield lambda: memory.contexts.create(text, type="project")
    yield lambda: memory.contexts.search(text, text)
    yield lambda: memory.with_identity(account="b", agent=text, teams=(text,)).list()
    yield lambda: memory.with_identity(account=f"b{text}").recall(SECRET)
    yield memory.stats
    yield memory.tags
    yield memory.log


@pytest.mark.parametrize("text", ATTACKS)
def test_no_text_reads_or_changes_another_account(
    secretive: None, attacker: recollect.Memory, superuser: psycopg.Connection, text: str
) -> None:
    before = rows_of(superuser, "a")
    assert before["memories"] and before["documents"] and before["links"] and before["switches"]
    for verb in verbs(attacker, text):
        try:
            answer = verb()
        except RecollectError as error:
            answer = error
        # What it asked for itself may be told back; what only the other account knows may not.
        shown = repr(plain(answer))
        assert "quincunx" not in shown and "nests" not in shown
    assert rows_of(superuser, "a") == before


@pytest.mark.parametrize("text", ATTACKS)
def test_such_a_text_is_kept_and_found_as_what_it_is(store: PostgresStore, text: str) -> None:
    kept = record(text, tags=(text,), project=text, session=text, key=text, speaker=text)
    put(store, kept)
    with store.view() as reader:
        assert reader.get(kept.account, [kept.id]) == reader.same_text(kept.account, text) == [kept]
        assert reader.by_key(kept.account, text) == kept
        assert reader.tag_names(kept.account) == [text]


def test_without_an_account_nothing_is_there(secretive: None, tenant: Tenant, superuser: psycopg.Connection) -> None:
    with psycopg.connect(tenant("tenant_c"), autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        for name in tables(superuser):
            found = connection.execute(f"SELECT count(*) FROM {name} WHERE account_id <> 0").fetchone()
            assert found == (0,), name


def test_the_notes_of_the_store_say_nothing_of_any_account(
    secretive: None, attacker: recollect.Memory, tenant: Tenant, superuser: psycopg.Connection
) -> None:
    attacker.pools.create("board")
    attacker.recall("attic")
    attacker.flush()
    kept = superuser.execute("SELECT account_id, name FROM notes").fetchall()
    accounts = {account_number("a"), account_number("b")}
    assert {account for account, name in kept if name == "secret"} == accounts, "each account has its own key"
    assert {account for account, name in kept if name.startswith("pool:")} == accounts
    # Of the store itself: what it is. Its key, and the counters of accounts, are not among it.
    assert {name.partition(":")[0] for account, name in kept if account == 0} <= {
        "store", "schema", "partitions", "calibration",
    }  # fmt: skip
    with psycopg.connect(tenant("tenant_c"), autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        for looking_at in ("", str(account_number("b"))):
            connection.execute("SELECT set_config('recollect.account', %s, false)", [looking_at])
            seen = connection.execute("SELECT account_id FROM notes").fetchall()
            assert {account for (account,) in seen} == ({0} if not looking_at else {0, account_number("b")})
        for statement in (
            "UPDATE notes SET value = '999' WHERE account_id = 0 AND name = 'schema'",
            "DELETE FROM notes WHERE account_id = 0 AND name = 'store'",
        ):
            assert connection.execute(statement).rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO notes VALUES (0, 'schema', '999') ON CONFLICT DO NOTHING")


def test_the_digests_of_two_accounts_cannot_be_compared(store: PostgresStore, superuser: psycopg.Connection) -> None:
    put(store, record("the same words", account="ada"))
    put(store, record("the same words", account="zoe"))
    assert superuser.execute("SELECT count(DISTINCT digest) FROM memories").fetchone() == (2,)


def test_with_an_account_only_its_rows_are_there_and_no_other_can_be_written(
    secretive: None, attacker: recollect.Memory, tenant: Tenant, superuser: psycopg.Connection
) -> None:
    mine, theirs = account_number("b"), account_number("a")
    with psycopg.connect(tenant("tenant_c"), autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        connection.execute("SELECT set_config('recollect.account', %s, false)", [str(mine)])
        for name in tables(superuser):
            found = connection.execute(f"SELECT DISTINCT account_id FROM {name} WHERE account_id <> 0").fetchall()
            assert found in ([], [(mine,)]), name
            assert connection.execute(f"DELETE FROM {name} WHERE account_id = %s", [theirs]).rowcount == 0
        words = superuser.execute("SELECT words FROM memories WHERE account_id = %s", [theirs]).fetchall()
        for (marks,) in words:
            assert connection.execute("SELECT * FROM words_all(%s, 10)", [marks[:1]]).fetchall() == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute("INSERT INTO switches (account_id, project) VALUES (%s, 'x')", [theirs])
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute("UPDATE memories SET account_id = %s", [theirs])


def test_the_role_cannot_step_around_the_wall(tenant: Tenant, superuser: psycopg.Connection) -> None:
    with psycopg.connect(tenant("tenant_c"), autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        for statement in (
            "TABLE memories_p000",
            "SELECT * FROM recollect.vectors_p001",
            "TRUNCATE memories",
            "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
            "DROP POLICY wall ON memories",
            "CREATE TABLE own (a int)",
            "SET ROLE postgres",
            "COPY memories FROM STDIN",
        ):
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported)):
                connection.execute(statement)
        connection.execute("SET row_security = off")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("TABLE memories")


def test_the_wall_holds_for_whoever_logs_in(empty_database: str, tenant: Tenant) -> None:
    for url in (empty_database, tenant("tenant_a")):
        store = PostgresStore(url, Options(connections=1))
        found = store.check()
        store.close()
        assert found["server"]["wall"] == "in force"
        # Whether the server waits for its disk is its own affair: a server for tests need not.
        assert [finding for finding in found["findings"] if "wait for its disk" not in finding] == []


def test_the_doctor_says_when_the_wall_is_not_in_force(empty_database: str) -> None:
    store = PostgresStore(empty_database, Options(role="", connections=1))
    found = store.check()
    store.close()
    assert any("wall between accounts is not in force" in finding for finding in found["findings"])


def test_only_the_owner_lists_accounts(store: PostgresStore, tenant: Tenant) -> None:
    put(store, record(account="zoe"))
    put(store, record(account="ada"))
    with store.view() as reader:
        assert reader.accounts() == ["ada", "zoe"]
        assert reader.find(Identity("nobody"), Filter(), NOW, limit=10) == []
    other = PostgresStore(tenant("tenant_a"), Options(connections=1))
    with pytest.raises(StoreError, match="only the owner"), other.view() as reader:
        reader.accounts()
    other.close()


def test_an_account_with_the_number_of_another_is_refused(store: PostgresStore, superuser: psycopg.Connection) -> None:
    put(store, record(account="ada"))
    superuser.execute("UPDATE accounts SET name = 'somebody else'")
    with pytest.raises(StoreError, match="choose another name"), store.view() as reader:
        reader.tag_names("ada")
    with pytest.raises(StoreError, match="choose another name"):
        put(store, record(account="ada"))
