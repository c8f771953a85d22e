"""The rules: how a new memory relates to an old one, decided without a language model.

`compare` finds the language (`lexicon`, one file per language in `languages/`), analyses both texts (`tokens` -> `words` ->
`analysis`, with `transitions`), then asks whether they say the same (`sameness`, with `rewording`), whether the new one adds
something, and whether one replaces or denies the other or speaks of the same subject (`change`).
"""

from recollect.judge.rules.compare import DUPLICATE, compare
from recollect.values.outcome import Relation, Verdict

__all__ = ["DUPLICATE", "Relation", "Verdict", "compare"]
