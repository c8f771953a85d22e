"""What a drawn graph promises: every form carries every text, the page is safe, needs nothing else, and really draws."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from recollect.errors import InvalidInput
from recollect.portable.graph import FORMATS, render_graph
from recollect.values.link import Graph, GraphEdge, GraphNode

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
ATTACK = "</script><img src=x onerror=alert(1)>"
HOSTILE = (
    ATTACK,
    "<!--<script>",
    "]]>&amp;&#0;&quot;",
    "NUL \0 and bell \a",
    "lone \ud800 and \udfff",
    "שלום \u202e עולם",
    "👩‍🚀🎉",
    "lines\u2028and\u2029more\r\nhere",
    'quote " back \\ slash \\N \\',
    "$title ${policy} $script",
    "\ufffe\uffff",
    "",
)


def drawing(memories: int = 30) -> Graph:
    common = {"type": "fact", "scope": "project:shop", "confidence": 0.5, "score": 0.25}
    nodes = [
        GraphNode(f"m{n}", "memory", f"Memory number {n}", f"Memory number {n} in full", trust=trust, **common, **more)
        for n in range(memories)
        for trust in [(1.0, 0.6, 0.3)[n % 3]]
        for more in [{"status": "superseded" if n == 1 else "active", "seed": n == 0}]
    ]
    nodes += [GraphNode("tag:deploy", "tag", "#deploy"), GraphNode("c1", "cluster", "shipping", size=7)]
    relations = ("has_tag", "in_cluster", "relates_to", "supersedes", "contradicts", "derived_from")
    edges = [GraphEdge("m0", "tag:deploy", "has_tag", 0.8), GraphEdge("m1", "c1", "in_cluster", 0.6)]
    edges += [GraphEdge(f"m{n}", f"m{n + 1}", relations[2 + n % 4], 0.5) for n in range(memories - 1)]
    return Graph("What is linked to deploy", tuple(nodes), tuple(edges), left_out=120)


def hostile(text: str) -> Graph:
    nodes = (
        GraphNode(f"a{text}", "memory", text, text, type=text, scope=text, status=text, trust=float("nan")),
        GraphNode(f"b{text}", "tag", text),
    )
    return Graph(text, nodes, (GraphEdge(f"a{text}", f"b{text}", text, float("inf")),))


def block(page: str) -> dict:
    (text,) = re.findall(r'<script type="application/json" id="graph">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


class Markup(HTMLParser):
    """The elements of a page with their attributes, and the text inside style and script elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.inline: dict[str, str] = {}
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))
        self.inside = tag in ("style", "script") and "type" not in self.elements[-1][1]

    def handle_endtag(self, tag) -> None:
        self.inside = False

    def handle_data(self, text) -> None:
        if self.inside:
            tag = self.elements[-1][0]
            self.inline[tag] = self.inline.get(tag, "") + text

    def named(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_an_unknown_form_names_the_known_ones() -> None:
    assert FORMATS == ("html", "dot", "graphml", "json")
    with pytest.raises(InvalidInput, match="html, dot, graphml, json"):
        render_graph(drawing(), "svg")


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_graph_gives_the_same_text(form) -> None:
    assert render_graph(drawing(), form) == render_graph(drawing(), form)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_a_memory_says_can_be_written_to_a_file(form, text) -> None:
    assert render_graph(hostile(text), form).encode("utf-8")


@pytest.mark.parametrize("form", FORMATS)
def test_an_edge_to_a_node_that_is_not_shown_is_left_out(form) -> None:
    shown = drawing(2)
    dangling = Graph(shown.title, shown.nodes, (*shown.edges, GraphEdge("m0", "gone", "relates_to")), shown.left_out)
    assert render_graph(dangling, form) == render_graph(shown, form)


def test_json_holds_the_plain_fields_without_what_is_unknown() -> None:
    found = json.loads(render_graph(drawing(2), "json"))
    assert list(found) == ["title", "left_out", "nodes", "edges"]
    assert found["title"] == "What is linked to deploy" and found["left_out"] == 120
    assert found["nodes"][2] == {"key": "tag:deploy", "kind": "tag", "label": "#deploy", "seed": False}
    assert found["nodes"][0]["trust"] == 1.0 and found["nodes"][0]["seed"] is True
    assert found["edges"][0] == {"source": "m0", "target": "tag:deploy", "relation": "has_tag", "weight": 0.8}


def test_json_keeps_a_long_content_whole_and_drops_numbers_json_cannot_hold() -> None:
    node = GraphNode("a", "memory", "long", "x" * 100_000, trust=float("nan"))
    (found,) = json.loads(render_graph(Graph("t", (node,), ()), "json"))["nodes"]
    assert found["content"] == node.content and "trust" not in found


# A whole line of the DOT grammar as we write it: names, quoted strings with escapes, and attribute lists, nothing else.
QUOTED = r'"(?:[^"\\\n]|\\.)*"'
ATTRIBUTES = rf"\[\w+={QUOTED}(?:, \w+={QUOTED})*\]"
DOT_LINE = re.compile(
    rf"//.*|digraph {QUOTED} \{{|\}}|  (?:graph|node|edge|n\d+) {ATTRIBUTES};|  n\d+ -> n\d+ {ATTRIBUTES};"
)


@pytest.mark.parametrize("text", HOSTILE)
def test_every_line_of_dot_is_quoted_whole(text) -> None:
    lines = render_graph(hostile(text), "dot").removesuffix("\n").split("\n")
    assert all(DOT_LINE.fullmatch(line) for line in lines)
    assert len(lines) == 9


def test_dot_tells_kinds_by_shape_and_relations_by_colour() -> None:
    text = render_graph(drawing(5), "dot")
    for shape in ("box", "diamond", "hexagon"):
        assert f'shape="{shape}"' in text
    lines = [line for line in text.splitlines() if "->" in line]
    assert len(lines) == 6 and len({re.search(r' color="(#\w+)"', line)[1] for line in lines}) == 6
    pointed = {re.search(r'tooltip="([^"]*)"', line)[1] for line in lines if 'dir="forward"' in line}
    assert pointed == {"supersedes", "derived from"}
    assert "120 more not shown" in text and text.count('style="filled,dashed"') == 1


def test_dot_labels_are_short_and_spell_entities_as_they_are() -> None:
    text = render_graph(Graph("t", (GraphNode("a", "memory", "R&amp;D " + "word " * 50),), ()), "dot")
    label = re.search(r'n0 \[label="([^"]*)"', text)[1]
    assert label.startswith("R&amp;amp;D word") and len(label) < 60


def test_graphml_declares_every_attribute_with_its_type() -> None:
    root = ET.fromstring(render_graph(drawing(), "graphml"))
    assert root.tag == f"{NAMESPACE}graphml"
    keys = {key.get("id"): key for key in root.findall(f"{NAMESPACE}key")}
    (graph,) = root.findall(f"{NAMESPACE}graph")
    assert graph.get("edgedefault") == "directed"
    for owner in (graph, *graph.iter(f"{NAMESPACE}node"), *graph.iter(f"{NAMESPACE}edge")):
        for value in owner.findall(f"{NAMESPACE}data"):
            key = keys[value.get("key")]
            assert key.get("for") == owner.tag.removeprefix(NAMESPACE)
            read = {"string": str, "double": float, "int": int, "boolean": {"true": True, "false": False}.__getitem__}
            read[key.get("attr.type")](value.text)


def test_graphml_edges_join_declared_nodes_and_ids_are_unique() -> None:
    graph = ET.fromstring(render_graph(drawing(), "graphml")).find(f"{NAMESPACE}graph")
    nodes = [node.get("id") for node in graph.iter(f"{NAMESPACE}node")]
    edges = list(graph.iter(f"{NAMESPACE}edge"))
    assert len(nodes) == len(set(nodes)) == 32 and len(edges) == len({edge.get("id") for edge in edges}) == 31
    assert {edge.get(end) for edge in edges for end in ("source", "target")} <= set(nodes)
    first = {value.get("key"): value.text for value in graph.find(f"{NAMESPACE}node")}
    assert first["node.key"] == "m0" and first["node.seed"] == "true" and first["node.trust"] == "1.0"


@pytest.mark.parametrize("text", HOSTILE)
def test_graphml_reads_back_without_what_xml_forbids(text) -> None:
    root = ET.fromstring(render_graph(hostile(text), "graphml"))
    (content,) = (value.text for value in root.iter(f"{NAMESPACE}data") if value.get("key") == "node.content")
    lost = "".join(sign for sign in text if sign in "\0\a\r\ufffe\uffff")
    expected = re.sub("[\ud800-\udfff]", "\ufffd", text.replace("\r\n", "\n"))
    assert (content or "") == "".join(sign for sign in expected if sign not in lost)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup_in_the_page(text) -> None:
    plain, found = Markup(render_graph(hostile("plain"), "html")), Markup(render_graph(hostile(text), "html"))
    assert [tag for tag, _ in found.elements] == [tag for tag, _ in plain.elements]
    assert found.inline == plain.inline
    assert not [name for _, attributes in found.elements for name in attributes if name.startswith("on")]


def test_the_block_of_data_spells_what_could_end_it() -> None:
    page = render_graph(hostile(ATTACK + "\u2028\u2029&"), "html")
    (raw,) = re.findall(r'id="graph">(.*?)</script>', page, re.DOTALL)
    assert not re.search("[<>&\u2028\u2029]", raw)
    assert block(page)["nodes"][0]["content"].startswith(ATTACK)


def test_the_page_lets_only_its_own_script_and_style_run() -> None:
    found = Markup(render_graph(drawing(), "html"))
    (policy,) = [m["content"] for m in found.named("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        digest = hashlib.sha256(found.inline[tag].encode()).digest()
        assert rules[rule] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert not any("style" in attributes for _, attributes in found.elements)


def test_the_page_refers_to_nothing_outside_itself() -> None:
    page = render_graph(drawing(), "html")
    assert not re.search(r"https?:|//[a-z]|url\(|@import|\bfetch\(|XMLHttpRequest|innerHTML|import\(|eval\(", page)
    assert not any({"src", "href", "action"} & set(attributes) for _, attributes in Markup(page).elements)


def test_a_long_content_is_cut_in_the_page() -> None:
    page = render_graph(Graph("t", (GraphNode("a", "memory", "long", "word " * 20_000),), ()), "html")
    (node,) = block(page)["nodes"]
    assert 590 <= len(node["content"]) <= 602 and node["content"].endswith("…")
    assert len(page) < 60_000


@pytest.mark.parametrize(
    ("trust", "level"), [(1.0, "high"), (0.8, "high"), (0.5, "middle"), (0.3, "low"), (None, "unknown")]
)
def test_trust_is_shown_in_levels(trust, level) -> None:
    page = render_graph(Graph("t", (GraphNode("a", "memory", "m", trust=trust),), ()), "html")
    assert block(page)["nodes"][0]["level"] == level


def test_without_a_script_the_page_is_a_list_of_nodes_and_links() -> None:
    page = render_graph(drawing(3), "html")
    listed = page[page.index('<ol id="nodes">') : page.index("</ol>")]
    assert listed.count('<li class="node">') == 5
    assert "Memory number 1 in full" in listed and "memory · fact · project:shop · superseded" in listed
    assert "<li>has tag <bdi>#deploy</bdi></li>" in listed


def test_the_page_says_how_many_are_not_shown() -> None:
    assert "120 more not shown" in render_graph(drawing(), "html")
    assert "more not shown" not in render_graph(Graph("t", drawing().nodes, ()), "html").split("<script>")[0]


def test_an_empty_page_says_what_to_do() -> None:
    page = render_graph(Graph("Nothing", (), ()), "html")
    assert "Nothing is linked yet" in page and "recollect remember" in page


def dom(tmp_path, graph: Graph) -> str:
    """The page as it stands after its script ran in a browser."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not on the PATH: the page cannot be run here")
    path = tmp_path / "graph.html"
    path.write_text(render_graph(graph, "html"), "utf-8")
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}")
    command = [chromium, *flags, "--virtual-time-budget=4000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=True)
    return done.stdout


def test_a_browser_draws_every_node_and_comes_to_rest(tmp_path) -> None:
    found = dom(tmp_path, drawing(28))
    assert 'data-ready="nodes=30"' in found and 'data-settled="yes"' in found
    assert found.count('<li class="node"><button type="button"') == 30
    assert found.count('type="checkbox"') == 6


def test_a_browser_runs_nothing_that_a_memory_says(tmp_path) -> None:
    nodes = tuple(
        GraphNode(f"m{place}", "memory", text, f"{text}<script>document.title='owned'</script>", seed=True)
        for place, text in enumerate(HOSTILE)
    )
    found = Markup(dom(tmp_path, Graph(f"safe {ATTACK}", nodes, ())))
    assert dict(found.elements[0][1])["data-ready"] == f"nodes={len(HOSTILE)}"
    assert not found.named("img") and len(found.named("script")) == 2


def test_a_browser_draws_an_empty_graph_as_advice(tmp_path) -> None:
    assert 'data-ready="nodes=0"' in dom(tmp_path, Graph("Nothing", (), ()))
