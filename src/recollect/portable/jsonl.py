"""JSON lines: the stream as a file. One item a line, a header first, and last a line by which a cut file is noticed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from recollect.errors import InvalidInput
from recollect.portable.reading import located, read
from recollect.portable.spelling import spelled
from recollect.portable.stream import NAMES, Footer, Header, Item
from recollect.values.moved import Exported

LONGEST = 10_000_000
_BEGINNING, _END = b'{"recollect":', b'{"end":'
_CUT = "copy or export it again"


def write(items: Iterable[Item], out: Callable[[bytes], object]) -> Exported:
    """Write a stream line by line, and the line that ends it."""
    digest, counts = hashlib.sha256(), Counter[str]()
    for item in items:
        line = spelled(item).encode() + b"\n"
        digest.update(line)
        counts[NAMES[type(item)]] += 1
        out(line)
    counts.pop(NAMES[Header], None)
    end = {"end": {"counts": dict(sorted(counts.items())), "sha256": digest.hexdigest()}}
    out(json.dumps(end, separators=(",", ":")).encode() + b"\n")
    return Exported(dict(counts), digest.hexdigest())


def items_in(file: BinaryIO, account: str) -> Iterator[Item]:
    """The items of a file, for an account; a line that is wrong is named, and so is a file that was cut."""
    digest, counts = hashlib.sha256(), Counter[str]()
    ended = False
    for number, raw in enumerate(_lines(file), 1):
        where = f"line {number}"
        if ended:
            raise InvalidInput(where, "comes after the end", _CUT)
        name, said = _parsed(raw, where)
        try:
            item = read(name, said, account, where)
        except InvalidInput as error:
            raise located(error, where) from None
        if (number == 1) != isinstance(item, Header):
            raise InvalidInput(where, "is not where it belongs", "the first line, and only that, is the header")
        if isinstance(item, Footer):
            _agree(item, said, counts, digest.hexdigest())
            ended = True
        else:
            digest.update(raw)
            counts[name] += 1
        yield item
    if not ended:
        raise InvalidInput("file", "was cut: its last line is missing", f"{_CUT}; importing it twice is harmless")


def fingerprint(file: BinaryIO) -> str:
    """The fingerprint of a whole file that was not cut or changed; nothing of it is taken before that is known."""
    digest, last = hashlib.sha256(), b""
    for raw in _lines(file):
        if last:
            digest.update(last)
        elif not raw.startswith(_BEGINNING):
            raise InvalidInput("file", "is no export of recollect", "`recollect import-from` reads other products")
        last = raw
    if not last.startswith(_END):
        raise InvalidInput("file", "was cut: its last line is missing", f"nothing was changed; {_CUT}")
    said = _parsed(last, "the last line")[1]
    if not isinstance(said, dict) or said.get("sha256") != digest.hexdigest():
        raise InvalidInput("file", "was changed or damaged since it was exported", f"nothing was changed; {_CUT}")
    return digest.hexdigest()


def _agree(footer: Footer, said: Any, counts: Counter[str], digest: str) -> None:
    counted = {name: count for name, count in counts.items() if name != NAMES[Header]}
    if dict(footer.counts) != counted or said.get("sha256", digest) != digest:
        raise InvalidInput("file", "was changed or damaged since it was exported", _CUT)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    number = 0
    while raw := file.readline(LONGEST + 1):
        number += 1
        if len(raw) > LONGEST:
            raise InvalidInput(f"line {number}", f"is longer than {LONGEST:,} bytes", "this is no export of recollect")
        yield raw


def _parsed(raw: bytes, where: str) -> tuple[str, Any]:
    fix = "import a file that `recollect export` wrote"
    try:
        value = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput(where, "is not UTF-8", fix) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(where, f"is not JSON ({error})", fix) from None
    if not isinstance(value, dict) or len(value) != 1:
        raise InvalidInput(where, "is not a line of an export", fix)
    ((name, said),) = value.items()
    return name, said
