"""The bench: quality on evaluation sets, speed, the graph and reliability, each figure beside its target.

`python -m bench quality | speed | graph | reliability | all | report`. Nothing of the evaluation data is in this repository.
"""
