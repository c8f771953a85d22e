"""The MCP server: the verbs of Memory as tools, resources and prompts, over stdio and loopback HTTP."""
