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


@pytest.fixture
def numbered(memory):
    """Memories about numbers, two of which have a number as their tag."""
    memory.remember("Issue #42 is about slow checkout")
    memory.remember("Fixes live in PR #1187")
    memory.remember("The tram to the harbour is late", tags=["42", "transport"])
    memory.remember("Rosa plays the cello on Sundays", tags=["1187", "7"])
    memory.remember("The garden needs water in July")
    return memory


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is issue #42 about?", "Issue #42 is about slow checkout"),
        ("issue (#42)", "Issue #42 is about slow checkout"),
        ("What does PR #1187 fix?", "Fixes live in PR #1187"),
        ("#1187 fixes live where?", "Fixes live in PR #1187"),
    ],
)
def test_a_number_beside_other_words_is_a_word_even_if_it_is_a_tag(numbered, profile, question, answer) -> None:
    found = numbered.recall(question, profile=profile)
    assert answer in [hit.memory.content for hit in found]
    assert found.notes == ()


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("#42", {"Issue #42 is about slow checkout", "The tram to the harbour is late"}),
        (" (#42)?", {"Issue #42 is about slow checkout", "The tram to the harbour is late"}),
        ("#1187", {"Fixes live in PR #1187", "Rosa plays the cello on Sundays"}),
        ("#7", {"Rosa plays the cello on Sundays"}),
        ("#42 #transport", {"The tram to the harbour is late"}),
        ("#transport", {"The tram to the harbour is late"}),
    ],
)
def test_a_tag_alone_brings_what_has_it_and_for_a_number_what_says_it(numbered, profile, question, answers) -> None:
    found = numbered.recall(question, profile=profile)
    assert {hit.memory.content for hit in found} == answers
    assert found.answered


def test_a_number_alone_respects_the_filter_and_who_asks(numbered) -> None:
    numbered.with_identity(agent="eve").remember("Eve keeps a diary of geese", scope="agent", tags=["42"])
    numbered.remember("Never deploy 42 on a Friday", type="rule")
    assert [hit.memory.content for hit in numbered.recall("#42", type="rule")] == ["Never deploy 42 on a Friday"]
    assert "Eve keeps a diary of geese" not in [hit.memory.content for hit in numbered.recall("#42", limit=50)]


def test_a_number_is_still_a_filter_as_a_filter(numbered) -> None:
    found = numbered.recall("what is issue 42 about?", tags=["42"])
    assert [hit.memory.content for hit in found] == ["The tram to the harbour is late"]
