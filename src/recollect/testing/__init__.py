"""For those who test with recollect or write a back end for it: the contract every store must meet, and stand-ins.

`contract` is a suite for pytest, `embedding` and `clock` are doubles that make tests quick and repeatable.
"""
