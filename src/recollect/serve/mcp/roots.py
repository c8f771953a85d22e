"""The project of a client's first root, for a server that was started in no project: in the home folder or in /.

Clients with a window start their servers there. The older handshake lets a server ask for the folders that are open.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from recollect.errors import SettingsError
from recollect.project import Project, resolve_project

_ANSWER_SECONDS = 5.0


def is_no_project(found: Project, folder: Path) -> bool:
    """Whether a project is only the name of a folder that is none: the home folder, or the root of the file system."""
    return found.source == "folder name" and folder.resolve() in (Path.home().resolve(), Path(folder.resolve().anchor))


async def project_of_roots(session: ServerSession) -> str | None:
    """The project of the first folder that is open in the client; None if it does not say."""
    capabilities = session.client_capabilities
    if capabilities is None or capabilities.roots is None or not session.can_send_request:
        return None
    asked: Any = types.ListRootsRequest()
    try:
        listed = await session.send_request(asked, types.ListRootsResult, request_read_timeout_seconds=_ANSWER_SECONDS)
    except (MCPError, ValidationError, TimeoutError):
        return None
    return next((name for root in listed.roots if (name := project_of_uri(str(root.uri)))), None)


def project_of_uri(uri: str) -> str | None:
    """The project of a folder given as a file URI; None for anything else."""
    parts = urlsplit(uri)
    folder = Path(url2pathname(parts.path)) if parts.scheme == "file" and parts.path else None
    try:
        if folder is None or not folder.is_dir():
            return None
        found = resolve_project(None, folder)
    except (OSError, ValueError, SettingsError):
        return None
    return None if is_no_project(found, folder) else found.name
