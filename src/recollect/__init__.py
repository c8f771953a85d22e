"""recollect: long-term memory for AI agents. `recollect.open()` gives a `Memory`; its methods are the verbs.

Nothing heavy is imported before it is used: names resolve on first access.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.aio import AsyncCompanion, AsyncMemory, AsyncOpening, open_async
    from recollect.companion.companion import Companion
    from recollect.companion.report import ExtractedItem, ExtractionReport, SessionExtraction
    from recollect.config import SettingsFields
    from recollect.engine import Memory, copy
    from recollect.errors import (
        AmbiguousId,
        CommitUnknown,
        Disabled,
        EmbedderError,
        EmbedderUnavailable,
        InvalidInput,
        JudgeError,
        NeedsConfirmation,
        NotFound,
        PartlyDone,
        ReadOnly,
        RecollectError,
        RerankerError,
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
    from recollect.portable.drafts import IngestReport
    from recollect.ports import Clock, Decider, Embedder, Progress, Reranker
    from recollect.recall.context import BlockFields
    from recollect.selection import Selection
    from recollect.tiers.contexts import Contexts
    from recollect.tiers.narratives import Narratives
    from recollect.tiers.pools import Pools
    from recollect.tiers.router import Router
    from recollect.tiers.short_term import ShortTerm
    from recollect.tiers.working import WorkingMemory
    from recollect.values.changed import Changed, NotChanged
    from recollect.values.cluster import Cluster
    from recollect.values.companion import Surfaced, Turn
    from recollect.values.conversation import Message
    from recollect.values.document import Access
    from recollect.values.draft import Draft, DraftFields, UpdateFields
    from recollect.values.enums import (
        AccessLevel,
        ChangeOrigin,
        ContextType,
        Delivery,
        JudgeWhen,
        LinkRelation,
        MemoryType,
        PoolType,
        ProvenanceKind,
        Resolution,
        Scope,
        SearchMode,
        ShortTermType,
        Status,
        Tier,
        Verdict,
    )
    from recollect.values.erased import Erased
    from recollect.values.event import Event
    from recollect.values.gap import Gap, Topic
    from recollect.values.judging import (
        Decision,
        Evidence,
        HowRelated,
        IsRelevant,
        JudgedBy,
        JudgeTest,
        JudgeUsage,
        Question,
        UsageRow,
        WorthKeeping,
    )
    from recollect.values.link import Graph, GraphEdge, GraphNode, Link
    from recollect.values.memory import Page, Provenance, ProvenanceChain, Record
    from recollect.values.outcome import Conflict, Contradiction, Outcome, Refused, Reinforced, Stored, Superseded
    from recollect.values.procedure import Procedure
    from recollect.values.purge import Erasure, Purged, Repeat
    from recollect.values.recalled import Block, BlockItem, Explanation, Hit, Omitted, Recalled, Related, Signal
    from recollect.values.search import FilterFields
    from recollect.values.tag import Tag
    from recollect.values.tiers import (
        Consolidated,
        Context,
        ContextFields,
        Difference,
        Grants,
        Pool,
        PoolFields,
        Routed,
        RunPool,
        ShortTermEntry,
        Snapshot,
        TierHit,
    )
    from recollect.values.transfer import Copied, Exported, Imported, RefusedItem
    from recollect.values.undone import Undone
    from recollect.wiring import open_memory as open

_HOMES = {
    ".aio": ("AsyncCompanion", "AsyncMemory", "AsyncOpening", "open_async",),
    ".companion.companion": ("Companion",),
    ".companion.report": ("ExtractedItem", "ExtractionReport", "SessionExtraction",),
    ".config": ("SettingsFields",),
    ".engine": ("Memory", "copy",),
    ".errors": ("AmbiguousId", "CommitUnknown", "Disabled", "EmbedderError", "EmbedderUnavailable", "InvalidInput", "JudgeError",
        "NeedsConfirmation", "NotFound", "PartlyDone", "ReadOnly", "RecollectError", "RerankerError", "SettingsError",
        "StaleVersion", "StoreBusy", "StoreDamaged", "StoreError", "StoreFull", "StoreNewer", "StoreUnavailable",
        "WorkingUnavailable",),
    ".portable.drafts": ("IngestReport",),
    ".ports": ("Clock", "Decider", "Embedder", "Progress", "Reranker",),
    ".recall.context": ("BlockFields",),
    ".selection": ("Selection",),
    ".tiers.contexts": ("Contexts",),
    ".tiers.narratives": ("Narratives",),
    ".tiers.pools": ("Pools",),
    ".tiers.router": ("Router",),
    ".tiers.short_term": ("ShortTerm",),
    ".tiers.working": ("WorkingMemory",),
    ".values.changed": ("Changed", "NotChanged",),
    ".values.cluster": ("Cluster",),
    ".values.companion": ("Surfaced", "Turn",),
    ".values.conversation": ("Message",),
    ".values.document": ("Access",),
    ".values.draft": ("Draft", "DraftFields", "UpdateFields",),
    ".values.enums": ("AccessLevel", "ContextType", "Delivery", "JudgeWhen", "LinkRelation", "MemoryType", "PoolType",
        "ChangeOrigin", "ProvenanceKind", "Scope", "SearchMode", "ShortTermType", "Status", "Resolution", "Tier", "Verdict",),
    ".values.erased": ("Erased",),
    ".values.event": ("Event",),
    ".values.gap": ("Gap", "Topic",),
    ".values.judging": ("Decision", "Evidence", "HowRelated", "IsRelevant", "JudgeTest", "JudgeUsage", "JudgedBy",
        "Question", "UsageRow", "WorthKeeping",),
    ".values.link": ("Graph", "GraphEdge", "GraphNode", "Link",),
    ".values.memory": ("Page", "Provenance", "ProvenanceChain", "Record",),
    ".values.outcome": ("Conflict", "Contradiction", "Outcome", "Refused", "Reinforced", "Stored", "Superseded",),
    ".values.procedure": ("Procedure",),
    ".values.purge": ("Erasure", "Purged", "Repeat",),
    ".values.recalled": ("Block", "BlockItem", "Explanation", "Hit", "Omitted", "Recalled", "Related", "Signal",),
    ".values.search": ("FilterFields",),
    ".values.tag": ("Tag",),
    ".values.tiers": ("Consolidated", "Context", "ContextFields", "Difference", "Grants", "Pool", "PoolFields",
        "Routed", "RunPool", "ShortTermEntry", "Snapshot", "TierHit",),
    ".values.transfer": ("Copied", "Exported", "Imported", "RefusedItem",),
    ".values.undone": ("Undone",),
    ".wiring": ("open_memory",),
}  # fmt: skip
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [
    "Access", "AccessLevel", "AmbiguousId", "AsyncCompanion", "AsyncMemory", "AsyncOpening", "Block", "BlockFields",
    "BlockItem", "ChangeOrigin", "Changed", "Clock", "Cluster", "CommitUnknown", "Companion", "Conflict",
    "Consolidated", "Context", "ContextFields", "ContextType", "Contexts", "Contradiction", "Copied", "Decider",
    "Decision", "Delivery", "Difference", "Disabled", "Draft", "DraftFields", "Embedder", "EmbedderError",
    "EmbedderUnavailable", "Erased", "Erasure", "Event", "Evidence", "Explanation", "Exported", "ExtractedItem",
    "ExtractionReport", "FilterFields", "Gap", "Grants", "Graph", "GraphEdge", "GraphNode", "Hit", "HowRelated",
    "Imported", "IngestReport", "InvalidInput", "IsRelevant", "JudgeError", "JudgeTest", "JudgeUsage", "JudgeWhen",
    "JudgedBy", "Link", "LinkRelation", "Memory", "MemoryType", "Message", "Narratives", "NeedsConfirmation",
    "NotChanged", "NotFound", "Omitted", "Outcome", "Page", "PartlyDone", "Pool", "PoolFields", "PoolType", "Pools",
    "Procedure", "Progress", "Provenance", "ProvenanceChain", "ProvenanceKind", "Purged", "Question", "ReadOnly",
    "Recalled", "RecollectError", "Record", "Refused", "RefusedItem", "Reinforced", "Related", "Repeat", "Reranker",
    "RerankerError", "Resolution", "Routed", "Router", "RunPool", "Scope", "SearchMode", "Selection",
    "SessionExtraction", "SettingsError", "SettingsFields", "ShortTerm", "ShortTermEntry", "ShortTermType",
    "Signal", "Snapshot", "StaleVersion", "Status", "StoreBusy", "StoreDamaged", "StoreError", "StoreFull",
    "StoreNewer", "StoreUnavailable", "Stored", "Superseded", "Surfaced", "Tag", "Tier", "TierHit", "Topic", "Turn",
    "Undone", "UpdateFields", "UsageRow", "Verdict", "WorkingMemory", "WorkingUnavailable", "WorthKeeping", "copy",
    "open", "open_async",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    wanted = "open_memory" if name == "open" else name
    if wanted not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[wanted], __name__), wanted)


def __dir__() -> list[str]:
    return sorted(__all__)
