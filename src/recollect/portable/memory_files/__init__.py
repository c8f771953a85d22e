"""Splits Markdown memory files into single facts: `reader` finds and reads the files, `facts` splits them, `ingest` stores them."""
