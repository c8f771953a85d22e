"""The companion: relevant memories come up by themselves, one turn later, and the agent never waits for them."""
