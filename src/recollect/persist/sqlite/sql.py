"""The SQL of this package."""

from __future__ import annotations

from functools import partial

from recollect.persist.sql import named_queries, numbered_upgrades, script

queries = partial(named_queries, __package__)
migrations = partial(numbered_upgrades, __package__)
text_of = partial(script, __package__)
