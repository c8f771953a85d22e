"""Wiring: from settings to an open `Memory`. The only file that names concrete back ends, embedders and judges."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from recollect.advice import install_command
from recollect.config import Loaded, Settings, SettingsFields, load, working_file
from recollect.deferred import DeferredWrites
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.errors import EmbedderUnavailable, InvalidInput, JudgeError, RerankerError, SettingsError
from recollect.ports import (
    Calibrated,
    Clock,
    Decider,
    Embedder,
    Judge,
    Reranker,
    Store,
    TextJudge,
    TokenLedger,
    Transaction,
    Working,
)
from recollect.recall.cascade import Cascade
from recollect.recall.hybrid import Hybrid
from recollect.recall.pipeline import Recall
from recollect.recall.profiles import Belief, Composite, Hebbian, Profile, Relevance, custom_profile
from recollect.runtime import RecentRecalls, Runtime
from recollect.store.sqlite.connection import MEMORY
from recollect.store.sqlite.store import SqliteStore
from recollect.store.sqlite.working import SqliteWorking
from recollect.unit_of_work import UnitOfWork, flush
from recollect.upkeep.background import BackgroundClustering
from recollect.validation import clean_name
from recollect.values.gap import Miss
from recollect.values.outcome import Verdict
from recollect.values.scope import RESERVED, USER_PREFIX, Identity

if TYPE_CHECKING:
    from recollect.capture.gate import Gate
    from recollect.capture.judge_queue import JudgeQueue
    from recollect.capture.pipeline import Capture
    from recollect.capture.screen.policy import Action
    from recollect.embed.background import RuntimePreload
    from recollect.embed.fetch import ModelFiles
    from recollect.embed.models import EmbeddingModel, HubModel
    from recollect.embed.store_embedder import StoreEmbedder
    from recollect.judge.models.chat import ChatModel
    from recollect.store.postgres.store import PostgresStore
    from recollect.upkeep.judge_usage import AccountLedger, SpentTokens


_SERVERS = ("postgresql", "postgres")
EmbedderArgument = Callable[[list[str]], Any] | Embedder | str | None
RerankerArgument = Callable[[str, list[str]], Any] | Reranker | str | None
JudgeArgument = Callable[[str], Any] | Decider | str | None
AskedModel = Callable[[TokenLedger], TextJudge]


def open_memory(
    db: str | os.PathLike[str] | None = None,
    *,
    embedder: EmbedderArgument = None,
    reranker: RerankerArgument = None,
    judge: JudgeArgument = None,
    project: str | None = None,
    clock: Clock | None = None,
    fetching: FetchProgress | None = None,
    background: bool = False,
    **settings: Unpack[SettingsFields],
) -> Memory:
    """Open a store by path or URL; without one, the user's default file. Settings given here override all others.

    With `background`, local models are loaded on a thread; until they are ready, recall does without and says so in its notes.
    """
    _check_functions(embedder, clock=clock, fetching=fetching)
    named: dict[str, Any] = {"db": None if db is None else _location(db), "project": project}
    if isinstance(embedder, str):
        named["embedder"] = embedder
    if isinstance(reranker, str):
        named["reranker"] = reranker
    if isinstance(judge, str):
        named["judge"] = judge
    loaded = load(**named, **settings)
    chosen = loaded.settings
    _check_names(chosen)
    store = _store(chosen)
    try:
        attached, missing = choose_embedder(embedder, chosen, store, fetching, background=background)
        ordering = choose_reranker(reranker, chosen, fetching, background=background)
        asked = choose_judge(judge, chosen)
        working = _working(chosen, _default_working_file(store))
        now = clock or (lambda: datetime.now(UTC))
        runtime = assemble(loaded, store, attached, missing, now, working, ordering, asked)
    except BaseException:  # also KeyboardInterrupt during a download: the store must be closed
        store.close()
        raise
    identity = Identity(chosen.account, chosen.agent or None, _teams(chosen), user=chosen.user or None)
    return Memory(runtime, identity, chosen.project or None)


def _location(db: Any) -> str:
    """The path or URL of a store as text that the system can name."""
    if not isinstance(db, str | os.PathLike):
        raise SettingsError("db", f"{type(db).__name__} is not a path", "give the path of a file, or a URL")
    location = os.fspath(db)
    text = os.fsdecode(location) if isinstance(location, bytes) else location
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise SettingsError("db", "cannot be the name of a file", "give the path of a file, or a URL") from None
    if "\x00" in text:
        raise SettingsError("db", "contains a NUL character", "give the path of a file, or a URL")
    return text


def _check_functions(embedder: Any, **others: Any) -> None:
    """Refuse what cannot be called, before anything is opened."""
    for name, given in others.items():
        if given is not None and not callable(given):
            raise SettingsError(name, f"{type(given).__name__} cannot be called", "give a function")
    if not (
        embedder is None or isinstance(embedder, str) or callable(embedder) or hasattr(embedder, "embed_documents")
    ):
        fix = "give local, http, none, a function from texts to vectors, or an embedder"
        raise SettingsError("embedder", f"{type(embedder).__name__} cannot embed texts", fix)


def _check_names(settings: Settings) -> None:
    """Refuse names that could not be stored, before anything is opened."""
    for name in ("account", "agent", "actor", "project", "teams", "user"):
        given = getattr(settings, name)
        try:
            for each in given if isinstance(given, tuple) else (given,):
                clean_name(name, each or None)
        except InvalidInput as error:
            raise SettingsError(name, error.problem, error.fix) from None
    if settings.agent.startswith(USER_PREFIX):
        raise SettingsError("agent", f"names that begin with {USER_PREFIX!r} are those of users", "set `user` instead")


def assemble(
    loaded: Loaded,
    store: Store,
    embedder: StoreEmbedder | None,
    missing: str | None,
    clock: Clock,
    working: Working | None = None,
    reranker: Reranker | None = None,
    model_judge: AskedModel | None = None,
) -> Runtime:
    """The runtime of one open store of any back end."""
    settings = loaded.settings
    recent_recalls = RecentRecalls()
    judge = _RuleJudge(settings.duplicate, settings.contradiction)
    load_gate = cache(_gate_loader(settings, recent_recalls, judge, embedder))
    deferred = DeferredWrites()
    runtime = Runtime(
        store=store,
        load_capture=cache(lambda: _capture(settings, embedder, judge, load_gate())),
        load_gate=load_gate,
        recall=Recall(embedder, missing),
        clock=clock,
        loaded=loaded,
        profiles=profiles_of(settings.profiles, settings.similarity_floor),
        embedder=embedder,
        embed_many=None if embedder is None else embedder.embed_many,
        missing=missing,
        blank=lambda name, moment: _empty_runtime(name, moment, loaded, embedder, reranker),
        judge=judge,
        load_rules=_rules,
        ledger_of=_ledgers(store, deferred, clock, settings),
        deferred=deferred,
        background=BackgroundClustering(
            store, clock, settings.agent or settings.actor, _required_cosine(settings, embedder)
        ),
        working=working or SqliteWorking(None),
        note_misses=_note_misses,
        recent_recalls=recent_recalls,
        reranker=reranker,
        model_judge=model_judge,
        judge_queue=None if model_judge is None else _judge_queue(),
        confirm_later=_confirm_later,
    )
    runtime.deferred.flush = lambda: flush(runtime, wait=False)
    return runtime


def _rules() -> TextJudge:
    from recollect.judge.rules.text_judge import RuleTextJudge

    return RuleTextJudge()


def _judge_queue() -> JudgeQueue:
    from recollect.capture.judge_queue import JudgeQueue

    return JudgeQueue()


def _ledgers(
    store: Store, deferred: DeferredWrites, clock: Clock, settings: Settings
) -> Callable[[str], AccountLedger]:
    """The ledger of each account, in which what the judge costs is noted."""
    limits = (settings.judge_tokens_per_day, settings.judge_tokens_per_run)

    @cache
    def spent() -> SpentTokens:
        from recollect.upkeep.judge_usage import SpentTokens

        return SpentTokens()

    def ledger_of(account: str) -> AccountLedger:
        from recollect.upkeep.judge_usage import AccountLedger

        return AccountLedger(store, deferred, clock, account, spent(), *limits)

    return ledger_of


def _note_misses(tx: Transaction, misses: Sequence[Miss]) -> None:
    from recollect.recall.gaps import record_misses

    record_misses(tx, misses)


def _confirm_later(uow: UnitOfWork, helped: Sequence[str], rejected: Sequence[str], query: str | None) -> None:
    from recollect.upkeep.feedback import confirm_later

    confirm_later(uow, helped, rejected, query)


def _gate_loader(
    settings: Settings, recalled: RecentRecalls, judge: Judge, embedder: StoreEmbedder | None
) -> Callable[[], Gate]:
    """A function that makes the gate for the current folder; wrong settings are reported at once."""
    folder = Path.cwd()
    policy = _policy(settings) if settings.personal else None

    def made() -> Gate:
        from recollect.capture.gate import Gate
        from recollect.capture.tombstones import Tombstones

        scale = (lambda: None) if embedder is None else (lambda: embedder.calibration)
        tombstones = Tombstones(judge, settings.contradiction, scale)
        return Gate(tombstones, policy or _policy(settings), folder, _root(folder), recalled.of)

    return made


def _capture(settings: Settings, embedder: StoreEmbedder | None, judge: Judge, gate: Gate) -> Capture:
    from recollect.capture.pipeline import Capture
    from recollect.capture.reconcile import Reconciler
    from recollect.recall.gaps import close_answered

    return Capture(
        Reconciler(judge, settings.contradiction),
        gate,
        embed=None if embedder is None else embedder.embed_many,
        calibration=None if embedder is None else lambda: embedder.calibration,
        infer=settings.infer_tags,
        on_stored=lambda tx, account, stored, at: close_answered(tx, account, stored, lambda: _scale(embedder), at),
        lacks_model=embedder is None and settings.embedder != "none",
    )


def _teams(settings: Settings) -> tuple[str, ...]:
    if any(team.startswith(RESERVED) for team in settings.teams):
        raise SettingsError(
            "teams", f"names that begin with {RESERVED!r} are reserved for contexts", "give other names"
        )
    return settings.teams


def _required_cosine(settings: Settings, embedder: StoreEmbedder | None) -> Callable[[], float]:
    """The cosine to the centre of its cluster that a member must have."""

    def required() -> float:
        from recollect.upkeep.clusters import NOTHING_REQUIRED, required_cosine

        if embedder is None:
            return NOTHING_REQUIRED
        return required_cosine(lambda: embedder.calibration, settings.cluster)

    return required


def _scale(embedder: StoreEmbedder | None) -> Calibrated | None:
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


def store_file(settings: Settings) -> Path | None:
    """The file of the store that the settings name, which may not exist yet; None for a server, or a store in memory."""
    scheme, separator, rest = settings.db.partition("://")
    path = rest if separator else settings.db
    return None if (separator and scheme not in ("sqlite", "file")) or path == MEMORY else Path(path).expanduser()


def _postgres(settings: Settings) -> tuple[Any, Any]:
    """The PostgreSQL back end, imported only when it is used, and its options."""
    try:
        from recollect.store.postgres import store
        from recollect.store.postgres.options import Options
    except ModuleNotFoundError as error:
        if error.name not in ("psycopg", "psycopg_pool", "pgvector"):
            raise
        raise SettingsError(
            "db", "the PostgreSQL driver is missing", f"`{install_command('postgres')}` adds it"
        ) from error
    named = [field.name for field in fields(settings) if field.name.startswith("postgres_")]
    return store, Options(**{name.removeprefix("postgres_"): getattr(settings, name) for name in named})


def migrate_store(settings: Settings, *, dry_run: bool, progress: Callable[[str], None]) -> list[tuple[str, str]]:
    """Migrate the schema of a store; returns the migrations that were, or would be, applied."""
    if settings.db.partition("://")[0] not in _SERVERS:
        raise SettingsError("db", "is a file, which upgrades itself when it is opened", "name a postgresql:// store")
    postgres, options = _postgres(settings)
    return cast("list[tuple[str, str]]", postgres.upgrade(settings.db, options, dry_run=dry_run, progress=progress))


def _default_working_file(store: SqliteStore | PostgresStore) -> Path | None:
    """The default file of working memory: beside a store file; for a store on a server, on this machine."""
    if not isinstance(store, SqliteStore):
        return working_file(store.path)
    return None if store.path == MEMORY else Path(f"{store.path}.working")


def _working(settings: Settings, beside: Path | None) -> Working:
    scheme, separator, _ = settings.working.partition("://")
    if not settings.working:
        return SqliteWorking(beside)
    if not separator or scheme not in ("redis", "rediss", "unix"):
        raise SettingsError(
            "working", "is not a URL recollect can open", "leave it empty, or give redis://, rediss:// or unix://"
        )
    try:
        from recollect.store.redis.working import RedisWorking
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        raise SettingsError(
            "working", "the Redis driver is missing", f"`{install_command('redis')}` adds it"
        ) from error
    return RedisWorking(settings.working)


def _empty_runtime(
    name: str, clock: Clock, loaded: Loaded, embedder: StoreEmbedder | None, reranker: Reranker | None
) -> Runtime:
    """The runtime of an empty in-memory store, for `as_of`."""
    store = SqliteStore(MEMORY, name=name)
    if embedder is not None:
        embedder.introduce(store)
    return assemble(loaded, store, embedder, None, clock, reranker=reranker)


def _policy(settings: Settings) -> Mapping[str, Action]:
    from recollect.capture.screen.policy import DEFAULT_POLICY, checked_policy

    try:
        return checked_policy({**DEFAULT_POLICY, **cast("Mapping[str, Action]", settings.personal)})
    except InvalidInput as error:
        raise SettingsError("personal", error.problem, error.fix) from error


def _root(folder: Path) -> Path:
    """The folder whose ignore files apply: the root of the repository, or the folder itself."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)


def profiles_of(own: Mapping[str, Mapping[str, Any]], floor: float = 0.4) -> dict[str, Profile]:
    """The six profiles and the user's own."""
    built_in = (Hybrid(), Composite(), Hebbian(), Cascade(floor=floor), Relevance(), Belief())
    known: dict[str, Profile] = {profile.name: profile for profile in built_in}
    for name, constants in own.items():
        base = constants.get("base", "hybrid") if isinstance(constants, Mapping) else None
        if name in known or base not in known:
            raise SettingsError(
                f"profiles.{name}", f"base {base!r} is unknown, or the name is taken", f"base one on {', '.join(known)}"
            )
        known[name] = custom_profile(
            name, known[base], {key: value for key, value in constants.items() if key != "base"}
        )
    return known


@dataclass(frozen=True, slots=True)
class _RuleJudge:
    """The judge that answers when there is no language model."""

    duplicate: float
    contradiction: float

    def compare(self, old: str, new: str, similarity: float) -> Verdict:
        from recollect.judge.rules import compare  # imported on first use: its word lists slow down the start

        return compare(old, new, similarity, duplicate=self.duplicate)


FetchProgress = Callable[[str, int, int], None]

# Preloaded models that no embedder uses yet.
_preloading: dict[ModelFiles, RuntimePreload] = {}


def preload(settings: Settings) -> None:
    """Start to load the local embedder on a thread, if it is set and its files are present; the next `choose_embedder` uses it."""
    from recollect.embed.models import EMBEDDERS

    model = EMBEDDERS.get(settings.embedder)
    if model is None:
        return
    from recollect.embed.background import RuntimePreload
    from recollect.embed.fetch import verified_files

    files = verified_files(_model_folder(settings, model), model)
    if files is not None:
        with suppress(EmbedderUnavailable):  # reported when the embedder is used
            _preloading[files] = RuntimePreload(files)


def choose_embedder(
    given: Callable[[list[str]], Any] | Embedder | str | None,
    settings: Settings,
    store: Store,
    fetching: FetchProgress | None,
    *,
    background: bool = False,
) -> tuple[StoreEmbedder | None, str | None]:
    """The embedder to use, or None and the note that recall shows then."""
    from recollect.embed.store_embedder import StoreEmbedder

    if given is not None and not isinstance(given, str):
        if hasattr(given, "embed_documents"):
            return StoreEmbedder(cast("Embedder", given), store), None
        from recollect.embed.callable import CallableEmbedder

        called = CallableEmbedder(given)
        return StoreEmbedder(called, store, label=called.label), None
    match settings.embedder:
        case "none":
            return None, "recall is lexical only: no embedder is set"
        case "http":
            asked = _http(settings)
            return StoreEmbedder(asked, store, label=asked.model), None
        case name:
            from recollect.embed.models import EMBEDDERS

            return local_embedder(EMBEDDERS[name], settings, store, fetching, background=background)


def _http(settings: Settings) -> Embedder:
    if not settings.embedder_url or not settings.embedder_model:
        raise SettingsError("embedder", "http needs an address and a model", "set embedder_url and embedder_model")
    from recollect.embed.http import HttpEmbedder

    return HttpEmbedder(settings.embedder_url, settings.embedder_model, settings.embedder_key or None)


def local_embedder(
    model: EmbeddingModel, settings: Settings, store: Store, fetching: FetchProgress | None, *, background: bool = False
) -> tuple[StoreEmbedder | None, str | None]:
    """A local model as the embedder of a store, or the note that says why it is missing. `background` loads it on a thread."""
    from recollect.embed.local import LocalEmbedder
    from recollect.embed.onnx_model import build_runtime
    from recollect.embed.store_embedder import StoreEmbedder

    threads, calibrated = settings.embedder_threads or None, model.calibration is not None
    if background:
        from recollect.embed.background import BackgroundEmbedder

        inner = LocalEmbedder(_model_files(settings, model), threads, entry=model)
        ready = BackgroundEmbedder(inner, lambda: _fetched(settings, model, fetching))
        return StoreEmbedder(ready, store, calibrated=calibrated), None
    try:
        files = _fetched(settings, model, fetching)
    except EmbedderUnavailable as error:
        return None, f"recall is lexical only: {error}"
    local = LocalEmbedder(files, threads, _preloading.pop(files, build_runtime), entry=model)
    return StoreEmbedder(local, store, calibrated=calibrated), None


def choose_reranker(
    given: RerankerArgument, settings: Settings, fetching: FetchProgress | None, *, background: bool = False
) -> Reranker | None:
    """The reranker to use, with a deadline; None if there is none."""
    if given is not None and not isinstance(given, str):
        from recollect.embed.rerankers import TimedReranker

        if not callable(given):
            problem = f"{type(given).__name__} cannot be called"
            raise SettingsError("reranker", problem, "give a function from a question and texts to scores, or a name")
        return TimedReranker(cast("Reranker", given), settings.rerank_seconds)
    match settings.reranker:
        case "none":
            return None
        case "http":
            return _http_reranker(settings)
        case name:
            from recollect.embed.models import RERANKERS

            return local_reranker(RERANKERS[name], settings, fetching, background=background)


def _http_reranker(settings: Settings) -> Reranker:
    if not settings.reranker_url:
        raise SettingsError("reranker", "http needs an address", "set reranker_url")
    from recollect.embed.rerankers import HttpReranker, TimedReranker

    try:
        asked = HttpReranker(
            settings.reranker_url,
            settings.reranker_model,
            settings.reranker_key or None,
            timeout=settings.rerank_seconds,
        )
    except RerankerError as error:
        raise SettingsError("reranker_url", str(error), "give the address of the server") from None
    return TimedReranker(asked, settings.rerank_seconds)


def local_reranker(
    model: HubModel, settings: Settings, fetching: FetchProgress | None, *, background: bool = False
) -> Reranker:
    """A local model as the reranker; one that could not be fetched says so whenever it is asked."""
    from recollect.embed.cross_encoder import LocalReranker

    inner = LocalReranker(
        _model_files(settings, model),
        model,
        threads=settings.embedder_threads or None,
        seconds=settings.rerank_seconds,
    )
    if background:
        from recollect.embed.background import BackgroundReranker

        return BackgroundReranker(inner, model.id, lambda: _fetched(settings, model, fetching))
    try:
        _fetched(settings, model, fetching)
    except EmbedderUnavailable as error:
        from recollect.embed.rerankers import MissingReranker

        return MissingReranker(model.id, str(error))
    return inner


def choose_judge(given: JudgeArgument, settings: Settings) -> AskedModel | None:
    """How the configured language model is asked on the account of a ledger; None if there is none."""
    if given is not None and not isinstance(given, str):
        return _given_judge(given, settings)
    if settings.judge == "none":
        return None
    chat = _chat(settings)
    from recollect.judge.models.breaker import CircuitBreaker
    from recollect.judge.models.model_judge import ModelJudge

    breaker = CircuitBreaker()
    return lambda ledger: ModelJudge(chat, ledger, breaker)


def _given_judge(given: Any, settings: Settings) -> AskedModel:
    from recollect.judge.models.breaker import CircuitBreaker
    from recollect.judge.models.callable import CallableChat, Deadline, name_of
    from recollect.judge.models.given import GivenJudge
    from recollect.judge.models.model_judge import ModelJudge

    breaker = CircuitBreaker()
    if hasattr(given, "decide"):
        deadline = Deadline(name_of(given), settings.judge_seconds)
        return lambda ledger: GivenJudge(given, ledger, breaker, deadline)
    if not callable(given):
        problem = f"{type(given).__name__} cannot be called"
        raise SettingsError(
            "judge", problem, "give a function from a prompt to an answer, an object that decides, or a name"
        )
    chat = CallableChat(given, settings.judge_seconds)
    return lambda ledger: ModelJudge(chat, ledger, breaker)


def _chat(settings: Settings) -> ChatModel:
    if not settings.judge_model:
        raise SettingsError("judge", f"{settings.judge} needs a model", "set judge_model")
    # No default address: somebody who forgot the one of a local server must not send memories to another company.
    if settings.judge == "openai" and not settings.judge_url:
        fix = "set judge_url, for example to http://127.0.0.1:11434/v1 or https://api.openai.com/v1"
        raise SettingsError("judge", "openai needs an address", fix)
    from recollect.judge.models.anthropic import AnthropicMessages
    from recollect.judge.models.openai import OpenAIChat

    chosen = OpenAIChat if settings.judge == "openai" else AnthropicMessages
    try:
        return chosen(
            settings.judge_url, settings.judge_model, settings.judge_key or None, timeout=settings.judge_seconds
        )
    except JudgeError as error:
        raise SettingsError("judge_url", str(error), "give the address of the server") from None


def _model_folder(settings: Settings, model: HubModel) -> Path:
    return Path(settings.cache).expanduser() / "models" / model.folder


def _model_files(settings: Settings, model: HubModel) -> ModelFiles:
    """Where the files of a local model are, or will be."""
    from recollect.embed.fetch import ModelFiles

    folder = _model_folder(settings, model)
    return ModelFiles(onnx=folder / model.onnx.name, tokenizer=folder / model.tokenizer.name)


def _fetched(settings: Settings, model: HubModel, fetching: FetchProgress | None) -> ModelFiles:
    """The verified files of a local model, downloaded if they are not there yet."""
    from recollect.embed.fetch import ensure_model

    return ensure_model(
        _model_folder(settings, model),
        model,
        source=Path(settings.model_folder).expanduser() if settings.model_folder else None,
        hub=settings.model_hub,
        offline=settings.offline,
        progress=fetching,
        announce=getattr(fetching, "announce", None),
    )


def retry_fetching(settings: Settings) -> None:
    """Forget that nothing could be reached: the next use of a local model tries the network again."""
    from recollect.embed.fetch import forget_unreachable
    from recollect.embed.models import EMBEDDERS, RERANKERS

    for model in (EMBEDDERS.get(settings.embedder), RERANKERS.get(settings.reranker)):
        if model is not None:
            forget_unreachable(_model_folder(settings, model))
