"""Every value of the router is found under its key, whatever other keys, rooms and older memories say."""

from __future__ import annotations

import pytest

from recollect import Memory, NotFound


def used(memory: Memory, key: str, value: str) -> None:
    """An entry that is read often enough to be promoted."""
    memory.short_term.write(key, value, session="s1")
    for _ in range(3):
        memory.short_term.read(key, session="s1")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The gateway listens on port 8080", "The gateway listens on port 9090 now"),
        ("Anna lives in Berlin", "Anna moved from Berlin to Rome"),
        ("The office is on the second floor", "The office is not on the second floor"),
        ("Tom is looking for a new job", "Tom looks for a new job"),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_values_of_two_keys_are_both_kept(memory: Memory, first: str, second: str, together: bool) -> None:
    used(memory, "a", first)
    if not together:
        memory.router.consolidate("s1")
    used(memory, "b", second)
    memory.router.consolidate("s1")
    assert [memory.router.read(key, tier="long_term").value for key in ("a", "b")] == [first, second]


def test_a_promoted_value_replaces_an_older_memory_without_a_key(memory: Memory) -> None:
    memory.remember("The gateway listens on port 8080")
    used(memory, "port", "The gateway listens on port 9090 now")
    memory.router.consolidate("s1")
    assert [one.content for one in memory.list()] == ["The gateway listens on port 9090 now"]
    assert memory.router.read("port").value == "The gateway listens on port 9090 now"


def test_a_hidden_memory_does_not_hide_a_visible_one_with_the_same_key(memory: Memory) -> None:
    eve, ada = memory.with_identity(agent="eve"), memory.with_identity(agent="ada")
    eve.remember("Eve keeps this for herself", key="k", scope="agent")
    memory.forget(memory.remember("This is over since last summer", key="k").memory.id)
    ada.remember("The harbour office opens at ten", key="k", scope="project", project="zephyr")
    assert ada.router.read("k").value == "The harbour office opens at ten"
    ada.router.delete("k", tier="long_term")
    with pytest.raises(NotFound):
        ada.router.read("k")
    assert eve.router.read("k").value == "Eve keeps this for herself"
