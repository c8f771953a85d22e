"""The doctor: the health of a store, its index, its embedder and calibration, and of working memory."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from recollect.errors import EmbedderError
from recollect.ports import Embedder, Reranker, Store, Working
from recollect.values.scope import Identity


def examine(
    store: Store,
    identity: Identity,
    now: datetime,
    embedder: Embedder | None,
    missing: str | None,
    working: Working,
    reranker: Reranker | None = None,
) -> dict[str, Any]:
    """Findings by name; `problems` lists what needs attention, each with what to do. Counted is what an identity reaches."""
    found = store.check()
    problems: list[str] = []
    model = _embedder(embedder, missing, problems) | _reranker(reranker, problems)
    with store.view() as reader:
        counts = reader.count(identity.account, now, identity)
        off = sorted(reader.switched_off(identity.account))
    if found["integrity"] != "ok":
        problems.append(f"the file is damaged ({found['integrity']}); restore a backup")
    if found["orphans"]:
        problems.append(f"{found['orphans']} rows refer to missing rows; restore a backup")
    if found.get("disk_problem"):
        problems.append(f"the disk cannot be written ({found['disk_problem']}); free some space")
    if found.get("snapshot_problem"):
        problems.append(
            f"the index snapshot could not be written ({found['snapshot_problem']}); the next start is slower"
        )
    problems += found.pop("findings", ())
    if embedder is not None and counts["unembedded"]:
        problems.append(
            f"memories without a vector of {embedder.model}: {counts['unembedded']}; run `recollect reembed`"
        )
    beside = working.check()
    if beside["problem"]:
        problems.append(beside["problem"])
    if off:
        problems.append(
            f"memory is off for {', '.join('every project' if p == '*' else p for p in off)}; `recollect enable`"
        )
    return {
        **found,
        "memories": sum(counts["statuses"].values()),
        "vectors": counts["models"],
        **model,
        "working": beside,
        "problems": problems,
    }


def _embedder(embedder: Embedder | None, missing: str | None, problems: list[str]) -> dict[str, Any]:
    if embedder is None:
        problems.append(missing or "no embedder: recall is lexical only")
        return {"embedder": None}
    try:
        embedder.embed_documents(["Is the model there?"])
        texts, queries = embedder.calibration, embedder.query_calibration
        scale = {f"{t:g}": round(float(texts.similarity(t)), 3) for t in (0.5, 0.7, 0.8, 0.9, 0.95, 1.0)}
        return {
            "embedder": embedder.model,
            "dimensions": embedder.dimensions,
            "calibration": {"texts": str(texts), "queries": str(queries), "similarity of cosine": scale},
        }
    except EmbedderError as error:
        problems.append(f"the embedder does not answer: {error}")
        return {"embedder": "unavailable"}


def _reranker(reranker: Reranker | None, problems: list[str]) -> dict[str, Any]:
    if reranker is None:
        return {}
    try:
        reranker("Is the model there?", ["The model is there.", "It rains."])
    except Exception as error:  # foreign code may raise anything; recall works without it
        problems.append(f"the reranker does not answer: {error}")
        return {"reranker": "unavailable"}
    return {"reranker": str(getattr(reranker, "model", type(reranker).__name__))}
