"""Readers of transcripts: files of sessions in -> messages with their sessions out, streamed.

reading.py opens a source and detects its form; one file per form (claude_code, codex, chat_messages, chat_exports,
markdown_log) reads it; json_stream.py reads long JSON piece by piece; said.py is what all of them yield.
"""
