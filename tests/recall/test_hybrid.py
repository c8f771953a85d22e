"""What the default profile promises beyond fusion: neighbours, speakers, intent, links between memories, and the newer first."""

from datetime import UTC, datetime, timedelta

import pytest

import recollect
from recollect.recall.expansion import names_in
from recollect.recall.query import detect_intent, parse_query
from recollect.recall.ranking import newest_first
from recollect.values.passages import passages


def contents(found) -> list[str]:
    return [hit.memory.content for hit in found]


def talk(memory, *turns: tuple[str, str], session: str = "s1") -> None:
    drafts = [
        {"content": text, "speaker": who, "session": session, "position": place}
        for place, (who, text) in enumerate(turns)
    ]
    memory.remember_many(drafts, verbatim=True)


def filler(memory, count: int = 40) -> None:
    memory.remember_many([f"Ledger entry {n} concerns parcel {n * 13}" for n in range(count)], verbatim=True)


def test_a_neighbouring_turn_lends_the_words_a_turn_lacks(memory) -> None:
    filler(memory)
    talk(memory, ("Ana", "Did you enjoy the pottery workshop?"), ("Ben", "Yes, my cup came out blue."))
    talk(memory, ("Ana", "Look at that bird."), ("Ben", "It is blue, what a cup of joy."), session="s2")
    found = contents(memory.search("which colour was the cup of the pottery workshop", mode="lexical", limit=10))
    assert found.index("Yes, my cup came out blue.") < found.index("It is blue, what a cup of joy.")


@pytest.mark.parametrize(("answering", "lifted"), [("Ben", True), ("assistant", False)])
def test_what_stands_beside_a_match_in_a_talk_of_people_counts_more(memory, answering, lifted) -> None:
    filler(memory)
    talk(memory, ("Ana", "Where are the keys of the sailing boat?"), (answering, "Under the doormat, as always."))
    found = memory.recall("keys of the sailing boat", limit=50, explain=True)
    (answer,) = [hit for hit in found if "doormat" in hit.memory.content]
    assert (answer.explain.signal("beside a match") > 0) is lifted


def test_an_assistants_answer_lends_nothing_and_stands_behind_what_people_said(memory) -> None:
    filler(memory)
    talk(
        memory,
        ("user", "My sister plays the cello in Graz."),
        ("assistant", "Your sister plays the cello in Graz, lovely."),
    )
    first, second = memory.recall("where does my sister play the cello", limit=2, explain=True)
    assert first.memory.speaker == "user" and second.memory.speaker == "assistant"
    assert second.explain.signal("said by assistant") == 1.0


def test_asking_what_the_assistant_said_lifts_its_answers(memory) -> None:
    filler(memory)
    talk(
        memory, ("user", "Which trail near the lake is good?"), ("assistant", "The larch trail near the lake is good.")
    )
    plain = memory.recall("good trail near the lake", limit=5, explain=True)
    asked = memory.recall("which good trail near the lake did you recommend", limit=5, explain=True)
    score = [next(h.score for h in found if h.memory.speaker == "assistant") for found in (plain, asked)]
    assert score[1] > score[0]


def test_a_standing_instruction_comes_along_when_help_is_asked_for(memory) -> None:
    filler(memory)
    memory.remember("Always show metric units when I ask about distances")
    signals = []
    for question in ("can you explain how far parcel 26 travelled?", "how far did parcel 26 travel"):
        found = memory.recall(question, limit=50, explain=True)
        rule = next(hit for hit in found if hit.memory.content.startswith("Always"))
        signals.append(rule.explain.signal("standing instruction"))
    assert signals == [1.0, 0.0]


def test_a_second_look_follows_a_name_the_question_does_not_have(memory) -> None:
    filler(memory, 120)
    memory.remember("The invoice parser was written by Sunniva Holmqvist")
    memory.remember("In spring the desk of Sunniva Holmqvist moved to the lighthouse")
    found = memory.recall("where is the desk of whoever wrote the invoice parser", limit=2, explain=True)
    assert found[1].memory.content.endswith("the lighthouse")
    assert found[1].explain.signal("shared name") > 0


def test_names_already_asked_for_are_not_followed(memory) -> None:
    record = memory.remember("Last year Sunniva Holmqvist met Arne Lund in Bergen").memory
    assert ("arn", "lund") in names_in(record, ("sunniva", "holmqvist"))
    assert ("sunniva", "holmqvist") not in names_in(record, ("sunniva", "holmqvist"))


def test_of_two_that_say_nearly_the_same_the_newer_stands_first(tmp_path, clock, embedder) -> None:
    with recollect.open(tmp_path / "m.db", embedder=embedder, clock=clock) as memory:
        drafts = ["The author of the atlas is Mira Voss.", "The author of the atlas is Timo Rand."]
        for text in drafts:
            memory.remember_many([text], verbatim=True)
            clock.advance(timedelta(days=1))
        found = memory.recall("who is the author of the atlas", explain=True)
    assert contents(found) == drafts[::-1]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_the_newer_does_not_overtake_a_clearly_better_hit(memory, clock) -> None:
    old = memory.remember("Alpha beta gamma delta epsilon").memory
    clock.advance(timedelta(days=1))
    new = memory.remember("Alpha beta gamma zeta eta").memory
    assert newest_first([old, new], [1.0, 0.5]) == [0, 1]
    assert newest_first([old, new], [1.0, 0.9]) == [1, 0]


@pytest.mark.parametrize(
    ("speaker", "text", "count", "start"),
    [
        (None, "Short fact.", 1, "Short fact."),
        ("Ana", "Short fact.", 1, "Ana: Short fact."),
        ("user", "One thing. " * 40, 2, "One thing."),
        ("Ana", "This is a sentence about pottery. " * 12, 13, "Ana: This is"),
        ("assistant", "This is a sentence about pottery. " * 12, 1, "This is"),
        (None, "This is a sentence about pottery. " * 12, 1, "This is"),
    ],
)
def test_what_of_a_memory_is_embedded(memory, speaker, text, count, start) -> None:
    (out,) = memory.remember_many([{"content": text, "speaker": speaker}], verbatim=True)
    parts = passages(out.memory)
    assert parts[0].startswith(start)
    assert (len(parts) == 1) is (count == 1) and len(parts) <= 13


@pytest.mark.parametrize(
    ("question", "for_help", "about_assistant"),
    [
        ("Can you suggest a restaurant?", True, False),
        ("How do I deploy this?", True, False),
        ("What did you recommend last week?", False, True),
        ("When did I visit Bergen?", False, False),
        ("Remind me what you said about trails", False, True),
    ],
)
def test_the_wording_of_a_question_tells_what_it_is_after(question, for_help, about_assistant) -> None:
    intent = detect_intent(question)
    assert intent.about_assistant is about_assistant
    assert intent.asks_for_help is for_help or about_assistant


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Where does Nora live?", {"nora"}),
        ("Did she say so? Ask Ben (or Ana) about Graz.", {"ben", "ana", "graz"}),
        ("Where is it?\nTell me.", set()),
        ("where does nora live", set()),
        ("WHERE DOES NORA LIVE", set()),
        ("Notes: Keys, then Nora's car", {"nora"}),
    ],
)
def test_a_word_with_a_capital_inside_a_sentence_is_a_name(question, names) -> None:
    assert parse_query(question, datetime.now(UTC)).names == names


def test_who_is_asked_about_decides_whether_a_memory_answers(memory) -> None:
    """The same words about somebody no memory mentions are hardly an answer."""
    filler(memory, 120)
    memory.remember("Nora plays the cello in the orchestra of the town")
    known, unknown = (
        max(hit.relevance for hit in memory.recall(f"does our {name} play the cello in the orchestra of the town?"))
        for name in ("Nora", "Walter")
    )
    assert unknown < known - 0.1


def test_without_any_word_in_common_and_without_vectors_there_is_no_answer(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        memory.remember("The vault is in Bern")
        assert memory.recall("penguins").hits == ()


def test_of_two_equal_answers_the_trusted_one_comes_first(memory) -> None:
    filler(memory)
    drafts = [
        {"content": "The backup of the harbour office runs at noon"},
        {"content": "The backup of the harbour office runs at dusk", "trust": 0.2},
    ]
    # Of two equal scores the later row comes first, so only the prior keeps the trusted one in front.
    trusted, doubtful = (outcome.memory for outcome in memory.remember_many(drafts, verbatim=True))
    found = memory.recall("when does the backup of the harbour office run", limit=2, explain=True)
    assert [hit.memory.id for hit in found] == [trusted.id, doubtful.id]
    low = next(signal for signal in found[1].explain.signals if signal.name == "low trust")
    assert low.value == 1.0 and low.contribution < 0


def test_a_lone_memory_has_a_score(memory) -> None:
    memory.remember("Maria owns the billing service")
    assert memory.recall("who owns the billing service")[0].score > 0.3


def test_every_hit_explains_itself(memory) -> None:
    filler(memory)
    for profile in ("hybrid", "composite", "hebbian", "relevance", "belief"):
        hits = memory.recall("ledger entry for parcel 26", profile=profile, explain=True)
        assert hits
        for hit in hits:
            assert hit.explain.profile == profile and hit.explain.formula and hit.explain.signals
    (hit, *_) = memory.recall("ledger entry for parcel 26", explain=True)
    total = sum(signal.contribution for signal in hit.explain.signals)
    assert total == pytest.approx(hit.score, abs=0.01)


def test_what_is_little_trusted_comes_after_the_same_from_a_trusted_source(memory) -> None:
    filler(memory)
    drafts = [{"content": "The boiler code of the summer house is 4711", "trust": trust} for trust in (0.1, 1.0)]
    memory.remember_many(drafts, verbatim=True)
    trusted, doubtful = memory.recall("boiler code of the summer house", limit=2, explain=True)
    assert (trusted.memory.trust, doubtful.memory.trust) == (1.0, 0.1)
    signals = {signal.name: signal for signal in doubtful.explain.signals}
    assert signals["low trust"].value > 0 > signals["low trust"].contribution
