"""One module per command or group of related commands: the click command, and how its answer is shown to people."""
