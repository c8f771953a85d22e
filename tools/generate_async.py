"""Writes `src/recollect/aio.py`: the verbs of `Memory` and its tiers as coroutines, from the signatures of the sync classes.

`python -m tools.generate_async` writes the file, `--check` says whether it is stale. A generated class is a real class: type
checkers and editors see every signature, and nobody has to keep two copies in step by hand.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "recollect"
TARGET = SOURCE / "aio.py"
# Classes in the order in which they are written: a base before what inherits from it.
CLASSES = (
    ("tiers/working.py", "WorkingMemory"),
    ("tiers/short_term.py", "ShortTerm"),
    ("tiers/containers.py", "Containers"),
    ("tiers/pools.py", "Pools"),
    ("tiers/contexts.py", "SnapshotVerbs"),
    ("tiers/contexts.py", "Contexts"),
    ("tiers/narratives.py", "Narratives"),
    ("tiers/router.py", "Router"),
    ("selection.py", "Selection"),
    ("companion/companion.py", "Companion"),
    ("engine.py", "Memory"),
)
NAMES = {name for _, name in CLASSES}
# What a class has in HEAD or TAIL.
HANDWRITTEN = {"Memory": ("close",)}
# They only check their arguments: nothing to wait for.
_IMMEDIATE = ("select",)
# They never wait, so they are awaited for the sake of uniformity, and run where they are.
_INLINE = {"Companion": ("observe", "pending", "before_compaction", "close")}
_BUILT_IN = set(dir(__builtins__)) | {"None", "True", "False", "Any", "Self", "Unpack", "Literal"}

HEAD = '''"""AsyncMemory: every verb of `Memory` as a coroutine, run in a worker thread. Made by `python -m tools.generate_async`.

SQLite, the local model and numpy wait or compute outside the event loop, so a small pool of threads serves all callers.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Self, TypeVar, Unpack

from recollect.engine import Memory
from recollect.wiring import open_memory
{defaults}
if TYPE_CHECKING:
{imports}

T = TypeVar("T")
# More threads would only queue at the store's lock.
_THREADS = 4
_PAGE = 500


class AsyncVerbs:
    """A group of verbs and the threads they run in."""

    _sync: Any

    def __init__(self, sync: Any, threads: ThreadPoolExecutor) -> None:
        self._sync, self._threads = sync, threads

    async def _call(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _each(self, found: Iterator[T]) -> AsyncIterator[T]:
        while page := await self._call(lambda: list(islice(found, _PAGE))):
            for one in page:
                yield one
'''
CONTEXT_MANAGER = """
    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
"""
CONSTRUCTOR = """
    def __init__(self, sync: Memory, threads: ThreadPoolExecutor, *, owns_threads: bool = False) -> None:
        super().__init__(sync, threads)
        self._owns_threads = owns_threads
"""
TAIL = '''
    async def run(self, work: Callable[[Memory], T]) -> T:
        """Do several things with the memory itself, in one worker thread: `await memory.run(lambda m: …)`."""
        return await self._call(lambda: work(self._sync))

    async def close(self) -> None:
        """Write what is deferred and let go of the store; whoever opened it also ends the worker threads."""
        await self._call(self._sync.close)
        if self._owns_threads:
            self._threads.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncOpening:
    """What `open_async` returns: await it, or use it with `async with`."""

    def __init__(self, opener: Callable[[], Memory]) -> None:
        self._opener = opener
        self._opened: AsyncMemory | None = None

    def __await__(self) -> Generator[Any, None, AsyncMemory]:
        return self._open().__await__()

    async def _open(self) -> AsyncMemory:
        threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="recollect")
        memory = await asyncio.get_running_loop().run_in_executor(threads, self._opener)
        return AsyncMemory(memory, threads, owns_threads=True)

    async def __aenter__(self) -> AsyncMemory:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()


{opener}
'''


@dataclass
class Module:
    """One source file: its tree, and where each name it uses comes from."""

    path: str
    tree: ast.Module = field(init=False)
    homes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tree = ast.parse((SOURCE / self.path).read_text("utf-8"))
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                self.homes |= {alias.asname or alias.name: node.module for alias in node.names}
        guarded = [inner for node in self.tree.body if isinstance(node, ast.If) for inner in node.body]
        for node in [*self.tree.body, *guarded]:
            if isinstance(node, ast.Assign):
                self.homes |= {target.id: self.name for target in node.targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.ClassDef):
                self.homes[node.name] = self.name

    @property
    def name(self) -> str:
        return "recollect." + self.path.removesuffix(".py").replace("/", ".")

    def find_class(self, name: str) -> ast.ClassDef:
        return next(node for node in self.tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def generate() -> str:
    """The text of the module."""
    imports: set[tuple[str, str]] = set()
    parts = []
    for path, name in CLASSES:
        module = Module(path)
        parts.append(_class(module, module.find_class(name), imports))
    wiring = Module("wiring.py")
    parts.append(TAIL.replace("{opener}", _opener(wiring, imports)))
    # A name that is the default of an argument is needed when the module is imported, the others only by type checkers.
    defaults = {(home, name) for home, name in imports if name.isupper()}
    head = HEAD.replace("{defaults}", _imports(defaults)).replace("{imports}", _imports(imports - defaults, "    "))
    text = head + "".join(parts)
    return _formatted(text)


def _imports(names: set[tuple[str, str]], indent: str = "") -> str:
    return "".join(f"{indent}from {home} import {name}\n" for home, name in sorted(names))


def _class(module: Module, node: ast.ClassDef, imports: set[tuple[str, str]]) -> str:
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in NAMES]
    base = f"Async{bases[0]}" if bases else "AsyncVerbs"
    if node.name != "Memory":
        imports.add((module.name, node.name))
    doc = ast.get_docstring(node) or ""
    lines = [f'\n\nclass Async{node.name}({base}):\n    """{doc}"""\n\n    _sync: {node.name}\n']
    if node.name == "Memory":
        lines.append(CONSTRUCTOR)
    for member in node.body:
        if not isinstance(member, ast.FunctionDef):
            continue
        if not member.name.startswith("_") and member.name not in HANDWRITTEN.get(node.name, ()):
            lines.append(_member(module, member, imports, inline=member.name in _INLINE.get(node.name, ())))
        if member.name == "__enter__" and node.name != "Memory":
            lines.append(CONTEXT_MANAGER)
        if member.name == "__iter__":
            lines.append(_iteration(module, member, imports))
    return "".join(lines)


def _member(module: Module, node: ast.FunctionDef, imports: set[tuple[str, str]], *, inline: bool) -> str:
    _collect(module, node, imports)
    returns = ast.unparse(node.returns) if node.returns else "None"
    made = f"Async{returns}" if returns in NAMES else returns
    doc = ast.get_docstring(node, clean=False)
    text = f'        """{doc}"""\n' if doc else ""
    if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in node.decorator_list):
        value = f"self._sync.{node.name}"
        body = f"return {made}({value}, self._threads)" if returns in NAMES else f"return {value}"
        return f"\n    @property\n    def {node.name}(self) -> {made}:\n{text}        {body}\n"
    if returns.startswith("Iterator["):
        passed = f"self._sync.{node.name}({_passed(node.args)})"
        return f"\n    def {node.name}({ast.unparse(node.args)}) -> Async{returns}:\n{text}        return self._each({passed})\n"
    if node.name in _IMMEDIATE:
        made_of = f"{made}(self._sync.{node.name}({_passed(node.args)}), self._threads)"
        return f"\n    def {node.name}({ast.unparse(node.args)}) -> {made}:\n{text}        return {made_of}\n"
    call = f"self._sync.{node.name}({_passed(node.args)})"
    call = call if inline else f"await self._call(lambda: {call})"
    body = (
        f"return {made}({call}, self._threads)" if returns in NAMES else f"return {call}" if returns != "None" else call
    )
    return f"\n    async def {node.name}({ast.unparse(node.args)}) -> {made}:\n{text}        {body}\n"


def _iteration(module: Module, node: ast.FunctionDef, imports: set[tuple[str, str]]) -> str:
    """`async for` over what `for` goes through."""
    _collect(module, node, imports)
    returns, doc = ast.unparse(node.returns) if node.returns else "", ast.get_docstring(node, clean=False)
    body = f'        """{doc}"""\n        return self._each(iter(self._sync))\n'
    return f"\n    def __aiter__(self) -> Async{returns}:\n{body}"


def _passed(args: ast.arguments) -> str:
    given = [arg.arg for arg in [*args.posonlyargs, *args.args] if arg.arg != "self"]
    if args.vararg:
        given.append(f"*{args.vararg.arg}")
    given += [f"{arg.arg}={arg.arg}" for arg in args.kwonlyargs]
    if args.kwarg:
        given.append(f"**{args.kwarg.arg}")
    return ", ".join(given)


def _opener(module: Module, imports: set[tuple[str, str]]) -> str:
    node = next(n for n in module.tree.body if isinstance(n, ast.FunctionDef) and n.name == "open_memory")
    _collect(module, node, imports)
    return (
        f"def open_async({ast.unparse(node.args)}) -> AsyncOpening:\n"
        '    """Like `recollect.open`, for async callers: `async with recollect.open_async() as memory: …`."""\n'
        f"    return AsyncOpening(lambda: open_memory({_passed(node.args)}))\n"
    )


def _collect(module: Module, node: ast.FunctionDef, imports: set[tuple[str, str]]) -> None:
    """Note the imports that the names in a signature need."""
    inside = [node.args, *([node.returns] if node.returns else [])]
    for name in {found.id for part in inside for found in ast.walk(part) if isinstance(found, ast.Name)}:
        home = module.homes.get(name, "")
        if home.startswith("recollect") and name not in NAMES and name not in _BUILT_IN:
            imports.add((home, name))


def _formatted(text: str) -> str:
    for command in (["check", "--quiet", "--fix", "--select", "I001,F401", "-"], ["format", "--quiet", "-"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", command[0], "--stdin-filename", str(TARGET), *command[1:]],
            input=text, capture_output=True, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
        text = done.stdout
    return text


def main(arguments: list[str]) -> int:
    """Write the module, or with --check compare it; 1 when it is stale."""
    text = generate()
    if "--check" in arguments:
        stale = TARGET.read_text("utf-8") != text
        if stale:
            sys.stderr.write("src/recollect/aio.py is stale; run `make async`\n")
        return int(stale)
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
