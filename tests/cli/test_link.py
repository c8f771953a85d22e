"""link, unlink, related, provenance: how memories hang together."""

import pytest


@pytest.fixture
def two(keep) -> tuple[str, str]:
    return keep("We deploy with make deploy", "-t", "shop"), keep("Maria owns the billing service", "-t", "people")


def links(run, id: str) -> list[tuple[str, str, float]]:
    return [(link["relation"], link["target"][-8:], link["weight"]) for link in run("get", id, "--json").json["links"]]


class TestLink:
    def test_both_ends_are_shown(self, run, two) -> None:
        one, other = two
        done = run("link", one, other, "--weight", "0.4")
        assert done.code == 0
        assert done.out.splitlines() == [
            "✓ linked  relates_to  weight 0.4",
            f"  {one}  We deploy with make deploy",
            f"  {other}  Maria owns the billing service",
        ]
        assert links(run, one) == [("relates_to", other, 0.4)]

    def test_the_same_two_the_other_way_round_are_one_link(self, run, two) -> None:
        one, other = two
        run("link", one, other, "--weight", "0.4")
        assert run("link", other, one, "--json").json["short_id"] == one
        assert links(run, one) == [("relates_to", other, 1.0)]
        assert links(run, other) == []

    @pytest.mark.parametrize("relation", ["contradicts", "derived_from"])
    def test_other_relations(self, run, two, relation) -> None:
        one, other = two
        done = run("link", one, other, "--relation", relation)
        assert done.out.startswith(f"✓ linked  {relation}\n")
        assert links(run, one) == [(relation, other, 1.0)]

    def test_supersedes_takes_the_place_of_the_other(self, run, two) -> None:
        one, other = two
        assert run("link", one, other, "--relation", "supersedes", "--json").json["supersedes"].endswith(other)
        assert run("get", other, "--json").json["status"] == "superseded"

    @pytest.mark.parametrize(
        ("words", "field"),
        [
            (["ONE", "ONE"], "target"),
            (["ONE", "OTHER", "--weight", "7"], "weight"),
            (["ONE", "OTHER", "--relation", "likes"], "relation"),
            (["ONE", "zz"], "id"),
            (["ONE"], "target"),
        ],
    )
    def test_wrong_use_names_the_field(self, run, two, words, field) -> None:
        named = dict(zip(("ONE", "OTHER"), two, strict=True))
        done = run("link", *(named.get(word, word) for word in words), "--json")
        assert (done.code, done.out) == (2, "")
        assert done.error["field"] == field
        assert links(run, two[0]) == []

    def test_an_unknown_memory(self, run, two) -> None:
        done = run("link", two[0], "00000000", "--json")
        assert (done.code, done.error["type"]) == (2, "NotFound")

    def test_quiet_says_nothing(self, run, two) -> None:
        assert run("-q", "link", *two).out == ""


class TestUnlink:
    def test_all_or_one_relation(self, run, two) -> None:
        one, other = two
        run("link", one, other)
        run("link", other, one, "--relation", "contradicts")
        assert run("unlink", one, other, "--relation", "contradicts").out.startswith("✓ unlinked  contradicts\n")
        assert links(run, one) == [("relates_to", other, 1.0)]
        assert [record["short_id"] for record in run("unlink", other, one, "--json").json] == [one]
        assert links(run, one) == []

    def test_what_is_not_linked(self, run, two) -> None:
        done = run("unlink", *two)
        assert done.code == 2
        assert "no link between" in done.err

    def test_it_can_be_undone(self, run, two) -> None:
        run("link", *two)
        run("unlink", *two)
        run("undo")
        assert links(run, two[0]) == [("relates_to", two[1], 1.0)]


def test_links_in_the_log_are_legible(run, two) -> None:
    run("link", *two, "--weight", "0.4")
    assert run("log", "-n", "1").out.rstrip().endswith(f"links: [] → [relates_to {two[1]} 0.4]")


class TestRelated:
    def test_each_is_shown_with_its_path(self, run, two, keep) -> None:
        one, other = two
        third = keep("Tom pays the invoices", "-t", "people")
        run("link", one, other, "--weight", "0.5")
        near = run("related", one).out.splitlines()
        assert near[0].startswith(" 1 ███")
        assert near[0].endswith("Maria owns the billing service")
        assert near[1].strip().startswith(other)
        assert near[2].strip() == "path: relates_to"
        assert len(near) == 3
        far = run("related", one, "--depth", "2").out.splitlines()
        assert far[4].strip().startswith(third)
        assert far[5].strip() == f"path: relates_to {other} “Maria owns the billing service” → has_tag people"

    def test_json(self, run, two) -> None:
        run("link", *two)
        (found,) = run("related", two[0], "--json").json
        assert set(found) == {"score", "path", "memory"}
        assert found["memory"]["short_id"] == two[1]
        assert found["path"][0].startswith("relates_to ")

    def test_nothing_is_no_error(self, run, two) -> None:
        assert run("related", two[0]).out.startswith("no related memories")
        assert run("related", two[0], "--json").json == []

    @pytest.mark.parametrize(("option", "value"), [("--depth", "0"), ("--depth", "9"), ("--limit", "0")])
    def test_out_of_range(self, run, two, option, value) -> None:
        done = run("related", two[0], option, value, "--json")
        assert (done.code, done.error["field"]) == (2, option.lstrip("-"))

    def test_an_unknown_memory(self, run) -> None:
        assert run("related", "00000000").code == 2


class TestProvenance:
    def test_every_source_is_shown_with_its_place_and_the_lowest_trust_wins(self, run, keep) -> None:
        said = keep(
            "Maria owns the billing service", "--session", "s1", "--position", "4", "--speaker", "Ana", "--file",
            "docs/team.md", "--snippet", "billing is Maria's", "--source", "inferred",
        )  # fmt: skip
        made = keep("Ask Maria about invoices", "--derived-from", said)
        shown = run("provenance", made).out
        first, rest = shown.split("derived from\n")
        assert first.startswith(f"{made}  Ask Maria about invoices")
        assert rest.startswith(f"{said}  Maria owns the billing service")
        for part in (
            "inferred",
            "said by Ana",
            "session s1 message 4",
            "docs/team.md",
            "trust 0.50",
            "billing is Maria's",
        ):
            assert part in rest
        assert shown.endswith("trust: 0.50, the lowest of its sources\n")
        form = run("provenance", made, "--json").json
        assert (form["memory"]["short_id"], form["trust"]) == (made, 0.5)
        assert [source["short_id"] for source in form["sources"]] == [said]

    def test_a_memory_less_trusted_than_its_sources(self, run, keep) -> None:
        made = keep("Ask Maria about invoices", "--derived-from", keep("Maria owns billing"), "--source", "derived")
        assert run("provenance", made).out.endswith("trust: 0.60, its own value; the lowest of its sources is 1.00\n")

    def test_a_memory_with_no_source(self, run, keep) -> None:
        made = keep("Maria owns billing")
        assert "trust: 1.00, user stated, not derived" in run("provenance", made).out

    def test_an_unknown_memory(self, run) -> None:
        done = run("provenance", "00000000", "--json")
        assert (done.code, done.error["type"]) == (2, "NotFound")
