"""The command line with --json, called in this process as a shell would; some verbs in a process of their own."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from doors.door import Asked, Door, Failed
from recollect.serve.cli.main import main

# What is in braces is an argument of the verb; the arguments that are not named here become options.
COMMANDS = {
    "remember": "remember {content}",
    "remember_many": "remember --jsonl -",
    "recall": "recall {query}",
    "search": "search {query}",
    "get": "get {id}",
    "list": "list",
    "update": "update {id}",
    "forget": "forget {id}",
    "restore": "restore {id}",
    "archive": "archive {id}",
    "unarchive": "unarchive {id}",
    "move": "move {id} --to-scope {scope}",
    "purge": "purge {id} --yes",
    "tag": "tag {id} {tags}",
    "untag": "untag {id} {tags}",
    "undo": "undo",
    "history": "history {id}",
    "log": "log",
    "reinforce": "reinforce {id}",
    "demote": "demote {id}",
    "feedback": "feedback {id}",
    "feedback_many": "feedback {ids}",
    "confirm": "confirm {helped}",
    "contradictions": "contradictions",
    "resolve": "resolve {new} {old} {resolution}",
    "gaps": "gaps",
    "link": "link {source} {target}",
    "unlink": "unlink {source} {target}",
    "related": "related {id}",
    "provenance": "provenance {id}",
    "supersede": "supersede {old} {new}",
    "tags": "tags",
    "describe_tag": "tags describe {tag} {description}",
    "rename_tag": "tags rename {old} {new}",
    "merge_tags": "tags merge {into} {others}",
    "clusters": "clusters",
    "members": "clusters {cluster}",
    "graph": "graph {query}",
    "context": "context {topic}",
    "preview": "preview {topic}",
    "stats": "stats",
    "doctor": "doctor",
    "reembed": "reembed",
    "vacuum": "vacuum",
    "disable": "disable",
    "enable": "enable",
    "working.store": "working set {key} {value}",
    "working.retrieve": "working get {key}",
    "working.keys": "working keys",
    "working.share_with_agent": "working share {agent_name} {key} {value}",
    "working.retrieve_shared": "working shared {from_agent} {key}",
    "working.persist_to_database": "working persist",
    "working.load_from_database": "working load",
    "working.remove": "working remove {key}",
    "working.clear": "working clear",
    "short_term.write": "session store {session} {key} {value}",
    "short_term.read": "session get {session} {key}",
    "short_term.peek": "session get {session} {key} --peek",
    "short_term.refresh_ttl": "session refresh {session} {key}",
    "short_term.remove": "session remove {session} {key}",
    "short_term.cleanup_expired": "session cleanup",
    "short_term.entries": "session list {session}",
    "router.read": "tiers read {key}",
    "router.write": "tiers write {key} {value}",
    "router.semantic_search": "tiers search {query}",
    "router.consolidate": "tiers consolidate {session}",
    "router.delete": "tiers delete {key}",
    "router.stats": "tiers stats",
    "pools.create": "pool create {name} {data}",
    "pools.get": "pool show {name}",
    "pools.list": "pool list",
    "pools.read": "pool read {name} {key}",
    "pools.write": "pool write {name} {data}",
    "pools.revoke": "pool revoke {name} {of} {level}",
    "pools.extend": "pool extend {name}",
    "pools.statistics": "pool stats {name}",
    "pools.workflow": "pool run {run_id} {kind}",
    "pools.drop": "pool drop {name}",
    "pools.write_key": "pool set {name} {key} {value}",
    "pools.merge": "pool merge {name} {changes}",
    "pools.remove_key": "pool unset {name} {key}",
    "pools.grant": "pool grant {name} {to} {level}",
    "contexts.create": "contexts create {name}",
    "contexts.get": "contexts show {context}",
    "contexts.add": "contexts add {context} {content}",
    "contexts.entries": "contexts show {context}",
    "contexts.search": "contexts search {context} {query}",
    "contexts.update_content": "contexts edit {context} {id} {content}",
    "contexts.versions": "contexts history {context} {id}",
    "contexts.snapshot": "contexts snapshot {context} {name}",
    "contexts.diff": "contexts diff {context} {one}",
    "contexts.restore": "contexts restore {context} {when}",
    "contexts.access_log": "contexts log {context}",
    "contexts.snapshots": "contexts snapshots {context}",
    "contexts.remove_entry": "contexts remove {context} {id}",
    "contexts.grant": "contexts grant {context} {to} {level}",
    "contexts.revoke": "contexts revoke {context} {of}",
    "contexts.archive": "contexts archive {context}",
    "contexts.unarchive": "contexts archive {context} --back",
    "contexts.list": "contexts list",
    "narratives.write": "narrative add {text}",
    "narratives.latest": "narrative latest",
    "narratives.chain": "narrative list",
    "narratives.memories": "narrative memories {narrative_id}",
    "narratives.of": "narrative of {memory_id}",
    "narratives.search": "narrative search {text}",
    "export": "export {to}",
    "import_data": "import {source}",
}
_OPTIONS = {
    "metadata": "--meta",
    "replace_metadata": "--replace-meta",
    "tags": "--tag",
    "triggers": "--trigger",
    "layers": "--layer",
    "memories": "--memory",
    "expected_version": "--expect",
    "description": "--about",
}
_SILENT = ("describe_tag", "enable", "disable", "working.store", "working.share_with_agent", "pools.drop")
# Where a command says more than the verb gives back, or says it in other words.
_ANSWERS: dict[str, Callable[[Any], Any]] = {
    "remember_many": lambda said: said["outcomes"],
    "undo": lambda said: said["undone"],
    "rename_tag": lambda said: said["memories"],
    "merge_tags": lambda said: said["memories"],
    "working.retrieve": lambda said: said["value"],
    "working.retrieve_shared": lambda said: said["value"],
    "working.keys": list,
    "working.persist_to_database": lambda said: said["persisted"],
    "working.load_from_database": lambda said: said["loaded"],
    "working.remove": lambda said: said["removed"],
    "working.clear": lambda said: said["cleared"],
    "short_term.remove": lambda said: said["removed"],
    "short_term.cleanup_expired": lambda said: said["removed"],
    "reembed": lambda said: said["embedded"],
    "router.delete": lambda said: said["tiers"],
    "contexts.entries": lambda said: said["entries"],
    "contexts.restore": lambda said: said["changed"],
    **dict.fromkeys(_SILENT, lambda _: None),
}
# Printing, stdin and the exit code are the process's own affair: these verbs are asked of a real one.
_IN_A_PROCESS = ("stats", "log", "remember_many", "export")


class CommandLine:
    """`recollect --json …` on the store the environment names."""

    def do(self, asked: Asked) -> Any:
        words, stdin = arguments_of(asked)
        code, out, err = (_spawned if asked.verb in _IN_A_PROCESS else _called)(words, stdin)
        if not out and code:
            error = json.loads(err.splitlines()[-1])["error"]
            raise Failed(error["type"], error["message"])
        said = json.loads(out)
        return _ANSWERS.get(asked.verb, lambda same: same)(said)


@contextmanager
def command_line(_: str) -> Iterator[Door]:
    """The command line; the store is told by the environment."""
    yield CommandLine()


def arguments_of(asked: Asked) -> tuple[list[str], str]:
    """The words of a command, and what is piped into it."""
    given, stdin = dict(asked.arguments), ""
    if asked.verb == "remember_many":
        stdin = "".join(json.dumps(draft) + "\n" for draft in given.pop("drafts"))
    before = [] if asked.agent is None else ["--agent", asked.agent]
    before += [] if asked.as_of is None else ["--as-of", asked.as_of]
    words: list[str] = []
    for word in COMMANDS[asked.verb].split():
        named = word[1:-1] if word.startswith("{") else None
        words += [word] if named is None else _words(named, given.pop(named)) if named in given else []
    if asked.verb == "feedback_many":
        words.append(f"--{given.pop('verdict')}")
    if asked.verb == "feedback":
        words.append("--helpful" if given.pop("helpful") else "--unhelpful")
    for kind, agents in given.pop("access", {}).items():
        words += [part for agent in agents for part in (f"--{kind}", agent)]
    return ["--json", *before, *words, *_options(given)], stdin


def _options(given: Mapping[str, Any]) -> Iterator[str]:
    for name, value in given.items():
        option = _OPTIONS.get(name, "--" + name.replace("_", "-"))
        if value is True:
            yield option
        else:
            several = [f"{key}={json.dumps(one)}" for key, one in value.items()] if isinstance(value, dict) else value
            for each in several if isinstance(several, list) else [value]:
                yield from (option, f"{each:g}s" if name == "ttl" else str(each))


def _words(name: str, value: Any) -> list[str]:
    if isinstance(value, list) and name != "value":
        return value
    return [value if isinstance(value, str) else json.dumps(value)]


def _called(words: Sequence[str], stdin: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(list(words))
    finally:
        sys.stdin = before
    return code, out.getvalue(), err.getvalue()


def _spawned(words: Sequence[str], stdin: str) -> tuple[int, str, str]:
    ran = subprocess.run(
        [sys.executable, "-m", "recollect", *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr
