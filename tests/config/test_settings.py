"""Settings come from the file, then the environment, then the arguments, and each knows where it came from."""

import pytest

from recollect.config import load
from recollect.errors import SettingsError
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


@pytest.mark.parametrize("value", ["1e400", "-1e400", "nan", "[]", "{}", '"many"', "10000000000000000000000"])
@pytest.mark.parametrize("name", ["limit", "duplicate", "postgres_wait_seconds", "embedder_threads"])
def test_a_number_that_is_none_is_an_error_of_the_settings(tmp_path, name, value) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"{name} = {value}\n")
    with pytest.raises(SettingsError, match=name):
        load({"RECOLLECT_CONFIG": str(path)})
