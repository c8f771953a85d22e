"""Figures of a store, its health, and the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.serve.cli.page import Line, Page, Piece
from recollect.serve.cli.views.words import aligned, bar, memories


def show_stats(page: Page, stats: Mapping[str, Any]) -> None:
    """How many memories there are, and of what kinds."""
    page.line(Piece(memories(sum(stats["statuses"].values())), "strong"), f" of account {stats['account']}")
    for title, name in (("status", "statuses"), ("type", "types"), ("scope", "scopes"), ("project", "projects")):
        _chart(page, title, stats[name])
    _chart(page, "tag", {f"#{tag}": count for tag, count in stats["tags"].items()})
    page.line()
    rows: list[tuple[str, Line]] = [("journal", (f"{stats['events']:,} event{'' if stats['events'] == 1 else 's'}",))]
    rows += [("vectors", (f"{count:,} of {model}",)) for model, count in stats["models"].items()]
    if stats["unembedded"]:
        rows.append(("no vector", (Piece(f"{memories(stats['unembedded'])}; `recollect reembed`", "warn"),)))
    if stats["off"]:
        rows.append(("switched off", (Piece(_projects(stats["off"]), "warn"),)))
    for line in aligned(rows):
        page.line(*line)


def _chart(page: Page, title: str, counts: Mapping[str, int]) -> None:
    if not counts:
        return
    page.line()
    page.line(Piece(f"by {title}", "dim"))
    width, most = max(map(len, counts)), max(counts.values())
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        page.line(f"  {name.ljust(width)}  ", *bar(count / most), f"  {count:,}")


def show_doctor(page: Page, found: Mapping[str, Any]) -> None:
    """Findings, then what needs a hand."""
    scale = found.get("calibration", {})
    rows: list[tuple[str, Line]] = [
        ("store", (str(found["path"]),)),
        ("integrity", (Piece(str(found["integrity"]), "good" if found["integrity"] == "ok" else "bad"),)),
        *((name, (str(value),)) for name, value in found.get("server", {}).items()),
        ("schema", (str(found["schema"]),)),
        ("writable", ("yes" if found["writable"] else "no",)),
        ("size", (f"{_size(found['bytes'])}, index {_size(found['index_bytes'])}",)),
        ("memories", (f"{found['memories']:,}",)),
        *(("vectors", (f"{count:,} of {model}",)) for model, count in found["vectors"].items()),
        ("embedder", (str(found["embedder"] or "none: recall is by words alone"),)),
        ("working memory", _working(found["working"])),
        *((f"calibration, {name}", (str(value),)) for name, value in scale.items() if isinstance(value, str)),
    ]
    for line in aligned(rows):
        page.line(*line)
    steps = scale.get("similarity of cosine", {})
    if steps:
        page.line()
        page.line(Piece("raw cosine and the similarity it stands for", "dim"))
        for cosine, similarity in steps.items():
            page.line(f"  {cosine.ljust(5)}  ", *bar(similarity), f"  {similarity:.2f}")
    page.line()
    if not found["problems"]:
        page.line(Piece("✓ nothing needs a hand", "good"))
    for problem in found["problems"]:
        page.line(Piece("! ", "bad"), problem)


def _working(found: Mapping[str, Any]) -> Line:
    if found["problem"]:
        return (Piece(str(found["place"]), "bad"),)
    return (", ".join(str(found[name]) for name in ("place", "server") if name in found),)


def show_settings(page: Page, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Every setting, its value and where it comes from."""
    rows = [(name, _setting(entry["value"]), Piece(entry["source"], "dim")) for name, entry in settings.items()]
    page.table(("setting", "value", "source"), rows)


def _setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={inner}" for name, inner in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value) or "–"


def _projects(names: list[str]) -> str:
    return ", ".join("every project" if name == "*" else name for name in names)


def _size(size: float) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
