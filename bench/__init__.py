"""The bench: quality on evaluation sets, speed and reliability, each figure beside its target.

`python -m bench quality | speed | reliability | all | report`. Nothing of the evaluation data is in this repository.
"""
