"""What reaches a terminal: colour and frames of ours, nothing a memory smuggled in."""

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from recollect.serve.cli.output import escape_control, json_text
from recollect.serve.cli.renderer import RichRenderer, Span

HOSTILE = "quiet \x1b]0;pwned\x07\x1b[2J\x9b31m \u202egnp\u200b [bold red]x[/] :smile: end"
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def in_terminal(store: Path, *words: str, errors: bool = False, **environment: str) -> str:
    """The bytes a terminal would get; with `errors` also what is written to stderr."""
    ours, theirs = pty.openpty()
    seen = {
        **os.environ,
        "RECOLLECT_DB": str(store),
        "RECOLLECT_EMBEDDER": "none",
        "TERM": "xterm-256color",
        **environment,
    }
    seen = {name: value for name, value in seen.items() if value}
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", *words],
        stdout=theirs,
        stdin=theirs,
        stderr=theirs if errors else subprocess.DEVNULL,
        env=seen,
    ):
        os.close(theirs)
        parts = []
        # Linux ends a terminal whose other side is closed with an error instead of an empty read.
        try:
            while part := os.read(ours, 65536):
                parts.append(part)
        except OSError:
            pass
    os.close(ours)
    return b"".join(parts).decode()


@pytest.fixture
def hostile(run, store: Path) -> Path:
    run("remember", "-", stdin=HOSTILE)
    return store


@pytest.mark.parametrize("words", [["list"], ["recall", "quiet end"], ["log"], ["recall", "quiet", "--explain"]])
def test_a_memory_cannot_speak_to_the_terminal(hostile: Path, words: list[str]) -> None:
    shown = in_terminal(hostile, *words)
    rest = COLOUR.sub("", shown)
    assert "\x1b" not in rest
    assert "\x07" not in rest
    assert "\x9b" not in rest
    assert "\u202e" not in rest
    assert "quiet ]0;pwned[2J31m gnp" in rest.replace("\r\n", "")


def test_a_memory_in_full_cannot_either(hostile: Path, run) -> None:
    full = run("list", "--json").json[0]["id"]
    rest = COLOUR.sub("", in_terminal(hostile, "get", full))
    assert "\x1b" not in rest
    assert " gnp " in rest
    assert "[bold red]x[/] :smile:" in rest
    assert "╭" in rest


def test_nor_can_it_through_a_graph_a_link_or_a_question(hostile: Path, run) -> None:
    one = run("list", "--json").json[0]["short_id"]
    other = run("remember", "A quiet evening", "--derived-from", one, "--json").json["memory"]["short_id"]
    run("link", other, one, "--relation", "contradicts")
    run("tags", "describe", "quiet", "\x1b[2J\u202e calm")
    run("recall", "zebra \x1b]0;pwned\x07 crossing")
    for words in (
        ["graph", "--format", "dot"], ["graph", "--format", "graphml"], ["related", other], ["provenance", other],
        ["contradictions"], ["tags"], ["gaps"], ["get", other], ["log"],
    ):  # fmt: skip
        shown = in_terminal(hostile, *words)
        assert shown.strip()
        assert not re.search("[\x1b\x07\x9b\u202e]", COLOUR.sub("", shown)), words


def test_json_carries_it_harmlessly(hostile: Path, run) -> None:
    shown = in_terminal(hostile, "list", "--json")
    assert not re.search("[\x1b\x07\x9b\u202e]", shown)
    assert run("list", "--json").json[0]["content"] == re.sub("[\x1b\x07\x9b\u202e\u200b]", "", HOSTILE)


def test_colour_only_where_it_is_wanted(hostile: Path, run) -> None:
    assert "\x1b[36m" in in_terminal(hostile, "list", COLORTERM="", NO_COLOR="")
    assert "\x1b" not in run("list").out


@pytest.mark.parametrize(
    "wish", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "yes", "FORCE_COLOR": "1"}], ids=str
)
@pytest.mark.parametrize(
    "words",
    [
        "list", "recall quiet", "recall quiet --explain", "get {id}", "log", "history {id}", "stats", "tags", "doctor", "config",
        "gaps",
        "context quiet", "graph quiet", "related {id}", "provenance {id}", "undo", "nonsense", "recall", "--help", "forget {id}",
        "remember --jsonl {file}", "import {export}", "reembed", "mcp --help", "install cursor --dry-run",
    ],
)  # fmt: skip
def test_no_escape_code_reaches_who_wants_none(
    words: str, wish: dict[str, str], hostile: Path, run, tmp_path: Path
) -> None:
    (tmp_path / "many.jsonl").write_text("".join(f'"The box {n} holds {n * 7919} screws"\n' for n in range(200)))
    run("export", str(tmp_path / "out.jsonl"))
    full = run("list", "--json").json[0]["id"]
    typed = words.format(id=full, file=tmp_path / "many.jsonl", export=tmp_path / "out.jsonl")
    shown = in_terminal(hostile, *typed.split(), errors=True, HOME=str(tmp_path), **wish)
    assert shown.strip()
    assert "\x1b" not in shown


def test_a_bar_is_shown_where_codes_are_wanted(store: Path, tmp_path: Path) -> None:
    (tmp_path / "many.jsonl").write_text("".join(f'"The box {n} holds {n * 7919} screws"\n' for n in range(200)))
    assert "\x1b" in in_terminal(store, "remember", "--jsonl", str(tmp_path / "many.jsonl"), errors=True)


def test_errors_are_harmless_too(run) -> None:
    done = run("recall", "x", "--profile", "\x1b[31mred")
    assert done.code == 2
    assert "\x1b" not in done.err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("日本語, עברית, کتاب‌ها", "日本語, עברית, کتاب‌ها"),
        ("👩‍👧 family", "👩‍👧 family"),
        ("a\tb\r\n\x00\x7f\x85", "a\\tb\\r\\n\\x00\\x7f\\x85"),
        ("\u2028\u2066\ufeff\U000e0041", "\\u2028\\u2066\\ufeff\\U000e0041"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_hidden_characters_are_spelled_out(text: str, shown: str) -> None:
    assert escape_control(text) == shown


def test_json_text_is_always_encodable() -> None:
    assert json_text({"x": "\ud83d\x9b\u202eé"}) == '{"x": "\\ud83d\\u009b\\u202eé"}'


def test_a_page_is_never_wider_than_the_eye_likes() -> None:
    page = RichRenderer(Console(file=io.StringIO(), width=300, force_terminal=True, color_system=None))
    page.card(("title",), [("word " * 80,)])
    page.table(("a", "b"), [("x", "y " * 200)])
    page.entry((Span("lead"),), [("word " * 80,)])
    lines = page.text().splitlines()
    assert max(map(len, lines)) == 100
    assert any(line.rstrip().endswith("…") for line in lines)


def test_a_very_long_memory_is_cut_on_a_terminal_and_says_so(run, store: Path) -> None:
    run("remember", "word " * 2000 + "end")
    assert "shows all 10,003 characters" in in_terminal(store, "recall", "word")
    assert "end" in run("recall", "word").out
