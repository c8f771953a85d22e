"""Wiring: settings become an open Memory. The only file that names a concrete back end or judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from recollect.config import Loaded, Settings, load, working_file
from recollect.embed.attached import Attached
from recollect.embedders import FetchProgress, choose
from recollect.engine import Memory
from recollect.errors import InvalidInput, SettingsError
from recollect.parts import Echoes, Parts
from recollect.persist.sqlite.connection import MEMORY
from recollect.persist.sqlite.store import SqliteStore
from recollect.persist.sqlite.working import SqliteWorking
from recollect.ports import Calibrated, Clock, Embedder, Judge, Store, Verdict, Working
from recollect.recall.cascade import Cascade
from recollect.recall.hybrid import Hybrid
from recollect.recall.pipeline import Recall
from recollect.recall.profiles import Belief, Composite, Hebbian, Profile, Relevance, customised
from recollect.upkeep.gardener import Gardener
from recollect.values.scope import RESERVED, Identity

if TYPE_CHECKING:
    from recollect.capture.pipeline import Capture
    from recollect.capture.screen.policy import Action
    from recollect.capture.vetting import Vetting
    from recollect.persist.postgres.store import PostgresStore

_SERVERS = ("postgresql", "postgres")
Given = Callable[[list[str]], Any] | Embedder | str | None


def open_memory(
    db: str | os.PathLike[str] | None = None,
    *,
    embedder: Given = None,
    project: str | None = None,
    clock: Clock | None = None,
    fetching: FetchProgress | None = None,
    background: bool = False,
    **settings: Any,
) -> Memory:
    """Open a store: a path or URL; nothing is the user's own default file. Settings given here win over all others.

    With `background`, the local model loads while the store is used already; until then recall is by words, and says so.
    """
    named: dict[str, Any] = {"db": None if db is None else os.fspath(db), "project": project}
    if isinstance(embedder, str):
        named["embedder"] = embedder
    loaded = load(**named, **settings)
    chosen = loaded.settings
    store = _store(chosen)
    try:
        attached, missing = choose(embedder, chosen, store, fetching, background=background)
        working = _working(chosen, _beside(store))
        parts = assemble(loaded, store, attached, missing, clock or (lambda: datetime.now(UTC)), working)
    except BaseException:  # whatever stopped the opening, also Ctrl-C during a fetch, the file is let go of
        store.close()
        raise
    return Memory(parts, Identity(chosen.account, chosen.agent or None, _teams(chosen)), chosen.project or None)


def assemble(
    loaded: Loaded,
    store: Store,
    embedder: Attached | None,
    missing: str | None,
    clock: Clock,
    working: Working | None = None,
) -> Parts:
    """Everything that works on one open store, whatever back end it is."""
    settings = loaded.settings
    recalled = Echoes()
    judge = _Rules(settings.duplicate, settings.contradiction)
    embed_many = None if embedder is None else embedder.embed_many
    screen = cache(_screen(settings, recalled))
    return Parts(
        store=store,
        write_path=cache(lambda: _capture(settings, store, embedder, judge, screen(), clock)),
        screen=screen,
        recall=Recall(embedder, missing, settings.similarity_floor),
        clock=clock,
        loaded=loaded,
        profiles=profiles_of(settings.profiles, settings.similarity_floor),
        embedder=embedder,
        embed_many=embed_many,
        missing=missing,
        blank=lambda name, moment: _blank(name, moment, loaded, embedder),
        judge=judge,
        gardener=Gardener(store, clock, settings.agent or settings.actor),
        working=working or SqliteWorking(None),
        recalled=recalled,
    )


def _screen(settings: Settings, recalled: Echoes) -> Callable[[], Vetting]:
    """The screen, seen from the folder at hand; what is set wrongly is said at once."""
    folder = Path.cwd()
    policy = _policy(settings) if settings.personal else None

    def made() -> Vetting:
        from recollect.capture.vetting import Vetting

        return Vetting(policy or _policy(settings), folder, _root(folder), recalled.of)

    return made


def _capture(
    settings: Settings, store: Store, embedder: Attached | None, judge: Judge, vetting: Vetting, clock: Clock
) -> Capture:
    from recollect.capture.pipeline import Capture
    from recollect.capture.reconcile import Reconciler
    from recollect.upkeep.gaps import answer

    return Capture(
        store,
        Reconciler(judge, settings.contradiction),
        vetting,
        clock,
        settings.agent or settings.actor,
        embed=None if embedder is None else embedder.embed_many,
        calibration=None if embedder is None else lambda: embedder.calibration,
        infer=settings.infer_tags,
        answered=lambda tx, account, stored, at: answer(tx, account, stored, lambda: _scale(embedder), at),
    )


def _teams(settings: Settings) -> tuple[str, ...]:
    if any(team.startswith(RESERVED) for team in settings.teams):
        raise SettingsError("teams", f"a name that begins with {RESERVED!r} is a context's", "name teams")
    return settings.teams


def _scale(embedder: Attached | None) -> Calibrated | None:
    return None if embedder is None else embedder.query_calibration


def _store(settings: Settings) -> SqliteStore | PostgresStore:
    scheme, separator, rest = settings.db.partition("://")
    if separator and scheme in _SERVERS:
        postgres, options = _postgres(settings)
        return cast("PostgresStore", postgres.PostgresStore(settings.db, options))
    if separator and scheme not in ("sqlite", "file"):
        raise SettingsError(
            "db", f"{scheme}:// is not a store recollect can open", "give a path, sqlite:///path or postgresql://…"
        )
    path = rest if separator else settings.db
    return SqliteStore(path if path == MEMORY else Path(path).expanduser(), durable=settings.durability == "full")


def _postgres(settings: Settings) -> tuple[Any, Any]:
    """The server back end, loaded by those who use it, and how it is to be used."""
    try:
        from recollect.persist.postgres import store
        from recollect.persist.postgres.address import Options
    except ModuleNotFoundError as error:
        if error.name not in ("psycopg", "psycopg_pool", "pgvector"):
            raise
        raise SettingsError("db", "the PostgreSQL driver is missing", "pip install 'recollect[postgres]'") from error
    named = [field.name for field in fields(settings) if field.name.startswith("postgres_")]
    return store, Options(**{name.removeprefix("postgres_"): getattr(settings, name) for name in named})


def migrate_store(settings: Settings, *, dry_run: bool, progress: Callable[[str], None]) -> list[tuple[str, str]]:
    """Bring the schema of a store up to date; says what was done, or would be."""
    if settings.db.partition("://")[0] not in _SERVERS:
        raise SettingsError("db", "is a file, which upgrades itself when it is opened", "name a postgresql:// store")
    postgres, options = _postgres(settings)
    return cast("list[tuple[str, str]]", postgres.upgraded(settings.db, options, dry_run=dry_run, progress=progress))


def _beside(store: SqliteStore | PostgresStore) -> Path | None:
    """Where working memory is kept when nothing else is said: beside a file, and of a server's store on this machine."""
    if not isinstance(store, SqliteStore):
        return working_file(store.path)
    return None if store.path == MEMORY else Path(f"{store.path}.working")


def _working(settings: Settings, beside: Path | None) -> Working:
    scheme, separator, _ = settings.working.partition("://")
    if not settings.working:
        return SqliteWorking(beside)
    if not separator or scheme not in ("redis", "rediss", "unix"):
        raise SettingsError(
            "working", "is not a place recollect knows", "leave it empty, or give redis://, rediss:// or unix://"
        )
    try:
        from recollect.persist.redis.working import RedisWorking
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        raise SettingsError("working", "the Redis driver is missing", "pip install 'recollect[redis]'") from error
    return RedisWorking(settings.working)


def _blank(name: str, clock: Clock, loaded: Loaded, embedder: Attached | None) -> Parts:
    """An empty store in memory and everything that works on it, for a view."""
    store = SqliteStore(MEMORY, name=name)
    if embedder is not None:
        embedder.introduce(store)
    return assemble(loaded, store, embedder, None, clock)


def _policy(settings: Settings) -> Mapping[str, Action]:
    from recollect.capture.screen.policy import DEFAULT_POLICY, checked_policy

    try:
        return checked_policy({**DEFAULT_POLICY, **cast("Mapping[str, Action]", settings.personal)})
    except InvalidInput as error:
        raise SettingsError("personal", error.problem, error.fix) from error


def _root(folder: Path) -> Path:
    """Where the ignore files that apply to a folder begin: its repository, or else itself."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)


def profiles_of(own: Mapping[str, Mapping[str, Any]], floor: float = 0.4) -> dict[str, Profile]:
    """The six profiles and the user's own."""
    built_in = (Hybrid(), Composite(), Hebbian(), Cascade(floor=floor), Relevance(), Belief())
    known: dict[str, Profile] = {profile.name: profile for profile in built_in}
    for name, constants in own.items():
        base = constants.get("base", "hybrid") if isinstance(constants, Mapping) else None
        if name in known or base not in known:
            raise SettingsError(
                f"profiles.{name}", f"base {base!r} or the name is not right", f"base one on {', '.join(known)}"
            )
        known[name] = customised(name, known[base], {key: value for key, value in constants.items() if key != "base"})
    return known


@dataclass(frozen=True, slots=True)
class _Rules:
    """The judge that answers when there is no language model."""

    duplicate: float
    contradiction: float

    def compare(self, old: str, new: str, similarity: float) -> Verdict:
        from recollect.judge.rules import compare  # word lists: not loaded by commands that never compare

        return compare(old, new, similarity, duplicate=self.duplicate, contradiction=self.contradiction)

    def read(self, text: str) -> object:
        from recollect.judge.rules import analyse

        return analyse(text)
