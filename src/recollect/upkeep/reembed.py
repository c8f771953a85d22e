"""Re-embed: give every memory a vector of the model in use. Resumable: each run asks only for what is missing."""

from __future__ import annotations

from recollect.ports import Clock, EmbedMany, Progress, Store

_BATCH = 64


def reembed(
    store: Store, account: str, embed: EmbedMany, actor: str, clock: Clock, progress: Progress | None = None
) -> int:
    """Add missing vectors batch by batch, one transaction per batch; returns how many memories got one."""
    embed([])  # registers the model with the store, which can then tell what it has not embedded
    with store.view() as reader:
        total = int(reader.count(account, clock())["unembedded"])
    done = 0
    while True:
        with store.view() as reader:
            waiting = reader.unembedded(account, _BATCH)
        if not waiting:
            return done
        vectors = embed(waiting)
        with store.transaction(account, actor, clock(), origin="upkeep") as tx:
            for record, made in zip(waiting, vectors, strict=True):
                tx.set_vectors(account, record.id, made)
        done += len(waiting)
        if progress is not None:
            progress(done, max(total, done))
