"""The commands, a file for each purpose. Each calls one verb of Memory and hands the answer to a view, or to JSON."""
