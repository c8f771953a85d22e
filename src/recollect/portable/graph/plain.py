"""The plain fields of a graph: what every form is made of, and the JSON form itself.

Memories hold whatever was said, also what a file cannot: lone surrogates, control characters, numbers that are not numbers.
They are mended here, once; `page.py`, `dot.py` and `graphml.py` come after and only quote.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from typing import Any

from recollect.values.graph import Graph
from recollect.values.words import LOW_TRUST

Fields = dict[str, Any]

HIGH_TRUST = 0.8
_SURROGATES = re.compile("[\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def plain_fields(graph: Graph) -> Fields:
    """title, left_out, nodes and edges; what is None is left out, and so is an edge one end of which is not shown."""
    shown = {node.key for node in graph.nodes}
    return {
        "title": _encodable(graph.title),
        "left_out": graph.left_out,
        "nodes": [_known(asdict(node)) for node in graph.nodes],
        "edges": [_known(asdict(edge)) for edge in graph.edges if {edge.source, edge.target} <= shown],
    }


def as_json(graph: Graph) -> str:
    """The plain fields as JSON, contents whole."""
    return json.dumps(plain_fields(graph), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def legible(text: str) -> str:
    """The text without the characters that XML 1.0 forbids; they would not be visible anywhere else either."""
    return _NOT_XML.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def shortened(text: str, most: int) -> str:
    """The text on one line, cut at a word where one ends near the limit."""
    line = " ".join(legible(text[: most * 4]).split())
    if len(line) <= most:
        return line if len(text) <= most * 4 else f"{line} …"
    whole, space, _ = line[:most].rpartition(" ")
    return f"{whole if space and len(whole) > most * 2 // 3 else line[: most - 1]}…"


def trust_level(trust: float | None) -> str:
    """high, middle or low: what people and systems stated, what was derived, what reads like an attack; unknown without one."""
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
