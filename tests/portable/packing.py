"""Archives for tests: of a folder as people's tools make them, and of members as nobody's tool should."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

KINDS = ("zip", "tar", "tar.gz", "tgz")
Member = tuple[str, bytes]


def packed(folder: Path, path: Path, *, within: str = "") -> Path:
    """The archive of a folder, its members in no order; `within` packs the folder itself."""
    files = sorted(each for each in folder.rglob("*") if each.is_file())
    members = [(within + each.relative_to(folder).as_posix(), each.read_bytes()) for each in reversed(files)]
    path.write_bytes(archive(path.name, members))
    return path


def archive(name: str, members: Iterable[Member]) -> bytes:
    """An archive of the kind its name says."""
    if name.endswith(".zip"):
        return zipped([(zipfile.ZipInfo(member), raw) for member, raw in members])
    return tarred(name, [(_file(member, raw), raw) for member, raw in members])


def zipped(members: Sequence[tuple[zipfile.ZipInfo, bytes]], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for info, raw in members:
            file.writestr(info, raw, compression)
    return out.getvalue()


def tarred(name: str, members: Sequence[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        for info, raw in members:
            file.addfile(info, io.BytesIO(raw) if info.isreg() else None)
    return out.getvalue() if name.endswith(".tar") else gzip.compress(out.getvalue(), 1)


def _file(name: str, raw: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = len(raw)
    return info


def zip_mode(name: str, mode: int) -> zipfile.ZipInfo:
    """A member of a ZIP that claims to be something else than a file."""
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def tar_kind(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    """A member of a tar that is no file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def renamed(raw: bytes, old: str, new: str) -> bytes:
    """A ZIP in which a member has another name, which the library would not write."""
    assert len(old.encode()) == len(new.encode())
    return raw.replace(old.encode(), new.encode())


def claiming(raw: bytes, size: int) -> bytes:
    """A ZIP of one member whose headers both claim another size."""
    local, central = raw.index(b"PK\x03\x04") + 22, raw.index(b"PK\x01\x02") + 24
    said = struct.pack("<L", size)
    raw = raw[:local] + said + raw[local + 4 :]
    return raw[:central] + said + raw[central + 4 :]


def flagged(raw: bytes, flag: int) -> bytes:
    """A ZIP of one member with a flag set in both headers."""
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = raw.index(mark) + offset
        (flags,) = struct.unpack("<H", raw[place : place + 2])
        raw = raw[:place] + struct.pack("<H", flags | flag) + raw[place + 2 :]
    return raw


def list_of(count: int) -> bytes:
    """A ZIP that is nothing but a list of so many members."""
    entry = b"PK\x01\x02" + bytes(24) + struct.pack("<H", 1) + bytes(16) + b"x"
    listed = entry * count
    return listed + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(listed), 0, 0)
