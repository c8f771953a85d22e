"""The embedded back end: one SQLite file by the standard library, no loadable extension."""

from __future__ import annotations
