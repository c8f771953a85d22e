"""What is inferred from a text is what a careful reader would say, and nothing where one would shrug."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.infer_tags import inferred_tags
from recollect.capture.infer_triggers import inferred_triggers
from recollect.values.procedure import Procedure, extract_procedure, parse_procedure, render
from recollect.values.trigger import parse


@pytest.mark.parametrize(
    ("path", "tags"),
    [
        ("src/auth/login.rs", ("rust", "auth")),
        ("Dockerfile", ("docker",)),
        ("app\\api\\views.py", ("python", "api")),
        ("db/migrations/0002.sql", ("database", "migrations")),
        (".github/workflows/ci.yml", ("ci",)),
        ("web/components/Button.tsx", ("typescript", "frontend")),
        ("notes.txt", ()),
        ("12345", ()),
    ],
)
def test_files_tell_languages_and_topics(path: str, tags: tuple[str, ...]) -> None:
    assert inferred_tags("Look here", [path]) == tags


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("The retry logic lives in src/billing/charge.py", ("python", "billing")),
        ("We use Postgres with pgvector for storage", ("database", "postgres")),
        ("CI/CD runs on GitHub Actions", ("ci", "github actions")),
        ("the session token is kept in a cookie", ("auth",)),
        ("I am allergic to peanuts", ("health",)),
        ("My sister plays the cello in Graz", ("family", "music", "graz")),
        ("Frontend is React 18 with TanStack Query", ("frontend", "react", "tanstack query")),
        ("Uses Fastify rather than Express", ("fastify", "express")),
        ("I got a puppy two weeks ago, her name's Coco", ("pets", "coco")),
        ("Last summer I met Enzo Villani in Lisbon", ("enzo villani", "lisbon")),
    ],
)
def test_topics_and_names_are_told_from_the_words(text: str, tags: tuple[str, ...]) -> None:
    assert inferred_tags(text) == tags


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Prefers direct answers without lengthy preamble.",
        "Thanks, Maria! That was so kind.",
        "Hey Maria, how have you been?",
        "That is really great Jon!",
        "We meet on Monday in March. The next time is Friday.",
        "This is NOT what I asked for, NEVER do that again",
        "THIS WHOLE TEXT IS LOUD AND SAYS LITTLE",
        "the table was by the window",
        "Call 5551234 or 12345678",
        "Ich habe den Termin mit der Schule und das Auto ist im Hof",
        "Error tuples or Result<T> types rather than thrown exceptions",
        "the value was wJalrXUtnFEMIK7MDENGbPxRfiCYz and AKIAIOSFODNN7EXAMPLE",
        "Nothing explicitly flagged in MEMORY.md",
    ],
)
def test_no_tag_where_nothing_is_told(text: str) -> None:
    assert inferred_tags(text) == ()


def test_a_known_tag_that_the_text_mentions_is_taken_and_a_common_word_is_not() -> None:
    known = ["jcode", "phoenix", "the", "home"]
    assert inferred_tags("the parser of jcode is slow at home", known=known) == ("jcode",)
    assert inferred_tags("the parser of jcode is slow at home") == ()


@given(st.text(max_size=300), st.lists(st.text(max_size=40), max_size=3), st.sets(st.text(max_size=12), max_size=5))
def test_tags_are_few_folded_and_never_bare_numbers(text: str, paths: list[str], known: set[str]) -> None:
    tags = inferred_tags(text, paths, known)
    assert len(tags) <= 4
    assert len(set(tags)) == len(tags)
    assert all(tag == tag.casefold().strip() and not tag.isdigit() and tag for tag in tags)


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        ("Never use println! for logging in production code", ("println!",)),
        ("Don't use print! or dbg! either", ("print!", "dbg!")),
        ("Never commit .env files", ("glob:*.env",)),
        ("Do not edit src/generated/*.ts by hand", ("glob:src/generated/*.ts",)),
        ("never store passwords in config.yaml", ("glob:config.yaml",)),
        ("Do not run `rm -rf` on the server", ("rm -rf",)),
        ("Never run git push --force on main", ("git push --force",)),
        ("don't force-push to main", ("word:force-push",)),
        ("Avoid console.log in the frontend", ("console.log",)),
        ("Never use eval() on user input", ("eval(",)),
        ("Don't use os.system or subprocess with shell=True", ("os.system", "shell=True")),
        ("Avoid `SELECT *` in queries", ("SELECT *",)),
        ("Never use std::mem::transmute", ("std::mem::transmute",)),
        ("Never use `var`, use `const` instead", ("word:var",)),
        ("Don't call print(); use logger.info() instead", ("print(",)),
        ("Use logger.info() instead of print()", ("print(",)),
    ],
)
def test_the_code_a_negative_memory_forbids_is_its_trigger(text: str, triggers: tuple[str, ...]) -> None:
    assert inferred_triggers(text) == triggers


@pytest.mark.parametrize(
    "text",
    [
        "Never call the user by his first name",
        "Never deploy on Fridays!",
        "Never say never!",
        'Don\'t say "no problem" to customers',
        "Do not mention Ana's ex. She gets upset.",
        "Never use `any` here",
        "Never merge without review (see CONTRIBUTING.md)",
        "Never email john@acme.com",
        "Don't link to https://example.com/a_b.py",
        "Don't use 3.5 as the default",
        "",
    ],
)
def test_plain_words_are_no_triggers(text: str) -> None:
    assert inferred_triggers(text) == ()


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from(["`a b`", "x.py", "-f", "a_b", "eval()", "use", "'q'"])).map(" ".join)
)
def test_every_inferred_trigger_is_one_that_may_be_stored(text: str) -> None:
    triggers = inferred_triggers(text)
    assert len(triggers) <= 5
    for trigger in triggers:
        parse(trigger)


@pytest.mark.parametrize(
    ("text", "procedure"),
    [
        ("To deploy: run make build, then make push", Procedure("Deploy", ("run make build", "make push"))),
        (
            "To deploy to production, first run the tests, then run it, finally check the logs. Never on Fridays. Ensure you can.",
            Procedure(
                "Deploy to production",
                ("run the tests", "run it", "check the logs"),
                prerequisites=("Ensure you can",),
                warnings=("Never on Fridays",),
            ),
        ),
        (
            "## How to release\n\n1. Bump the version\n2. Tag it\n3. Push the tag\n\nWarning: do not tag twice",
            Procedure("Release", ("Bump the version", "Tag it", "Push the tag"), warnings=("do not tag twice",)),
        ),
        (
            "Release checklist:\n- Make sure CI is green\n- Run make release\n- Announce it",
            Procedure(
                "Release checklist", ("Run make release", "Announce it"), prerequisites=("Make sure CI is green",)
            ),
        ),
        (
            "To reset the db: 1) stop the app 2) drop the schema 3) run migrations",
            Procedure("Reset the db", ("stop the app", "drop the schema", "run migrations")),
        ),
        (
            "How to fix the build: delete node_modules; run npm ci; run npm test",
            Procedure("Fix the build", ("delete node_modules", "run npm ci", "run npm test")),
        ),
    ],
)
def test_steps_are_read_from_lists_and_from_prose(text: str, procedure: Procedure) -> None:
    assert extract_procedure(text) == procedure


@pytest.mark.parametrize(
    "text",
    [
        "",
        "To restart nginx: sudo systemctl restart nginx",
        "To be honest, I like it. Then we left.",
        "To win the game, you need luck",
        "To my surprise, the build passed and then failed",
        "Steps:\n- a thing\n- another thing",
        "Likes:\n- tea\n- coffee",
        "How to make tea\n1. Boil water\n2. Add tea\n4. Wait",
        "Some prose\nmore prose\n1. a\n2. b",
        "We deploy with make deploy",
        "x" * 30_000,
    ],
)
def test_no_procedure_where_the_steps_are_not_plain(text: str) -> None:
    assert extract_procedure(text) is None


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(["To do x:", "1. a", "2. b", "- c", "then", "\n", "; d", "Never e."])).map(" ".join)
)
def test_an_inferred_procedure_can_be_stored_and_read_back(text: str) -> None:
    procedure = extract_procedure(text)
    if procedure is not None:
        assert len(procedure.steps) >= 2
        assert parse_procedure(render(procedure)) == procedure


def test_inference_costs_microseconds_a_text() -> None:
    texts = [
        f"The retry queue of service {n} keeps failed messages for {n} days; Maria moved it from Redis to Postgres in "
        f"the spring, and the dashboard in Grafana shows its depth"
        for n in range(200)
    ]
    for work, promise in ((inferred_tags, 60e-6), (inferred_triggers, 60e-6), (extract_procedure, 60e-6)):
        best = min(_seconds(work, texts) for _ in range(5))
        assert best / len(texts) < 5 * promise, work.__name__


HOSTILE = {
    "letters": "a" * 500_000,
    "capitals": "Ab " * 160_000,
    "dots": "a." * 250_000,
    "slashes": "a/" * 250_000,
    "stars": "*." * 250_000,
    "ticks": "`a" * 250_000,
    "flags": "a -b " * 100_000,
    "numbers": "1. a\n" * 80_000,
    "semicolons": "To do x: " + ";" * 19_000,
    "spaces": "To a" + " " * 19_000 + "b",
    "then": "To do x: " + "a then " * 2_500,
    "goal": "To " + "a " * 9_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_makes_inference_run_away(name: str) -> None:
    started = perf_counter()
    inferred_tags(HOSTILE[name])
    inferred_triggers(HOSTILE[name])
    extract_procedure(HOSTILE[name])
    assert perf_counter() - started < 0.5


def _seconds(work, texts: list[str]) -> float:
    started = perf_counter()
    for text in texts:
        work(text)
    return perf_counter() - started
