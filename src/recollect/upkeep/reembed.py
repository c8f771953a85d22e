"""Re-embed: give every memory a vector of the model in use. Resumable: it only ever asks what is still missing."""

from __future__ import annotations

from recollect.ports import Clock, EmbedMany, Progress, Store

_BATCH = 64


def reembed(
    store: Store, account: str, embed: EmbedMany, actor: str, clock: Clock, progress: Progress | None = None
) -> int:
    """Fill in missing vectors batch by batch, each batch durable on its own; returns how many memories got one."""
    embed([])  # the store must know the model before it is asked what that model has not embedded
    with store.reading() as reader:
        total = int(reader.count(account, clock())["unembedded"])
    done = 0
    while True:
        with store.reading() as reader:
            waiting = reader.unembedded(account, _BATCH)
        if not waiting:
            return done
        vectors = embed(waiting)
        with store.transaction(account, actor, clock()) as tx:
            for record, made in zip(waiting, vectors, strict=True):
                tx.set_vectors(account, record.id, made)
        done += len(waiting)
        if progress is not None:
            progress(done, max(total, done))
