"""The read path: query, candidates, fuse, cascade, score, assemble. One file a stage; `pipeline.py` is the order."""
