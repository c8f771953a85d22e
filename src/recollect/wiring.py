"""Wiring: settings become an open Memory. The only file that names a concrete back end, embedder or judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from recollect.capture.pipeline import Capture
from recollect.capture.reconcile import Reconciler
from recollect.capture.screen.policy import DEFAULT_POLICY, Action, checked_policy
from recollect.capture.vetting import Vetting
from recollect.config import Loaded, Settings, load
from recollect.embed.attached import Attached
from recollect.engine import Memory
from recollect.errors import EmbedderUnavailable, InvalidInput, SettingsError
from recollect.parts import Echoes, Parts
from recollect.persist.sqlite.connection import MEMORY
from recollect.persist.sqlite.store import SqliteStore
from recollect.persist.sqlite.working import SqliteWorking
from recollect.ports import Calibrated, Clock, Embedder, Store, Verdict, Working
from recollect.recall.cascade import Cascade
from recollect.recall.hybrid import Hybrid
from recollect.recall.pipeline import Recall
from recollect.recall.profiles import Belief, Composite, Hebbian, Profile, Relevance, customised
from recollect.upkeep.gaps import answer
from recollect.upkeep.gardener import Gardener
from recollect.values.scope import RESERVED, Identity

FetchProgress = Callable[[str, int, int], None]
Given = Callable[[list[str]], Any] | Embedder | str | None


def open_memory(
    db: str | os.PathLike[str] | None = None,
    *,
    embedder: Given = None,
    project: str | None = None,
    clock: Clock | None = None,
    fetching: FetchProgress | None = None,
    **settings: Any,
) -> Memory:
    """Open a store: a path or URL; nothing is the user's own default file. Settings given here win over all others."""
    named: dict[str, Any] = {"db": None if db is None else os.fspath(db), "project": project}
    if isinstance(embedder, str):
        named["embedder"] = embedder
    loaded = load(**named, **settings)
    chosen = loaded.settings
    store = _store(chosen)
    try:
        attached, missing = _embedder(embedder, chosen, store, fetching)
        working = SqliteWorking(None if store.path == MEMORY else Path(f"{store.path}.working"))
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
    vetting = Vetting(_policy(settings), Path.cwd(), _root(Path.cwd()), recalled.of)
    judge = _Rules(settings.duplicate, settings.contradiction)
    calibration = None if embedder is None else lambda: embedder.calibration
    reconciler = Reconciler(judge, settings.contradiction)
    embed_many = None if embedder is None else embedder.embed_many
    return Parts(
        store=store,
        capture=Capture(
            store,
            reconciler,
            vetting,
            clock,
            settings.agent or settings.actor,
            embed=embed_many,
            calibration=calibration,
            infer=settings.infer_tags,
            answered=lambda tx, account, stored, at: answer(tx, account, stored, lambda: _scale(embedder), at),
        ),
        recall=Recall(embedder, missing, settings.similarity_floor),
        vetting=vetting,
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


def _teams(settings: Settings) -> tuple[str, ...]:
    if any(team.startswith(RESERVED) for team in settings.teams):
        raise SettingsError("teams", f"a name that begins with {RESERVED!r} is a context's", "name teams")
    return settings.teams


def _scale(embedder: Attached | None) -> Calibrated | None:
    return None if embedder is None else embedder.query_calibration


def _store(settings: Settings) -> SqliteStore:
    scheme, separator, rest = settings.db.partition("://")
    if separator and scheme not in ("sqlite", "file"):
        raise SettingsError("db", f"{scheme}:// is not a store recollect can open", "give a path or sqlite:///path")
    path = rest if separator else settings.db
    return SqliteStore(path if path == MEMORY else Path(path).expanduser(), durable=settings.durability == "full")


def _blank(name: str, clock: Clock, loaded: Loaded, embedder: Attached | None) -> Parts:
    """An empty store in memory and everything that works on it, for a view."""
    store = SqliteStore(MEMORY, name=name)
    if embedder is not None:
        embedder.introduce(store)
    return assemble(loaded, store, embedder, None, clock)


def _embedder(
    given: Given, settings: Settings, store: Store, fetching: FetchProgress | None
) -> tuple[Attached | None, str | None]:
    """The embedder to use, or None and what recall is to say about it."""
    if given is not None and not isinstance(given, str):
        if hasattr(given, "embed_documents"):
            return Attached(cast(Embedder, given), store, known=True), None
        from recollect.embed.callable import CallableEmbedder

        return Attached(CallableEmbedder(given), store, known=False), None
    match settings.embedder:
        case "none":
            return None, "recall is lexical only: no embedder is set"
        case "http":
            return Attached(_http(settings), store, known=False), None
        case _:
            return _local(settings, store, fetching)


def _http(settings: Settings) -> Embedder:
    if not settings.embedder_url or not settings.embedder_model:
        raise SettingsError("embedder", "http needs an address and a model", "set embedder_url and embedder_model")
    from recollect.embed.http import HttpEmbedder

    return HttpEmbedder(settings.embedder_url, settings.embedder_model, settings.embedder_key or None)


def _local(settings: Settings, store: Store, fetching: FetchProgress | None) -> tuple[Attached | None, str | None]:
    from recollect.embed.fetch import ensure_model
    from recollect.embed.local import LocalEmbedder

    folder = Path(settings.cache).expanduser() / "models" / "arctic-embed-s-int8"
    source = Path(settings.model_folder).expanduser() if settings.model_folder else None
    try:
        files = ensure_model(folder, source=source, offline=settings.offline, progress=fetching)
    except EmbedderUnavailable as error:
        return None, f"recall is lexical only: {error}"
    return Attached(LocalEmbedder(files, settings.embedder_threads or None), store, known=True, calibrated=True), None


def _policy(settings: Settings) -> Mapping[str, Action]:
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
