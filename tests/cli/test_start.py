"""Starting: quick, light, complete, and never with a traceback."""

import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import recollect
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.command_table import SECTIONS

COMMANDS = {name: line for section in SECTIONS.values() for name, (_, line) in section.items()}
PROGRAM = [sys.executable, "-m", "recollect"]
# What Memory offers that is an option of the command line, or means nothing there.
NOT_COMMANDS = {
    "companion": "an agent shows it each turn; `turns` tells of it",
    "remember_many": "remember --jsonl",
    "as_of": "--as-of",
    "with_identity": "--account",
    "called_by": "",
    "count": "list",
    "iter_all": "list",
    "feedback_many": "feedback",
    "select": "forget --tag",
    "erase_user": "erase-user",
    "close": "",
    "flush": "",
    "members": "clusters CLUSTER",
    "short_term": "session",
    "pools": "pool",
    "narratives": "narrative",
    "router": "tiers",
    "describe_tag": "tags describe",
    "rename_tag": "tags rename",
    "merge_tags": "tags merge",
    "import_data": "import",
    "import_from": "import-from",
    "judge_usage": "judge usage",
    "judge_test": "judge test",
}


def command(name: str) -> MemoryCommand:
    from recollect.serve.cli.main import recollect as group

    found = group.get_command(None, name)  # type: ignore[arg-type]
    assert isinstance(found, MemoryCommand)
    return found


def test_every_verb_of_memory_is_a_command() -> None:
    verbs = {name for name in dir(recollect.Memory) if not name.startswith("_")}
    assert verbs - NOT_COMMANDS.keys() <= COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example_and_takes_json(name: str, run) -> None:
    shown = run(name, "--help")
    assert shown.code == 0
    assert any(line.strip().startswith("$ recollect ") for line in shown.out.splitlines())
    assert "--json" in shown.out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_menu_says_what_the_command_says(name: str) -> None:
    assert (command(name).help or "").split("\n")[0] == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_name_known_commands_and_options(name: str) -> None:
    """Each example parses: an option that was renamed would mislead."""
    from recollect.serve.cli.main import recollect as group

    for example in command(name).examples:
        words = shlex.split(example.rpartition("recollect ")[2])
        with group.make_context("recollect", words) as ctx:
            chosen, found, rest = group.resolve_command(ctx, ctx._protected_args + ctx.args)
            assert found is not None
            assert chosen in COMMANDS
            found.make_context(chosen, rest, parent=ctx)


def test_help_groups_the_commands_by_purpose(run) -> None:
    shown = run("--help").out
    places = [shown.index(f"\n{title}:\n") for title in SECTIONS]
    assert places == sorted(places)
    assert "Exit codes:" in shown
    assert "_RECOLLECT_COMPLETE" in shown
    assert run().out == shown


def test_help_imports_neither_engine_nor_numpy_nor_rich() -> None:
    look = (
        "import sys; from recollect.serve.cli.main import main; main(['--help']);"
        "print(sorted({'numpy', 'rich', 'recollect.engine', 'sqlite3', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_command_that_embeds_nothing_loads_no_model(store: Path) -> None:
    look = (
        "import sys; from recollect.serve.cli.main import main; main(['list']); main(['stats']); main(['log']);"
        "print(sorted({'rich', 'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )
    seen = {**os.environ, "RECOLLECT_DB": str(store)}
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, env=seen)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_recall_loads_nothing_of_the_verbs_beside_it(store: Path) -> None:
    others = {
        "recollect.capture.pipeline", "recollect.recall.assembly", "recollect.recall.neighbourhood", "recollect.portable",
        "recollect.upkeep.contradictions", "recollect.upkeep.tags", "recollect.upkeep.clusters", "recollect.tiers.pools",
        "concurrent.futures", "configparser", "importlib.resources", "logging", "subprocess", "tempfile", "tomllib",
    }  # fmt: skip
    look = (
        "import sys; from recollect.serve.cli.main import main; main(['--project', 'shop', 'recall', 'harbour']);"
        f"print(sorted({others} & set(sys.modules)))"
    )
    seen = {**os.environ, "RECOLLECT_DB": str(store), "RECOLLECT_EMBEDDER": "none"}
    kept = [*PROGRAM, "--project", "shop", "remember", "The harbour closes at nine"]
    subprocess.run(kept, env=seen, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, env=seen)
    assert "The harbour closes at nine" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("command", "begun"),
    [
        (["recall", "harbour"], True),
        (["remember", "The harbour closes at nine"], True),
        (["search", "harbour", "--mode", "lexical"], False),
        (["get", "0"], False),
        (["log"], False),
        (["config"], False),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_the_model_is_built_ahead_for_commands_that_embed_and_no_others(store: Path, command, begun) -> None:
    recollect.open(store, embedder="none").close()
    seen = {**os.environ, "RECOLLECT_DB": str(store)}
    look = (
        f"import sys; from recollect.serve.cli.main import main; main({command});"
        "print('onnxruntime' in sys.modules, 'recollect.embed.background' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, env=seen)
    assert done.stdout.splitlines()[-1] == f"{begun} {begun}"


def test_help_takes_less_than_a_third_of_a_second() -> None:
    """Counted in processor time: what else the machine does is not our doing."""
    assert min(seconds([*PROGRAM, "--help"]) for _ in range(3)) <= 0.3


def seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_version(run) -> None:
    assert run("--version").out == f"recollect {recollect.__version__}\n"


def test_a_reader_that_leaves_is_no_error(store: Path) -> None:
    seen = {**os.environ, "RECOLLECT_DB": str(store), "RECOLLECT_EMBEDDER": "none"}
    subprocess.run([*PROGRAM, "remember", "x" * 60_000 + " is long"], env=seen, check=True, capture_output=True)
    listing = subprocess.Popen([*PROGRAM, "list", "--json"], env=seen, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert listing.stdout is not None
    assert listing.stderr is not None
    listing.stdout.close()
    assert listing.wait(20) == 141
    assert listing.stderr.read() == b""
    listing.stderr.close()


def test_a_full_disk_behind_stdout_is_said(store: Path) -> None:
    seen = {**os.environ, "RECOLLECT_DB": str(store)}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "config"], env=seen, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 3
    assert done.stderr.startswith("error: the answer cannot be written")


def test_an_interrupt_ends_quietly(store: Path) -> None:
    seen = {**os.environ, "RECOLLECT_DB": str(store), "RECOLLECT_EMBEDDER": "none"}
    waiting = subprocess.Popen(
        [*PROGRAM, "remember", "-"], env=seen, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    # It sleeps in read(2) once it has started up; the kernel says so.
    deadline = time.monotonic() + 20
    while "pipe" not in Path(f"/proc/{waiting.pid}/wchan").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=20)
    assert waiting.returncode == 130
    assert b"Traceback" not in err
