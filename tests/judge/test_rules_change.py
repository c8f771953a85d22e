"""A text that announces a change, or gives another value of a measure, supersedes; what may have changed is told, not hidden."""

from __future__ import annotations

import pytest
from tests.judge.statements import pairs

from recollect.judge.rules import compare

SUPERSEDES = pairs("""
We deploy with make deploy | We deploy with fly deploy now
The API listens on port 8080 | The API listens on port 9090
The API runs on port 8080 | The API now runs on port 9090
The timeout is 30 s | The timeout is 60 s
The cache TTL is 5 minutes | The cache TTL is 1 hour
Max upload size is 10 MB | Max upload size is 25 MB
Port: 8080 | Port: 9090
I live in Paris | I moved to Berlin
I live in Paris | I relocated to Berlin
The capital of France is Paris. | The capital of France is Harare.
The deadline is March 1, 2025 | The deadline is 2025-04-01
Standup is at 9am | Standup moved to 10am
The project uses Postgres | The project no longer uses Postgres
We use Postgres | We switched from Postgres to MySQL
The project is called Foo | The project was renamed to Bar
The port is 8080 | Correction: the port is 8081
The port is 8080 | Actually, the port is 8081
The port is 8080 | The port was changed from 8080 to 8081
The port is 8080 | We changed the port to 8081
I like tea | I don't like tea anymore
We use yarn | We stopped using yarn
I use vim | I use VS Code instead of vim
I prefer tabs over spaces | I prefer spaces over tabs
""")

# Another value, but nothing says that the first one does not hold any more.
TOLD = pairs("""
The project requires Python 3.10 | The project requires Python 3.12
We run Node 18 | We run Node 20
Retry 3 times | Retry 5 times
The cluster has 3 replicas | The cluster has 5 replicas
Logs are kept for 30 days | Logs are kept for 90 days
We deploy with make deploy | We deploy with fly deploy
Run tests with pytest | Run tests with tox
The build command is npm run build | The build command is pnpm build
The default branch is master | The default branch is main
Our package manager is npm | Our package manager is pnpm
We use Jest for testing | We use Vitest for testing
We use Postgres as our database | We use MySQL as our database
The owner of the billing service is Alice | The owner of the billing service is Bob
Alice is the owner of the billing service | Bob is the owner of the billing service
The tech lead is Maria | The tech lead is Jonas
My manager is Tom | My manager is Anna
Alice lives in Paris | Alice lives in Berlin
I work at Google | I work at Meta
Alice works for Google | Alice is employed by Meta
Berlin is the capital of Germany | Bonn is the capital of Germany
Thomas Kyd was born in the city of London. | Thomas Kyd was born in the city of Leeds.
My favourite color is blue | My favorite colour is green
The release is on Friday | The release is on Monday
Standup is at 9:30 | Standup is at 10:00
We use Postgres for storage | We migrated from Postgres to MySQL
We use Jenkins for CI | We replaced Jenkins with GitHub Actions
The repo is called foo | We renamed the repo to bar
I use vim | I use VS Code now
The beta flag is enabled | The beta flag is disabled
The repo is public | The repo is private
""")

CLASHES = pairs("""
I like jazz | I don't like jazz
The service uses Redis | The service does not use Redis
Always squash commits | Never squash commits
I prefer tabs | I prefer spaces
I prefer dark mode | I prefer light mode
Tests are required before merge | Tests are not required before merge
Alice eats meat | Alice doesn't eat meat
The office is open on Sunday | The office is closed on Sunday
Push to main is allowed | Push to main is forbidden
""")


@pytest.mark.parametrize(("old", "new"), SUPERSEDES)
def test_an_announced_change_and_another_value_of_a_measure_supersede(old: str, new: str) -> None:
    assert compare(old, new, 0.93).relation == "changed"


@pytest.mark.parametrize(("old", "new"), TOLD)
def test_another_value_is_told_and_hides_nothing(old: str, new: str) -> None:
    assert compare(old, new, 0.93).relation in ("contradicts", "related")


@pytest.mark.parametrize(("old", "new"), CLASHES)
def test_what_cannot_both_be_true_is_noticed(old: str, new: str) -> None:
    assert compare(old, new, 0.93).relation in ("changed", "contradicts")
