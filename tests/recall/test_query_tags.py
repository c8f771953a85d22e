"""A #word in a question filters only where that tag exists; otherwise it is a word, and a note says so."""

import pytest

PROFILES = ("hybrid", "composite", "hebbian", "cascade", "relevance", "belief")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("PR #1187 broke the checkout?", "#1187"),
        ("who broke the checkout, #team-checkout?", "#team-checkout"),
        ("what broke in the checkout (#42)?", "#42"),
        ("#nothing broke the checkout?", "#nothing"),
    ],
)
def test_a_word_that_is_no_tag_does_not_empty_the_answer(memory, profile, question, word) -> None:
    memory.remember("PR 1187 broke the checkout", tags=["release"])
    found = memory.recall(question, profile=profile)
    assert len(found) == 1
    assert found.notes == (f"no memory here is tagged {word}: searched as a word",)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_tag_that_exists_filters(memory, profile) -> None:
    memory.remember("The checkout was slow in May", tags=["Release"])
    memory.remember("The checkout is owned by Maria", tags=["owners"])
    found = memory.recall("#release and #1187, the checkout in May?", profile=profile)
    assert [hit.memory.content for hit in found] == ["The checkout was slow in May"]
    assert found.notes == ("no memory here is tagged #1187: searched as a word",)


def test_a_tag_of_another_place_is_a_word_and_is_not_told(memory) -> None:
    memory.with_identity(agent="bob").remember("Bob dislikes the merger", tags=["merger"], scope="agent")
    memory.remember("The merger of the two teams is in June", project="shop", scope="project", tags=["teams"])
    ada = memory.with_identity(agent="ada")
    shop = ada.recall("when is the #merger", project="shop")
    assert [hit.memory.content for hit in shop] == ["The merger of the two teams is in June"]
    assert (
        shop.notes
        == ada.recall("when is the #merger").notes
        == ("no memory here is tagged #merger: searched as a word",)
    )
    assert ada.recall("the two #teams").notes == ("no memory here is tagged #teams: searched as a word",)
    assert ada.recall("the two #teams", project="shop").notes == ()


def test_a_tag_that_only_forgotten_memories_carry_is_a_word(memory) -> None:
    gone = memory.remember("The merger is in June", tags=["merger"]).memory
    memory.remember("The merger party is on a boat", tags=["party"])
    memory.forget(gone.id)
    assert [hit.memory.content for hit in memory.recall("#merger")] == ["The merger party is on a boat"]


def test_an_answer_without_hits_says_how_the_question_narrowed_it(memory) -> None:
    memory.remember("The checkout is owned by Maria", tags=["owners"], type="fact")
    (note,) = memory.recall("who owned the checkout, as of January 2020?").notes
    assert note == "searched only what was true on 2020-01-31; ask without that time for what is true now"
    assert memory.recall("#owners of the checkout", type="rule").notes == ("searched only what is tagged #owners",)
    assert memory.recall("who owned the checkout, as of today?").notes == ()


def test_a_question_with_a_filter_in_it_is_no_gap(memory) -> None:
    memory.remember("The checkout is owned by Maria", tags=["owners"])
    memory.recall("#owners penguins of Antarctica")
    assert memory.gaps() == []
