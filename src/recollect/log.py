"""The logger `recollect`: INFO for long operations, WARNING for what works less well than it could, DEBUG for every verb.

Messages have counts, durations, kinds of errors and names of models: never a text, a tag, a name of somebody's or a secret.
A program that does not use `logging` pays nothing: then it is not even imported, which takes as long as a recall.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from time import perf_counter
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from logging import Logger

NAME = "recollect"
_DEBUG, _INFO, _WARNING = 10, 20, 30
_Class = TypeVar("_Class", bound=type)


def debug(message: str, *values: object) -> None:
    """What helps to find a fault."""
    _write(_DEBUG, message, values)


def info(message: str, *values: object) -> None:
    """What takes long: when it is done, how much it was and how long it took."""
    _write(_INFO, message, values)


def warning(message: str, *values: object) -> None:
    """What works, but less well than it could."""
    _write(_WARNING, message, values)


@contextmanager
def timed(what: str) -> Iterator[Counter[str]]:
    """Log a long operation with the counts that it filled in and its duration, also when it fails."""
    counts, started = Counter[str](), perf_counter()
    try:
        yield counts
    except BaseException as error:
        warning("%s: ended by %s after %.2f s", what, type(error).__name__, perf_counter() - started)
        raise
    info("%s: %s in %.2f s", what, _shown(counts), perf_counter() - started)


def logged(cls: _Class) -> _Class:
    """A class decorator: each public method logs its name and duration, long operations also how much they did."""
    for name, method in list(vars(cls).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(cls, name, _logged(name, method))
    return cls


def _logged(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    counted = _LONG.get(name)

    @wraps(method)
    def call(*arguments: Any, **options: Any) -> Any:
        if _logger() is None:
            return method(*arguments, **options)
        started = perf_counter()
        try:
            result = method(*arguments, **options)
        except Exception as error:
            debug("%s: %s after %.1f ms", name, type(error).__name__, 1000 * (perf_counter() - started))
            raise
        seconds = perf_counter() - started
        counts = None if counted is None else counted(result)
        if counts:
            info("%s: %s in %.2f s", name, _shown(counts), seconds)
        else:
            debug("%s: %.1f ms", name, 1000 * seconds)
        return result

    return call


def _outcomes(outcomes: Any) -> Mapping[str, int]:
    return Counter(outcome.kind for outcome in outcomes) if len(outcomes) > 1 else {}


def _imported(done: Any) -> Mapping[str, int]:
    names = ("stored", "updated", "unchanged", "refused", "forgotten")
    return {"dry run": int(done.dry_run), **{name: getattr(done, name) for name in names}}


# The verbs that may take long, and what their results count. One draft is not a bulk load.
_LONG: Mapping[str, Callable[[Any], Mapping[str, int]]] = {
    "remember_many": _outcomes,
    "import_data": _imported,
    "import_from": lambda report: {"imported from elsewhere": 0, **report.counts},
    "extract": lambda report: {} if report.dry_run else report.counts,
    "export": lambda done: {"memory": 0, **done.counts},
    "reembed": lambda count: {"embedded": count},
    "purge": lambda done: {"erased": 0 if done.dry_run else 1 + len(done.erased)},
    "erase_user": lambda done: {} if done.dry_run else {"erased": sum(done.counts.values())},
    "vacuum": lambda done: {"copies left": len(done.pending)},
}


def _shown(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "done"


def _write(level: int, message: str, values: tuple[object, ...]) -> None:
    logger = _logger()
    if logger is not None:
        logger.log(level, message, *values)


def _logger() -> Logger | None:
    """The logger, unless nobody can listen. Its handler is the one that libraries have: it writes nothing."""
    logging = sys.modules.get("logging")
    if logging is None or not hasattr(logging, "getLogger"):
        return None
    logger: Logger = logging.getLogger(NAME)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger
