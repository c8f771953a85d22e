"""The derived index of one account: filter columns, vectors and postings as arrays, rebuilt from the truth when lost."""

from __future__ import annotations
