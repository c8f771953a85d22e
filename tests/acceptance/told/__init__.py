"""Telling the story: its steps, the player who asks them of a door, and what of the answers is compared."""
