"""Finds the memory files of a folder or an archive and reads them into batches of drafts.

Memory files are MEMORY.md, CLAUDE.md and everything under a folder called `memory`, the layout of OpenClaw and Claude Code. In a
folder without any of these, every Markdown file is read. A file that is named is always read.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable import front_matter
from recollect.portable.archives import archive_kind, folder_name, read_archive
from recollect.portable.drafts import ORIGIN, SkippedText, SourceBatch, SourceDraft, text_digest
from recollect.portable.front_matter import FrontMatter
from recollect.portable.memory_files.accounting import unaccounted
from recollect.portable.memory_files.blocks import MarkdownBlock, parse_blocks
from recollect.portable.memory_files.dates import date_in, date_of_name
from recollect.portable.memory_files.facts import Fact, FactExtractor, SkippedBlock, render_block
from recollect.portable.memory_files.headings import Heading, HeadingStack
from recollect.portable.memory_files.line_rules import heading_tag, heading_text, is_generic_heading
from recollect.portable.memory_files.observations import is_relation, read_observation
from recollect.portable.memory_files.pointers import KnownFiles, titles_of
from recollect.validation import clean_metadata

_MARKDOWN = (".md", ".markdown", ".mdc")
_MEMORY_FILES = frozenset(("memory.md", "memories.md", "claude.md", "claude.local.md"))
_MEMORY_FOLDERS = frozenset(("memory", "memories", ".memory"))
_NOT_MEMORY = frozenset(
    ("readme.md", "changelog.md", "license.md", "contributing.md", "code_of_conduct.md", "security.md")
)
_SKIPPED_FOLDERS = frozenset((".git", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "site-packages"))
_LARGEST_FILE = 5_000_000
_LONGEST_SINGLE = 600
_WHY = re.compile(r"(?im)^\W*(?:why|how to apply)\b[^:\n]{0,20}:")
_NAME_SEPARATORS = re.compile(r"[_\-]+")


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One file: its path within the folder, its facts, what was skipped, and the problem if it could not be read.

    `metadata` is its front matter. `links` are the files that its facts link to, each by the number of the fact and the path.
    """

    name: str
    facts: tuple[Fact, ...] = ()
    skipped: tuple[SkippedBlock, ...] = ()
    problem: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to be read: its path within the folder, its path on disk, and its bytes if they came from an archive."""

    name: str
    path: Path
    raw: bytes | None = None


def find_files(path: Path) -> list[SourceFile]:
    """The memory files under a path."""
    if path.is_file():
        return [SourceFile(path.name, path)]
    if not path.is_dir():
        raise InvalidInput("path", f"{path} does not exist", "give a folder or a Markdown file that exists")
    return select_memory_files(_markdown_under(path), path, path.resolve().name)


def select_memory_files(sources: Iterable[SourceFile], path: Path, folder: str) -> list[SourceFile]:
    """The Markdown files that are memory files, or all when none is; `folder` is the name of the folder they are in."""
    found = sorted(sources, key=lambda one: (one.name.count("/"), one.name))
    inside = folder.lower() in _MEMORY_FOLDERS
    some = [one for one in found if inside or _is_memory(one.name)]
    some = some or [one for one in found if PurePosixPath(one.name).name.lower() not in _NOT_MEMORY]
    if not some:
        raise InvalidInput(
            "path", f"{path} contains no Markdown file", "name the folder that contains MEMORY.md or memory/"
        )
    return some


def is_candidate(name: str) -> bool:
    """Whether a file may be a memory file, by its path: Markdown, and not in a folder of a tool."""
    *folders, last = name.lower().split("/")
    return last.endswith(_MARKDOWN) and _SKIPPED_FOLDERS.isdisjoint(folders)


def read_files(files: Sequence[SourceFile]) -> Iterator[MemoryFile]:
    """The facts of each file, in order."""
    texts = {one.name.lower(): partial(_text_or_nothing, one) for one in files}
    known = KnownFiles(texts, titles_of(texts))
    for name, read in texts.items():
        front = front_matter.parse(read(), lenient=True)
        titles = (front.text("title"), front.text("permalink"), front.text("name"))
        known.titles |= {title.lower(): name for title in titles if title and title.lower() not in known.titles}
    for one in files:
        try:
            text = _read_text(one)
        except InvalidInput as error:
            yield MemoryFile(one.name, problem=f"{error.problem}; {error.fix}")
        else:
            yield read_text(one.name, text, known)


def _text_or_nothing(source: SourceFile) -> str:
    """The text of a file, to compare it with a line that points to it."""
    try:
        return _read_text(source)
    except InvalidInput:
        return ""


def read_text(name: str, text: str, known: KnownFiles | None = None) -> MemoryFile:
    """The facts of one file, from its path and its text."""
    known = known or KnownFiles()
    front = front_matter.parse(text.replace("\r\n", "\n").replace("\r", "\n"), lenient=True)
    blocks = parse_blocks(front.body, front.first_line)
    extractor = FactExtractor(_initial_headings(name, front, blocks), known.pointer_reason(name))
    extractor.read(blocks)
    extra = _extra_tags(front)
    facts = [replace(fact, tags=tuple(dict.fromkeys((*fact.tags, *extra)))) for fact in extractor.facts]
    if _is_single_memory(front):
        facts = _as_one_memory(facts, front, blocks)
    facts = [read_observation(fact) for fact in facts]
    metadata, unread = _metadata(front, has_facts=bool(facts))
    skipped = [*unread, *extractor.skipped]
    skipped += unaccounted(front.body, front.first_line, facts, skipped, dict(metadata))
    return MemoryFile(
        name,
        tuple(facts),
        tuple(sorted(skipped, key=lambda one: one.line)),
        metadata=metadata,
        links=tuple(_links(name, facts, extractor.skipped, known)),
    )


def _metadata(front: FrontMatter, *, has_facts: bool) -> tuple[dict[str, Any], list[SkippedBlock]]:
    """The front matter as metadata of the memories of its file; what cannot be metadata is skipped."""
    if front.unread:
        return {}, [SkippedBlock(1, front.unread, f"front matter that cannot be read: {front.problem}")]
    fields, reason = front.fields, "front matter of a file without a text"
    if has_facts:
        fields = {name: value for name, value in fields.items() if name.lower() not in front_matter.TAG_FIELDS}
        try:
            return clean_metadata(fields), []
        except InvalidInput as error:
            reason = f"front matter that cannot be metadata: it {error.problem}"
    return {}, [SkippedBlock(1, json.dumps(fields, ensure_ascii=False, default=str), reason)] if fields else []


def _links(
    name: str, facts: Sequence[Fact], skipped: Sequence[SkippedBlock], known: KnownFiles
) -> Iterator[tuple[int, str]]:
    """The files that the facts link to; a relation belongs to the whole file, so its first fact links to it too."""
    for number, fact in enumerate(facts):
        for target in known.targets(fact.text, name):
            yield number, target
            if is_relation(fact.bare):
                yield 0, target
    for block in skipped:
        if facts and is_relation(block.text):
            yield from ((0, target) for target in known.targets(block.text, name))


def _initial_headings(name: str, front: FrontMatter, blocks: Sequence[MarkdownBlock]) -> HeadingStack:
    """The headings at the top: the date of the file, and its name when no heading says what it is about."""
    day = date_of_name(name) or _front_date(front)
    headings = HeadingStack(day)
    title = front.text("name") or front.text("title") or PurePosixPath(name).stem
    words = " ".join(_NAME_SEPARATORS.sub(" ", title).split())
    titled = any(block.kind == "heading" for block in blocks)
    if (not titled or _is_single_memory(front)) and not is_generic_heading(words, 1) and heading_text(words):
        headings.above.append(Heading(words, 0, 1, used=True))
    return headings


def _is_single_memory(front: FrontMatter) -> bool:
    """Whether the whole file is one memory, as Claude Code keeps them: with a name, a description and a type."""
    return "name" in front.fields and ("description" in front.fields or "type" in front.fields)


def _front_date(front: FrontMatter) -> datetime | None:
    for name in ("date", "created", "created_at", "updated", "updated_at", "modified"):
        if found := date_in(front.text(name)):
            return found
    return None


def _extra_tags(front: FrontMatter) -> tuple[str, ...]:
    kind = (front.text("type"),) if _is_single_memory(front) else ()
    return tuple(tag for raw in (*front.tags, *kind) if raw and (tag := heading_tag(raw)))


def _as_one_memory(facts: list[Fact], front: FrontMatter, blocks: Sequence[MarkdownBlock]) -> list[Fact]:
    """Keep a file that is one memory by design in one piece, unless it has grown into a document."""
    whole = "\n\n".join(render_block(block) for block in blocks if block.kind not in ("rule", "html"))
    if not facts:
        text = front.text("description")
        return [Fact(text, text, 1, tags=_extra_tags(front))] if text else []
    grown = any(block.kind in ("heading", "table") for block in blocks)
    lists = any(block.kind == "list" for block in blocks)
    if grown or len(facts) == 1 or not (_WHY.search(whole) or (not lists and len(whole) <= _LONGEST_SINGLE)):
        return facts
    before, bare = facts[0].text.removesuffix(facts[0].bare), whole
    return [replace(facts[0], text=f"{before}{bare}", bare=bare, parts=tuple(facts), is_procedure=False)]


def _markdown_under(top: Path) -> Iterator[SourceFile]:
    for folder, folders, names in os.walk(top, followlinks=False):
        folders[:] = sorted(name for name in folders if name.lower() not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            # A symbolic link may lead out of the folder.
            if name.lower().endswith(_MARKDOWN) and path.is_file() and not path.is_symlink():
                yield SourceFile(path.relative_to(top).as_posix(), path)


def _is_memory(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.name in _MEMORY_FILES or any(part in _MEMORY_FOLDERS for part in path.parts[:-1])


def _read_text(source: SourceFile) -> str:
    path, raw = source.path, source.raw
    try:
        if (path.stat().st_size if raw is None else len(raw)) > _LARGEST_FILE:
            raise InvalidInput(
                "path", f"is larger than {_LARGEST_FILE // 1_000_000} MB", "split it, or name a smaller file"
            )
        return (path.read_bytes() if raw is None else raw).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("path", f"is not UTF-8 (byte {error.start})", "convert it first") from None
    except OSError as error:
        raise InvalidInput("path", f"cannot be read ({error.strerror})", "check its permissions") from None


_IGNORE_FILE = ".secretsignore"


def files_in_archive(path: Path) -> list[SourceFile]:
    """The memory files of an archive, the same that would be read from the unpacked folder."""
    contents = read_archive(path, lambda name: is_candidate(name) or _is_ignore_file(name))
    if (ignores := next(filter(_is_ignore_file, contents), None)) is not None:
        # It must not be ignored, because it names what nobody may read; its patterns are not trusted, they can run forever.
        problem = "lists files that must not be read, and is not supported in an archive"
        raise InvalidInput(f"{path.name}: {ignores!r}", problem, "nothing was changed; unpack it and name the folder")
    return select_memory_files(
        (SourceFile(name, path / name, raw) for name, raw in contents.items()), path, folder_name(path)
    )


def _is_ignore_file(name: str) -> bool:
    return PurePosixPath(name).name == _IGNORE_FILE


_PREFIX = "md"


def read_batches(paths: Sequence[str | Path], unreadable: Callable[[Path], str | None]) -> Iterator[SourceBatch]:
    """Every memory file under some paths, as drafts; `unreadable` returns why a file must not be read."""
    for path in dict.fromkeys(Path(path).expanduser() for path in paths):
        found = _find_sources(path, is_readable=unreadable(path) is None)
        unread = {one.name: reason for one in found if (reason := unreadable(one.path))}
        for name, reason in unread.items():
            yield SourceBatch(name, skipped=(SkippedText("the file", name, reason),))
        files = [one for one in found if one.name not in unread]
        read = list(read_files(files))
        anchors = {file.name.lower(): _key(file.facts[0]) for file in read if file.facts}
        for one, file in zip(files, read, strict=True):
            yield file_batch(file, one.path, anchors)


def _find_sources(path: Path, *, is_readable: bool) -> list[SourceFile]:
    """The files of a folder or an archive, or the one file that is named; an unreadable archive is not opened."""
    if archive_kind(path) is None or not is_readable:
        return find_files(path)
    return files_in_archive(path)


def file_batch(file: MemoryFile, place: Path, anchors: Mapping[str, str] | None = None) -> SourceBatch:
    """One file as drafts, with the lines that are not facts. `anchors` are the keys of the first facts of files, by path."""
    origin = origin_of(place)
    skipped = [SkippedText(f"line {one.line}", one.text, one.reason) for one in file.skipped]
    if file.problem:
        skipped.append(SkippedText("the file", file.name, file.problem))
    items = tuple(_draft(fact, origin, file.metadata) for fact in file.facts)
    known = anchors or {}
    pairs = [(items[number].key, known[target]) for number, target in file.links if target in known]
    links = tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))
    return SourceBatch(file.name, items, tuple(skipped), links, origin, complete=not file.problem)


def _key(fact: Fact) -> str:
    return f"{_PREFIX}:{text_digest(fact.text)}"


def _draft(fact: Fact, origin: str, metadata: Mapping[str, Any]) -> SourceDraft:
    draft: dict[str, Any] = {
        "content": fact.text,
        "source": "migrated",
        "tags": fact.tags,
        "key": _key(fact),
        "reason": origin,
        "occurred_at": fact.occurred_at,
        "metadata": dict(metadata),
    }
    if fact.is_procedure or fact.type is not None:
        draft["type"] = fact.type or "procedure"
    # The type of a memory is inferred from the line itself, not from the headings before it.
    draft["opening"] = fact.bare
    return SourceDraft(f"line {fact.line}", draft, tuple(_draft(part, origin, metadata) for part in fact.parts))


def origin_of(place: Path) -> str:
    """What the memories of a file are labelled with."""
    return f"{ORIGIN}{_display_path(place)}"


def _display_path(place: Path) -> str:
    """A path without the name of the user whose home folder it is in."""
    full, home = os.path.abspath(place), os.path.expanduser("~")  # noqa: PTH100, PTH111 - links stay as they are
    return f"~{full[len(home) :]}" if full.startswith(home + os.sep) else full
