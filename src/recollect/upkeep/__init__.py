"""The garden: what keeps a store healthy and reversible. Undo, the view of an earlier day, re-embedding, the doctor."""
