"""A graph as text: an interactive page, Graphviz, GraphML or JSON. The engine gathers the graph, the command line writes the text.

All forms start from the plain fields of `plain.py`, so that none of them meets a character it cannot carry.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import InvalidInput
from recollect.portable.graph.dot import as_dot
from recollect.portable.graph.graphml import as_graphml
from recollect.portable.graph.page import as_page
from recollect.portable.graph.plain import as_json
from recollect.values.graph import Graph

_FORMS: dict[str, Callable[[Graph], str]] = {
    "html": as_page,
    "dot": as_dot,
    "graphml": as_graphml,
    "json": as_json,
}
FORMATS: tuple[str, ...] = tuple(_FORMS)


def rendered(graph: Graph, form: str) -> str:
    """The graph in one of FORMATS; the same graph always gives the same text."""
    if form not in _FORMS:
        raise InvalidInput("form", f"{form!r} is not a form of a graph", f"use one of {', '.join(FORMATS)}")
    return _FORMS[form](graph)
