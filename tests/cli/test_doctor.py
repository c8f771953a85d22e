"""stats, doctor, reembed, enable, disable, config; and how failures are reported."""


def test_stats(run, keep) -> None:
    keep("We deploy with make deploy", "-t", "deploy")
    done = run("stats")
    assert done.out.startswith("1 memory of account default\n")
    assert "#deploy  ██████████  1" in done.out
    assert run("stats", "--json").json["statuses"] == {"active": 1}


def test_doctor(run, store) -> None:
    done = run("doctor")
    assert done.code == 0
    assert str(store) in done.out
    assert "recall is lexical only" in done.out
    assert run("doctor", "--json").json["integrity"] == "ok"


def test_reembed_without_an_embedder_says_what_to_do(run) -> None:
    done = run("reembed", "--json")
    assert done.code == 2
    assert done.error["field"] == "embedder"


def test_reembed_fills_in_what_is_missing(run, keep, monkeypatch) -> None:
    keep("We deploy with make deploy")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "local")
    assert "1 memory; `recollect reembed`" in run("stats").out
    assert run("reembed", "--json").json == {"embedded": 1}
    assert "already" in run("reembed").out


class TestSwitch:
    def test_off_here_and_on_again(self, run, keep) -> None:
        keep("We deploy with make deploy")
        assert run("disable").out == "✓ memory is disabled for shop\n"
        for words in (
            ["remember", "More to say"],
            ["recall", "deploy"],
            ["search", "deploy"],
            ["list"],
            ["log"],
            ["undo"],
        ):
            done = run(*words)
            assert done.code == 4
            assert "recollect --project shop enable" in done.err
        assert run("--project", "other", "recall", "deploy").code == 0
        assert run("stats", "--json").json["off"] == ["shop"]
        assert run("enable", "--json").json == {"project": "shop", "everywhere": False, "enabled": True}
        assert run("recall", "deploy").code == 0

    def test_off_everywhere(self, run) -> None:
        run("disable", "--all")
        done = run("--project", "other", "--json", "list")
        assert done.code == 4
        assert done.error["type"] == "Disabled"
        run("enable", "--all")
        assert run("list").code == 0


class TestConfig:
    def test_every_setting_has_its_value_and_source(self, run, store, tmp_path, monkeypatch) -> None:
        from dataclasses import fields

        from recollect.config import Settings

        file = tmp_path / "config.toml"
        file.write_text('limit = 7\n[personal]\nemail = "redact"\n')
        monkeypatch.setenv("RECOLLECT_CONFIG", str(file))
        shown = run("--account", "acme", "config", "--json").json
        assert set(shown) == {field.name for field in fields(Settings)}
        assert shown["db"] == {"value": str(store), "source": "RECOLLECT_DB"}
        assert shown["limit"] == {"value": 7, "source": str(file)}
        assert shown["account"] == {"value": "acme", "source": "argument"}
        assert shown["project"] == {"value": "shop", "source": "folder (folder name)"}
        assert shown["durability"]["source"] == "default"
        assert "email=redact" in run("config").out

    def test_keys_and_passwords_are_masked(self, run, monkeypatch) -> None:
        monkeypatch.setenv("RECOLLECT_EMBEDDER_KEY", "sk-very-secret")
        monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", "https://me:hunter2@example.org/v1")
        for words in (["config"], ["config", "--json"]):
            shown = run(*words).out
            assert "sk-very-secret" not in shown
            assert "hunter2" not in shown
            assert "••••" in shown
            assert "example.org" in shown

    def test_a_wrong_setting_is_the_callers_to_mend(self, run, monkeypatch) -> None:
        monkeypatch.setenv("RECOLLECT_LIMIT", "many")
        done = run("list", "--json")
        assert done.code == 2
        assert "RECOLLECT_LIMIT" in done.error["message"]


class TestTrouble:
    """Exit code 3, a message that says what to do, never a traceback."""

    def test_a_file_that_is_no_store(self, run, store) -> None:
        store.write_bytes(b"this is not a database, " * 100)
        done = run("list", "--json")
        assert done.code == 3
        assert done.error["type"] == "StoreDamaged"

    def test_a_store_of_an_unknown_kind(self, run) -> None:
        assert run("--db", "mongodb://x", "list").code == 2

    def test_a_folder_in_the_place_of_the_file(self, run, store) -> None:
        folder = store.with_name("folder.db")
        folder.mkdir()
        done = run("--db", str(folder), "list")
        assert done.code == 3
        assert done.err.startswith("error: ")

    def test_usage_errors_in_json_name_the_field(self, run) -> None:
        done = run("get", "--json")
        assert done.code == 2
        assert done.out == ""
        assert done.error["type"] == "UsageError"
        assert done.error["field"] == "id"
        assert run("--json", "nonsense").error["type"] == "UsageError"


def test_db_and_json_are_taken_before_and_after_the_command(run, tmp_path) -> None:
    other = str(tmp_path / "other.db")
    run("remember", "Only in the other one", "--db", other)
    assert len(run("--db", other, "--json", "list").json) == 1
    assert len(run("list", "--json", "--db", other).json) == 1
    assert run("list", "--json").json == []
