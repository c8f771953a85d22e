"""The verbs of `Memory` by what they are about; `engine.py` puts them together."""
