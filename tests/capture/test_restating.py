"""Other statements with the words of a forgotten one are stored: other roles, another direction, another owner."""

from __future__ import annotations

import pytest

import recollect

OTHERS = [
    # Somebody else does it.
    ("Eva broke up with Jan", "Jan broke up with Eva"),
    ("Paul trusts Ines", "Ines trusts Paul"),
    ("Ali owes Zoe ten euros", "Zoe owes Ali ten euros"),
    ("Nina lent Max her bike", "Max lent Nina her bike"),
    ("Rosa interviewed Kai for the role", "Kai interviewed Rosa for the role"),
    ("Tariq reports to Hanna since May", "Hanna reports to Tariq since May"),
    ("Acme acquired Globex last year", "Globex acquired Acme last year"),
    ("Mara was promoted by Lars in June", "Lars was promoted by Mara in June"),
    ("Maria was fired by the board in March", "Maria fired the board in March"),
    # Another direction, time or place.
    ("Lena dislikes meetings before ten", "Lena dislikes meetings after ten"),
    ("The cat sleeps on the sofa", "The cat sleeps under the sofa"),
    ("The key is under the mat", "The key is on the mat"),
    ("Ben walked into the meeting with Ada", "Ben walked out of the meeting with Ada"),
    ("The bus to Lyon leaves at noon", "The bus from Lyon leaves at noon"),
    ("The office is above the bakery", "The office is below the bakery"),
    ("Prices of the supplier went up in May", "Prices of the supplier went down in May"),
    # Of something or somebody else.
    ("Tom is looking for a new job", "Tom is looking for a new flatmate for his old job's colleague"),
    ("Tom has cancer in the liver", "Tom's mother has cancer in the liver"),
    ("Eva broke up with Jan", "Eva's sister broke up with Jan"),
    ("Tom is looking for a new job", "Tom's neighbour is looking for a new job"),
    ("Omar sold his car", "Omar sold his car's radio"),
    ("My salary is 85000 euros a year", "Her salary is 85000 euros a year"),
    ("His sister passed the exam in Rome", "Her sister passed the exam in Rome"),
]
SAME = [
    ("Eva broke up with Jan", "Last night Eva broke up with Jan"),
    ("Karim and Julia are getting divorced", "Julia and Karim are getting divorced"),
    ("Maria was fired by the board in March", "In March, Maria was fired by the board"),
    ("Maria was fired by the board in March", "The board fired Maria in March"),
    ("Peter owes Carol 500 euros", "Carol is owed 500 euros by Peter"),
    ("My sister passed the exam in Rome", "Your sister passed the exam in Rome"),
    ("Alex bought a flat in Porto for his parents", "For his parents, Alex bought a flat in Porto"),
    ("Lena dislikes meetings before ten", "Before ten Lena dislikes meetings"),
    ("The cat sleeps under the sofa", "Under the sofa the cat sleeps"),
    ("Tom is looking for a new job", "Tom is looking for a new job in Berlin"),
    ("Tom is looking for a new job", "Tom is looking in Berlin for a new job"),
    ("Tom is looking for a new job", "Tom's looking for a new job in Berlin"),
    ("Tom is looking for a new job", "Tom is looking for a new and better paid job"),
    ("Tom is looking for a new job", "My neighbour Tom is looking for a new job"),
    ("My salary is 85000 euros a year", "I have a salary of 85000 euros a year"),
    ("Jonas moved from Berlin to Madrid last summer", "Jonas moved to Madrid from Berlin last summer"),
]


def answers(gone: str, other: str) -> str:
    """What becomes of a text after another one was forgotten, with the built-in model."""
    with recollect.open(":memory:") as memory:
        memory.forget(memory.remember(gone).memory.id)
        return memory.remember(other).kind


@pytest.mark.parametrize(("gone", "other"), OTHERS)
def test_another_statement_in_the_words_of_a_forgotten_one_is_stored(gone: str, other: str) -> None:
    assert answers(gone, other) != "refused"


def test_the_same_statement_in_another_order_is_refused() -> None:
    passed = [other for gone, other in SAME if answers(gone, other) != "refused"]
    assert passed == []
