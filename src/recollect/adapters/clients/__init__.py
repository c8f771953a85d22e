"""MCP clients that start our server, and the entry for it in the settings file of each."""
