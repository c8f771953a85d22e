"""Scripts for people who work on recollect; none of it is installed."""
