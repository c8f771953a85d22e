"""Walking: the graph of a store as the cascade sees it. Before it: candidates; after it: score.

Every memory on a path, not only the last, must be one the viewer may recall: a hop over a hidden memory would tell of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.ports import Calibrated, Reader
from recollect.recall.cascade import Steps
from recollect.recall.sight import Reached, Sight, behold
from recollect.values.filter import Filter
from recollect.values.link import Edge, Node
from recollect.values.search import Search

# So many steps are looked at of one node: a tag on half of all memories leads to its newest few, not to everything.
FAN_OUT = 16


def steps_of(reader: Reader, search: Search) -> Steps:
    """The steps a viewer may take; the caller's own conditions bind what comes back, not what is passed on the way."""
    seen_by = replace(search, filter=Filter(without=search.filter.without))

    def steps(nodes: Sequence[Node], last: bool) -> list[Edge]:
        found = reader.edges(search.viewer.account, nodes, FAN_OUT, upwards=not last)
        ahead = {edge.target[1] for edge in found if edge.target[0] == "memory"}
        seen = set(reader.among(seen_by, list(ahead)))  # type: ignore[arg-type]
        return [edge for edge in found if edge.target[0] != "memory" or edge.target[1] in seen]

    return steps


def joined(
    reader: Reader, search: Search, sight: Sight, reached: Mapping[int, Reached], calibration: Calibrated | None
) -> Sight:
    """The sight with what was reached, put under the same mask as every candidate."""
    missing = tuple(sorted(set(reached) - set(sight.found.rows.tolist())))
    if missing:
        alone = replace(search, rows=missing, depth=0, neighbours=0, windows=(), standing=False)
        sight = behold(sight.query, sight.found.joined(reader.candidates(alone)), calibration)
    return replace(sight, reached=reached)
