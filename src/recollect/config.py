"""Settings: the only reader of files and environment. File < environment < argument, and each value knows its source.

The user's file is `config.toml` in the user's configuration folder (or where RECOLLECT_CONFIG points). Every key may be set
in the environment as RECOLLECT_<KEY>. `recollect config` prints the result.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from hashlib import blake2b
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypedDict, get_type_hints

from recollect.errors import SettingsError

_FOLDER = "recollect"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. The comment beside a field is its help text."""

    db: str = ""  # path or URL of the store; empty means the user's default file
    working: str = ""  # URL of working memory: redis://, rediss:// or unix://; empty means a file beside the store
    account: str = "default"  # the tenant; accounts never see each other
    agent: str = ""  # the calling agent; it sees memories of scope agent
    teams: tuple[str, ...] = ()  # the teams of the caller; they decide which memories of scope team it sees
    user: str = ""  # the user who is served; what is stored is then private to that user unless told otherwise
    project: str = ""  # the project; empty means that the command line detects it from the folder
    actor: str = "user"  # the name the journal records for a change
    profile: str = "hybrid"  # the default ranking profile of recall
    limit: int = 5  # how many hits recall returns by default
    embedder: str = "arctic-embed-s"  # or multilingual-e5-small, arctic-embed-m-v1.5 (all run here), http, none
    embedder_url: str = ""  # for http: an OpenAI-compatible base URL, for example http://127.0.0.1:11434/v1
    embedder_model: str = ""  # for http: the model to ask for
    embedder_key: str = ""  # for http: the bearer key, if the server needs one
    embedder_threads: int = 0  # for local models: threads; 0 means automatic
    reranker: str = "none"  # ms-marco-minilm or mmarco-minilm (on this machine), http or none
    reranker_url: str = ""  # for http: the address of a /rerank API, for example http://127.0.0.1:8080
    reranker_model: str = ""  # for http: the model to ask for; empty for text-embeddings-inference, which serves one
    reranker_key: str = ""  # for http: the bearer key, if the server needs one
    rerank_candidates: int = 30  # how many hits the reranker reads
    rerank_seconds: float = 5.0  # how long the reranker may take; after that, hits keep the order of their scores
    judge: str = "none"  # a language model for what rules leave open: openai (any compatible server), anthropic, none
    judge_url: str = ""  # for openai: a base URL, for example http://127.0.0.1:11434/v1; anthropic has its own
    judge_model: str = ""  # the model to ask
    judge_key: str = ""  # the API key, if the server needs one
    judge_seconds: float = 20.0  # how long one request to the judge may take
    judge_tokens_per_day: int = 500_000  # tokens the judge may use per account and day (UTC); 0 means no limit
    judge_tokens_per_run: int = 0  # tokens the judge may use while a store is open; 0 means no limit
    verify_recall: bool = False  # the judge reads the hits of recall and drops those that do not help
    model_folder: str = ""  # for local models: a folder that already has the files, or a folder of each model
    model_hub: str = "https://huggingface.co"  # for local models: the model hub, or a mirror of it
    cache: str = ""  # where downloaded models are stored; empty means the user's cache folder
    offline: bool = False  # never download anything
    durability: str = "full"  # full survives power loss; process survives a crash of the process
    touch: bool = True  # recall counts an access on what it returns
    duplicate: float = 0.92  # similarity from which two texts may be duplicates
    contradiction: float = 0.75  # similarity from which a new memory is checked against an old one for contradictions
    similarity_floor: float = 0.40  # similarity below which a semantic hit is dropped as noise
    deep_merge: float = 0.95  # similarity from which two clusters are merged
    cluster: float = 0.0  # similarity to its centre from which a memory is in a cluster; 0 asks for none
    topic_change: float = 0.30  # similarity to the topic of a session below which a turn begins a new one
    reinforce_weight: int = 3  # what `reinforce` adds to the score of a memory
    demote_weight: int = -1  # what `demote` adds to it
    promotion: int = 3  # reads from which `consolidate` promotes a short-term entry to long-term memory
    gaps: bool = True  # recall stores questions that nothing answers
    infer_tags: bool = True  # remember adds tags that are clear from the text and its files
    refresh_clusters: int = 50  # clusters are recomputed after so many recalls; 0 means never
    postgres_schema: str = "recollect"  # for postgresql://: the schema of the tables; ?schema= in the URL wins
    postgres_role: str = "recollect_app"  # the role that uses the tables; row-level security applies to it
    postgres_partitions: int = 8  # hash partitions per table; used when the schema is created
    postgres_connections: int = 10  # the most connections of this process
    postgres_prepared: bool = True  # keep prepared statements; turned off by itself behind a pooler such as PgBouncer
    postgres_connect_seconds: float = 10.0  # how long to wait for the server when connecting
    postgres_wait_seconds: float = 10.0  # how long to wait for a free connection
    postgres_statement_seconds: float = 30.0  # how long one statement, or one answer of the server, may take
    postgres_lock_seconds: float = 10.0  # how long to wait for another writer of the same account
    postgres_idle_seconds: float = 60.0  # how long a transaction may be idle before the server ends it
    personal: Mapping[str, str] = field(default_factory=dict)  # kind of sensitive data -> allow, redact or refuse
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # your own ranking profiles


class SettingsFields(TypedDict, total=False):
    """The settings that `recollect.open` takes as keyword arguments; None means the value of the file or the environment."""

    working: str | None
    account: str | None
    agent: str | None
    teams: Sequence[str] | None
    user: str | None
    actor: str | None
    profile: str | None
    limit: int | None
    embedder_url: str | None
    embedder_model: str | None
    embedder_key: str | None
    embedder_threads: int | None
    reranker_url: str | None
    reranker_model: str | None
    reranker_key: str | None
    rerank_candidates: int | None
    rerank_seconds: float | None
    judge_url: str | None
    judge_model: str | None
    judge_key: str | None
    judge_seconds: float | None
    judge_tokens_per_day: int | None
    judge_tokens_per_run: int | None
    verify_recall: bool | None
    model_folder: str | None
    model_hub: str | None
    cache: str | None
    offline: bool | None
    durability: str | None
    touch: bool | None
    duplicate: float | None
    contradiction: float | None
    similarity_floor: float | None
    deep_merge: float | None
    topic_change: float | None
    cluster: float | None
    reinforce_weight: int | None
    demote_weight: int | None
    promotion: int | None
    gaps: bool | None
    infer_tags: bool | None
    refresh_clusters: int | None
    postgres_schema: str | None
    postgres_role: str | None
    postgres_partitions: int | None
    postgres_connections: int | None
    postgres_prepared: bool | None
    postgres_connect_seconds: float | None
    postgres_wait_seconds: float | None
    postgres_statement_seconds: float | None
    postgres_lock_seconds: float | None
    postgres_idle_seconds: float | None
    personal: Mapping[str, str] | None
    profiles: Mapping[str, Mapping[str, Any]] | None


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings together with where each value came from."""

    settings: Settings
    sources: Mapping[str, str]


def load(environment: Mapping[str, str] | None = None, **arguments: Any) -> Loaded:
    """Read the file, then the environment, then the arguments that are not None."""
    seen = os.environ if environment is None else environment
    path = Path(seen.get("RECOLLECT_CONFIG") or config_folder(seen) / "config.toml")
    values: dict[str, Any] = {}
    sources = {f.name: "default" for f in fields(Settings)}
    layers = (
        (_from_file(path, required="RECOLLECT_CONFIG" in seen), str(path)),
        (_from_environment(seen), "environment"),
        ({name: value for name, value in arguments.items() if value is not None}, "argument"),
    )
    for layer, source in layers:
        for name, value in layer.items():
            where = f"RECOLLECT_{name.upper()}" if source == "environment" else f"{source}: {name}"
            values[name] = _check(name, value, where)
            sources[name] = where if source == "environment" else source
    settings = Settings(**values)
    if not settings.db:
        settings = replace(settings, db=str(data_folder(seen) / "memory.db"))
    if not settings.cache:
        settings = replace(settings, cache=str(cache_folder(seen)))
    return Loaded(settings, sources)


def config_folder(environment: Mapping[str, str]) -> Path:
    """Where the user's settings are."""
    return _base(environment, "XDG_CONFIG_HOME", ".config") / _FOLDER


def data_folder(environment: Mapping[str, str]) -> Path:
    """Where the user's default store is."""
    return _base(environment, "XDG_DATA_HOME", ".local/share") / _FOLDER


def working_file(store: str) -> Path:
    """The file of working memory on this machine for a store on a server; the processes of one user share it."""
    name = blake2b(store.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return data_folder(os.environ) / "working" / f"{name}.db"


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where downloaded models are stored."""
    return _base(environment, "XDG_CACHE_HOME", ".cache") / _FOLDER


def _base(environment: Mapping[str, str], name: str, fallback: str) -> Path:
    named = environment.get(name)
    if named:
        return Path(named)
    local = environment.get("LOCALAPPDATA")
    return Path(local) if local else Path.home() / fallback


def _from_file(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        if required:
            raise SettingsError(str(path), "there is no such file", "RECOLLECT_CONFIG must name a TOML file") from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), f"cannot be read ({error})", "check its permissions and encoding") from error
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(str(path), f"is not valid TOML ({error})", "correct that line") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    simple = {f.name for f in fields(Settings)} - {"personal", "profiles"}
    found: dict[str, Any] = {
        name: value for name in simple if (value := environment.get(f"RECOLLECT_{name.upper()}")) is not None
    }
    for name in found.keys() & {"teams"}:
        found[name] = [part.strip() for part in found[name].split(",") if part.strip()]
    return found


@cache
def _kinds() -> dict[str, Any]:
    return get_type_hints(Settings)


def _check(name: str, value: Any, where: str) -> Any:
    known = _kinds()
    if name not in known:
        raise SettingsError(where, f"unknown setting {name!r}", f"known settings: {', '.join(sorted(known))}")
    check = _CHOICES.get(name)
    made = _convert(known[name], value, where)
    if check and made not in check:
        raise SettingsError(where, f"{_shown(made)} is not one of {', '.join(check)}", "use one of these")
    low, high = _RANGES.get(name, (None, None))
    if low is not None and not low <= made <= high:
        raise SettingsError(where, f"{_shown(made)} is outside {low} to {high}", "choose a value in that range")
    return made


# `local` is the default model, whichever that is.
_CHOICES = {
    "embedder": ("arctic-embed-s", "multilingual-e5-small", "arctic-embed-m-v1.5", "local", "http", "none"),
    "reranker": ("ms-marco-minilm", "mmarco-minilm", "http", "none"),
    "judge": ("openai", "anthropic", "none"),
    "durability": ("full", "process"),
}
_RANGES = {
    "duplicate": (0.0, 1.0), "contradiction": (0.0, 1.0), "similarity_floor": (0.0, 1.0), "deep_merge": (0.0, 1.0),
    "topic_change": (0.0, 1.0),
    "cluster": (0.0, 1.0), "reinforce_weight": (1, 1000), "demote_weight": (-1000, -1),
    "postgres_partitions": (1, 1024), "postgres_connections": (1, 1000), "postgres_connect_seconds": (0.1, 600.0),
    "postgres_wait_seconds": (0.1, 600.0), "postgres_statement_seconds": (0.1, 86_400.0),
    "postgres_lock_seconds": (0.1, 3600.0), "postgres_idle_seconds": (1.0, 86_400.0),
    "limit": (1, 1000), "promotion": (1, 1000), "refresh_clusters": (0, 1_000_000), "embedder_threads": (0, 64),
    "rerank_candidates": (2, 50), "rerank_seconds": (0.05, 600.0), "judge_seconds": (0.05, 600.0),
    "judge_tokens_per_day": (0, 1_000_000_000), "judge_tokens_per_run": (0, 1_000_000_000),
}  # fmt: skip
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def _convert(kind: Any, value: Any, where: str) -> Any:
    """A value as the type of its setting. Only text is read as another type: it may come from the environment."""
    convert, fix = _CONVERSIONS[kind]
    try:
        return convert(value)
    except (TypeError, ValueError, OverflowError):
        raise SettingsError(where, f"{_shown(value)} is not valid", fix) from None


def _shown(value: Any) -> str:
    from recollect.validation import shown  # imported on an error only: it needs numpy

    return shown(value)


def _text(value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError
    return str(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (Integral, float, str)):
        raise TypeError
    made = int(value)
    if isinstance(value, float) and made != value:
        raise ValueError
    return made


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (Real, str)):
        raise TypeError
    made = float(value)
    if not math.isfinite(made):
        raise ValueError
    return made


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise ValueError


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise TypeError
    names = tuple(value)
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    return names


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise TypeError
    return dict(value)


# By the type of a setting: how a value becomes one, and what to write where it cannot.
_CONVERSIONS: dict[Any, tuple[Callable[[Any], Any], str]] = {
    str: (_text, "give text"),
    int: (_whole, "give a whole number"),
    float: (_number, "give a finite number"),
    bool: (_boolean, f"use one of {', '.join(_TRUE + _FALSE)}"),
    tuple[str, ...]: (_names, 'give a list of names, like ["core", "web"]'),
    Mapping[str, str]: (_table, "give a table"),
    Mapping[str, Mapping[str, Any]]: (_table, "give a table"),
}
