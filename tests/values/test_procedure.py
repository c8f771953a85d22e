"""A procedure is checked, written as text a person can read, and read back from that text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.values.procedure import Procedure, parse_procedure, procedure_of, render, to_plain

DEPLOY = Procedure(
    "Deploy to production",
    ("make build", "make push\nwith the tag"),
    trigger="deploy to production",
    prerequisites=("tests are green", "you have the key"),
    warnings=("never on a Friday",),
)
TEXT = """Deploy to production
When: deploy to production
Before:
- tests are green
- you have the key
1. make build
2. make push
   with the tag
Warning: never on a Friday"""

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip)


def test_it_is_written_as_a_person_would() -> None:
    assert render(DEPLOY) == TEXT
    assert parse_procedure(TEXT) == DEPLOY
    assert render(procedure_of({"name": "Tea", "steps": ["boil"]})) == "Tea\n1. boil"


@given(texts, st.lists(texts, min_size=1), st.none() | texts, st.lists(texts), st.lists(texts))
def test_what_is_written_is_read_back(name, steps, trigger, prerequisites, warnings) -> None:
    lists = {"steps": steps[:20], "prerequisites": prerequisites[:20], "warnings": warnings[:20]}
    procedure = procedure_of({"name": name, "trigger": trigger, **lists})
    assert parse_procedure(render(procedure)) == procedure
    assert procedure_of(to_plain(procedure)) == procedure
    assert procedure_of(procedure) == procedure


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We deploy with make",
        "Tea\n1. boil\n3. pour",
        "Tea\n2. boil",
        "Tea\nWarning: hot",
        "Tea\n1. boil\nand then some prose",
        "Tea\n1. boil\n- a prerequisite after the steps",
        "\n1. boil",
        "Tea\n" + "\n".join(f"{n}. step" for n in range(1, 200)),
    ],
)
def test_other_text_is_not_a_procedure(text: str) -> None:
    assert parse_procedure(text) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"steps": ["a"]}, "no name"),
        ({"name": " ", "steps": ["a"]}, "no name"),
        ({"name": "x"}, "no steps"),
        ({"name": "x", "steps": []}, "no steps"),
        ({"name": "x", "steps": "a"}, "give a list"),
        ({"name": "x", "steps": ["a", " "]}, "step 2 is empty"),
        ({"name": "x", "steps": ["a", 3]}, "step 2 is int"),
        ({"name": "x", "steps": ["a"], "warnings": {"a": 1}}, "warnings is dict"),
        ({"name": 3, "steps": ["a"]}, "name is int"),
        ({"name": "x" * 201, "steps": ["a"]}, "at most 200"),
        ({"name": "x", "steps": ["a" * 1001]}, "at most 1,000"),
        ({"name": "x", "steps": ["a"] * 101}, "at most 100"),
        ({"name": "x", "step": ["a"]}, "parts: name, steps, trigger, prerequisites, warnings"),
        ([("name", "x")], "list is not a procedure"),
    ],
)
def test_what_is_wrong_is_named_with_the_fix(given, said: str) -> None:
    with pytest.raises(InvalidInput, match=r"^procedure: ") as refusal:
        procedure_of(given)
    assert said in str(refusal.value)


def test_a_value_built_by_hand_is_checked_too() -> None:
    with pytest.raises(InvalidInput, match="no steps"):
        procedure_of(Procedure("x", ()))
