"""Clients: programs that start our MCP server, and the entry for it in the settings file of each."""
