"""Passages: the parts of a long text that get vectors of their own, so that what it says late is found too."""

from __future__ import annotations


def passages(text: str) -> list[str]:
    """The passages of a text; the first is the text itself."""
    return [text]
