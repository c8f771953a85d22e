"""The cues of each language, as data: one .toml file a language, all in the form of en.toml."""
