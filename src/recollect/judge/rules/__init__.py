"""The rules: how a new memory relates to an old one, decided without a language model.

`compare` analyses both texts (`tokens` -> `words` -> `analysis`, with `transitions`), then asks whether they say the same
(`sameness`, with `rewording`), whether one replaces or denies the other (`change`, with `frames`), and whether the new one
adds something. `word_keys` and `lexicon` are the word lists.
"""

from recollect.judge.rules.analysis import TextAnalysis, analyse
from recollect.judge.rules.compare import CONTRADICTION, DUPLICATE, compare
from recollect.values.outcome import Relation, Verdict

__all__ = ["CONTRADICTION", "DUPLICATE", "Relation", "TextAnalysis", "Verdict", "analyse", "compare"]
