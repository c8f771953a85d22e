"""Settings: the only reader of files and environment. File < environment < argument, and each value knows its source.

The user's file is `config.toml` in the user's configuration folder (or where RECOLLECT_CONFIG points). Every key may be set
in the environment as RECOLLECT_<KEY>. `recollect config` prints the result.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, get_type_hints

from recollect.errors import SettingsError

_FOLDER = "recollect"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. The comment beside a field is its help."""

    db: str = ""  # the file (or URL) of the store; empty is the user's own default file
    working: str = ""  # the place of working memory: redis://, rediss://, unix://; empty is beside the store
    account: str = "default"  # whose memories: the wall between tenants
    agent: str = ""  # the agent that asks, for memories of scope agent
    teams: tuple[str, ...] = ()  # the teams it belongs to, for memories of scope team
    project: str = ""  # the project; empty means: found from the folder by doors that have one
    actor: str = "user"  # who the journal says made a change
    profile: str = "hybrid"  # the ranking profile of recall
    limit: int = 5  # how many hits recall returns
    embedder: str = "local"  # local, http or none
    embedder_url: str = ""  # for http: an OpenAI-compatible base URL, for example http://127.0.0.1:11434/v1
    embedder_model: str = ""  # for http: the model to ask for
    embedder_key: str = ""  # for http: the bearer key, if the server wants one
    embedder_threads: int = 0  # for local: threads of the model; 0 lets it choose
    model_folder: str = ""  # for local: a folder that already holds the model files
    cache: str = ""  # where fetched models are kept; empty is the user's cache folder
    offline: bool = False  # never fetch anything
    durability: str = "full"  # full survives power loss; process survives a crash of the process
    touch: bool = True  # recall counts an access on what it returns
    duplicate: float = 0.92  # similarity from which two texts may say the same
    contradiction: float = 0.75  # similarity from which a new memory is compared with an old one
    similarity_floor: float = 0.40  # similarity below which a semantic hit is noise
    deep_merge: float = 0.95  # similarity from which two clusters become one
    promotion: int = 3  # accesses from which an entry of a session becomes a memory
    gaps: bool = True  # recall keeps a question that nothing answers, until a memory does
    infer_tags: bool = True  # remember adds tags that the text and its files plainly tell
    refresh_clusters: int = 50  # clusters are found anew after so many recalls; 0 is never
    postgres_schema: str = "recollect"  # for postgresql://: the schema of the tables; ?schema= in the URL wins
    postgres_role: str = "recollect_app"  # the role that works with the tables; the wall between accounts is its
    postgres_partitions: int = 8  # parts of each table; counts when the schema is made
    postgres_connections: int = 10  # most connections of this process
    postgres_connect_seconds: float = 10.0  # how long to wait for the server when connecting
    postgres_wait_seconds: float = 10.0  # how long to wait for a free connection
    postgres_statement_seconds: float = 30.0  # how long one statement may take
    postgres_lock_seconds: float = 10.0  # how long to wait for another writer of the same account
    postgres_idle_seconds: float = 60.0  # how long a change may stand still before the server gives it up
    personal: Mapping[str, str] = field(default_factory=dict)  # kind of sensitive data -> allow, redact or refuse
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # your own ranking profiles


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
            values[name] = _checked(name, value, where)
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
    """Where the user's own default file is."""
    return _base(environment, "XDG_DATA_HOME", ".local/share") / _FOLDER


def working_file(store: str) -> Path:
    """Where the working memory of a server's store is on this machine, for the processes of this user."""
    name = blake2b(store.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return data_folder(os.environ) / "working" / f"{name}.db"


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where fetched models are kept."""
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
        raise SettingsError(str(path), f"is not valid TOML ({error})", "mend that line") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    simple = {f.name for f in fields(Settings)} - {"personal", "profiles"}
    return {name: value for name in simple if (value := environment.get(f"RECOLLECT_{name.upper()}")) is not None}


@cache
def _kinds() -> dict[str, Any]:
    return get_type_hints(Settings)


def _checked(name: str, value: Any, where: str) -> Any:
    known = _kinds()
    if name not in known:
        raise SettingsError(where, f"unknown setting {name!r}", f"known settings: {', '.join(sorted(known))}")
    check = _CHOICES.get(name)
    made = _converted(known[name], value, where)
    if check and made not in check:
        raise SettingsError(where, f"{made!r} is not one of {', '.join(check)}", "use one of these")
    low, high = _RANGES.get(name, (None, None))
    if low is not None and not low <= made <= high:
        raise SettingsError(where, f"{made} is outside {low} to {high}", "choose a value inside")
    return made


_CHOICES = {"embedder": ("local", "http", "none"), "durability": ("full", "process")}
_RANGES = {
    "duplicate": (0.0, 1.0), "contradiction": (0.0, 1.0), "similarity_floor": (0.0, 1.0), "deep_merge": (0.0, 1.0),
    "postgres_partitions": (1, 1024), "postgres_connections": (1, 1000), "postgres_connect_seconds": (0.1, 600.0),
    "postgres_wait_seconds": (0.1, 600.0), "postgres_statement_seconds": (0.1, 86_400.0),
    "postgres_lock_seconds": (0.1, 3600.0), "postgres_idle_seconds": (1.0, 86_400.0),
    "limit": (1, 1000), "promotion": (1, 1000), "refresh_clusters": (0, 1_000_000), "embedder_threads": (0, 64),
}  # fmt: skip
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def _converted(kind: Any, value: Any, where: str) -> Any:
    try:
        if kind is bool:
            return _boolean(value)
        if kind in (int, float):
            return kind(value)
        if kind is str:
            return str(value)
        if kind == tuple[str, ...]:
            return (
                tuple(part.strip() for part in value.split(",") if part.strip())
                if isinstance(value, str)
                else tuple(value)
            )
        if not isinstance(value, Mapping):
            raise TypeError("a table is needed")
        return dict(value)
    except (TypeError, ValueError) as error:
        raise SettingsError(where, f"{value!r} does not fit ({error})", f"give a value of type {kind}") from error


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise ValueError(f"use one of {', '.join(_TRUE + _FALSE)}")
