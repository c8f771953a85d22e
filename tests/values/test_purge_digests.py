"""Digests of purged texts are kept for years: what an earlier version kept is still found, and kept."""

from __future__ import annotations

import pytest

from recollect.values.purge_digests import purge_digests

# Made before texts in disguise had digests of their own.
KEPT = [
    (
        "Peter owes Carol 500 euros",
        "2f12d1d8abb9add739d05e60515bacc7 57826fcc3e056053d3899412692bf04b 36a01cda64cbcf12441ea856344ea8b8",
    ),
    (
        "Behind our director's back, Ruben meets Initech",
        "8e6097c1fb51088237b1e40616845656 9b6835e198e90b30af7ced49158cc3d2 958b6c8d8c98b185fa38fcc6c6b4dd22",
    ),
    (
        "The old server sends the mail",
        "b0b707330ced4e372c5c8146f4f91bea e9964da6695d77eb72b53213ffdb4b44 2c0868fddf9c66c995883c24e33c4794",
    ),
    (
        "I don't like working with Stefan",
        "80d7fa642b260a4bf28d65c3bb2d7b10 cb57067d600f300939d819cff930902c fbdf263be17784fd322b753cff546dae",
    ),
    ("Anna", "7c7a12507323310d92669947347c659e"),
]


@pytest.mark.parametrize(("text", "kept"), KEPT)
def test_a_digest_of_an_earlier_version_is_still_found(text: str, kept: str) -> None:
    earlier = {bytes.fromhex(each) for each in kept.split()}
    now = purge_digests(text, b"secret")
    assert earlier <= set(now.kept)
    assert earlier & set(now.sought)
    assert earlier & set(purge_digests(f"Well, {text[0].lower()}{text[1:]}!", b"secret").sought) or len(earlier) == 1


@pytest.mark.parametrize(
    ("gone", "text"),
    [
        ("Peter owes Carol 500 euros", "Pеtеr owеs Cаrol 500 еuros"),
        ("Pеtеr owеs Cаrol 500 еuros", "Peter owes Carol 500 euros"),
        ("I don't like working with Stefan", "i dont like working with stefan"),
        ("Ruben meets Initech behind our director's back", "Behind our director's back, Ruben meets Initech"),
        ("Ruben meets Initech behind our director's back", "Behind our director's back Ruben meets Initech"),
    ],
)
def test_a_disguise_has_a_digest_of_the_plain_text(gone: str, text: str) -> None:
    assert set(purge_digests(gone, b"secret").kept) & set(purge_digests(text, b"secret").sought)


def test_who_does_it_counts_behind_a_phrase_in_front() -> None:
    kept = set(purge_digests("Eva kissed Jan behind our director's back", b"secret").kept)
    assert not kept & set(purge_digests("Behind our director's back, Jan kissed Eva", b"secret").sought)
