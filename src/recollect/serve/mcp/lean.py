"""Lean: import the SDK in two thirds of the time. It declares five hundred models, of which a session uses thirty.

Pydantic builds the validator of a model when it is declared, unless the model inherits that it be built when it is first
used. The collector finds nothing to collect among modules and classes, and looks at all of them again and again.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lean_imports() -> Iterator[None]:
    """Everything that is imported within stays: built late, and never looked at by the collector again."""
    gc.disable()
    from pydantic import BaseModel

    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        gc.freeze()
        gc.enable()
