"""What memories share: tags and clusters, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recollect.serve.cli.page import Page, Piece
from recollect.serve.cli.times import age
from recollect.serve.cli.views.words import flat
from recollect.values.cluster import Cluster


class Tag(Protocol):
    """A tag as it is told."""

    @property
    def name(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def description(self) -> str | None: ...


def show_tags(page: Page, tags: Sequence[Tag]) -> None:
    """Every tag, how many memories carry it, and what it means."""
    if not tags:
        page.line(Piece("no tags yet; `recollect tag` adds some", "dim"))
        return
    rows = [(Piece(f"#{tag.name}", "id"), f"{tag.count:,}", flat(tag.description or "")) for tag in tags]
    described = any(tag.description for tag in tags)
    page.table(("tag", ">memories", "what it means") if described else ("tag", ">memories", ""), rows)


def show_clusters(page: Page, clusters: Sequence[Cluster], now: datetime, *, fresh: bool) -> None:
    """Every cluster, the largest first; `fresh` ones were looked for just now."""
    if not clusters:
        why = (
            "too few memories with vectors lie close together"
            if fresh
            else "`recollect clusters --refresh` looks for some"
        )
        page.line(Piece(f"no clusters; {why}", "dim"))
        return
    rows = [
        (Piece(each.id[-8:], "id"), f"{each.size:,}", Piece(age(each.made_at, now), "dim"), flat(each.name))
        for each in clusters
    ]
    page.table(("id", ">memories", "found", "about"), rows)
