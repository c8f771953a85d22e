"""`python -m bench`: quality, speed, growth, graph, reliability, or all; `ablation`; `server`, `twins`: PostgreSQL; `report`."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from typing import Any

from bench import runs


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for; 0 when it ran, whatever it measured."""
    given = _parser().parse_args(arguments)
    wanted = given.command
    if wanted in ("quality", "all"):
        _quality(given)
    if wanted == "ablation":
        _ablation(given)
    if wanted in ("speed", "all"):
        _speed(given)
    if wanted in ("growth", "all"):
        _growth(given)
    if wanted in ("graph", "all"):
        _graph(given)
    if wanted in ("reliability", "all"):
        _reliability(given)
    if wanted == "server":
        _server(given)
    if wanted == "twins":
        _twins(given)
    if wanted == "report":
        from bench.report import write

        print(f"wrote {write()}")
    return 0


def _quality(given: argparse.Namespace) -> None:
    from bench import quality
    from bench.embedding import CachedEmbedder, cache_folder, local_embedder
    from bench.sets import data_folder

    profiles = quality.PROFILES if given.profile == "all" else tuple(given.profile.split(","))
    sets = quality.ALL if given.sets == "all" else tuple(given.sets.split(","))
    settings = _settings(given.constants)
    with closing(CachedEmbedder(local_embedder(), cache_folder(given.cache))) as embedder:
        done = quality.run(data_folder(given.data), embedder, sets, profiles, quick=given.quick, settings=settings)
    print(f"\n## Quality\n\n{quality.shown(done, profiles)}\n")
    rows = {"rows": done.rows, "raw": done.raw, "tables": done.tables, "left_out": done.left_out}
    figures = [figure.as_row() for figure in done.figures]
    _keep("quality", given, {"quick": given.quick, "figures": figures, **rows, "seconds": done.seconds})


def _ablation(given: argparse.Namespace) -> None:
    from bench.ablation import ablation, ablation_table
    from bench.embedding import CachedEmbedder, cache_folder, local_embedder
    from bench.retrieval import SETS
    from bench.sets import data_folder

    sets = SETS if given.sets == "all" else tuple(given.sets.split(","))
    with closing(CachedEmbedder(local_embedder(), cache_folder(given.cache))) as embedder:
        found = ablation(data_folder(given.data), embedder, sets, _constants(given.constants), quick=given.quick)
    print(f"\n## Ablation\n\n{ablation_table(found.rows)}\n")
    _keep("ablation", given, {"figures": [], "rows": found.rows, "left_out": found.left_out})


def _speed(given: argparse.Namespace) -> None:
    from bench import speed
    from bench.embedding import cache_folder
    from bench.sets import data_folder
    from bench.tables import figures_table

    sizes = speed.sizes(given.rows, large=given.large)
    figures = speed.run(data_folder(given.data), cache_folder(given.cache), sizes)
    print(f"\n## Speed\n\n{figures_table(figures)}\n")
    _keep("speed", given, {"figures": [f.as_row() for f in figures]})


def _growth(given: argparse.Namespace) -> None:
    from bench import growth
    from bench.server import started
    from bench.sets import data_folder
    from bench.tables import figures_table
    from recollect.testing.servers import fresh_database

    sizes = (growth.SIZES[0], given.rows or growth.SIZES[1])
    with started(given.url) as (server, process), ExitStack() as stack:
        databases = [stack.enter_context(fresh_database(server)) for _ in sizes]
        figures = growth.run(data_folder(given.data), databases, process, sizes)
    print(f"\n## Growth\n\n{figures_table(figures)}\n")
    _keep("growth", given, {"figures": [f.as_row() for f in figures]})


def _graph(given: argparse.Namespace) -> None:
    from bench import graph
    from bench.embedding import CachedEmbedder, cache_folder, local_embedder
    from bench.expansion import expansion_figures, expansion_table, run_expansion
    from bench.sets import data_folder
    from bench.tables import figures_table

    with closing(CachedEmbedder(local_embedder(), cache_folder(given.cache))) as embedder:
        found = run_expansion(data_folder(given.data), embedder)
    rows = given.rows or 100_000
    sizes = tuple(size for size in (10_000, 100_000) if size <= rows) or (rows,)
    figures = [*expansion_figures(found), *graph.run(rows, sizes)]
    table = expansion_table(found) if found.rows else ""
    print(f"\n## Graph\n\n{figures_table(figures)}\n\n{table}\n")
    tables = [["What do shared names add to hybrid?", table]] if table else []
    _keep("graph", given, {"figures": [f.as_row() for f in figures], "tables": tables, "left_out": found.left_out})


def _reliability(given: argparse.Namespace) -> None:
    from bench import reliability
    from bench.tables import figures_table

    figures = reliability.run(seconds=given.seconds, kills=given.kills)
    print(f"\n## Reliability\n\n{figures_table(figures)}\n")
    _keep("reliability", given, {"figures": [f.as_row() for f in figures]})


def _server(given: argparse.Namespace) -> None:
    from bench import server
    from bench.tables import figures_table

    figures = server.run(server.Size(given.rows or 100_000, given.accounts, given.each), given.url)
    print(f"\n## Server\n\n{figures_table(figures)}\n")
    _keep("server", given, {"figures": [f.as_row() for f in figures]})


def _twins(given: argparse.Namespace) -> None:
    from bench.embedding import CachedEmbedder, cache_folder, local_embedder
    from bench.server import database
    from bench.sets import data_folder
    from bench.tables import figures_table
    from bench.twins import SETS, twins

    sets = SETS if given.sets == "all" else tuple(given.sets.split(","))
    with closing(CachedEmbedder(local_embedder(), cache_folder(given.cache))) as embedder, database(given.url) as to:
        figures, left_out = twins(data_folder(given.data), embedder, to[0], sets)
    print(f"\n## Twins\n\n{figures_table(figures)}\n")
    _keep("twins", given, {"figures": [f.as_row() for f in figures], "left_out": left_out})


def _keep(what: str, given: argparse.Namespace, content: dict[str, Any]) -> None:
    if given.save:
        print(f"raw rows: {runs.save(what, content)}")


def _constants(given: str) -> dict[str, float]:
    """`near=0.2,far=0.1`: constants of hybrid by name."""
    pairs = (part.split("=") for part in given.split(",") if part)
    return {name: float(value) for name, value in pairs}


def _settings(constants: str) -> dict[str, Any]:
    """A profile "tuned": hybrid with other constants; name it with --profile tuned."""
    return {"profiles": {"tuned": {"base": "hybrid", **_constants(constants)}}} if constants else {}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "command",
        nargs="?",
        choices=("quality", "ablation", "speed", "growth", "graph", "reliability", "server", "twins", "all", "report"),
        default="all",
    )
    parser.add_argument("--data", help="folder of the evaluation sets (or RECOLLECT_BENCH_DATA)")
    parser.add_argument("--cache", help="folder for cached vectors (the user's cache folder)")
    parser.add_argument("--no-save", dest="save", action="store_false", help="print only, keep no raw rows")
    parser.add_argument("--sets", default="all", help="locomo,hay48,pooled,beam,realmem,…,conflict,beliefs,answered,…")
    parser.add_argument("--profile", default="all", help="hybrid, or several with commas; the first has the figures")
    parser.add_argument(
        "--constants",
        default="",
        help="near=0.2,… : defines the profile `tuned` on hybrid; ablation: what it starts from",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer haystacks for other profiles and variants, fewer pairs"
    )
    parser.add_argument("--rows", type=int, help="speed, growth, graph and server: one size only")
    parser.add_argument("--accounts", type=int, default=1000, help="server: how many small accounts")
    parser.add_argument("--each", type=int, default=1000, help="server: memories of a small account")
    parser.add_argument("--url", help="growth and server: a PostgreSQL of your own, as a user who may create databases")
    parser.add_argument("--large", action="store_true", help="speed: also a million memories")
    parser.add_argument("--seconds", type=float, default=60, help="reliability: how long eight processes work")
    parser.add_argument("--kills", type=int, default=50, help="reliability: how often a writer is killed")
    return parser


if __name__ == "__main__":
    sys.exit(main())
