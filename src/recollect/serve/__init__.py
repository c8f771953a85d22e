"""Doors: each calls the verbs of Memory and adds no logic."""
