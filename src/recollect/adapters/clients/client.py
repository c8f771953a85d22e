"""The clients we know: where each keeps its settings, for the user and for a project, and how it spells an entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from recollect.adapters.clients.json_entry import JsonEntry
from recollect.adapters.clients.toml_entry import TomlEntry

Reach = Literal["user", "project"]
NAME = "recollect"


class Spelling(Protocol):
    """How an entry is read from, put into and taken out of the text of a settings file."""

    def read(self, text: str, where: str) -> dict[str, Any] | None: ...
    def put(self, text: str, entry: dict[str, Any], where: str) -> str: ...
    def take(self, text: str, where: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Client:
    """One program. `moved` is the variable that names another folder for the user's settings."""

    name: str
    user: str
    project: str
    spelling: Spelling
    moved: str = ""
    kind: bool = False

    def path(self, reach: Reach, home: Path, root: Path, environment: Mapping[str, str]) -> Path:
        """The settings file for all projects of a user, or for the project in `root`."""
        if reach == "project":
            return root / self.project
        elsewhere = environment.get(self.moved) if self.moved else None
        return Path(elsewhere) / Path(self.user).name if elsewhere else home / self.user

    def entry(self, command: str, arguments: list[str]) -> dict[str, Any]:
        """What it is to run."""
        kind = {"type": "stdio"} if self.kind else {}
        return {**kind, "command": command, "args": arguments}


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            ".claude.json",
            ".mcp.json",
            JsonEntry("mcpServers", NAME),
            moved="CLAUDE_CONFIG_DIR",
            kind=True,
        ),
        Client("codex", ".codex/config.toml", ".codex/config.toml", TomlEntry("mcp_servers", NAME), moved="CODEX_HOME"),
        Client("cursor", ".cursor/mcp.json", ".cursor/mcp.json", JsonEntry("mcpServers", NAME)),
    )
}
