"""What an update of a text leaves behind: no tags of the old text, and no second copy of another memory."""

import pytest

import recollect


def test_an_updated_text_loses_the_tags_that_were_inferred_from_the_old_one(memory) -> None:
    kept = memory.remember("The Postgres database runs on port 5432").memory
    assert kept.tags
    changed = memory.update(kept.id, content="The office plants are watered on Fridays")
    assert not set(kept.tags) & set(changed.tags)


def test_tags_that_were_given_stay(memory) -> None:
    kept = memory.remember("The Postgres database runs on port 5432", tags=["ours"]).memory
    memory.tag(kept.id, "infrastructure")
    changed = memory.update(kept.id, content="The office plants are watered on Fridays")
    assert changed.tags == ("ours", "infrastructure")


def test_triggers_that_were_inferred_go_too(memory) -> None:
    kept = memory.remember("Never call `eval(` on user input", type="negative").memory
    assert kept.triggers
    changed = memory.update(kept.id, content="Never deploy on a Friday afternoon")
    assert not set(kept.triggers) & set(changed.triggers)


def test_an_update_onto_a_text_that_exists_is_told_as_the_duplicate_it_is(memory) -> None:
    one = memory.remember("The gateway listens on port 8080").memory
    other = memory.remember("Invoices are paid within thirty days").memory
    told = memory.update(other.id, content="the gateway listens on port 8080.")
    assert isinstance(told, recollect.Refused)
    assert (told.existing, one.short_id in told.reason) == (one.id, True)
    assert memory.get(other.id) == other


def test_the_same_text_in_another_place_is_no_duplicate(memory) -> None:
    memory.remember("The gateway listens on port 8080", project="shop")
    other = memory.remember("Invoices are paid within thirty days", project="office").memory
    assert memory.update(other.id, content="The gateway listens on port 8080").content.endswith("8080")


def test_settings_say_what_a_reinforcement_and_a_demotion_weigh(tmp_path, clock) -> None:
    weights = {"reinforce_weight": 5, "demote_weight": -2}
    with recollect.open(tmp_path / "m.db", embedder="none", clock=clock, **weights) as memory:
        one = memory.remember("We deploy with make ship").memory.id
        assert memory.reinforce(one).score == 5
        assert memory.demote(one).score == 3
        assert memory.feedback_many([one], "reinforce")[0].score == 8
        memory.undo()
        assert memory.get(one).score == 3


@pytest.mark.parametrize("wrong", [{"reinforce_weight": 0}, {"demote_weight": 1}, {"cluster": 1.5}])
def test_a_weight_of_the_wrong_sign_is_refused(tmp_path, wrong) -> None:
    with pytest.raises(recollect.SettingsError, match="outside"):
        recollect.open(tmp_path / "m.db", embedder="none", **wrong)
