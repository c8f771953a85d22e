"""The MCP door: the verbs of Memory as tools, resources and prompts, on stdio and on loopback HTTP."""
