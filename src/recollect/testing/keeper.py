"""Keeper: a small process that starts one server and outlives nobody: when whoever asked for it goes, so does the server.

Run by `servers.py` as a script. It says the server's process id on stdout and waits at stdin: a line "stop" ends the server,
the end of the input (the asker died, however it died) ends it and removes its folder too.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any


def keep(order: dict[str, Any]) -> None:
    """Start what was ordered and stay until it has ended."""
    abandoned = threading.Event()
    with open(order["log"], "ab") as log:  # noqa: PTH123 - this file starts a few times a test run, without pathlib quicker
        server = subprocess.Popen(
            order["command"], cwd=order["folder"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, **order["as"]
        )
    os.write(1, b"%d\n" % server.pid)

    def listen() -> None:
        if os.read(0, 100) != b"stop\n":
            abandoned.set()
        server.send_signal(signal.Signals(order["signal"]))
        try:
            server.wait(order["patience"])
        except subprocess.TimeoutExpired:
            server.kill()

    threading.Thread(target=listen, daemon=True).start()
    server.wait()
    if abandoned.is_set():
        shutil.rmtree(order["folder"], ignore_errors=True)


if __name__ == "__main__":
    # Ctrl-C goes to every process of the terminal; the server ends when its asker has finished with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep(json.loads(sys.argv[1]))
