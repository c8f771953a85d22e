"""Upkeep: undo, `as_of`, feedback, links, contradictions, tags, clusters, re-embedding and the doctor."""
