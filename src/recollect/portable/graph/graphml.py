"""The graph as GraphML, which yEd, Gephi and networkx read: every field is an attribute with a declared type."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from recollect.portable.graph.plain import Fields, legible, plain_fields
from recollect.values.graph import Graph

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
    """A directed GraphML document; ids are numbers because a GraphML id may hold neither spaces nor most signs."""
    fields = plain_fields(graph)
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
    return str(value).lower() if isinstance(value, bool) else legible(str(value))
