"""Embedders: which one the settings ask for. The only file that names a concrete one.

Nothing heavy is imported before it is needed: a command that will embed begins here, and brings in the rest meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from recollect.config import Settings
from recollect.errors import EmbedderUnavailable, SettingsError

if TYPE_CHECKING:
    from recollect.embed.ahead import Ahead
    from recollect.embed.attached import Attached
    from recollect.embed.pins import ModelFiles
    from recollect.ports import Embedder, Store

FetchProgress = Callable[[str, int, int], None]

# Begun and not taken over yet.
_ahead: dict[ModelFiles, Ahead] = {}


def begin(settings: Settings) -> None:
    """Build the local model on a thread from now on, if it is what is set and is at hand; the next to choose it takes it over."""
    if settings.embedder != "local":
        return
    from recollect.embed.ahead import Ahead
    from recollect.embed.fetch import at_hand

    files = at_hand(_model_folder(settings))
    if files is not None:
        with suppress(EmbedderUnavailable):  # told when it is needed
            _ahead[files] = Ahead(files)


def choose(
    given: Callable[[list[str]], Any] | Embedder | str | None,
    settings: Settings,
    store: Store,
    fetching: FetchProgress | None,
    *,
    background: bool = False,
) -> tuple[Attached | None, str | None]:
    """The embedder to use, or None and what recall is to say about it."""
    from recollect.embed.attached import Attached

    if given is not None and not isinstance(given, str):
        if hasattr(given, "embed_documents"):
            return Attached(cast("Embedder", given), store, known=True), None
        from recollect.embed.callable import CallableEmbedder

        return Attached(CallableEmbedder(given), store, known=False), None
    match settings.embedder:
        case "none":
            return None, "recall is lexical only: no embedder is set"
        case "http":
            return Attached(_http(settings), store, known=False), None
        case _ if background:
            return _loading(settings, store, fetching), None
        case _:
            return _local(settings, store, fetching)


def _http(settings: Settings) -> Embedder:
    if not settings.embedder_url or not settings.embedder_model:
        raise SettingsError("embedder", "http needs an address and a model", "set embedder_url and embedder_model")
    from recollect.embed.http import HttpEmbedder

    return HttpEmbedder(settings.embedder_url, settings.embedder_model, settings.embedder_key or None)


def _model_folder(settings: Settings) -> Path:
    return Path(settings.cache).expanduser() / "models" / "arctic-embed-s-int8"


def _loading(settings: Settings, store: Store, fetching: FetchProgress | None) -> Attached:
    """The local embedder, fetched and loaded by a thread of its own."""
    from recollect.embed.attached import Attached
    from recollect.embed.fetch import ensure_model
    from recollect.embed.loading import LoadingEmbedder
    from recollect.embed.local import LocalEmbedder
    from recollect.embed.pins import MODEL, TOKENIZER, ModelFiles

    folder = _model_folder(settings)
    source = Path(settings.model_folder).expanduser() if settings.model_folder else None
    inner = LocalEmbedder(
        ModelFiles(onnx=folder / MODEL.name, tokenizer=folder / TOKENIZER.name), settings.embedder_threads or None
    )
    ready = LoadingEmbedder(
        inner, lambda: ensure_model(folder, source=source, offline=settings.offline, progress=fetching)
    )
    return Attached(ready, store, known=True, calibrated=True)


def _local(settings: Settings, store: Store, fetching: FetchProgress | None) -> tuple[Attached | None, str | None]:
    from recollect.embed.attached import Attached
    from recollect.embed.fetch import ensure_model
    from recollect.embed.local import LocalEmbedder
    from recollect.embed.runtime import build

    folder = _model_folder(settings)
    source = Path(settings.model_folder).expanduser() if settings.model_folder else None
    try:
        files = ensure_model(folder, source=source, offline=settings.offline, progress=fetching)
    except EmbedderUnavailable as error:
        return None, f"recall is lexical only: {error}"
    local = LocalEmbedder(files, settings.embedder_threads or None, _ahead.pop(files, build))
    return Attached(local, store, known=True, calibrated=True), None
