"""The menu: every command with its purpose and its one line, known without importing what it needs.

A command's module is imported when the command is chosen, so that `--help` and completion stay instant.
"""

from __future__ import annotations

from importlib import import_module

import click

SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Keep": {
        "remember": ("keep", "Keep something: a text, stdin, or a file of many."),
        "import-from": ("import_from", "Bring in memory files, or another product's memories."),
    },
    "Find": {
        "recall": ("find", "What is known about something, best first."),
        "search": ("find", "Look by words, by meaning, or both."),
        "context": ("brief", "The block of text to give an agent."),
        "preview": ("brief", "What such a block holds, what not, and why."),
        "get": ("look", "Show one memory in full."),
        "list": ("look", "Show memories, newest first."),
    },
    "Change": {
        "update": ("change", "Change the text or fields of a memory."),
        "supersede": ("change", "Let one memory replace another."),
        "forget": ("hide", "Hide a memory and keep it from coming back."),
        "purge": ("hide", "Erase a memory for good."),
    },
    "Connect": {
        "link": ("connect", "Link one memory to another."),
        "unlink": ("connect", "Take the links between two memories away."),
        "related": ("connect", "What a memory leads to, the strongest path first."),
        "provenance": ("connect", "Where a memory comes from, and the trust that leaves."),
        "graph": ("draw", "Draw the neighbourhood of a question or a memory."),
        "tag": ("label", "Add tags to a memory."),
        "untag": ("label", "Take tags away from a memory."),
        "tags": ("group", "Every tag, what it means; rename or merge them."),
        "clusters": ("group", "The groups memories fall into by meaning."),
    },
    "Believe": {
        "reinforce": ("judge", "This memory was useful: +3."),
        "demote": ("judge", "This memory was irrelevant or stale: -1."),
        "feedback": ("judge", "Say whether recalled memories helped."),
        "confirm": ("judge", "These hits of one recall helped, those did not."),
        "contradictions": ("settle", "What contradicts what and is not settled."),
        "resolve": ("settle", "Settle a contradiction in one of four ways."),
        "gaps": ("settle", "What was asked and nothing answered."),
    },
    "Share and carry on": {
        "working": ("working", "Values for the task at hand, gone after an hour or so."),
        "session": ("session", "The entries of a session: counted, kept for a while."),
        "pool": ("pool", "Data that agents share, with versions and grants."),
        "contexts": ("contexts", "Containers of memories with versions and snapshots."),
        "narrative": ("narrative", "What each session was about, newest first."),
        "tiers": ("tiers", "One door to working memory, sessions, memories, pools."),
    },
    "Undo": {
        "undo": ("journal", "Take back the last change, or a named one."),
        "restore": ("hide", "Bring a forgotten memory back."),
        "history": ("journal", "Every change of one memory."),
        "log": ("journal", "The latest changes of all memories."),
    },
    "Serve": {
        "mcp": ("mcp", "Serve memory to agents over MCP."),
        "install": ("install", "Tell an agent's client of the MCP server."),
        "uninstall": ("install", "Take that entry out again."),
    },
    "Move": {
        "export": ("move", "Write memories to a file or a folder."),
        "import": ("move", "Take in what export wrote, or edits of it."),
        "copy": ("move", "Copy a whole store to another, of any kind."),
    },
    "Look after": {
        "stats": ("care", "How many memories there are, of what kinds."),
        "doctor": ("care", "The health of the store and the embedder."),
        "reembed": ("care", "Give every memory a vector of the model in use."),
        "migrate": ("upgrade", "Make the tables of a PostgreSQL store, or bring them up to date."),
        "on": ("switch", "Switch memory on again."),
        "off": ("switch", "Switch memory off, here or everywhere."),
        "config": ("settings", "Every setting, its value and its source."),
    },
}
_HOME_OF = {name: module for section in SECTIONS.values() for name, (module, _) in section.items()}
_WIDEST = max(map(len, _HOME_OF))


class Menu(click.Group):
    """The group of all commands, each imported when it is chosen."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature of click
        return list(_HOME_OF)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the signature of click
        if cmd_name not in _HOME_OF:
            return None
        module = import_module(f"recollect.serve.cli.commands.{_HOME_OF[cmd_name]}")
        found = (thing for thing in vars(module).values() if isinstance(thing, click.Command))
        return next(command for command in found if command.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the signature of click
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(_WIDEST), line) for name, (_, line) in commands.items()])
