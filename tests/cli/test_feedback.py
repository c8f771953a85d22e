"""confirm, contradictions, resolve, gaps: how far memories are to be believed, and what is missing."""

import pytest


@pytest.fixture
def two(keep) -> tuple[str, str]:
    return keep("We deploy with make deploy", "-t", "a"), keep("Deploy from main only", "-t", "b")


class TestConfirm:
    def test_what_helped_is_linked_and_what_did_not_fades(self, run, two, keep) -> None:
        bad = keep("Momo is the name of the cat")
        done = run("confirm", *two, "--rejected", bad)
        assert done.out.splitlines() == [
            "✓ confirmed  2 helped, 1 did not help, linked with each other",
            f"  + {two[0]}  We deploy with make deploy  confidence 1.00",
            f"  + {two[1]}  Deploy from main only  confidence 1.00",
            f"  - {bad}  Momo is the name of the cat  confidence 0.98",
        ]
        assert run("related", two[0], "--json").json[0]["memory"]["short_id"] == two[1]

    def test_json_and_a_word_of_the_question_as_a_tag(self, run, two) -> None:
        done = run("confirm", *two, "--query", "how to deploy?", "--json")
        assert [record["short_id"] for record in done.json] == list(two)
        assert all("deploy" in record["tags"] for record in done.json)

    def test_only_a_rejection(self, run, two) -> None:
        assert run("confirm", "--rejected", two[0]).out.startswith("✓ confirmed  1 did not help\n")

    def test_wrong_use(self, run, two) -> None:
        assert run("confirm", "--json").error["field"] == "helped"
        assert run("confirm", two[0], "00000000").code == 2
        assert run("confirm", "--rejected", "00000000").code == 2


class TestContradictions:
    @pytest.fixture
    def pair(self, run, keep) -> tuple[str, str]:
        old, new = keep("The spring release is on Friday"), keep("We ship the spring release on Monday")
        run("link", new, old, "--relation", "contradicts")
        return new, old

    def status(self, run, id: str) -> str:
        return run("get", id, "--json").json["status"]

    def test_the_newer_stands_above_the_older_with_the_four_ways_out(self, run, pair) -> None:
        new, old = pair
        lines = [" ".join(line.split()) for line in run("contradictions").out.splitlines()]
        assert lines[0] == "contradiction"
        assert lines[1].startswith(f"newer {new} We ship the spring release on Monday")
        assert lines[2].startswith(f"older {old} The spring release is on Friday")
        for way in ("keep_both", "update --content …", "supersede", "forget"):
            assert any(line.endswith(f"recollect resolve {new} {old} {way}") for line in lines)

    def test_json(self, run, pair) -> None:
        (found,) = run("contradictions", "--json").json
        assert set(found) == {"newer", "older", "similarity", "reason"}
        assert (found["newer"]["short_id"], found["older"]["short_id"]) == pair

    def test_none(self, run, keep) -> None:
        assert "--scan" in run("contradictions").out
        assert run("contradictions", "--json").json == []
        assert run("contradictions", "--scan", "--json").error["field"] == "embedder"

    def test_a_scan_finds_what_was_stored_unseen(self, run, monkeypatch) -> None:
        monkeypatch.setenv("RECOLLECT_EMBEDDER", "local")
        facts = '"The spring release is on Friday"\n"The spring release is not on Friday"\n'
        run("remember", "--jsonl", "-", "--verbatim", stdin=facts)
        assert run("contradictions", "--json").json == []
        assert "contradiction  similarity 0.9" in run("contradictions", "--scan").out
        assert len(run("contradictions", "--json").json) == 1

    def test_keep_both(self, run, pair) -> None:
        assert run("resolve", *pair, "keep_both").out.startswith("✓ resolved  keep_both\n  We ship the spring release")
        assert run("contradictions", "--json").json == []
        assert (self.status(run, pair[0]), self.status(run, pair[1])) == ("active", "active")
        assert "resolved" in run("get", pair[0]).out

    def test_supersede(self, run, pair) -> None:
        assert run("resolve", *pair, "supersede", "--json").json[0]["short_id"] == pair[0]
        assert (self.status(run, pair[0]), self.status(run, pair[1])) == ("active", "superseded")

    def test_forget(self, run, pair) -> None:
        assert "forgotten" in run("resolve", *pair, "forget").out
        assert (self.status(run, pair[0]), self.status(run, pair[1])) == ("active", "forgotten")

    def test_update_with_the_newer_text_or_another(self, run, pair) -> None:
        done = run("resolve", *pair, "update")
        assert done.out.count("✓ resolved") == 1
        assert run("get", pair[1], "--json").json["content"] == "We ship the spring release on Monday"
        assert self.status(run, pair[0]) == "archived"
        run("undo")
        run("resolve", *pair, "update", "--content", "-", stdin="The spring release is on Tuesday")
        assert run("get", pair[1], "--json").json["content"] == "The spring release is on Tuesday"

    @pytest.mark.parametrize(
        ("words", "field"),
        [
            (["NEW", "OLD", "burn"], "resolution"),
            (["NEW", "OLD"], "resolution"),
            (["NEW", "NEW", "forget"], "conflict"),
            (["NEW", "OLD", "forget", "--content", "x"], "content"),
        ],
    )
    def test_wrong_use_names_the_field(self, run, pair, words, field) -> None:
        named = dict(zip(("NEW", "OLD"), pair, strict=True))
        done = run("resolve", *(named.get(word, word) for word in words), "--json")
        assert (done.code, done.out) == (2, "")
        assert done.error["field"] == field

    def test_what_is_not_there(self, run, two) -> None:
        assert run("resolve", *two, "keep_both", "--json").error["type"] == "NotFound"
        assert run("resolve", two[0], "00000000", "forget").code == 2


class TestGaps:
    @pytest.fixture
    def asked(self, run) -> None:
        for question in (
            "who feeds the zebra?",
            "who feeds the zebra?",
            "where does the zebra sleep?",
            "what is the wifi password?",
        ):
            run("recall", question)

    def test_topics_the_most_asked_first(self, run, asked) -> None:
        lines = run("gaps").out.splitlines()
        assert lines[0].endswith(" questions")
        assert lines[1].split() == ["count", "age", "project", "question"]
        assert lines[2].endswith("who feeds the zebra?")
        found = run("gaps", "--json").json
        assert found[0]["name"] == "who feeds the zebra?"
        assert sum(topic["count"] for topic in found) == 4
        assert set(found[0]["gaps"][0]) == {
            "id", "question", "count", "first_at", "last_at", "session", "project", "answered_by",
        }  # fmt: skip

    def test_a_memory_closes_one(self, run, asked, keep) -> None:
        answer = keep("The wifi password is on the fridge, what a place")
        assert "wifi" not in run("gaps").out
        line = next(line for line in run("gaps", "--answered").out.splitlines() if "wifi" in line)
        assert answer in line

    def test_none(self, run) -> None:
        assert run("gaps").out == "no unanswered questions\n"
        assert run("gaps", "--json").json == []
