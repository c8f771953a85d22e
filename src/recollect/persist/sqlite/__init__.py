"""The embedded back end: one SQLite file by the standard library, no loadable extension."""
