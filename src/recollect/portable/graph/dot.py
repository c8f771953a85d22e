"""The graph for Graphviz: shapes by kind, colours by relation. Nodes are numbered, so that no key has to be a legal name."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.portable.graph.plain import Fields, legible, plain_fields, shortened, trust_level
from recollect.values.graph import Graph

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
    """A digraph; relations that have no direction are drawn without an arrow."""
    return "\n".join(_lines(plain_fields(graph))) + "\n"


def _lines(fields: Fields) -> Iterator[str]:
    title = legible(fields["title"])
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
        label=shortened(node["label"], _LABEL),
        tooltip=shortened(node.get("content") or node["label"], _TOOLTIP),
        shape=_SHAPES.get(node["kind"], "ellipse"),
        fillcolor=fill,
        style="filled" if node.get("status", "active") == "active" else "filled,dashed",
        penwidth="2.5" if node["seed"] else "1",
    )


def _edge(edge: Fields) -> str:
    relation = legible(edge["relation"])
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
