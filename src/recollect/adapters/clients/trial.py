"""Start the server as a client would, before its settings are changed: does it answer, and with how many tools?"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import SettingsError

SECONDS = 60.0
# A client has its own environment: what only this shell knows would hide that the server does not start there.
_OF_THIS_SHELL = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
_REVISION = "2025-06-18"
_TOOLS = 2
_MESSAGES: tuple[dict[str, Any], ...] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": _REVISION,
            "capabilities": {},
            "clientInfo": {"name": "recollect-install", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": _TOOLS, "method": "tools/list", "params": {}},
)


def count_tools(
    command: str, arguments: Sequence[str], environment: Mapping[str, str], *, seconds: float = SECONDS
) -> int:
    """How many tools the server offers; an error says why it does not start."""
    typed = " ".join((command, *arguments))
    found = shutil.which(command, path=environment.get("PATH"))
    if found is None:
        raise _failed(typed, f"there is no command {command!r} on PATH")
    seen = {name: value for name, value in environment.items() if name not in _OF_THIS_SHELL}
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in _MESSAGES)
    try:
        done = subprocess.run(
            [found, *arguments], input=lines, capture_output=True, encoding="utf-8", errors="replace", env=seen,
            timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise _failed(typed, f"it did not answer within {seconds:.0f} s") from None
    except OSError as error:
        raise _failed(typed, f"it cannot be run ({error.strerror})") from error
    tools = _tools(done.stdout)
    if not tools:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise _failed(typed, said[-1] if said else f"it ended with code {done.returncode} and no message")
    return len(tools)


def _tools(output: str) -> list[Any]:
    """The tools in the answers of a server."""
    for line in output.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and answer.get("id") == _TOOLS:
            result = answer.get("result")
            return list(result.get("tools", ())) if isinstance(result, dict) else []
    return []


def _failed(typed: str, reason: str) -> SettingsError:
    return SettingsError(
        "server", f"`{typed}` does not start: {reason}", "nothing was written; mend this, then try again"
    )
