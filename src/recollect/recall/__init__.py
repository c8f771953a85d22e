"""The read path: query, candidates, expand, score, order, explain, assemble. `pipeline.py` lists the stages in their order."""
