"""Tree: which files of a folder are memory, and the facts of each. After it the verb `import_from` stores them.

Read are MEMORY.md and CLAUDE.md files and everything under a folder called `memory`, as OpenClaw and Claude Code lay them
out; a folder without any of these is read whole. A file that is named is always read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from recollect.errors import InvalidInput
from recollect.portable.memory_files.blocks import Block, blocks_of
from recollect.portable.memory_files.dates import date_in, date_of_name
from recollect.portable.memory_files.facts import Reading
from recollect.portable.memory_files.finding import Fact, LeftOut
from recollect.portable.memory_files.front import Front, split
from recollect.portable.memory_files.heading import Heading, Headings
from recollect.portable.memory_files.layout import written
from recollect.portable.memory_files.signs import plain_heading, says_little, tag_of

_MARKDOWN = (".md", ".markdown", ".mdc")
_MEMORY_FILES = frozenset(("memory.md", "memories.md", "claude.md", "claude.local.md"))
_MEMORY_FOLDERS = frozenset(("memory", "memories", ".memory"))
_NOT_MEMORY = frozenset(
    ("readme.md", "changelog.md", "license.md", "contributing.md", "code_of_conduct.md", "security.md")
)
_SKIPPED_FOLDERS = frozenset((".git", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "site-packages"))
_LARGEST = 5_000_000
_ONE_MEMORY = 600
_WHY = re.compile(r"(?im)^\W*(?:why|how to apply)\b[^:\n]{0,20}:")
_POINTER = re.compile(
    r"^(?:\[[^\]]*\]\(<?([^)>\s]+)>?\)|`([^`]+)`|\[\[([^\]|]+)(?:\|[^\]]*)?\]\]|([\w./-]+\.md))(.*)$", re.DOTALL
)
_HOOK = re.compile(r"^\s*(?:[-–—:(|].*)?$", re.DOTALL)
_CAMEL = re.compile(r"[_\-]+")


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One file: its name within the tree, its facts, what was left out, and why it was not read when it was not."""

    name: str
    facts: tuple[Fact, ...] = ()
    left: tuple[LeftOut, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be read: its name within the tree, where it lies, and its bytes when they came in an archive."""

    name: str
    place: Path
    raw: bytes | None = None


def files_of(path: Path) -> list[Source]:
    """The files a path stands for, each with its name within it."""
    if path.is_file():
        return [Source(path.name, path)]
    if not path.is_dir():
        raise InvalidInput("path", f"{path} is not there", "give a folder or a Markdown file that exists")
    return chosen(_markdown_under(path), path, path.resolve().name)


def chosen(sources: Iterable[Source], path: Path, folder: str) -> list[Source]:
    """Those of a tree's Markdown files that are memory, or all when none is; `folder` is what the tree is called."""
    found = sorted(sources, key=lambda one: (one.name.count("/"), one.name))
    inside = folder.lower() in _MEMORY_FOLDERS
    some = [one for one in found if inside or _is_memory(one.name)]
    some = some or [one for one in found if PurePosixPath(one.name).name.lower() not in _NOT_MEMORY]
    if not some:
        raise InvalidInput("path", f"{path} holds no Markdown file", "name the folder that holds MEMORY.md or memory/")
    return some


def is_looked_at(name: str) -> bool:
    """Whether a file of a tree may be memory, by its name: Markdown, and not among what tools put there."""
    *folders, last = name.lower().split("/")
    return last.endswith(_MARKDOWN) and _SKIPPED_FOLDERS.isdisjoint(folders)


def read_files(files: Sequence[Source]) -> Iterator[MemoryFile]:
    """Each file taken apart, in order."""
    known = _Known.of(one.name for one in files)
    for one in files:
        try:
            text = _text(one)
        except InvalidInput as error:
            yield MemoryFile(one.name, problem=f"{error.problem}; {error.fix}")
        else:
            yield read_text(one.name, text, known)


def read_text(name: str, text: str, known: _Known | None = None) -> MemoryFile:
    """The facts of one file, from its name and its text."""
    front = split(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    blocks = blocks_of(front.body, front.first_line)
    reading = Reading(_start(name, front, blocks), (known or _Known.of(())).index(name))
    reading.read(blocks)
    extra = _extra_tags(front)
    facts = [replace(fact, tags=tuple(dict.fromkeys((*fact.tags, *extra)))) for fact in reading.facts]
    left = list(reading.left)
    if front.is_memory:
        facts = _as_one(facts, front, blocks)
    if front.fields:
        left.insert(0, LeftOut(1, " ".join(front.fields), "front matter: read as name, tags and date"))
    return MemoryFile(name, tuple(facts), tuple(left))


@dataclass(frozen=True, slots=True)
class _Known:
    """The names under which files of this tree are pointed to."""

    names: frozenset[str]

    @classmethod
    def of(cls, names: Iterable[str]) -> _Known:
        return cls(frozenset(name.lower() for name in names))

    def index(self, of: str) -> Callable[[str], str | None]:
        """What says of a line in a file that it only points to another file of the tree, or within this one."""
        here = PurePosixPath(of.lower()).parent

        def tell(line: str) -> str | None:
            found = _POINTER.match(line.strip())
            if found is None or not _HOOK.match(found[5]):
                return None
            target = next(part for part in found.groups()[:4] if part).lower()
            if target.startswith("#"):
                return "a line of a table of contents"
            path = target.partition("#")[0]
            spellings = (path, os.path.normpath(here / path), f"{path}.md", os.path.normpath(here / f"{path}.md"))
            known = any(spelling.removeprefix("./") in self.names for spelling in spellings)
            if not known and path.endswith(".md") and not found[5].strip(" .:-–—"):
                return "a link to a file that is not here"
            return "an index line: the file it names is read itself" if known else None

        return tell


def _start(name: str, front: Front, blocks: Sequence[Block]) -> Headings:
    """Where reading begins: the date of the file, and its own name when no heading says what it is about."""
    day = date_of_name(name) or _front_date(front)
    headings = Headings(day)
    title = front.fields.get("name") or front.fields.get("title") or PurePosixPath(name).stem
    words = " ".join(_CAMEL.sub(" ", title).split())
    titled = any(block.kind == "heading" for block in blocks)
    if (not titled or front.is_memory) and not says_little(words, 1) and plain_heading(words):
        headings.above.append(Heading(words, 0, 1, used=True))
    return headings


def _front_date(front: Front) -> datetime | None:
    for name in ("date", "created", "created_at", "updated", "updated_at", "modified"):
        if found := date_in(front.fields.get(name, "")):
            return found
    return None


def _extra_tags(front: Front) -> tuple[str, ...]:
    kind = (front.fields.get("type"),) if front.is_memory else ()
    return tuple(tag for raw in (*front.tags, *kind) if raw and (tag := tag_of(raw)))


def _as_one(facts: list[Fact], front: Front, blocks: Sequence[Block]) -> list[Fact]:
    """A file that is one memory by design stays one, unless it has grown into a document."""
    whole = "\n\n".join(written(block) for block in blocks if block.kind not in ("rule", "html"))
    if not facts:
        text = front.fields.get("description", "")
        return [Fact(text, text, 1, tags=_extra_tags(front))] if text else []
    grown = any(block.kind in ("heading", "table") for block in blocks)
    lists = any(block.kind == "list" for block in blocks)
    if grown or len(facts) == 1 or not (_WHY.search(whole) or (not lists and len(whole) <= _ONE_MEMORY)):
        return facts
    before, bare = facts[0].text.removesuffix(facts[0].bare), whole
    return [replace(facts[0], text=f"{before}{bare}", bare=bare, parts=tuple(facts), is_procedure=False)]


def _markdown_under(top: Path) -> Iterator[Source]:
    for folder, folders, names in os.walk(top, followlinks=False):
        folders[:] = sorted(name for name in folders if name.lower() not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            # A link may lead out of the tree that was named.
            if name.lower().endswith(_MARKDOWN) and path.is_file() and not path.is_symlink():
                yield Source(path.relative_to(top).as_posix(), path)


def _is_memory(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.name in _MEMORY_FILES or any(part in _MEMORY_FOLDERS for part in path.parts[:-1])


def _text(source: Source) -> str:
    path, raw = source.place, source.raw
    try:
        if (path.stat().st_size if raw is None else len(raw)) > _LARGEST:
            raise InvalidInput("path", f"is larger than {_LARGEST // 1_000_000} MB", "split it, or name a smaller file")
        return (path.read_bytes() if raw is None else raw).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("path", f"is not UTF-8 (byte {error.start})", "convert it first") from None
    except OSError as error:
        raise InvalidInput("path", f"cannot be read ({error.strerror})", "check its permissions") from None
