"""The rules that answer when there is no language model: how a new memory relates to an old one.

`compare` reads both texts (`tokens`, `synonyms`, `transitions` -> `analysis`), asks whether they say the same
(`sameness`, with `rewording`), then whether one replaces or denies the other (`change`, with `frames`), then
whether the new one adds.
"""

from recollect.judge.rules.analysis import Analysed
from recollect.judge.rules.compare import CONTRADICTION, DUPLICATE, compare
from recollect.judge.rules.kept import analyse
from recollect.judge.rules.verdict import Relation, Verdict

__all__ = ["CONTRADICTION", "DUPLICATE", "Analysed", "Relation", "Verdict", "analyse", "compare"]
