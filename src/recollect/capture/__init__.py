"""The write path: intake, screen, annotate, embed, reconcile, commit. One file a stage; `pipeline.py` is the order."""
