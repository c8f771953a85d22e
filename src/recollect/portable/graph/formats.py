"""A graph as JSON, for Graphviz, and as GraphML, which yEd, Gephi and networkx read.

Memories may contain what a file cannot: lone surrogates, control characters, numbers that are not finite. `graph_fields` replaces
them once; the formats only quote.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree as ET

from recollect.values.enums import LOW_TRUST
from recollect.values.link import Graph

Fields = dict[str, Any]

HIGH_TRUST = 0.8
_SURROGATES = re.compile("[\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graph_fields(graph: Graph) -> Fields:
    """Title, left_out, nodes and edges; without None values, and without edges to nodes that are not shown."""
    shown = {node.key for node in graph.nodes}
    return {
        "title": _encodable(graph.title),
        "left_out": graph.left_out,
        "nodes": [_known(asdict(node)) for node in graph.nodes],
        "edges": [_known(asdict(edge)) for edge in graph.edges if {edge.source, edge.target} <= shown],
    }


def as_json(graph: Graph) -> str:
    """The graph as JSON, with the full texts."""
    return json.dumps(graph_fields(graph), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def printable(text: str) -> str:
    """The text without the characters that XML 1.0 forbids, which are invisible in other formats too."""
    return _NOT_XML.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def shorten(text: str, most: int) -> str:
    """The text on one line, cut at the end of a word if there is one near the limit."""
    line = " ".join(printable(text[: most * 4]).split())
    if len(line) <= most:
        return line if len(text) <= most * 4 else f"{line} …"
    whole, space, _ = line[:most].rpartition(" ")
    return f"{whole if space and len(whole) > most * 2 // 3 else line[: most - 1]}…"


def trust_level(trust: float | None) -> str:
    """High (stated by people and systems), middle (derived), low (reads like an attack), or unknown."""
    if trust is None:
        return "unknown"
    return "high" if trust >= HIGH_TRUST else "low" if trust <= LOW_TRUST else "middle"


def _encodable(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)


def _known(fields: Fields) -> Fields:
    kept = {name: _encodable(value) if isinstance(value, str) else value for name, value in fields.items()}
    return {name: value for name, value in kept.items() if value is not None and not _unwritable(value)}


def _unwritable(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


_LABEL = 40
_TOOLTIP = 300
_SHAPES = {"memory": "box", "tag": "diamond", "cluster": "hexagon"}
_FILLS = {"tag": "#e6e0fa", "cluster": "#dce8f7"}
_TRUST_FILLS = {"high": "#d5efe9", "middle": "#faecc8", "low": "#f6dbe4", "unknown": "#ececec"}
_COLOURS = {
    "has_tag": "#8a7cc9",
    "in_cluster": "#5b86bd",
    "relates_to": "#7a8087",
    "supersedes": "#147a52",
    "contradicts": "#c8232c",
    "derived_from": "#96621a",
}
_STYLES = {"has_tag": "dotted", "in_cluster": "dashed", "derived_from": "dashed"}
_ARROWS = ("supersedes", "derived_from")
_OTHER = "#7a8087"


def as_dot(graph: Graph) -> str:
    """A Graphviz digraph. Nodes are numbered, so that keys need not be legal names; relations without direction have no arrow."""
    return "\n".join(_lines(graph_fields(graph))) + "\n"


def _lines(fields: Fields) -> Iterator[str]:
    title = printable(fields["title"])
    caption = f"{title}\n{fields['left_out']} more not shown" if fields["left_out"] else title
    numbers = {node["key"]: place for place, node in enumerate(fields["nodes"])}
    yield "// Draw it: dot -Kfdp -Tsvg graph.dot > graph.svg"
    yield f"digraph {_quoted(title)} {{"
    yield f"  graph {_attributes(label=caption, labelloc='t', charset='UTF-8', overlap='false', rankdir='LR')};"
    yield f"  node {_attributes(fontname='Helvetica', fontsize='11', style='filled', color='#5f6670')};"
    yield f"  edge {_attributes(fontname='Helvetica', fontsize='9')};"
    for number, node in enumerate(fields["nodes"]):
        yield f"  n{number} {_node(node)};"
    for edge in fields["edges"]:
        yield f"  n{numbers[edge['source']]} -> n{numbers[edge['target']]} {_edge(edge)};"
    yield "}"


def _node(node: Fields) -> str:
    fill = _FILLS.get(node["kind"]) or _TRUST_FILLS[trust_level(node.get("trust"))]
    return _attributes(
        label=shorten(node["label"], _LABEL),
        tooltip=shorten(node.get("content") or node["label"], _TOOLTIP),
        shape=_SHAPES.get(node["kind"], "ellipse"),
        fillcolor=fill,
        style="filled" if node.get("status", "active") == "active" else "filled,dashed",
        penwidth="2.5" if node["seed"] else "1",
    )


def _edge(edge: Fields) -> str:
    relation = printable(edge["relation"])
    width = 0.8 + 2.2 * min(max(edge.get("weight", 1.0), 0.0), 1.0) if relation == "relates_to" else 1.2
    return _attributes(
        tooltip=relation.replace("_", " "),
        color=_COLOURS.get(relation, _OTHER),
        style=_STYLES.get(relation, "solid"),
        dir="forward" if relation in _ARROWS else "none",
        penwidth=f"{width:.2f}",
    )


def _attributes(**values: str) -> str:
    return f"[{', '.join(f'{name}={_quoted(value)}' for name, value in values.items())}]"


def _quoted(text: str) -> str:
    # Graphviz reads backslash sequences and HTML entities inside quotes, so both are written as themselves.
    text = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'.replace("\n", "\\n")


_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_ATTRIBUTES: dict[str, dict[str, str]] = {
    "graph": {"title": "string", "left_out": "int"},
    "node": {
        "key": "string",
        "kind": "string",
        "label": "string",
        "content": "string",
        "type": "string",
        "scope": "string",
        "status": "string",
        "trust": "double",
        "confidence": "double",
        "size": "int",
        "score": "double",
        "seed": "boolean",
    },
    "edge": {"relation": "string", "weight": "double"},
}


def as_graphml(graph: Graph) -> str:
    """A directed GraphML document with a declared type per attribute; ids are numbers, because GraphML ids allow few characters."""
    fields = graph_fields(graph)
    root = ET.Element("graphml", {"xmlns": _NAMESPACE})
    for owner, attributes in _ATTRIBUTES.items():
        for name, kind in attributes.items():
            about = {"id": f"{owner}.{name}", "for": owner, "attr.name": name, "attr.type": kind}
            ET.SubElement(root, "key", about)
    drawn = ET.SubElement(root, "graph", {"id": "memories", "edgedefault": "directed"})
    _describe(drawn, "graph", fields)
    numbers = {node["key"]: f"n{place}" for place, node in enumerate(fields["nodes"])}
    for place, node in enumerate(fields["nodes"]):
        _describe(ET.SubElement(drawn, "node", {"id": f"n{place}"}), "node", node)
    for place, edge in enumerate(fields["edges"]):
        ends = {"id": f"e{place}", "source": numbers[edge["source"]], "target": numbers[edge["target"]]}
        _describe(ET.SubElement(drawn, "edge", ends), "edge", edge)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _describe(element: ET.Element, owner: str, fields: Fields) -> None:
    for name in _ATTRIBUTES[owner]:
        if name in fields:
            ET.SubElement(element, "data", {"key": f"{owner}.{name}"}).text = _text(fields[name])


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else printable(str(value))
