"""The command line: `command_table` lists the commands, `commands/` implements them, `AppContext` opens the store."""
