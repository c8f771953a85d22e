"""The tiers beside long-term memory: working memory, short-term entries, shared pools, contexts, narratives.

Each file is the logic of one tier over `ports`; `verbs/` offers it to callers, `router` in there reads through all of them.
"""
