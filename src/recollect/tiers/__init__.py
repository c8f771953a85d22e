"""The tiers beside long-term memory: working memory, short-term entries, shared pools, contexts, narratives.

One file per tier holds its logic and its verbs; `router` reads and writes through all of them.
"""
