"""recall, search, get, list: the right ones, with the reason, for people and programs."""

import pytest


@pytest.fixture
def shop(keep) -> dict[str, str]:
    return {
        "deploy": keep("We deploy with make deploy", "--type", "procedure", "-t", "deploy"),
        "database": keep("The shop's database is PostgreSQL 16"),
        "billing": keep("Maria owns the billing service", "-t", "people"),
    }


def test_recall_shows_score_bars_and_short_ids(run, shop) -> None:
    done = run("recall", "how", "do", "we", "deploy?", "-n", "1")
    first, second = done.out.splitlines()
    assert first.startswith(" 1 █")
    assert first.endswith("We deploy with make deploy")
    assert second.strip().startswith(f"{shop['deploy']} · procedure · shop · ")
    assert "lexical only" in done.err


def test_recall_json(run, shop) -> None:
    done = run("recall", "deploy", "--json", "--explain")
    assert set(done.json) == {"id", "answered", "hits", "notes", "trace"}
    hit = done.json["hits"][0]
    assert set(hit) == {"score", "similarity", "relevance", "memory", "trigger", "newer", "explain"}
    assert hit["memory"]["short_id"] == shop["deploy"]
    assert set(hit["explain"]) == {"profile", "formula", "signals", "terms", "path", "notes", "confidence"}
    assert done.json["trace"]["considered"] == 3
    assert run("recall", "deploy", "--json").json["hits"][0]["explain"] is None


def test_explain_shows_signals_formula_words_and_what_was_hidden(run, shop) -> None:
    run("forget", shop["billing"])
    done = run("recall", "how do we deploy?", "--explain", "--profile", "composite")
    assert "importance  ████" in done.out
    assert "matched terms: deploy" in done.out
    assert "composite = " in done.out
    assert "filtered out: 1 forgotten" in done.out


def test_nothing_found_is_no_error(run) -> None:
    done = run("recall", "anything")
    assert (done.code, done.out) == (0, "nothing found\n")


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_search_by_mode(run, shop, mode) -> None:
    done = run("search", "PostgreSQL", "--mode", mode, "--json")
    assert done.json["hits"][0]["memory"]["short_id"] == shop["database"]


def test_filters_narrow(run, shop) -> None:
    assert [m["short_id"] for m in run("list", "-t", "people", "--json").json] == [shop["billing"]]
    assert [m["short_id"] for m in run("list", "--type", "procedure", "--json").json] == [shop["deploy"]]
    assert run("list", "--until", "1h", "--json").json == []
    assert len(run("list", "--since", "1h", "--json").json) == 3
    assert len(run("list", "--in-project", "shop", "--json").json) == 3
    assert run("list", "--in-project", "other", "--json").json == []
    assert len(run("--project", "other", "list", "--json").json) == 3
    assert run("list", "--type", "nonsense").code == 2


def test_list_pages(run, shop) -> None:
    (newest,) = run("list", "-n", "1", "--json").json
    after = newest["short_id"]
    assert [m["short_id"] for m in run("list", "-n", "1", "--after", after, "--json").json] == [shop["database"]]
    assert f"1 of 3 memories; --after {after} goes on" in run("list", "-n", "1").out
    assert run("list", "-n", "0").code == 2


def test_a_pipe_gets_aligned_complete_lines(run, keep) -> None:
    long = "word " * 30 + "end"
    keep(long)
    keep("日本語の短い文章です")
    lines = run("list").out.splitlines()
    assert lines[0].split() == ["id", "type", "scope", "age", "memory"]
    start = lines[0].index("memory")
    assert lines[1][start:] == "日本語の短い文章です"
    assert lines[2][start:] == long


def test_get_shows_everything_by_a_unique_part_of_the_id(run, shop) -> None:
    done = run("get", shop["deploy"][-6:])
    assert "We deploy with make deploy" in done.out
    assert "#deploy" in done.out
    full = run("get", shop["deploy"], "--json").json
    assert run("get", full["id"][:30]).code == 0
    assert full["confidence"] == 1.0


def test_what_is_not_there(run) -> None:
    done = run("get", "00000000", "--json")
    assert done.code == 2
    assert done.out == ""
    assert done.error["type"] == "NotFound"
    assert run("get", "zz").code == 2


class TestTriggers:
    """A memory whose trigger is in sight comes first, marked."""

    @pytest.fixture
    def warning(self, keep, shop) -> str:
        return keep("Never commit environment files", "--trigger", "glob:*.env")

    def test_the_context_calls_it_up(self, run, warning, tmp_path) -> None:
        lines = run("recall", "how do we deploy?", "--working-on", "git add .env").out.splitlines()
        assert lines[0].endswith("! trigger glob:*.env")
        assert lines[1].strip() == "! Never commit environment files"
        assert lines[2].strip().startswith(warning)
        assert "trigger" not in run("recall", "how do we deploy?").out
        file = tmp_path / "staged.txt"
        file.write_bytes(b"caf\xe9 shop.env")
        for context, stdin in ((f"@{file}", ""), ("-", "add shop.env")):
            hits = run("recall", "how do we deploy?", "--working-on", context, "--json", stdin=stdin).json["hits"]
            assert [hit["trigger"] for hit in hits][:2] == ["glob:*.env", None]

    def test_a_context_that_cannot_be_read(self, run, warning) -> None:
        done = run("recall", "deploy", "--working-on", "@nowhere.txt")
        assert done.code == 2
        assert "nowhere.txt" in done.err

    def test_explain_says_so_and_tells_the_confidence(self, run, warning) -> None:
        done = run("recall", "deploy", "--working-on", ".env", "--explain")
        assert "surfaced first: its trigger glob:*.env matches" in done.out
        assert "current confidence: 1.00" in done.out


def test_what_not_to_do_is_listed_as_a_warning(run, keep) -> None:
    keep("Never deploy on Fridays")
    keep("We deploy with make deploy")
    first, second = run("list").out.splitlines()[1:]
    assert first.endswith("  We deploy with make deploy")
    assert second.endswith("! Never deploy on Fridays")


def test_recall_of_what_was_true_then(run, keep) -> None:
    keep("The office is in Berlin", "--valid-until", "in 1 day")
    keep("The office is in Hamburg", "--valid-from", "in 1 day")
    told = run("recall", "office", "--true-at", "in 2 days", "--json").json["hits"]
    assert [hit["memory"]["content"] for hit in told] == ["The office is in Hamburg"]


def test_recall_in_a_season(run, keep) -> None:
    keep("Freeze the schema before the release", "--season", "release-week")
    keep("The schema of the shop has nine tables")
    first = run("recall", "schema", "--season", "Release Week", "--json").json["hits"][0]["memory"]
    assert first["season"] == "release-week"
    assert "season release-week" in run("recall", "schema", "--season", "release-week").out


def test_get_shows_a_procedure_its_triggers_season_and_links(run, keep, shop) -> None:
    made = keep(
        "Release the shop", "--when", "main is green", "--step", "make tag", "--step", "make ship", "--prerequisite",
        "CI passed", "--warning", "not on Fridays", "--trigger", "make ship", "--season", "spring", "--derived-from",
        shop["deploy"],
    )  # fmt: skip
    run("link", made, shop["billing"], "--weight", "0.4")
    lines = [line.strip() for line in run("get", made).out.splitlines()]
    steps = ["When: main is green", "Before:", "- CI passed", "1. make tag", "2. make ship", "Warning: not on Fridays"]
    assert lines[1:8] == ["Release the shop", *steps]
    told = {" ".join(line.split()) for line in lines}
    assert {"triggers make ship", "season spring"} <= told
    assert f"derived from {shop['deploy']} We deploy with make deploy" in told
    assert f"relates to {shop['billing']} Maria owns the billing service weight 0.40" in told
    run("purge", shop["billing"], "--yes")
    assert "Maria" not in run("get", made).out


def test_the_project_comes_from_flag_environment_or_folder(run, keep, monkeypatch) -> None:
    assert run("remember", "From the folder", "--json").json["memory"]["project"] == "shop"
    monkeypatch.setenv("RECOLLECT_PROJECT", "set")
    assert run("remember", "From the environment", "--json").json["memory"]["project"] == "set"
    assert run("--project", "said", "remember", "From the flag", "--json").json["memory"]["project"] == "said"


def test_a_session_at_hand_shows_its_own(run, keep) -> None:
    said = keep("The pairing code is blue", "--scope", "session", "--session", "s1")
    assert run("recall", "pairing code", "--json").json["hits"] == []
    for verb in ("recall", "search"):
        assert run(verb, "pairing code", "--session", "s1", "--json").json["hits"][0]["memory"]["short_id"] == said
    assert [m["short_id"] for m in run("list", "--in-session", "s1", "--json").json] == [said]


def test_little_trusted_memories_can_be_left_out(run, keep) -> None:
    keep("Maria owns the billing service", "--source", "inferred")
    assert run("recall", "billing", "--min-trust", "0.8", "--json").json["hits"] == []
    assert len(run("list", "--min-trust", "0.5", "--json").json) == 1


def test_another_account_sees_nothing(run, shop) -> None:
    assert run("--account", "acme", "list", "--json").json == []


class TestWithTheModel:
    """The real embedder, fetched once into the user's cache."""

    @pytest.fixture(autouse=True)
    def real(self, run, monkeypatch) -> None:
        monkeypatch.setenv("RECOLLECT_EMBEDDER", "local")

    def test_an_answer_that_shares_no_word_with_the_question(self, run, keep) -> None:
        keep("The nightly import must end by six")
        wanted = keep("Maria owns the billing service")
        done = run("recall", "who should I talk to about invoices?", "--explain", "-n", "1")
        assert wanted in done.out
        assert "found by meaning alone" in done.out
        assert done.err == ""

    def test_a_contradiction_shows_the_four_ways_out(self, run, keep) -> None:
        old = keep("The spring release is on Friday")
        done = run("remember", "The spring release is not on Friday")
        new = run("list", "-n", "1", "--json").json[0]["short_id"]
        assert "possible contradiction  similarity 0.9" in done.out
        for way in ("keep_both", "update --content …", "supersede", "forget"):
            assert f"recollect resolve {new} {old} {way}\n" in done.out

    def test_conflicts_in_json(self, run, keep) -> None:
        old = keep("The spring release is on Friday")
        (conflict,) = run("--json", "remember", "The spring release is not on Friday").json["conflicts"]
        assert set(conflict) == {"memory", "similarity", "reason"}
        assert conflict["memory"]["short_id"] == old


class TestContext:
    def test_the_block_is_the_text_alone_and_the_same_again(self, run) -> None:
        run("remember", "Answer in British English", "--delivery", "pinned")
        run("remember", "We deploy with make deploy", "--tag", "deploy")
        first, again = run("context", "how do we deploy"), run("context", "how do we deploy")
        assert first.code == 0
        assert "Answer in British English" in first.out
        assert "We deploy with make deploy" in first.out
        assert first.out == again.out

    def test_a_preview_tells_what_is_in_and_what_not(self, run) -> None:
        run("remember", "Answer in British English", "--delivery", "pinned")
        shown = run("preview", "anything", "--budget", "4000")
        assert "of 4,000 characters" in shown.out
        assert "pinned" in shown.out

    def test_bad_arguments_say_what_to_do(self, run) -> None:
        assert "layers" in run("context", "x", "--layer", "attic").err
        assert run("context", "x", "--budget", "0").code != 0
