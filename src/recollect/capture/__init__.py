"""The write path: intake, gate, annotate, embed, reconcile, commit. `pipeline.py` runs the stages in this order."""
