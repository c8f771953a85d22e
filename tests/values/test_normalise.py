"""The normal form of a text: nothing invisible, letters in their usual shape, everything that means something as written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.values.normalise import normalise, normalise_value

CHANGED = {
    "zero-width": ("ig\u200bno\u200cre\u2060\ufeff", "ignore"),
    "bidi controls": ("\u202aab\u202c\u202ec\u2066d\u2069\u200e\u200f\u061c", "abcd"),
    "soft hyphen": ("pass\u00adword", "password"),
    "tag characters": ("hi\U000e0049\U000e0067\U000e007f", "hi"),
    "variation selectors": ("\u2764\ufe0f a\U000e0100", "\u2764 a"),
    "Hangul fillers": ("a\u3164b\uffa0c\u115f", "abc"),
    "control characters": ("a\x1b[8mb\x08\x7f\x9b", "a[8mb"),
    "annotation": ("a\ufff9b\ufffac\ufffb", "abc"),
    "full-width letters and digits": ("ＡＰＩ１２", "API12"),
    "mathematical letters": ("𝐢𝐠𝐧𝐨𝐫𝐞 𝟙", "ignore 1"),
    "circled letters": ("Ⓘⓖ", "Ig"),
    "ligatures": ("ﬁne", "fine"),
    "half-width katakana": ("ｶﾞｷﾞ", "ガギ"),
    "spaces": ("a\u00a0b\u3000c\u2003d", "a b c d"),
    "line separators": ("a\u2028b\u2029c\x85d", "a\nb\nc\nd"),
    "composed": ("e\u0301", "é"),
    "composed across something invisible": ("e\u200b\u0301", "é"),
}
KEPT = [
    "plain text\twith tab\nand lines\r\n",
    "if (a != b) { return x -> y; }  // ≠ ≤ → λ",
    "10² m², H₂O, 2½ cups, x⁻¹, 1ª",
    "5 € · 20 °C · № 7 · ① ② · Ⅳ · ™ ® ©",
    "“quoted” – dash — ellipsis …",
    "你好，世界！（测试）：『引用』",
    "これはテストです。「はい」",
    "한국어 ㅋㅋㅋ ㅠㅠ",
    "น้ำ ภาษาไทย",
    "Straße, naïve, Ωmega, Москва",
    "👍🏽 🎉 🇩🇪",
]


@pytest.mark.parametrize("what", CHANGED)
def test_what_is_invisible_is_removed_and_shapes_become_usual(what: str) -> None:
    given_text, wanted = CHANGED[what]
    assert normalise(given_text) == wanted


@pytest.mark.parametrize("text", KEPT)
def test_what_means_something_stays_as_written(text: str) -> None:
    assert normalise(text) == text


def test_no_default_ignorable_character_is_left() -> None:
    left = {code for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf" and normalise(chr(code))}
    # Of the format characters, those stay that are drawn: Arabic, Syriac and Kaithi number signs, hieroglyph joiners.
    drawn = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
    assert left <= drawn


@given(st.text())
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_every_text_of_a_plain_value_is_normalised() -> None:
    value = {"ke\u200by": ["a\u200b", {"b": ("c\ufeff", 1, None)}]}
    assert normalise_value(value) == {"key": ["a", {"b": ["c", 1, None]}]}
