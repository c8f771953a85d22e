"""The log of a command on stderr, with `--verbose` or RECOLLECT_LOG."""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import SettingsError

_LEVELS = ("debug", "info", "warning")


def start_logging(verbose: int, wished: str) -> Callable[[], None]:
    """Write the log of `recollect` to stderr, if it is wished for, else `logging` is not imported; returns how to stop."""
    if wished and wished.lower() not in _LEVELS:
        raise SettingsError("RECOLLECT_LOG", f"{wished[:20]!r} is no level", f"use one of {', '.join(_LEVELS)}")
    level = ("info", "debug")[min(verbose, 2) - 1] if verbose else wished.lower()
    if not level:
        return lambda: None
    import logging

    from recollect.log import NAME

    logger = logging.getLogger(NAME)
    logger.setLevel(level.upper())
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    return lambda: logger.removeHandler(handler)
