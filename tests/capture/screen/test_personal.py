"""Account and identity numbers count when their check digit holds; contact details when their form is plain."""

from __future__ import annotations

import pytest

from recollect.capture.screen import find_personal


def found(text: str, kind: str) -> list[str]:
    return [text[f.start : f.end] for f in find_personal(text) if f.kind == kind]


@pytest.mark.parametrize(
    "number", ["4111 1111 1111 1111", "5500-0055-5555-5559", "378282246310005", "6011111111111117", "30569309025904"]
)
def test_a_card_number_that_passes_its_check_is_found(number: str) -> None:
    assert found(f"pay with {number} please", "payment_card") == [number]


@pytest.mark.parametrize(
    "text",
    [
        "4111 1111 1111 1112",
        "epoch 1700000000000",
        "ISBN 9780306406157",
        "order 1234567890123456",
        "tweet id 4020276615123456789",
        "version 4111.1111.1111.1111",
    ],
)
def test_other_long_numbers_are_not_cards(text: str) -> None:
    assert found(text, "payment_card") == []


@pytest.mark.parametrize("number", ["630427373398", "4047737215142"])
def test_short_card_numbers_need_a_word_that_says_card(number: str) -> None:
    assert found(f"my card {number}", "payment_card") == [number]
    assert found(f"order {number}", "payment_card") == []


def test_an_iban_is_checked_by_country_length_and_remainder() -> None:
    assert found("IBAN DE89 3704 0044 0532 0130 00.", "bank_account") == ["DE89 3704 0044 0532 0130 00"]
    assert found("my iban is gb82west12345698765432", "bank_account") == ["gb82west12345698765432"]
    assert found("IBAN DE88 3704 0044 0532 0130 00", "bank_account") == []


def test_american_and_british_accounts_are_found_in_context() -> None:
    assert found("routing number 021000021, checking account 1234567890", "bank_account") == ["021000021", "1234567890"]
    assert found("routing number 021000022", "bank_account") == []
    assert found("sort code 12-34-56", "bank_account") == ["12-34-56"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("His social security number is 125-17-4954", "125-17-4954"),
        ("ssn 125174954", "125174954"),
        ("NI number AB 12 34 56 C", "AB 12 34 56 C"),
        ("DNI 12345678Z", "12345678Z"),
        ("NIE X1234567L", "X1234567L"),
        ("codice fiscale RSSMRA85T10A562S", "RSSMRA85T10A562S"),
        ("BSN 111222333", "111222333"),
        ("Steuer-ID 86095742719", "86095742719"),
        ("Aadhaar 2341 2341 2346", "2341 2341 2346"),
        ("SIN 046 454 286", "046 454 286"),
        ("CPF 111.444.777-35", "111.444.777-35"),
        ("PESEL 44051401359", "44051401359"),
        ("personnummer 811218-9876", "811218-9876"),
        ("hetu 131052-308T", "131052-308T"),
        ("身份证 11010519491231002X", "11010519491231002X"),
        ("TFN 876 543 210", "876 543 210"),
    ],
)
def test_identity_numbers_are_found_and_a_wrong_digit_is_not(text: str, number: str) -> None:
    assert found(text, "national_id") == [number]


@pytest.mark.parametrize(
    "text",
    [
        "000-12-3456",
        "666-12-3456",
        "912-12-3456",
        "123-00-4567",
        "DNI 12345678A",
        "CPF 111.444.777-36",
        "BSN 111222334",
        "order 111222333",
        "call 555-123-4567",
        "2023-04-12",
        "on 20230412T101010Z",
        "Aadhaar 2341 2341 2347",
    ],
)
def test_numbers_that_break_the_rules_are_not_identity_numbers(text: str) -> None:
    assert found(text, "national_id") == []


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("email", "write to jo.doe+x@mail.example.org.", "jo.doe+x@mail.example.org"),
        ("phone", "call +49 30 1234567 now", "+49 30 1234567"),
        ("phone", "at (818) 782-4444", "(818) 782-4444"),
        ("phone", "Phone: 0490 75 40 81", "0490 75 40 81"),
        ("ip_address", "host 192.168.0.1:80", "192.168.0.1"),
        ("ip_address", "at 2001:db8::ff00:42:8329", "2001:db8::ff00:42:8329"),
        ("date_of_birth", "She was born on 2/8/1935", "2/8/1935"),
        ("date_of_birth", "DOB: March 5, 1980", "March 5, 1980"),
        ("passport", "passport number C01X00T47", "C01X00T47"),
        ("street_address", "lives at 250 S. Grand Ave", "250 S. Grand Ave"),
        ("street_address", "wohnt Hauptstraße 12a in Köln", "Hauptstraße 12a"),
        ("street_address", "au 12 rue de la Paix", "12 rue de la Paix"),
    ],
)
def test_contact_details_are_found(kind: str, text: str, value: str) -> None:
    assert found(text, kind) == [value]


@pytest.mark.parametrize(
    "text", ["at 12:30:45", "std::vector<int>", "version 1.2.3.4", "upgrade to 10.4.2", "born in Paris"]
)
def test_times_versions_and_places_are_not_contact_details(text: str) -> None:
    assert find_personal(text) == ()


def test_only_the_kinds_asked_for_are_looked_for() -> None:
    text = "jo@example.org 4111 1111 1111 1111"
    assert [f.kind for f in find_personal(text, ["email"])] == ["email"]


def test_spans_hold_far_into_a_long_text() -> None:
    text = "word " * 5000 + "ssn 125-17-4954 " + "word " * 5000
    assert found(text, "national_id") == ["125-17-4954"]
