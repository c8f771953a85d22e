"""What a text says about itself when the caller did not: tags, triggers, the steps of a procedure.

Part of annotate. Each file is a pure function on text that would rather say nothing than something silly: what is
inferred here is stored as if somebody had said it.
"""

from recollect.capture.inference.tags import inferred_tags
from recollect.capture.inference.triggers import inferred_triggers

__all__ = ["inferred_tags", "inferred_triggers"]
