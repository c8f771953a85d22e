"""The clients we can install into: where each keeps its settings, for the user and for a project, and in which format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from recollect.adapters.clients.json_entry import JsonEntry
from recollect.adapters.clients.toml_entry import TomlEntry

SettingsScope = Literal["user", "project"]
_SERVER_NAME = "recollect"


class EntryFormat(Protocol):
    """Reads, adds and removes the entry of our server in the text of a settings file; `where` names the file in errors."""

    def read(self, text: str, where: str) -> dict[str, Any] | None: ...
    def add(self, text: str, entry: dict[str, Any], where: str) -> str: ...
    def remove(self, text: str, where: str) -> str: ...


@dataclass(frozen=True, slots=True)
class McpClient:
    """One client. `directory_variable` is the environment variable that moves the user's settings to another directory."""

    name: str
    user_path: str
    project_path: str
    format: EntryFormat
    directory_variable: str = ""
    with_type: bool = False

    def path(self, scope: SettingsScope, home: Path, root: Path, environment: Mapping[str, str]) -> Path:
        """The settings file for all projects of a user, or for the project in `root`."""
        if scope == "project":
            return root / self.project_path
        directory = environment.get(self.directory_variable) if self.directory_variable else None
        return Path(directory) / Path(self.user_path).name if directory else home / self.user_path

    def entry(self, command: str, arguments: list[str]) -> dict[str, Any]:
        """The entry that makes the client run a command."""
        transport = {"type": "stdio"} if self.with_type else {}
        return {**transport, "command": command, "args": arguments}


CLIENTS = {
    client.name: client
    for client in (
        McpClient(
            "claude-code",
            ".claude.json",
            ".mcp.json",
            JsonEntry("mcpServers", _SERVER_NAME),
            directory_variable="CLAUDE_CONFIG_DIR",
            with_type=True,
        ),
        McpClient(
            "codex",
            ".codex/config.toml",
            ".codex/config.toml",
            TomlEntry("mcp_servers", _SERVER_NAME),
            directory_variable="CODEX_HOME",
        ),
        McpClient("cursor", ".cursor/mcp.json", ".cursor/mcp.json", JsonEntry("mcpServers", _SERVER_NAME)),
    )
}
