"""Settings come from the file, then the environment, then the arguments, and each knows where it came from."""

from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.config import load
from recollect.errors import InvalidInput, SettingsError
from recollect.wiring import profiles_of


def environment(tmp_path, text: str | None = None, **values: str) -> dict[str, str]:
    if text is not None:
        (tmp_path / "config.toml").write_text(text)
        values["RECOLLECT_CONFIG"] = str(tmp_path / "config.toml")
    return {"XDG_CONFIG_HOME": str(tmp_path / "none"), "XDG_DATA_HOME": str(tmp_path / "data"), **values}


def test_nothing_set_means_the_users_own_default_file(tmp_path) -> None:
    loaded = load(environment(tmp_path))
    assert loaded.settings.db == str(tmp_path / "data" / "recollect" / "memory.db")
    assert set(loaded.sources.values()) == {"default"}


def test_file_gives_way_to_environment_and_environment_to_arguments(tmp_path) -> None:
    seen = environment(
        tmp_path, 'profile = "belief"\nlimit = 7\ntouch = false', RECOLLECT_LIMIT="8", RECOLLECT_PROFILE="composite"
    )
    loaded = load(seen, profile="hebbian")
    assert (loaded.settings.profile, loaded.settings.limit, loaded.settings.touch) == ("hebbian", 8, False)
    assert loaded.sources["profile"] == "argument"
    assert loaded.sources["limit"] == "RECOLLECT_LIMIT"
    assert loaded.sources["touch"].endswith("config.toml")


@pytest.mark.parametrize(
    ("text", "values", "named"),
    [
        ("colour = 'red'", {}, "colour"),
        ("limit = 'many'", {}, "limit"),
        ("limit = 0", {}, "limit"),
        ("not toml at all", {}, "TOML"),
        ("duplicate = 1.5", {}, "duplicate"),
        (None, {"RECOLLECT_TOUCH": "maybe"}, "RECOLLECT_TOUCH"),
        (None, {"RECOLLECT_EMBEDDER": "magic"}, "RECOLLECT_EMBEDDER"),
        (None, {"RECOLLECT_CONFIG": "/nowhere/at/all.toml"}, "no such file"),
    ],
)
def test_a_wrong_setting_names_itself_and_the_fix(tmp_path, text, values, named) -> None:
    with pytest.raises(SettingsError, match=named):
        load(environment(tmp_path, text, **values))


def test_lists_and_switches_can_be_written_in_the_environment(tmp_path) -> None:
    settings = load(environment(tmp_path, RECOLLECT_TEAMS="core, web", RECOLLECT_OFFLINE="yes")).settings
    assert settings.teams == ("core", "web") and settings.offline is True


def test_a_profile_of_ones_own_changes_constants_of_a_base() -> None:
    profiles = profiles_of({"fresh": {"base": "composite", "recency": 0.6, "decay": 0.5}})
    assert profiles["fresh"].recency == 0.6 and profiles["fresh"].similarity == 0.5
    assert len(profiles) == 7


@pytest.mark.parametrize(
    "wrong", [{"x": {"base": "magic"}}, {"hybrid": {}}, {"x": {"base": "belief", "speed": 1}}, {"x": {"decay": "slow"}}]
)
def test_a_wrong_profile_is_refused_with_what_there_is(wrong) -> None:
    with pytest.raises(SettingsError):
        profiles_of(wrong)


NO_NAMES = (
    5,
    0,
    True,
    {},
    {"a": 1},
    [],
    ["x"],
    [[]],
    b"x",
    float("nan"),
    np.zeros(2),
    np.float32(1),
    10**5000,
    object(),
)


@pytest.mark.parametrize("value", NO_NAMES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "name", ["account", "agent", "project", "actor", "profile", "embedder_url", "cache", "working"]
)
def test_a_text_that_is_none_is_refused_by_name(tmp_path, name, value) -> None:
    with pytest.raises(SettingsError, match=f"{name}.*give text"):
        recollect.open(tmp_path / "memory.db", **{"embedder": "none", name: value})
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("account", "agent") for value in NO_NAMES),
        *(("teams", value) for value in (5, b"red", "red", {"red": 1}, [5], [None], [["red"]], np.zeros(2))),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_identity_that_is_no_text_is_refused_by_name(memory, name, value) -> None:
    with pytest.raises(InvalidInput, match=name):
        memory.with_identity(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "fix"),
    [
        ("teams", "red", "list of names"),
        ("teams", [5], "list of names"),
        ("teams", {"red": 1}, "list of names"),
        ("limit", True, "whole number"),
        ("limit", 2.5, "whole number"),
        ("limit", 10**400, "choose a value"),
        ("duplicate", float("nan"), "finite number"),
        ("duplicate", np.zeros(1), "finite number"),
        ("touch", [], "use one of"),
        ("offline", 2, "use one of"),
        ("personal", ["email"], "give a table"),
        ("profiles", {5: {}}, "give a table"),
        ("embedder", 7, "a function from texts"),
        ("embedder", {}, "a function from texts"),
        ("clock", 3, "give a function"),
        ("fetching", 3, "give a function"),
    ],
)
def test_a_setting_of_another_type_is_refused_with_what_to_give(tmp_path, name, value, fix) -> None:
    with pytest.raises(SettingsError, match=f"{name}.*{fix}") as refused:
        recollect.open(tmp_path / "memory.db", **{"embedder": "none", name: value})
    assert "<class" not in str(refused.value) and "convert" not in str(refused.value)


@pytest.mark.parametrize(
    "line", ["db = []", "db = 5", 'teams = "a"', "teams = [1]", "agent = 5", "limit = 1e400", "touch = 2"]
)
def test_a_line_of_the_file_with_another_type_is_refused_in_our_own_words(tmp_path, line) -> None:
    with pytest.raises(SettingsError, match=r"give|use one of") as refused:
        load(environment(tmp_path, line))
    assert "config.toml" in str(refused.value)
    assert "<class" not in str(refused.value) and "convert" not in str(refused.value)


def test_paths_and_numbers_in_text_are_read(tmp_path) -> None:
    given = {"cache": Path("models"), "limit": np.int64(7), "duplicate": np.float32(0.5), "offline": 1}
    settings = load(environment(tmp_path, RECOLLECT_AGENT="5", RECOLLECT_PROMOTION="4"), **given).settings
    assert (settings.cache, settings.limit, settings.duplicate, settings.offline) == ("models", 7, 0.5, True)
    assert (settings.agent, settings.promotion) == ("5", 4)


@pytest.mark.parametrize("value", ["1e400", "-1e400", "nan", "[]", "{}", '"many"', "10000000000000000000000"])
@pytest.mark.parametrize("name", ["limit", "duplicate", "postgres_wait_seconds", "embedder_threads"])
def test_a_number_that_is_none_is_an_error_of_the_settings(tmp_path, name, value) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"{name} = {value}\n")
    with pytest.raises(SettingsError, match=name):
        load({"RECOLLECT_CONFIG": str(path)})
