"""Adapters: recollect inside the programs people use already."""
