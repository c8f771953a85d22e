"""Every verb that changes something, and taking it back."""

import pytest

from recollect.serve.cli.commands.journal import show_log


@pytest.fixture
def one(keep) -> str:
    return keep("We deploy with make deploy", "-t", "shop")


def memory(run, id: str) -> dict:
    return run("get", id, "--json").json


def test_update(run, one) -> None:
    done = run("update", one, "--content", "We deploy with make ship", "--importance", "0.9", "-t", "deploy")
    assert done.code == 0
    assert done.out.startswith("✓ updated")
    now = memory(run, one)
    assert (now["content"], now["importance"], now["tags"]) == ("We deploy with make ship", 0.9, ["deploy"])
    assert run("update", one, "--content", "-", "--json", stdin="From stdin now").json["content"] == "From stdin now"


def test_update_can_set_and_lift_an_expiry(run, one) -> None:
    assert run("update", one, "--ttl", "30d", "--json").json["expires_at"] is not None
    assert run("update", one, "--no-expiry", "--json").json["expires_at"] is None


def test_update_can_set_and_take_away_triggers_and_season(run, one) -> None:
    now = run(
        "update", one, "--trigger", "make deploy", "--trigger", "glob:*.mk", "--season", "Release week", "--json"
    ).json
    assert (now["triggers"], now["season"]) == (["make deploy", "glob:*.mk"], "release-week")
    now = run("update", one, "--no-trigger", "--no-season", "--json").json
    assert (now["triggers"], now["season"]) == ([], None)


def test_update_cannot_set_and_empty_the_same_field(run, one) -> None:
    done = run("update", one, "--trigger", "make deploy", "--no-trigger")
    assert done.code == 2
    assert "both set and cleared" in done.err


def test_a_bad_pattern_is_refused_with_the_fix(run, one) -> None:
    done = run("update", one, "--trigger", "re:(", "--json")
    assert done.code == 2
    assert done.error["field"] == "triggers"
    assert memory(run, one)["triggers"] == []


def test_update_passes_the_screen(run, one) -> None:
    done = run("update", one, "--content", "The token is ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a", "--json")
    assert done.code == 1
    assert done.json["kind"] == "refused"
    assert memory(run, one)["content"] == "We deploy with make deploy"


def test_update_needs_something_to_change(run, one) -> None:
    assert run("update", one).code == 2


def test_reinforce_demote_feedback(run, one) -> None:
    assert run("reinforce", one, "--json").json["score"] == 3
    assert "score +2" in run("demote", one).out
    assert run("feedback", one, "--unhelpful", "--json").json["confidence"] == 0.9
    assert run("feedback", one, "--helpful", "--json").json["strength"] == 2
    assert run("feedback", one).code == 2


def test_feedback_on_several_is_all_or_nothing(run, one, keep) -> None:
    other = keep("The office is in Berlin")
    done = run("feedback", one, other, one, "--unhelpful", "--json")
    assert [(each["short_id"], each["confidence"]) for each in done.json] == [(one, 0.9), (other, 0.9)]
    assert run("feedback", one, other, "--helpful").out.count("✓ helpful") == 2
    assert run("feedback", one, "00000000", "--unhelpful").code == 2
    assert memory(run, one)["confidence"] == 0.95


def test_tag_and_untag(run, one) -> None:
    assert run("tag", one, "a", "#B", "--json").json["tags"] == ["shop", "a", "b"]
    assert "#b" in run("untag", one, "a", "shop").out
    assert memory(run, one)["tags"] == ["b"]


def test_supersede_and_its_history(run, one, keep) -> None:
    new = keep("Now a robot ships everything")
    done = run("supersede", one, new)
    assert f"replaces {one}" in done.out
    assert memory(run, one)["status"] == "superseded"
    shown = run("history", new).out.splitlines()
    assert shown[0].split()[0] == one
    assert shown[0].endswith("superseded")
    assert shown[1].startswith(f"→ {new}")


def test_forget_keeps_it_away_until_restore(run, one) -> None:
    assert f"recollect restore {one}" in run("forget", one, "--reason", "wrong").out
    assert run("list", "--json").json == []
    assert run("remember", "we deploy with make deploy").code == 1
    assert "wrong" in run("log").out
    assert run("restore", one, "--json").json["status"] == "active"


class TestPurge:
    def test_asks_and_takes_no_for_an_answer(self, run, one) -> None:
        done = run("purge", one, stdin="n\n")
        assert done.code == 1
        assert done.out == ""
        assert "We deploy with make deploy" in done.err
        assert "nothing was erased" in done.err
        assert memory(run, one)["status"] == "active"

    def test_nobody_there_to_ask(self, run, one) -> None:
        done = run("purge", one)
        assert done.code == 2
        assert "nothing was changed" in done.err
        assert memory(run, one)["status"] == "active"

    def test_erases(self, run, one) -> None:
        full = memory(run, one)["id"]
        done = run("purge", one, "--yes", "--json").json
        assert (done["purged"], done["erased"], done["repeats"], done["pending"]) == (full, [], [], [])
        assert "backups" in str(done["out_of_reach"])
        assert run("get", one).code == 2
        assert "erased permanently" in run("log").out

    def test_yes_by_hand(self, run, one) -> None:
        shown = run("purge", one, stdin="y\n").out.splitlines()
        assert shown[0] == f"✓ erased {one} permanently"
        assert shown[1].startswith("  out of reach: backups")

    def test_tells_what_repeats_the_text_and_erases_it_on_demand(self, run, one) -> None:
        run("pool", "create", "board", '{"how": "We deploy with make deploy"}')
        asked = run("purge", one, stdin="n\n").err
        assert "stays (--repeats erases it too): pool board" in asked
        assert "is erased with it: pool board" in run("purge", one, "--repeats", stdin="n\n").err
        done = run("purge", one, "--repeats", "--yes")
        assert "  erased with it: pool board" in done.out
        assert "make deploy" not in run("pool", "read", "board").out

    def test_says_what_stays(self, run, one) -> None:
        run("pool", "create", "board", '{"how": "We deploy with make deploy"}')
        assert "  still there: pool board" in run("purge", one, "--yes").out

    def test_erases_what_was_undone(self, run, one) -> None:
        run("undo")
        assert run("purge", one, "--yes").code == 0
        assert run("remember", "We deploy with make deploy").code == 1


def test_vacuum_rewrites_the_files_and_says_what_is_out_of_reach(run, one) -> None:
    done = run("vacuum")
    assert done.out.startswith("✓ the files were rewritten\n  out of reach: backups")
    assert run("vacuum", "--json").json["pending"] == []


def test_undo_takes_back_the_last_change_or_a_numbered_one(run, one) -> None:
    run("tag", one, "a")
    run("reinforce", one)
    assert one in run("undo").out
    assert memory(run, one)["score"] == 0
    number = next(event["seq"] for event in run("log", "--json").json if event["kind"] == "tag")
    assert list(run("undo", str(number), "--json").json) == ["undone", "memories"]
    assert memory(run, one)["tags"] == ["shop"]
    assert run("undo", "no-such-thing").code == 2


def test_undo_of_a_remember_removes_it(run, one) -> None:
    assert "removed" in run("undo").out
    assert run("list", "--json").json == []


def test_the_journal_in_json(run, one) -> None:
    run("tag", one, "a")
    newest, oldest = run("log", "--json").json
    assert (newest["kind"], newest["before"], newest["after"]) == ("tag", {"tags": ["shop"]}, {"tags": ["shop", "a"]})
    assert oldest["kind"] == "remember"
    assert oldest["memory_id"].endswith(one)
    assert [event["kind"] for event in run("history", one, "--json").json] == ["remember", "tag"]
    assert len(run("log", "-n", "1", "--json").json) == 1


def test_history_shows_the_text_as_it_was(run, one) -> None:
    run("update", one, "--content", "We deploy with make ship")
    lines = run("history", one).out.splitlines()
    assert lines[-2].endswith("We deploy with make deploy")
    assert lines[-1].endswith("content: We deploy with make deploy → We deploy with make ship")


def test_an_empty_journal(run) -> None:
    assert run("log").out == "no events yet\n"
    assert show_log.__doc__


class TestAsOf:
    """A read-only view of an earlier moment."""

    def test_reading_commands_look_back(self, run, one) -> None:
        then = memory(run, one)["created_at"]
        run("update", one, "--content", "We deploy with make ship")
        assert run("--as-of", then, "get", one, "--json").json["content"] == "We deploy with make deploy"
        assert "make deploy" in run("--as-of", then, "recall", "deploy").out
        assert run("--as-of", then, "list", "--json").json[0]["content"] == "We deploy with make deploy"
        assert [event["kind"] for event in run("--as-of", then, "log", "--json").json] == ["remember"]
        assert len(run("--as-of", then, "history", one, "--json").json) == 1
        assert run("--as-of", "1h", "list", "--json").json == []
        assert run("--as-of", "1h", "stats", "--json").json["statuses"] == {}
        assert run("--as-of", "1h", "tags", "--json").json == []
        for words in (["related", one], ["provenance", one], ["contradictions"], ["gaps"], ["graph"]):
            assert run("--as-of", then, "--json", *words).code == 0

    @pytest.mark.parametrize(
        "words",
        [
            ["remember", "x"], ["remember", "--jsonl", "-"], ["update", "ID", "--importance", "1"], ["forget", "ID"],
            ["restore", "ID"], ["purge", "ID", "--yes"], ["reinforce", "ID"], ["demote", "ID"], ["tag", "ID", "a"],
            ["untag", "ID", "a"], ["feedback", "ID", "--helpful"], ["supersede", "ID", "ID"], ["undo"], ["reembed"],
            ["enable"], ["disable"], ["doctor"], ["config"], ["link", "ID", "ID"], ["unlink", "ID", "ID"], ["confirm", "ID"],
            ["resolve", "ID", "ID", "forget"], ["contradictions", "--scan"], ["clusters"], ["tags", "rename", "a", "b"],
            ["tags", "describe", "a", "b"],
        ],
        ids=lambda words: words[0],
    )  # fmt: skip
    def test_the_past_cannot_be_changed(self, run, one, words) -> None:
        done = run("--as-of", "1h", "--json", *(one if word == "ID" else word for word in words))
        assert done.code == 2
        assert done.out == ""
        assert "read-only" in done.error["message"]

    def test_the_future_is_not_known(self, run) -> None:
        assert run("--as-of", "2999-01-01", "list").code == 2
