"""Adapters to other programs: the settings of MCP clients, and the tool sets of other memory servers."""
