"""recollect: long-term memory for AI agents. `recollect.open()` gives a `Memory`; its methods are the verbs.

Nothing heavy is imported before it is used: names resolve on first access.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.errors import (
        AmbiguousId,
        CommitUnknown,
        Disabled,
        EmbedderError,
        EmbedderUnavailable,
        InvalidInput,
        ModelMismatch,
        NotFound,
        ReadOnly,
        RecollectError,
        SettingsError,
        StaleVersion,
        StoreBusy,
        StoreDamaged,
        StoreError,
        StoreFull,
        StoreNewer,
        StoreUnavailable,
        WorkingUnavailable,
    )
    from recollect.offload import AsyncMemory, open_async
    from recollect.upkeep.tags import Tag
    from recollect.values.cluster import Cluster
    from recollect.values.draft import Draft
    from recollect.values.event import Event
    from recollect.values.gap import Gap, Topic
    from recollect.values.graph import Graph, GraphEdge, GraphNode
    from recollect.values.hit import Explanation, Hit, Recalled, Related, Signal
    from recollect.values.link import Link
    from recollect.values.memory import Provenance, Record
    from recollect.values.moved import Copied, Exported, Imported, LeftOut
    from recollect.values.origin import Origin
    from recollect.values.outcome import Conflict, Contradiction, Outcome, Refused, Reinforced, Stored, Superseded
    from recollect.values.procedure import Procedure
    from recollect.verbs.moving import copy
    from recollect.wiring import open_memory as open

_HOMES = {
    ".engine": ("Memory",),
    ".errors": (
        "AmbiguousId", "CommitUnknown", "Disabled", "EmbedderError", "EmbedderUnavailable", "InvalidInput", "ModelMismatch",
        "NotFound", "ReadOnly", "RecollectError", "SettingsError", "StaleVersion", "StoreBusy", "StoreDamaged", "StoreError",
        "StoreFull", "StoreNewer", "StoreUnavailable", "WorkingUnavailable",
    ),
    ".offload": ("AsyncMemory", "open_async"),
    ".upkeep.tags": ("Tag",),
    ".values.cluster": ("Cluster",),
    ".values.draft": ("Draft",),
    ".values.event": ("Event",),
    ".values.gap": ("Gap", "Topic"),
    ".values.graph": ("Graph", "GraphEdge", "GraphNode"),
    ".values.hit": ("Explanation", "Hit", "Recalled", "Related", "Signal"),
    ".values.link": ("Link",),
    ".values.memory": ("Provenance", "Record"),
    ".values.moved": ("Copied", "Exported", "Imported", "LeftOut"),
    ".values.origin": ("Origin",),
    ".values.procedure": ("Procedure",),
    ".values.outcome": ("Conflict", "Contradiction", "Outcome", "Refused", "Reinforced", "Stored", "Superseded"),
    ".verbs.moving": ("copy",),
    ".wiring": ("open_memory",),
}  # fmt: skip
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [
    "AmbiguousId", "AsyncMemory", "Cluster", "CommitUnknown", "Conflict", "Contradiction", "Copied", "Disabled", "Draft",
    "EmbedderError", "EmbedderUnavailable", "Event", "Explanation", "Exported", "Gap", "Graph", "GraphEdge",
    "GraphNode", "Hit", "Imported", "InvalidInput", "LeftOut", "Link", "Memory", "ModelMismatch", "NotFound", "Origin",
    "Outcome", "Procedure", "Provenance", "ReadOnly", "Recalled", "RecollectError", "Record", "Refused", "Reinforced",
    "Related", "SettingsError", "Signal", "StaleVersion", "StoreBusy", "StoreDamaged", "StoreError", "StoreFull",
    "StoreNewer", "StoreUnavailable", "Stored", "Superseded", "Tag", "Topic", "WorkingUnavailable", "copy", "open", "open_async",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    wanted = "open_memory" if name == "open" else name
    if wanted not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[wanted], __name__), wanted)


def __dir__() -> list[str]:
    return sorted(__all__)
