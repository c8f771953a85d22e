"""Memory that comes and forms by itself: what a session is given (companion.py), and what it gives (extraction.py).

companion.py -> worker.py -> processing.py, with surfacing.py (what is good enough), verifier.py, ledger.py and session_state.py;
transcripts/ (files -> messages) -> own_words.py, cue_rules.py with cues/*.toml, command_lessons.py -> extraction.py -> sessions.py
(watermarks, the write path); summary.py writes the brief of a session.
"""
