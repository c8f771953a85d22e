"""Paths: what a file's name and its folders say about a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.values.patterns import compiled

_ENDINGS = {
    "py": "python", "pyi": "python", "ipynb": "python", "rs": "rust", "go": "go", "ts": "typescript", "tsx": "typescript",
    "js": "javascript", "jsx": "javascript", "mjs": "javascript", "java": "java", "kt": "kotlin", "swift": "swift",
    "rb": "ruby", "php": "php", "cs": "c#", "cpp": "c++", "cc": "c++", "hpp": "c++", "c": "c", "h": "c", "scala": "scala",
    "ex": "elixir", "exs": "elixir", "hs": "haskell", "lua": "lua", "dart": "dart", "zig": "zig", "vue": "frontend",
    "svelte": "frontend", "css": "frontend", "scss": "frontend", "html": "frontend", "sql": "database", "sh": "shell",
    "bash": "shell", "zsh": "shell", "tf": "terraform", "proto": "api", "graphql": "api",
}  # fmt: skip
_NAMES = {
    "dockerfile": "docker", "docker-compose.yml": "docker", "docker-compose.yaml": "docker", "compose.yaml": "docker",
    "makefile": "build", "package.json": "javascript", "tsconfig.json": "typescript", "cargo.toml": "rust",
    "go.mod": "go", "pyproject.toml": "python", "requirements.txt": "python", "jenkinsfile": "ci",
    ".gitlab-ci.yml": "ci", ".gitignore": "git", ".env": "config", "readme.md": "docs", "chart.yaml": "kubernetes",
}  # fmt: skip
_FOLDERS = {
    "auth": "auth", "api": "api", "db": "database", "database": "database", "migrations": "migrations", "tests": "testing",
    "test": "testing", "__tests__": "testing", "docs": "docs", "frontend": "frontend", "ui": "frontend",
    "components": "frontend", "k8s": "kubernetes", "helm": "kubernetes", "deploy": "deploy", "billing": "billing",
    "payments": "billing", "security": "security", "logging": "logging", "workflows": "ci", "infra": "infrastructure",
    "backend": "backend", "config": "config", "docker": "docker", "android": "mobile", "ios": "mobile",
}  # fmt: skip
_LONGEST = 300
# Most texts mention none, and this is told at a tenth of the price.
_HINT = r"\w[./]\w|file\b"
_MENTIONED = (
    rf"(?<![\w/:.@-])(?:/?(?:[\w.~@-]+/)+[\w.-]+|[\w-]+\.(?:{'|'.join(_ENDINGS)})\b|Dockerfile|Makefile|Jenkinsfile"
    r"|docker-compose\.ya?ml|package\.json|Cargo\.toml|pyproject\.toml|go\.mod)"
)


def mentioned_paths(text: str) -> list[str]:
    """The paths and source file names a text mentions; addresses on the web are not paths."""
    return compiled(_MENTIONED).findall(text) if compiled(_HINT).search(text) else []


def told_by_paths(paths: Iterable[str]) -> Iterator[str]:
    """Languages and kinds first, then the topics of folders."""
    folders: list[str] = []
    for path in paths:
        *above, name = path[-_LONGEST:].replace("\\", "/").casefold().rstrip("/").split("/")
        stem, dot, ending = name.rpartition(".")
        told = _NAMES.get(name) or (_ENDINGS.get(ending) if stem and dot else None)
        if told:
            yield told
        folders += above
    yield from (_FOLDERS[folder] for folder in folders if folder in _FOLDERS)
