"""The SQL of this package, parsed once: named queries, migrations, and the pieces a new database is made of."""

from __future__ import annotations

from functools import cache, partial

from recollect.store.sql import named_queries, numbered_upgrades, script

queries = cache(partial(named_queries, __package__))
migrations = cache(partial(numbered_upgrades, __package__))
text_of = partial(script, __package__)
