"""The clients we can install into: where each keeps its settings, for the user and for a project, and in which format.

The places are those that the makers document; VS Code and Claude Desktop have one for each operating system.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from recollect.adapters.clients.json_entry import JsonEntry
from recollect.adapters.clients.toml_entry import TomlEntry
from recollect.errors import InvalidInput

SettingsScope = Literal["user", "project"]
_SERVER_NAME = "recollect"


class EntryFormat(Protocol):
    """Reads, adds and removes the entry of our server in the text of a settings file; `where` names the file in errors."""

    def read(self, text: str, where: str) -> dict[str, Any] | None: ...
    def add(self, text: str, entry: dict[str, Any], where: str) -> str: ...
    def remove(self, text: str, where: str) -> str: ...


@dataclass(frozen=True, slots=True)
class McpClient:
    """One client. `directory_variable` is the environment variable that moves the user's settings to another directory.

    With `in_application_data`, `user_path` is below the folder where the operating system keeps the data of applications.
    A client without a `project_path` has settings for the user only.
    """

    name: str
    user_path: str
    project_path: str
    format: EntryFormat
    directory_variable: str = ""
    with_type: bool = False
    in_application_data: bool = False

    def path(
        self, scope: SettingsScope, home: Path, root: Path, environment: Mapping[str, str], platform: str = sys.platform
    ) -> Path:
        """The settings file for all projects of a user, or for the project in `root`."""
        if scope == "project":
            if not self.project_path:
                raise InvalidInput("scope", f"{self.name} has no settings for a project", "leave --scope out")
            return root / self.project_path
        if self.in_application_data:
            return _application_data(home, environment, platform) / self.user_path
        directory = environment.get(self.directory_variable) if self.directory_variable else None
        return Path(directory) / Path(self.user_path).name if directory else home / self.user_path

    def own_folders(self, path: Path) -> int:
        """How many of the folders above a settings file are the client's own: .cursor, or Code/User."""
        places = [Path(place).parts for place in (self.user_path, self.project_path) if place]
        return max((len(place) - 1 for place in places if path.parts[-len(place) :] == place), default=0)

    def entry(self, command: str, arguments: list[str]) -> dict[str, Any]:
        """The entry that makes the client run a command."""
        transport = {"type": "stdio"} if self.with_type else {}
        return {**transport, "command": command, "args": arguments}


def _application_data(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    """Where the applications of a user keep their settings."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


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
        McpClient(
            "claude-desktop",
            "Claude/claude_desktop_config.json",
            "",
            JsonEntry("mcpServers", _SERVER_NAME),
            in_application_data=True,
        ),
        McpClient(
            "vscode",
            "Code/User/mcp.json",
            ".vscode/mcp.json",
            JsonEntry("servers", _SERVER_NAME, comments=True),
            with_type=True,
            in_application_data=True,
        ),
        McpClient("windsurf", ".codeium/windsurf/mcp_config.json", "", JsonEntry("mcpServers", _SERVER_NAME)),
        McpClient(
            "gemini-cli",
            ".gemini/settings.json",
            ".gemini/settings.json",
            JsonEntry("mcpServers", _SERVER_NAME, comments=True),
        ),
    )
}
