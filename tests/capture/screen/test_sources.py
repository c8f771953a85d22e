"""Key files and ignored files are no source; the rules of nested ignore files are those of git."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.capture.screen import source_problem


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "app/.env.local",
        ".envrc",
        "prod.env",
        "server.pem",
        "id_rsa",
        "deploy/id_ed25519",
        "tls.key",
        "cert.p12",
        ".netrc",
        ".npmrc",
        "credentials.json",
        ".aws/credentials",
        "kubeconfig",
        "/home/jo/.ssh/work",
        "C:\\x\\.env",
        "my-service-account.json",
        "terraform.tfstate",
        ".git-credentials",
        "secrets.yaml",
    ],
)
def test_files_that_hold_secrets_are_no_source(path: str) -> None:
    assert source_problem(path, None)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        "env.sample",
        "README.md",
        "src/environment.py",
        "keys.py",
        "id_rsa.pub",
        "docs/credentials.md",
        "keyboard.json",
        "src/secrets.py",
        "monkey.txt",
        ".ssh/config",
    ],
)
def test_examples_public_keys_and_ordinary_files_are_fine(path: str) -> None:
    assert source_problem(path, None) is None


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        ".gitignore": "*.log\n!keep.log\nbuild/\n/top.txt\nlogs/**\n!logs/note.md\ndist/*\n!dist/public.md\n",
        "sub/.gitignore": "!sub.log\nlocal.md\n",
        ".git/info/exclude": "private.md\n",
        ".secretsignore": "notes/salary*\n",
        "sub/.secretsignore": "hidden/\n",
    }
    for name, text in files.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "path",
    [
        "a.log",
        "sub/deep/b.log",
        "build/x.md",
        "sub/build/x.md",
        "top.txt",
        "sub/local.md",
        "sub/deep/local.md",
        "private.md",
        "notes/salary.md",
        "sub/hidden/x.md",
        "logs/x.md",
        "dist/x.md",
        "build/keep.log",
    ],
)
def test_ignored_files_are_no_source(project: Path, path: str) -> None:
    assert source_problem(path, project)
    assert source_problem(str(project / path), project)


@pytest.mark.parametrize(
    "path",
    [
        "keep.log",
        "sub/sub.log",
        "sub/top.txt",
        "local.md",
        "notes/plan.md",
        "hidden/x.md",
        "builder/x.md",
        "logs/note.md",
        "dist/public.md",
    ],
)
def test_files_brought_back_or_never_listed_are_fine(project: Path, path: str) -> None:
    assert source_problem(path, project) is None


def test_the_reason_names_the_file_that_lists_it(project: Path) -> None:
    assert source_problem("a.log", project) == "a.log is listed in .gitignore"
    assert source_problem("notes/salary.md", project) == "notes/salary.md is listed in .secretsignore"


def test_a_file_outside_the_root_is_judged_by_name_alone(project: Path) -> None:
    assert source_problem("/elsewhere/a.log", project) is None
    assert source_problem("/elsewhere/.env", project)


def test_a_link_to_a_key_file_is_no_source(project: Path) -> None:
    (project / ".env").write_text("X=1")
    (project / "harmless.md").symlink_to(project / ".env")
    assert source_problem("harmless.md", project)
