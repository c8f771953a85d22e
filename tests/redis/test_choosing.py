"""Redis is chosen by an address alone, and who does not choose it pays nothing for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import recollect
from recollect.advice import install_command
from recollect.errors import SettingsError
from recollect.serve.cli.main import main

WITHOUT = """
import sys
sys.modules["redis"] = None
import recollect
with recollect.open(sys.argv[1], embedder="none") as memory:
    memory.working.store("k", 1)
try:
    recollect.open(sys.argv[1], embedder="none", working="redis://localhost")
except recollect.SettingsError as error:
    print(error)
"""


def test_an_address_in_an_argument_or_a_setting_is_enough(fresh_redis, tmp_path, monkeypatch) -> None:
    with recollect.open(tmp_path / "a.db", embedder="none", working=fresh_redis) as memory:
        memory.working.store("k", 1)
    monkeypatch.setenv("RECOLLECT_WORKING", fresh_redis)
    with recollect.open(tmp_path / "b.db", embedder="none") as memory:
        assert memory.working.retrieve("k") == 1
    assert not list(tmp_path.glob("*.working"))


def test_without_the_driver_only_those_who_ask_for_it_are_told_what_to_install(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(tmp_path / "m.db")], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == f"working: the Redis driver is missing; `{install_command('redis')}` adds it\n", done.stderr


@pytest.mark.parametrize("url", ["redis://ada:open-sesame@host:6379/0", "unix:///socket?db=1&password=open-sesame"])
def test_the_password_is_masked_where_settings_are_shown(monkeypatch, capsys, url) -> None:
    monkeypatch.setenv("RECOLLECT_WORKING", url)
    main(["config"])
    shown = capsys.readouterr().out
    assert "RECOLLECT_WORKING" in shown
    assert "sesame" not in shown


@pytest.mark.parametrize("place", ["memcached://host", "localhost:6379", "/tmp/file"])
def test_a_place_nobody_knows_is_refused(tmp_path, place) -> None:
    with pytest.raises(SettingsError, match=r"working: .*redis://"):
        recollect.open(tmp_path / "m.db", embedder="none", working=place)
