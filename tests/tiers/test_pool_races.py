"""Many writers on one pool: no update is lost, whether they are threads or processes."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import recollect

THREADS, EACH = 16, 8
PROCESSES, OF_PROCESS = 4, 15
SCRIPT = """
import sys
import recollect
from recollect.testing.embedding import HashingEmbedder
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with recollect.open(path, embedder=HashingEmbedder()) as memory:
    for number in range(count):
        memory.pools.merge("plan", {"done": {f"{name}-{number}": True}})
"""


def test_threads_that_merge_lose_nothing(memory) -> None:
    memory.pools.create("plan", data={"done": {}})

    def work(thread: int) -> None:
        for number in range(EACH):
            memory.with_identity().pools.merge("plan", {"done": {f"{thread}-{number}": True}})

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    found = memory.pools.get("plan")
    assert (len(found.data["done"]), found.version) == (THREADS * EACH, THREADS * EACH + 1)
    assert memory.pools.statistics("plan")["writes"] == THREADS * EACH + 1


def test_threads_that_expect_a_version_win_once_each(memory) -> None:
    memory.pools.create("count", data={"n": 0})

    def work(_: int) -> int:
        tries = 0
        while True:
            tries += 1
            held = memory.pools.get("count")
            try:
                memory.pools.write("count", {"n": held.data["n"] + 1}, expected_version=held.version)
            except recollect.StaleVersion:
                continue
            return tries

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(24)))
    assert memory.pools.get("count").data == {"n": 24}
    assert memory.pools.get("count").version == 25


def test_the_first_use_of_a_runs_pool_makes_one_pool(memory) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: memory.pools.workflow("run-1").id, range(16)))
    assert len(set(made)) == 1
    assert len(memory.pools.list(run="run-1")) == 1


def test_processes_that_merge_lose_nothing(tmp_path: Path, embedder) -> None:
    path = str(tmp_path / "shared.db")
    with recollect.open(path, embedder=embedder) as memory:
        memory.pools.create("plan", data={"done": {}})
    command = [sys.executable, "-c", SCRIPT, path]
    running = [
        subprocess.Popen([*command, f"p{number}", str(OF_PROCESS)], stderr=subprocess.PIPE, text=True)
        for number in range(PROCESSES)
    ]
    for process in running:
        _, problem = process.communicate(timeout=120)
        assert process.returncode == 0, problem
    with recollect.open(path, embedder=embedder) as memory:
        found = memory.pools.get("plan")
    assert len(found.data["done"]) == PROCESSES * OF_PROCESS
    assert found.version == PROCESSES * OF_PROCESS + 1
