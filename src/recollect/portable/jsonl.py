"""The stream as a file of JSON lines: one item per line, a header first, and a footer that proves the file is complete."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from recollect.errors import InvalidInput
from recollect.portable.codec import decode, encode, with_location
from recollect.portable.stream import KIND_NAMES, FooterItem, HeaderItem, StreamItem
from recollect.values.transfer import Exported

LONGEST_LINE = 10_000_000
_HEADER_START, _FOOTER_START = b'{"recollect":', b'{"end":'
_EXPORT_AGAIN = "copy or export it again"


def write(items: Iterable[StreamItem], out: Callable[[bytes], object]) -> Exported:
    """Write a stream line by line, and the footer."""
    digest, counts = hashlib.sha256(), Counter[str]()
    for item in items:
        line = encode(item).encode() + b"\n"
        digest.update(line)
        counts[KIND_NAMES[type(item)]] += 1
        out(line)
    counts.pop(KIND_NAMES[HeaderItem], None)
    end = {"end": {"counts": dict(sorted(counts.items())), "sha256": digest.hexdigest()}}
    out(json.dumps(end, separators=(",", ":")).encode() + b"\n")
    return Exported(dict(counts), digest.hexdigest())


def read_items(file: BinaryIO, account: str) -> Iterator[StreamItem]:
    """The items of a file, for an account; an error names the line, and a truncated file is an error."""
    digest, counts = hashlib.sha256(), Counter[str]()
    ended = False
    for number, raw in enumerate(_lines(file), 1):
        where = f"line {number}"
        if ended:
            raise InvalidInput(where, "comes after the end", _EXPORT_AGAIN)
        name, value = _parse_line(raw, where)
        try:
            item = decode(name, value, account, where)
        except InvalidInput as error:
            raise with_location(error, where) from None
        if (number == 1) != isinstance(item, HeaderItem):
            raise InvalidInput(where, "is in the wrong place", "the first line, and only that, is the header")
        if isinstance(item, FooterItem):
            _check_footer(item, value, counts, digest.hexdigest())
            ended = True
        else:
            digest.update(raw)
            counts[name] += 1
        yield item
    if not ended:
        raise InvalidInput(
            "file", "is truncated: its last line is missing", f"{_EXPORT_AGAIN}; importing it twice is harmless"
        )


def fingerprint(file: BinaryIO) -> str:
    """The SHA-256 of a file that is complete and unchanged, checked before any of it is imported."""
    digest, footer = _read_through(file, header=True)
    if footer is None:
        raise InvalidInput("file", "is truncated: its last line is missing", f"nothing was changed; {_EXPORT_AGAIN}")
    if footer.get("sha256") != digest:
        raise _damaged()
    return digest


def require_unchanged(file: BinaryIO) -> None:
    """Refuse a stream whose last line has the checksum of something else; whoever reads it reports everything else."""
    digest, footer = _read_through(file, header=False)
    if footer is not None and footer.get("sha256", digest) != digest:
        raise _damaged()


def _read_through(file: BinaryIO, *, header: bool) -> tuple[str, dict[str, Any] | None]:
    """The SHA-256 of all lines but the last, and the last one if it is a footer."""
    digest, last = hashlib.sha256(), b""
    for raw in _lines(file):
        if last:
            digest.update(last)
        elif header and not raw.startswith(_HEADER_START):
            raise InvalidInput("file", "is not an export of recollect", "`recollect import-from` reads other products")
        last = raw
    if not last.startswith(_FOOTER_START):
        return digest.hexdigest(), None
    footer = _parse_line(last, "the last line")[1]
    return digest.hexdigest(), footer if isinstance(footer, dict) else {}


def _damaged() -> InvalidInput:
    problem = "was changed or damaged since it was exported"
    return InvalidInput("file", problem, f"nothing was changed; {_EXPORT_AGAIN}")


def _check_footer(footer: FooterItem, value: Any, counts: Counter[str], digest: str) -> None:
    counted = {name: count for name, count in counts.items() if name != KIND_NAMES[HeaderItem]}
    if dict(footer.counts) != counted or value.get("sha256", digest) != digest:
        raise InvalidInput("file", "was changed or damaged since it was exported", _EXPORT_AGAIN)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            raise InvalidInput(
                f"line {number}", f"is longer than {LONGEST_LINE:,} bytes", "this is not an export of recollect"
            )
        yield raw


def _parse_line(raw: bytes, where: str) -> tuple[str, Any]:
    fix = "import a file that `recollect export` wrote"
    try:
        value = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput(where, "is not UTF-8", fix) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(where, f"is not JSON ({error})", fix) from None
    if not isinstance(value, dict) or len(value) != 1:
        raise InvalidInput(where, "is not a line of an export", fix)
    ((name, inner),) = value.items()
    return name, inner
