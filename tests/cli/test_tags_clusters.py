"""tags and clusters: what memories share."""

import pytest


@pytest.fixture
def shop(keep) -> None:
    keep("We deploy with make deploy", "-t", "deploy", "-t", "make")
    keep("A release takes ten minutes", "-t", "release")
    keep("Roll back with make rollback", "-t", "deploy")


def tags(run) -> dict[str, tuple[int, str | None]]:
    return {tag["name"]: (tag["count"], tag["description"]) for tag in run("tags", "--json").json}


class TestTags:
    def test_the_most_used_first(self, run, shop) -> None:
        lines = run("tags").out.splitlines()
        assert lines[0].split() == ["tag", "memories"]
        assert [line.split() for line in lines[1:]] == [["#deploy", "2"], ["#make", "1"], ["#release", "1"]]
        assert tags(run) == {"deploy": (2, None), "make": (1, None), "release": (1, None)}

    def test_none_is_no_error(self, run) -> None:
        assert run("tags").out.startswith("no tags")

    def test_describe_and_take_it_back(self, run, shop) -> None:
        assert run("tags", "describe", "#Deploy", "how", "we", "ship").out == "✓ #deploy  how we ship\n"
        assert tags(run)["deploy"] == (2, "how we ship")
        assert run("tags").out.splitlines()[1].split() == ["#deploy", "2", "how", "we", "ship"]
        assert run("tags", "describe", "deploy", "", "--json").json == {"tag": "deploy", "description": None}
        assert tags(run)["deploy"] == (2, None)

    def test_a_description_in_log_and_undo(self, run, shop) -> None:
        run("tags", "describe", "deploy", "how we ship")
        assert run("log", "-n", "1").out.rstrip().endswith("describe  tag     #deploy: – → how we ship")
        assert run("undo").out.splitlines()[:2] == ["✓ undone: describe  by user", "  tag  #deploy: how we ship → –"]
        assert tags(run)["deploy"] == (2, None)

    def test_rename(self, run, shop) -> None:
        assert run("tags", "rename", "release", "shipping").out == "✓ #release → #shipping  on 1 memory\n"
        assert set(tags(run)) == {"deploy", "make", "shipping"}

    def test_merge_is_one_operation(self, run, shop) -> None:
        done = run("tags", "merge", "deploy", "release", "make", "--json")
        assert done.json == {"tag": "deploy", "memories": 2}
        assert tags(run) == {"deploy": (3, None)}
        run("undo")
        assert set(tags(run)) == {"deploy", "make", "release"}

    @pytest.mark.parametrize(
        "words",
        [["sort"], ["describe", "deploy"], ["rename", "deploy"], ["rename", "a", "b", "c"], ["merge", "deploy"]],
        ids=" ".join,
    )
    def test_words_that_make_no_sense(self, run, shop, words) -> None:
        done = run("tags", *words)
        assert done.code == 2
        assert "describe TAG TEXT" in done.err

    def test_a_tag_nothing_carries(self, run, shop) -> None:
        done = run("tags", "rename", "nonsense", "sense", "--json")
        assert (done.code, done.error["type"]) == (2, "NotFound")
        assert run("tags", "merge", "deploy", "deploy", "--json").error["field"] == "tags"
        assert run("tags", "describe", "deploy", "").code == 2


class TestClusters:
    FACTS = (
        "Deploys run through make deploy on the build server", "The deploy script tags the release before deploying",
        "Deploying needs the VPN and a deploy key", "A deploy takes about ten minutes",
        "Roll a deploy back with make rollback", "Invoices are sent on the first of the month",
        "The billing service writes invoices as PDF", "Unpaid invoices are reminded after 14 days",
        "Invoice numbers start anew each year", "Customers get invoices by mail",
    )  # fmt: skip

    def test_without_vectors_there_are_none(self, run, shop) -> None:
        assert "--refresh" in run("clusters").out
        assert "too few similar memories" in run("clusters", "--refresh").out
        assert run("clusters", "--json").json == []

    def test_an_unknown_one(self, run) -> None:
        done = run("clusters", "nonsense", "--json")
        assert (done.code, done.error["type"]) == (2, "NotFound")

    @pytest.fixture
    def embedded(self, run, monkeypatch) -> None:
        monkeypatch.setenv("RECOLLECT_EMBEDDER", "local")
        run("remember", "--jsonl", "-", stdin="".join(f'"{fact}"\n' for fact in self.FACTS))

    def test_the_members_of_one_by_id_or_name(self, run, embedded) -> None:
        largest = run("clusters", "--refresh", "--json").json[0]
        members = run("clusters", largest["id"][-8:], "--json").json
        assert len(members) == largest["size"]
        assert run("clusters", *largest["name"].split(), "--json").json == members
        shown = run("clusters", largest["name"], "-n", "2").out.splitlines()
        assert [line.split()[0] for line in shown[1:3]] == [member["short_id"] for member in members[:2]]
        assert shown[3] == "2 memories shown; use --limit for more"

    def test_found_anew_named_and_walked_over(self, run, embedded) -> None:
        assert run("clusters", "--json").json == []
        found = run("clusters", "--refresh", "--json").json
        assert len(found) >= 2
        assert set(found[0]) == {"id", "name", "size", "made_at"}
        head, first, *_ = run("clusters").out.splitlines()
        assert head.split() == ["id", "memories", "computed", "name"]
        assert first.startswith(found[0]["id"][-8:])
        assert first.endswith(found[0]["name"])
        assert "cluster" in {node["kind"] for node in run("graph", "--json").json["nodes"]}
