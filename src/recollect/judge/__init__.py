"""Second opinions: how two texts relate. The rules answer when there is no language model."""
