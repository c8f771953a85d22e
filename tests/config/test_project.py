"""One resolver for every door: worktrees, clones and moves of a project keep its memory."""

import subprocess
from pathlib import Path

import pytest

from recollect.errors import SettingsError
from recollect.project import identity_of, resolve_project


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    return folder


def test_a_given_name_wins(repository) -> None:
    assert resolve_project("shop", repository).name == "shop"


def test_a_file_found_upwards_names_the_project(repository) -> None:
    (repository / ".recollect.toml").write_text('project = "storefront"\n')
    inner = repository / "src" / "deep"
    inner.mkdir(parents=True)
    assert resolve_project(None, inner).name == "storefront"


def test_a_worktree_is_the_same_project(repository, tmp_path) -> None:
    git(repository, "worktree", "add", str(tmp_path / "elsewhere"), "-b", "topic")
    assert resolve_project(None, tmp_path / "elsewhere").name == resolve_project(None, repository).name == "checkout"


def test_a_remote_names_the_project_wherever_the_clone_lies(repository, tmp_path) -> None:
    git(repository, "remote", "add", "origin", "git@example.org:acme/shop.git")
    assert resolve_project(None, repository).name == "example.org/acme/shop"
    moved = repository.rename(tmp_path / "moved")
    inner = moved / "a"
    inner.mkdir()
    assert resolve_project(None, inner).name == "example.org/acme/shop"


def test_without_anything_the_folder_names_it(tmp_path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    assert resolve_project(None, folder).name == "notes"


@pytest.mark.parametrize(
    "url",
    [
        "git@example.org:acme/shop.git",
        "ssh://git@example.org/acme/shop",
        "ssh://git@example.org:2222/acme/shop.git",
        "https://user:pw@example.org/acme/shop.git",
        "https://EXAMPLE.org/acme/shop/",
    ],
)
def test_every_spelling_of_a_remote_is_one_identity(url) -> None:
    assert identity_of(url) == "example.org/acme/shop"


@pytest.mark.parametrize("text", ["project = 7", "project = ''", "not toml ["])
def test_a_broken_file_is_said_so_not_skipped(tmp_path, text) -> None:
    (tmp_path / ".recollect.toml").write_text(text)
    with pytest.raises(SettingsError):
        resolve_project(None, tmp_path)
