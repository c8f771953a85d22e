"""Questions about texts, such as how two texts relate. The rules answer when no language model is configured."""
