"""Renders a graph of memories as an interactive HTML page, Graphviz, GraphML or JSON.

All formats start from `formats.graph_fields`, so that no format gets a character it cannot represent.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import InvalidInput
from recollect.portable.graph.formats import as_dot, as_graphml, as_json
from recollect.portable.graph.page import as_page
from recollect.values.link import Graph

_RENDERERS: dict[str, Callable[[Graph], str]] = {
    "html": as_page,
    "dot": as_dot,
    "graphml": as_graphml,
    "json": as_json,
}
FORMATS: tuple[str, ...] = tuple(_RENDERERS)


def render_graph(graph: Graph, form: str) -> str:
    """The graph in one of FORMATS; the same graph always gives the same text."""
    if form not in _RENDERERS:
        raise InvalidInput("form", f"{form!r} is not a format of a graph", f"use one of {', '.join(FORMATS)}")
    return _RENDERERS[form](graph)
