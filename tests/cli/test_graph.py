"""graph: a page in a file of one's own, or text for other programs."""

import json
import stat
import webbrowser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest


@pytest.fixture
def shop(run, keep) -> str:
    one = keep("We deploy with make deploy", "-t", "deploy")
    run("link", one, keep("Maria owns the billing service", "-t", "people"))
    return one


def test_the_page_goes_to_a_file_for_its_owner_alone(run, shop) -> None:
    page = Path("recollect-graph.html")
    page.write_text("an older one")
    page.chmod(0o644)
    done = run("graph")
    assert (done.code, done.out) == (0, "✓ recollect-graph.html  4 nodes, 3 edges\n")
    assert "Maria owns the billing service" in page.read_text("utf-8")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_around_a_question_or_a_memory(run, shop) -> None:
    assert run("graph", "who", "owns", "billing", "--json").json["title"] == "who owns billing"
    drawn = run("graph", "--id", shop, "--json").json
    assert drawn["title"] == shop
    assert [node["key"][-8:] for node in drawn["nodes"] if node["seed"]] == [shop]
    both = run("graph", "billing", "--id", shop, "--json")
    assert (both.code, both.error["field"]) == (2, "query")


def test_json_is_printed(run, shop) -> None:
    drawn = run("--json", "graph").json
    assert set(drawn) == {"title", "left_out", "nodes", "edges"}
    assert {edge["relation"] for edge in drawn["edges"]} == {"relates_to", "has_tag"}
    assert run("graph", "--format", "json").json == drawn
    assert not Path("recollect-graph.html").exists()


def test_other_forms_go_to_stdout(run, shop) -> None:
    assert "digraph" in run("graph", "--format", "dot").out
    assert ET.fromstring(run("graph", "--format", "graphml").out).tag.endswith("graphml")
    assert run("graph", "--format", "html", "--output", "-").out.startswith("<!doctype html>")


@pytest.mark.parametrize("name", ["shop.html", "shop.dot", "shop.graphml", "shop.json"])
def test_the_ending_of_the_file_tells_the_form(run, shop, name) -> None:
    form = run("graph", "--output", name, "--json").json
    assert form == {
        "file": str(Path(name).resolve()), "format": name.partition(".")[2], "nodes": 4, "edges": 3, "left_out": 0,
    }  # fmt: skip
    start = {"html": "<!doctype", "dot": "//", "graphml": "<?xml", "json": "{"}[form["format"]]
    assert Path(name).read_text("utf-8").startswith(start)


def test_what_was_left_out_is_said(run, shop) -> None:
    assert run("graph", "-n", "1").out.endswith("; 1 more with a higher --limit\n")


def test_an_empty_store_draws_an_empty_graph(run) -> None:
    assert run("graph").out == "✓ recollect-graph.html  0 nodes, 0 edges\n"


def test_open_shows_the_page(run, shop, monkeypatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda uri: opened.append(uri) or True)
    assert run("graph", "--open").code == 0
    assert opened == [Path("recollect-graph.html").resolve().as_uri()]
    assert run("graph", "--format", "dot", "--open").code == 2
    monkeypatch.setattr(webbrowser, "open", lambda uri: False)
    assert "no browser" in run("graph", "--open").err


@pytest.mark.parametrize(
    "words",
    [["--format", "png"], ["--id", "00000000"], ["--depth", "9"], ["--output", "no/such/folder.html"]],
    ids=lambda words: words[0],
)
def test_wrong_use(run, shop, words) -> None:
    done = run("graph", *words, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.error["message"]


def test_json_and_another_form_need_a_file(run, shop) -> None:
    done = run("graph", "--format", "dot", "--json")
    assert done.code == 2
    assert "--output" in done.error["message"]


def test_nothing_a_memory_holds_reaches_a_reader_of_json_raw(run, keep) -> None:
    keep("quiet \x9b31m \u202egnp end")
    shown = run("graph", "--json").out
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    assert "31m gnp end" in json.loads(shown)["nodes"][0]["content"]
