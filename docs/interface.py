"""The reference pages of the Python interface, the tiers and the errors, made from signatures, docstrings and fields."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin

import recollect
from docs.markdown import WIDTH, code, table
from docs.meanings import FIELDS, FILTERS, OWN
from recollect import aio, engine, errors, wiring
from recollect.companion.companion import Companion
from recollect.engine import Memory
from recollect.selection import Selection
from recollect.serve.cli.errors import exit_code
from recollect.tiers import contexts, narratives, pools, router, short_term, working
from recollect.values import changed, cluster, companion, conversation, draft, erased, event, gap, link, memory, outcome, procedure, recalled, tag, transfer

_VALUES: tuple[type, ...] = (
    draft.Draft, memory.Record, memory.Provenance, recalled.Recalled, recalled.Hit, recalled.Explanation, recalled.Signal,
    event.Event, outcome.Conflict, changed.Changed, changed.NotChanged, erased.Erased,
)  # fmt: skip
_GRAPH_VALUES: tuple[type, ...] = (
    link.Link, recalled.Related, memory.ProvenanceChain, procedure.Procedure, tag.Tag, cluster.Cluster, outcome.Contradiction,
    gap.Topic, gap.Gap, link.Graph, link.GraphNode, link.GraphEdge,
)  # fmt: skip
_COMPANION_VALUES: tuple[type, ...] = (companion.Surfaced, companion.Turn, conversation.Message)
_TRANSFER_VALUES: tuple[type, ...] = (transfer.Exported, transfer.Imported, transfer.RefusedItem, transfer.Copied)
_TIERS = {
    shape.__name__: shape
    for shape in (
        working.WorkingMemory, short_term.ShortTerm, pools.Pools, contexts.Contexts, narratives.Narratives, router.Router,
    )
}  # fmt: skip
_OUTCOMES = (outcome.Stored, outcome.Reinforced, outcome.Superseded, outcome.Refused)
_SHORTHANDS = {
    "Records": "list[Record]",
    "Events": "list[Event]",
    "Ids": "list[str]",
    "Outcomes": "list[Outcome]",
    "Contradictions": "list[Contradiction]",
    "Topics": "list[Topic]",
    "RelatedList": "list[Related]",
    "Tags": "list[Tag]",
    "Clusters": "list[Cluster]",
    "Turns": "list[Turn]",
    "Unpack[DraftFields]": "DraftFields",
    "Unpack[UpdateFields]": "UpdateFields",
    "Unpack[FilterFields]": "FilterFields",
    "Unpack[BlockFields]": "BlockFields",
    "Unpack[SettingsFields]": "SettingsFields",
    "Disputed": "Contradiction | Conflict | tuple[str, str]",
}


def api() -> Iterable[str]:
    """The page of the Python interface."""
    yield "Python interface"
    yield "`import recollect`. Beside what is listed here the package exports its [errors](errors.md), nothing else."
    yield "## Opening"
    yield from _verb("recollect.open", wiring.open_memory)
    yield (
        '`embedder` is the name of a local model, `"http"`, `"none"`, a function from a list of texts to an array, or an object that meets'
        ' `recollect.Embedder` ([how](../howto/embedders.md)). `reranker` is the name of a local model, `"http"`, `"none"`, or a function'
        " that meets `recollect.Reranker` ([how](../howto/reranking.md)). `judge` is `openai`, `anthropic`, `none`, a function from a"
        " prompt to an answer, or an object that meets `recollect.Decider` ([how](../howto/judge.md)). `clock` returns the time, for tests."
        " `fetching` is called as"
        " (what, bytes so far, bytes in all) while the model is fetched. Further keyword arguments are [settings](settings.md)."
    )
    yield from _verb("recollect.open_async", aio.open_async)
    yield f"It returns an `AsyncOpening`: await it, or use `async with`; both give an `AsyncMemory`. {inspect.getdoc(aio.AsyncMemory)}"
    yield from _verb("recollect.copy", engine.copy)
    yield "## Memory"
    yield str(inspect.getdoc(Memory))
    groups = [vars(group) for group in Memory.__mro__ if group is not object]
    for name, verb in (pair for group in groups for pair in group.items()):
        if isinstance(verb, property) and not name.startswith("_"):
            yield f"### {name}"
            yield f"{inspect.getdoc(verb)} [Its verbs](tiers.md#{name})."
        elif not name.startswith("_"):
            yield from _verb(name, verb)
    yield "## Selection"
    yield str(inspect.getdoc(Selection))
    for name, verb in vars(Selection).items():
        if not name.startswith("_"):
            yield from _verb(f"select().{name}", verb)
    yield "## Companion"
    yield str(inspect.getdoc(Companion))
    for name, verb in vars(Companion).items():
        if inspect.isfunction(verb) and not name.startswith("_"):
            yield from _verb(f"companion().{name}", verb)
    for shape in _COMPANION_VALUES:
        yield from _value(shape)
    yield "## Filters"
    yield (
        "`recall`, `search`, `list`, `select` and `graph` take these keyword arguments (`FilterFields`). `project`, `session` and `task` are"
        " not among them: they say where the caller is, and so what is visible at all"
        " ([decision 0028](../decisions/0028-where-you-are-and-filters.md))."
    )
    yield table(("filter", "keeps"), FILTERS.items())
    yield "## Values"
    for shape in _VALUES:
        yield from _value(shape)
    yield "### Outcome"
    yield "`remember` returns one of four; each has `kind`, `memory`, `reason`, `conflicts` and `notes`; `Superseded` also `old`."
    yield table(("class", "kind", "what it says"), ((k.__name__, _kind(k), inspect.getdoc(k)) for k in _OUTCOMES))
    yield "## Values of export, import and copy"
    for shape in _TRANSFER_VALUES:
        yield from _value(shape)
    yield "## Values of the graph"
    yield "What the verbs about links, tags, clusters, gaps and contradictions return ([how](../howto/graph.md))."
    for shape in _GRAPH_VALUES:
        yield from _value(shape)
    yield "## Types in signatures"
    yield "Everything else that the package exports, so that a caller can name it in an annotation."
    yield table(("name", "what it is"), _other_names())


def _other_names() -> Iterable[tuple[str, str]]:
    """The public names that have no section of their own on this page or the page of errors."""
    shown = {shape.__name__ for shape in (*_VALUES, *_TRANSFER_VALUES, *_GRAPH_VALUES, *_COMPANION_VALUES, *_OUTCOMES)}
    shown |= {"Memory", "Companion", "Outcome", "copy", "open", "open_async"}
    for name in sorted(set(recollect.__all__) - shown, key=str.lower):
        value = getattr(recollect, name)
        if isinstance(value, type) and issubclass(value, errors.RecollectError):
            continue
        yield f"`{name}`", _in_a_line(value)


def _in_a_line(value: Any) -> str:
    """The words of a closed list, the keys of a typed dictionary, or the first sentence of a docstring."""
    if get_origin(value) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(value))
    if get_origin(value) is Callable:
        taken, returned = get_args(value)
        return f"a function of ({', '.join(kind.__name__ for kind in taken)}) that returns {returned}"
    said = " ".join((inspect.getdoc(value) or "").split())
    return re.split(r"(?<=[.])\s", said)[0]


def tier_pages() -> Iterable[str]:
    """The page of the tiers: attributes of a memory, each with verbs of its own."""
    yield "Tiers"
    yield "Attributes of `Memory`, bound to the same identity and project ([how](../howto/tiers.md)). `open_async` has them too."
    for name, member in vars(Memory).items():
        if isinstance(member, property) and member.fget is not None:
            shape = _TIERS[str(member.fget.__annotations__["return"])]
            yield f"## {name}"
            yield str(inspect.getdoc(shape))
            classes = [group for group in shape.__mro__ if group is not object]
            for verb, method in (pair for group in reversed(classes) for pair in vars(group).items()):
                if not verb.startswith("_"):
                    yield from _verb(verb, method)


def error_tree() -> Iterable[str]:
    """The page of the errors."""
    yield "Errors"
    tree, _, rest = inspect.cleandoc(str(errors.__doc__)).partition("\n\n")[2].partition("\n\n")
    yield "A message says what is wrong and what to do. A call that raises has changed nothing, except batches that were already reported."
    yield code(tree)
    yield rest.replace("see `values/outcome.py`", "see [Outcome](api.md#outcome)")
    shapes = [
        found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, errors.RecollectError)
    ]
    rows = [(f"`{e.__name__}`", inspect.getdoc(e), _message(e), exit_code(_sample(e))) for e in shapes]
    yield table(("error", "when", "message", "exit code of the CLI"), rows)


def _kind(shape: type) -> str:
    return next(f'"{f.default}"' for f in fields(shape) if f.name == "kind")


def _verb(name: str, verb: Callable[..., object]) -> Iterable[str]:
    signature = inspect.signature(verb)
    taken = [p for p in signature.parameters.values() if p.name != "self"]
    line = re.sub(r"(?<=: |> )'([^']*)'", _readable, f"{name}{signature.replace(parameters=taken)}")
    line = re.sub(r"<object object at 0x[0-9a-f]+>", "…", line)
    yield f"### {name}"
    yield f"{code(_wrapped(line))}\n\n{inspect.getdoc(verb)}"


def _readable(annotation: re.Match[str]) -> str:
    return _SHORTHANDS.get(annotation[1], annotation[1])


def _wrapped(line: str) -> str:
    if len(line) <= WIDTH:
        return line
    head, _, rest = line.partition("(")
    inside, _, answer = rest.rpartition(")")
    parts = re.split(r", (?![^\[]*\])", inside)
    return f"{head}(\n" + "".join(f"    {part},\n" for part in parts) + f"){answer}"


def _value(shape: type) -> Iterable[str]:
    yield f"### {shape.__name__}"
    yield str(inspect.getdoc(shape))
    rows = [(f"`{f.name}`", f"`{f.type}`", _meaning(shape, f.name)) for f in fields(shape)]
    yield table(("field", "type", "what it is"), [*rows, *_properties(shape)])


def _properties(shape: type) -> Iterable[tuple[str, str, str]]:
    """Properties, with the first words of their docstrings."""
    for name, held in vars(shape).items():
        if isinstance(held, property) and held.fget is not None and held.fget.__doc__:
            told = held.fget.__doc__.rstrip(".")
            yield f"`{name}`", f"`{held.fget.__annotations__['return']}`", told[0].lower() + told[1:]


def _meaning(shape: type, name: str) -> str:
    return OWN.get(f"{shape.__name__}.{name}") or FIELDS[name]


def _message(error: type[errors.RecollectError]) -> str:
    return f"`` {_sample(error)} ``" if _facts(error) else "says what failed"


def _sample(error: type[errors.RecollectError]) -> errors.RecollectError:
    return error(*(f"<{fact}>" for fact in _facts(error)))


def _facts(error: type[errors.RecollectError]) -> list[str]:
    """The arguments an error builds its message from."""
    if not inspect.isfunction(error.__init__):
        return []
    named = list(inspect.signature(error.__init__).parameters.values())[1:]
    return [fact.name for fact in named if fact.default is inspect.Parameter.empty]
