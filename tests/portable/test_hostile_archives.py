"""An archive may come from anywhere: one that plays a trick is refused as a whole, with the member named, and nothing changes."""

from __future__ import annotations

import io
import stat
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from packing import archive, claiming, flagged, list_of, renamed, tar_kind, tarred, zip_mode, zipped

import recollect
from recollect import InvalidInput
from recollect.portable.archives import read_archive
from recollect.portable.archives.checks import ArchiveLimits

GOOD = ("MEMORY.md", b"- the ferry leaves at nine\n")
ALIKE = unicodedata.normalize("NFC", "memory/über.md"), unicodedata.normalize("NFD", "memory/über.md")
LONG = "memory/" + "n" * 300 + ".md"
# What the library would write itself only when asked in this way.
_PAX_NUL = tarfile.TarInfo("memory/pax.md")
_PAX_NUL.pax_headers = {"path": "memory/p\x00x.md"}
_SPARSE = tar_kind("memory/x.md", tarfile.GNUTYPE_SPARSE)

# Names that are tricks in any archive, with what is said of each.
NAMES = [
    ("/etc/cron.md", "absolute path"),
    ("//server/share.md", "absolute path"),
    ("C:/x.md", "absolute path"),
    ("c:x.md", "absolute path"),
    ("../x.md", "leads out"),
    ("memory/../../x.md", "leads out"),
    ("memory/..", "leads out"),
    ("memory\\..\\x.md", "backslash"),
    ("memory/a\nb.md", "control character"),
    ("memory//x.md", "not a plain path"),
    ("memory/./x.md", "not a plain path"),
    (LONG, "a name that is too long"),
    ("../picture.png", "leads out"),
    ("../folder/", "leads out"),
]
PAIRS = [
    (("memory/x.md", "memory/x.md"), "occurs twice"),
    (("memory/x.md", "memory/X.md"), "on many file systems"),
    (("memory/x.md", "Memory/x.md"), "on many file systems"),
    ((*ALIKE,), "on many file systems"),
    (("memory/x.png", "memory/X.PNG"), "on many file systems"),
    (("memory/x.md", "memory/x.md/y.md"), "a file and a folder at once"),
    (("memory/x.md/y.md", "memory/x.md"), "a file and a folder at once"),
]
ZIPS = {
    "a NUL in a name": (lambda: renamed(archive("x.zip", [("memory/aQb.md", b"x")]), "aQb", "a\x00b"), "NUL"),
    "an encrypted member": (lambda: flagged(archive("x.zip", [GOOD]), 0x1), "is encrypted"),
    "a strongly encrypted member": (lambda: flagged(archive("x.zip", [GOOD]), 0x40), "is encrypted"),
    "a link": (lambda: zipped([(zip_mode("memory/x.md", stat.S_IFLNK | 0o777), b"/etc/passwd")]), "a link or a device"),
    "a device": (lambda: zipped([(zip_mode("memory/x.md", stat.S_IFCHR | 0o600), b"")]), "a link or a device"),
    "a pipe": (lambda: zipped([(zip_mode("memory/x.md", stat.S_IFIFO | 0o600), b"")]), "a link or a device"),
    "another compression": (
        lambda: zipped([(zipfile.ZipInfo("a.md"), b"x" * 99)], zipfile.ZIP_BZIP2),
        "an unusual method",
    ),
    "a large member": (
        lambda: archive("x.zip", [GOOD, ("memory/x.md", bytes(100_000_001))]),
        "larger than 100,000,000 bytes",
    ),
    "a member that says it is large": (lambda: claiming(archive("x.zip", [GOOD]), 4_000_000_000), "larger than"),
    "a member that says it is small": (lambda: claiming(archive("x.zip", [("a.md", bytes(99_999))]), 3), "damaged"),
    "too many members": (lambda: list_of(150_001), "more than 150,000 members"),
}
TARS = {
    "a NUL in a name": ([(_PAX_NUL, b"")], "NUL"),
    "a name that is not UTF-8": ([(tarfile.TarInfo("memory/\udcff.md"), b"")], "not UTF-8"),
    "a link": ([(tar_kind("memory/x.md", tarfile.SYMTYPE, "/etc/passwd"), b"")], "is a link"),
    "a link to a file within": ([(tar_kind("memory/x.md", tarfile.SYMTYPE, "../MEMORY.md"), b"")], "is a link"),
    "a linked folder": ([(tar_kind("memory", tarfile.SYMTYPE, "/etc"), b"")], "is a link"),
    "a hard link": ([(tar_kind("memory/x.md", tarfile.LNKTYPE, "MEMORY.md"), b"")], "is a link"),
    "a device": ([(tar_kind("memory/x.md", tarfile.CHRTYPE), b"")], "neither a file nor a folder"),
    "a disk": ([(tar_kind("memory/x.md", tarfile.BLKTYPE), b"")], "neither a file nor a folder"),
    "a pipe": ([(tar_kind("memory/x.md", tarfile.FIFOTYPE), b"")], "neither a file nor a folder"),
    "something unknown": ([(tar_kind("memory/x.md", b"Q"), b"")], "neither a file nor a folder"),
    "a sparse file": ([(_SPARSE, b"")], "neither a file nor a folder"),
}


@pytest.fixture
def refused(
    memory: recollect.Memory, tmp_path: Path, exported: Callable[..., bytes]
) -> Callable[[str, bytes, str], list[str]]:
    """Offer an archive at both doors of a store that holds something; nothing may come of it."""

    def offer(name: str, raw: bytes, problem: str) -> list[str]:
        memory.remember("The ferry leaves at eight")
        place = tmp_path / "given"
        place.mkdir()
        (place / name).write_bytes(raw)
        before = exported(memory, everything=True, history=True)
        said = []
        for take in (memory.import_data, lambda path: memory.import_from("memory-files", path)):
            with pytest.raises(InvalidInput, match=problem) as error:
                take(place / name)
            said.append(str(error.value))
        assert exported(memory, everything=True, history=True) == before
        assert list(place.iterdir()) == [place / name]
        assert all("nothing was changed; " in text for text in said)
        return said

    return offer


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
@pytest.mark.parametrize(("name", "problem"), NAMES)
def test_a_name_that_leads_elsewhere(refused, kind: str, name: str, problem: str) -> None:
    said = refused(f"x.{kind}", archive(f"x.{kind}", [GOOD, (name, b"")]), problem)
    assert all(repr(name[:80]).rstrip("/'") in text for text in said)


@pytest.mark.parametrize("kind", ["zip", "tar", "tgz"])
@pytest.mark.parametrize(("names", "problem"), PAIRS)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_that_are_one(refused, kind: str, names: tuple[str, str], problem: str) -> None:
    said = refused(f"x.{kind}", archive(f"x.{kind}", [GOOD, *((name, b"- a line\n") for name in names)]), problem)
    assert all(repr(names[1]) in text for text in said)


@pytest.mark.parametrize("trick", ZIPS)
def test_tricks_of_zip(refused, trick: str) -> None:
    made, problem = ZIPS[trick]
    refused("x.zip", made(), problem)


@pytest.mark.parametrize("kind", ["tar", "tgz"])
@pytest.mark.parametrize("trick", TARS)
def test_tricks_of_tar(refused, trick: str, kind: str) -> None:
    members, problem = TARS[trick]
    good = tarfile.TarInfo(GOOD[0])
    good.size = len(GOOD[1])
    refused(f"x.{kind}", tarred(f"x.{kind}", [(good, GOOD[1]), *members]), problem)


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_an_archive_that_was_cut_anywhere(refused, kind: str, tmp_path: Path) -> None:
    raw = archive(f"x.{kind}", [GOOD, ("memory/x.md", b"- a line\n" * 300), ("memory/y.md", b"- a line\n")])
    path = tmp_path / f"cut.{kind}"
    path.write_bytes(raw)
    whole = read_archive(path, lambda _: True)
    held = len(raw.rstrip(b"\x00")) if kind == "tar" else len(raw)
    # Cut also at the edges of the blocks of a tar, where a member ends and nothing but the end is missing.
    for cut in {*range(0, held, 61), *range(0, held, 512), held - 1}:
        path.write_bytes(raw[:cut])
        with pytest.raises(InvalidInput, match=r"nothing was changed"):
            read_archive(path, lambda _: True)
    assert len(whole) == 3
    refused(f"x.{kind}", raw[: held // 2], "damaged|cut")


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
@pytest.mark.parametrize(
    "raw", [b"", b"- no archive at all\n", b"PK\x03\x04" + bytes(600), b"\x1f\x8b\x08" + bytes(99)]
)
def test_something_that_is_no_archive(refused, kind: str, raw: bytes) -> None:
    refused(f"x.{kind}", raw, "damaged")


def test_a_tar_whose_list_breaks_off_in_the_middle(refused) -> None:
    raw = bytearray(archive("x.tar", [GOOD, ("memory/x.md", b"- a line\n"), ("memory/y.md", b"- a line\n")]))
    raw[1024 + 148 : 1024 + 156] = b"7777777\x00"
    refused("x.tar", bytes(raw), "damaged")


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        (ArchiveLimits(members=3), "more than 3 members"),
        (ArchiveLimits(member_bytes=2_999), "'memory/2.md': is larger than 2,999 bytes"),
        (ArchiveLimits(total_bytes=8_000), "unpacks to more than 8,000 bytes"),
    ],
)
def test_too_much_of_anything(tmp_path: Path, kind: str, bounds: ArchiveLimits, problem: str) -> None:
    path = tmp_path / f"x.{kind}"
    path.write_bytes(archive(path.name, [(f"memory/{n}.md", bytes(n * 1500)) for n in range(4)]))
    assert len(read_archive(path, lambda _: True)) == 4
    with pytest.raises(InvalidInput, match=problem):
        read_archive(path, lambda _: True, bounds)
    with pytest.raises(InvalidInput, match=problem):
        read_archive(path, lambda _: False, bounds)


def test_members_that_lie_over_each_other_are_counted_each(tmp_path: Path) -> None:
    """A bomb of overlapping members: small in the file, and every one of them is the same long run of bytes."""
    raw = archive("x.zip", [("a.md", bytes(1_000_000))])
    start, end = raw.index(b"PK\x01\x02"), raw.index(b"PK\x05\x06")
    entries = b"".join(raw[start:end].replace(b"a.md", b"%c.md" % letter) for letter in b"abcdefgh")
    tail = bytearray(raw[end:])
    tail[12:16] = len(entries).to_bytes(4, "little")
    path = tmp_path / "x.zip"
    path.write_bytes(raw[:start] + entries + tail)
    with pytest.raises(InvalidInput, match="unpacks to more than 5,000,000 bytes"):
        read_archive(path, lambda _: True, ArchiveLimits(total_bytes=5_000_000))


def test_headers_of_a_tar_are_counted_too(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as file:
        info = tarfile.TarInfo("memory/x.md")
        info.pax_headers = {"comment": "x" * 3_000_000}
        file.addfile(info)
    path = tmp_path / "x.tar"
    path.write_bytes(out.getvalue())
    with pytest.raises(InvalidInput, match="unpacks to more than"):
        read_archive(path, lambda _: True, ArchiveLimits(total_bytes=1_000_000))


def test_an_archive_within_an_archive_is_not_opened(memory: recollect.Memory, tmp_path: Path) -> None:
    inner = archive("in.zip", [("../MEMORY.md", b"- from within\n")])
    path = tmp_path / "x.tgz"
    path.write_bytes(archive("x.tgz", [GOOD, ("in.zip", inner), ("memory/in.tar.gz", inner)]))
    memory.import_from("memory-files", path)
    assert [record.content for record in memory.list()] == ["the ferry leaves at nine"]


def test_one_bad_archive_among_good_files_spoils_all(memory: recollect.Memory, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(GOOD[1])
    (tmp_path / "x.zip").write_bytes(archive("x.zip", [("../MEMORY.md", b"- up\n")]))
    with pytest.raises(InvalidInput, match="leads out"):
        memory.import_from("memory-files", tmp_path / "MEMORY.md", tmp_path / "x.zip")
    assert memory.list() == []


def test_an_archive_that_is_not_there_is_said(memory: recollect.Memory, tmp_path: Path) -> None:
    for take in (memory.import_data, lambda path: memory.import_from("memory-files", path)):
        with pytest.raises(InvalidInput, match="does not exist"):
            take(tmp_path / "nowhere.zip")
