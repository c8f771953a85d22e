"""The graph as one standalone HTML page: markup, style, script and data in a single file.

The texts of memories are only data: they are in a JSON block and inserted as text, and a content security policy allows only the
script and the style of this package. `layout.js` places the nodes, `draw.js` paints, `page.js` and `reader.js` handle input.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterator
from importlib import resources
from string import Template

from recollect.portable.graph.formats import Fields, graph_fields, printable, shorten, trust_level
from recollect.values.link import Graph

_CONTENT = 600
_LABEL = 80
_SCRIPTS = ("layout.js", "draw.js", "page.js", "reader.js")
_EMPTY = (
    '<p class="empty">Nothing is linked yet. A first memory with a tag:'
    " <code>recollect remember &quot;We deploy from main only&quot; -t deploy</code>"
    "Draw the graph again when there are some.</p>"
)
# A closing tag or an entity would end or change the JSON block; JSON can escape these characters.
_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def as_page(graph: Graph) -> str:
    """A standalone HTML page with an interactive drawing, and the same nodes as a list."""
    fields = _fit_for_page(graph_fields(graph))
    style, script = _part("page.css"), "\n".join(_part(name) for name in _SCRIPTS)
    values = {
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "title": html.escape(fields["title"]),
        "counts": _counts(fields),
        "empty": "" if fields["nodes"] else _EMPTY,
        "state": "filled" if fields["nodes"] else "bare",
        "list": "\n".join(_items(fields)),
        "graph": json.dumps(fields, ensure_ascii=False, allow_nan=False).translate(_ESCAPED),
    }
    return Template(_part("page.html")).substitute(values)


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    def source(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    rules = ("default-src 'none'", f"script-src {source(script)}", f"style-src {source(style)}")
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def _fit_for_page(fields: Fields) -> Fields:
    """Texts shortened to what a card can show; edges refer to nodes by index."""
    places = {node["key"]: place for place, node in enumerate(fields["nodes"])}
    return {
        "title": shorten(fields["title"], _LABEL),
        "left_out": fields["left_out"],
        "nodes": [_node(node) for node in fields["nodes"]],
        "edges": [
            {**edge, "source": places[edge["source"]], "target": places[edge["target"]], "relation": _word(edge)}
            for edge in fields["edges"]
        ],
    }


def _node(node: Fields) -> Fields:
    texts = {name: shorten(value, _LABEL) for name, value in node.items() if isinstance(value, str)}
    if "content" in node:
        texts["content"] = _excerpt(node["content"])
    return {**node, **texts, "level": trust_level(node.get("trust"))}


def _word(edge: Fields) -> str:
    return shorten(edge["relation"], _LABEL)


def _excerpt(content: str) -> str:
    text = printable(content[: _CONTENT * 2]).strip()
    return text if len(text) <= _CONTENT and len(content) <= _CONTENT * 2 else f"{text[:_CONTENT].rstrip()} …"


def _counts(fields: Fields) -> str:
    nodes, edges, left_out = len(fields["nodes"]), len(fields["edges"]), fields["left_out"]
    text = f"{nodes} {'node' if nodes == 1 else 'nodes'}, {edges} {'link' if edges == 1 else 'links'}"
    return f'{text} <strong class="left-out">{left_out} more not shown</strong>' if left_out else text


def _items(fields: Fields) -> Iterator[str]:
    """The nodes as a list, readable without a script; the script makes buttons of them."""
    links: list[list[str]] = [[] for _ in fields["nodes"]]
    for edge in fields["edges"]:
        other = html.escape(fields["nodes"][edge["target"]]["label"])
        relation = html.escape(edge["relation"].replace("_", " "))
        links[edge["source"]].append(f"<li>{relation} <bdi>{other}</bdi></li>")
    for node, linked in zip(fields["nodes"], links, strict=True):
        facts = [node["kind"], *(node[name] for name in ("type", "scope", "status") if name in node)]
        content = f'<p dir="auto">{html.escape(node["content"])}</p>' if "content" in node else ""
        below = f'<div class="more">{content}<ul>{"".join(linked)}</ul></div>' if content or linked else ""
        name, about = html.escape(node["label"]), html.escape(" · ".join(facts))
        yield f'<li class="node"><span class="name" dir="auto">{name}</span> <small>{about}</small>{below}</li>'
