"""The table of all commands by purpose, with the module and the help line of each.

A command's module is imported only when the command is used, so that `--help` and completion stay instant.
"""

from __future__ import annotations

from importlib import import_module

import click

from recollect.serve.cli.command import Resolved, unknown_command

SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Store": {
        "remember": ("remember", "Store a memory: a text, stdin, or a file of many."),
        "import-from": ("import_from", "Import memory files, or memories of another product."),
        "extract": ("extract", "Store what was stated in the sessions of a transcript."),
    },
    "Find": {
        "recall": ("recall", "Find what is known about something, best first."),
        "search": ("recall", "Search by words, by meaning, or both."),
        "context": ("context", "Print a context block for an agent."),
        "preview": ("context", "Show what a context block contains and omits, and why."),
        "get": ("get_list", "Show one memory in full."),
        "list": ("get_list", "List memories, newest first."),
    },
    "Change": {
        "update": ("update", "Change the text or fields of memories."),
        "supersede": ("update", "Replace one memory with another."),
        "move": ("update", "Move memories to another scope or project."),
        "archive": ("forget", "Take memories out of use; the same may be stored again."),
        "unarchive": ("forget", "Use archived memories again."),
        "forget": ("forget", "Hide memories and prevent them from being stored again."),
        "purge": ("forget", "Erase memories permanently."),
        "erase-user": ("erase_user", "Erase everything of one user permanently."),
    },
    "Connect": {
        "link": ("link", "Link one memory to another."),
        "unlink": ("link", "Remove the links between two memories."),
        "related": ("link", "List memories connected to one, strongest path first."),
        "provenance": ("link", "Show where a memory comes from, and its resulting trust."),
        "graph": ("graph", "Draw the graph around a query or a memory."),
        "tag": ("tags_clusters", "Add tags to memories."),
        "untag": ("tags_clusters", "Remove tags from memories."),
        "tags": ("tags_clusters", "List, describe, rename or merge tags."),
        "clusters": ("tags_clusters", "List clusters of similar memories."),
    },
    "Evaluate": {
        "reinforce": ("feedback", "Mark a memory as useful: score +3."),
        "demote": ("feedback", "Mark a memory as irrelevant or stale: score -1."),
        "feedback": ("feedback", "Record whether recalled memories helped."),
        "confirm": ("feedback", "Record which hits of one recall helped and which did not."),
        "contradictions": ("contradictions", "List unresolved contradictions."),
        "resolve": ("contradictions", "Resolve a contradiction in one of four ways."),
        "gaps": ("contradictions", "List questions that no memory answered."),
        "turns": ("turns", "Show what was given to each turn of a session, and what was used."),
    },
    "Tiers": {
        "working": ("working", "Working memory: short-lived values for the current task."),
        "session": ("session", "Short-term memory: the entries of a session, with a TTL."),
        "pool": ("pool", "Data shared by agents, with versions and grants."),
        "contexts": ("contexts", "Containers of memories with versions and snapshots."),
        "narrative": ("narrative", "Summaries of sessions, newest first."),
        "tiers": ("tiers", "Read, write and search across all tiers."),
    },
    "Undo": {
        "undo": ("journal", "Undo your last operation in this project, or a given one."),
        "restore": ("forget", "Restore a forgotten memory."),
        "history": ("journal", "Show every change of one memory."),
        "log": ("journal", "Show the latest changes of all memories."),
    },
    "Serve": {
        "mcp": ("mcp", "Serve memory to agents over MCP."),
        "install": ("mcp", "Add the MCP server to an agent's client."),
        "uninstall": ("mcp", "Remove the MCP server from an agent's client."),
    },
    "Transfer": {
        "export": ("export_import", "Export memories to a file or folder."),
        "import": ("export_import", "Import an export, or edits of it."),
        "copy": ("export_import", "Copy a whole store to another, of any kind."),
    },
    "Maintain": {
        "stats": ("doctor", "Count memories by status, type, scope, project and tag."),
        "doctor": ("doctor", "Check the health of the store and the embedder."),
        "reembed": ("doctor", "Embed every memory with the current model."),
        "vacuum": ("forget", "Rewrite the files of the store without what was erased."),
        "migrate": ("doctor", "Create or upgrade the schema of a PostgreSQL store."),
        "enable": ("config", "Enable memory again."),
        "disable": ("config", "Disable memory for a project or for all."),
        "judge": ("judge", "Test the configured judge, or show what it cost."),
        "config": ("config", "Show every setting, its value and its source."),
    },
}
# What these commands are called elsewhere.
SYNONYMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("add", "save", "store", "note", "put", "insert", "new", "create", "memorize", "learn"), ("remember",)
    ),
    **dict.fromkeys(("delete", "del", "rm", "remove", "hide"), ("forget", "purge")),
    **dict.fromkeys(("erase", "destroy", "wipe", "drop"), ("purge", "forget")),
    **dict.fromkeys(("show", "cat", "read", "view", "open", "print", "info"), ("get",)),
    **dict.fromkeys(("find", "query", "ask", "lookup", "grep", "retrieve"), ("recall", "search")),
    **dict.fromkeys(("ls", "all", "memories", "dir"), ("list",)),
    **dict.fromkeys(("edit", "change", "set", "modify", "patch", "mv", "rename"), ("update",)),
    **dict.fromkeys(("replace",), ("supersede", "update")),
    **dict.fromkeys(("revert", "rollback"), ("undo",)),
    **dict.fromkeys(("unforget", "recover", "undelete"), ("restore",)),
    **dict.fromkeys(("journal", "events", "changes", "audit"), ("log", "history")),
    **dict.fromkeys(("blame", "versions"), ("history",)),
    **dict.fromkeys(("status", "count"), ("stats", "doctor")),
    **dict.fromkeys(("check", "health", "verify", "fsck"), ("doctor",)),
    **dict.fromkeys(("settings", "configure", "env"), ("config",)),
    **dict.fromkeys(("backup", "dump", "save-to"), ("export", "copy")),
    **dict.fromkeys(("load", "migrate-from", "ingest"), ("import", "import-from")),
    **dict.fromkeys(("harvest", "read-session", "transcript", "sessions"), ("extract",)),
    **dict.fromkeys(("clone", "sync"), ("copy",)),
    **dict.fromkeys(("server", "serve", "start", "run"), ("mcp",)),
    **dict.fromkeys(("setup", "init", "connect"), ("install", "remember")),
    **dict.fromkeys(("on",), ("enable",)),
    **dict.fromkeys(("off", "pause"), ("disable",)),
    **dict.fromkeys(("embed", "reindex", "index"), ("reembed",)),
    **dict.fromkeys(("usage", "tokens", "costs", "llm", "model"), ("judge",)),
    **dict.fromkeys(("compact", "gc", "clean"), ("vacuum",)),
    **dict.fromkeys(("conflicts", "disputes"), ("contradictions",)),
    **dict.fromkeys(("upvote", "like"), ("reinforce", "feedback")),
    **dict.fromkeys(("downvote", "dislike"), ("demote", "feedback")),
    **dict.fromkeys(("help", "man"), ("--help",)),
}
_MODULE_OF = {name: module for section in SECTIONS.values() for name, (module, _) in section.items()}
_WIDEST = max(map(len, _MODULE_OF))


class LazyGroup(click.Group):
    """The root group, which imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature of click
        return list(_MODULE_OF)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the signature of click
        if cmd_name not in _MODULE_OF:
            return None
        module = import_module(f"recollect.serve.cli.commands.{_MODULE_OF[cmd_name]}")
        found = (value for value in vars(module).values() if isinstance(value, click.Command))
        return next(command for command in found if command.name == cmd_name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Resolved:
        """The command, or an error that says what may be meant."""
        if args[0] not in _MODULE_OF:
            raise unknown_command(ctx, args[0], list(_MODULE_OF), SYNONYMS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the signature of click
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(_WIDEST), line) for name, (_, line) in commands.items()])
