"""How a text is cut: a bare word is taken without a search, and nobody can tell."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.judge.rules.lexicon import languages
from recollect.judge.rules.tokens import pieces

LETTERS = st.text(st.sampled_from("abZ019 .,;:!?'-/@+#&=<>^$%_()\t\n\x1c"), max_size=30)


@given(st.one_of(LETTERS, st.text(st.characters(max_codepoint=127), max_size=30)))
def test_a_text_is_cut_alike_whether_or_not_every_letter_is_plain(text) -> None:
    # A letter of another alphabet, a sentence further on, changes nothing about what stands before it.
    english = languages()["en"]
    assert pieces(f"{text} . ü", english) == [*pieces(f"{text} .", english), "ü"]
