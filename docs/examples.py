"""Runs the fenced blocks of a page in order, in a folder of their own, and compares the output with what the page shows.

`console` blocks: every line that starts with `$ ` is executed, what follows is its output. `python` blocks share one
namespace; an expression with a comment `# → text` must give that text. A `toml` block whose first line is a comment with a
file name is written to that file. Anything else (`text`) is not run. The rules of comparison are in `compare`.
"""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from docs.compare import Ids, agrees, bound, same

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELL = re.compile(r"[|<>;&$]")
_EXPECTED = "# →"


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block and the line of the page it starts on."""

    language: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a console block and the output the page shows for it."""

    command: str
    shown: tuple[str, ...]
    line: int


class Mismatch(AssertionError):
    """A page shows something else than what happens."""


def blocks_of(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    text = page.read_text("utf-8")
    return [Block(m[1], m[2], text.count("\n", 0, m.start(2)) + 1) for m in _FENCE.finditer(text)]


def steps_of(block: Block) -> list[Step]:
    """The commands of a console block."""
    steps: list[Step] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            steps.append(Step(line[2:], (), number))
        elif steps:
            last = steps.pop()
            steps.append(Step(last.command, (*last.shown, line), last.line))
    return steps


@dataclass(slots=True)
class Runner:
    """Runs the blocks of one page in one folder, with a store of its own."""

    folder: Path
    ids: Ids = field(default_factory=dict)
    # What an address of a server on a page stands for here.
    addresses: Mapping[str, str] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "example"})

    def run(self, page: Path) -> None:
        """Run a page from its first block to its last."""
        with self._world():
            for block in blocks_of(page):
                text = block.text
                for shown, meant in self.addresses.items():
                    text = text.replace(shown, meant)
                self._block(page, replace(block, text=text))

    def command(self, command: str) -> str:
        """What a command prints, on stdout and stderr together."""
        typed = bound(command, self.ids)
        if not typed.startswith("recollect ") or _SHELL.search(typed):
            return _in_shell(typed)
        from recollect.serve.cli.main import main

        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            main(shlex.split(typed)[1:])
        return said.getvalue()

    def _block(self, page: Path, block: Block) -> None:
        match block.language:
            case "console":
                for step in steps_of(block):
                    said = self.command(step.command).splitlines()
                    if not agrees(step.shown, said, self.ids):
                        shown = "\n".join(step.shown)
                        raise Mismatch(
                            f"{page}:{step.line}: $ {step.command}\nthe page shows\n{shown}\nit printed\n{chr(10).join(said)}"
                        )
            case "python":
                self._python(page, block)
            case "toml":
                self._write(block)

    def _python(self, page: Path, block: Block) -> None:
        tree = ast.parse("\n" * (block.line - 1) + block.text, str(page))
        tree = ast.fix_missing_locations(_Expectations(block).visit(tree))
        self.names["_expect"] = _expect(page)
        exec(compile(tree, str(page), "exec"), self.names)  # noqa: S102 - running the page is the purpose

    def _write(self, block: Block) -> None:
        name = block.text.partition("\n")[0].removeprefix("# ").strip()
        if name == "config.toml":
            (self.folder.parent / "config" / "recollect").mkdir(parents=True, exist_ok=True)
            (self.folder.parent / "config" / "recollect" / name).write_text(block.text, "utf-8")
        elif "." in name and " " not in name:
            (self.folder / name).write_text(block.text, "utf-8")

    @contextmanager
    def _world(self) -> Iterator[None]:
        """The folder, and an environment without anyone's own settings."""
        around = self.folder.parent
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        kept |= {"XDG_CONFIG_HOME": str(around / "config"), "XDG_DATA_HOME": str(around / "data"), "COLUMNS": "100"}
        kept |= {
            "RECOLLECT_DB": str(around / "store.db"),
            "PATH": f"{Path(sys.executable).parent}:{kept.get('PATH', '')}",
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(patch.dict(os.environ, kept, clear=True))
            stack.enter_context(chdir(self.folder))
            yield


class _Expectations(ast.NodeTransformer):
    """Turns `expression  # → text` into a check."""

    def __init__(self, block: Block) -> None:
        self._wanted = {
            number: line.partition(_EXPECTED)[2].strip()
            for number, line in enumerate(block.text.splitlines(), block.line)
            if _EXPECTED in line
        }

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        wanted = self._wanted.get(node.end_lineno or 0)
        if wanted is None:
            return node
        arguments: list[ast.expr] = [node.value, ast.Constant(wanted), ast.Constant(node.lineno)]
        return ast.copy_location(ast.Expr(ast.Call(ast.Name("_expect", ast.Load()), arguments, [])), node)


def _expect(page: Path) -> Any:
    def check(value: object, wanted: str, line: int) -> None:
        if not any(same(wanted, shape) for shape in (str(value), repr(value))):
            raise Mismatch(f"{page}:{line}: the page shows {wanted}, it is {value!r}")

    return check


def _in_shell(command: str) -> str:
    shell = ["sh", "-c", command]  # a page's own line
    return subprocess.run(shell, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
