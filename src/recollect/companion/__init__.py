"""Memory that comes by itself: what a session gives (extraction), and what a session is given.

transcripts/ (files -> messages) -> own_words.py, cue_rules.py with cues/*.toml, command_lessons.py -> extraction.py -> sessions.py
(watermarks, the write path); summary.py writes the brief of a session.
"""
