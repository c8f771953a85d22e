"""Cases written before the rules had seen them, kept so that they stay right.

"related" is told to whoever stores the new one and hides nothing; "changed" hides the old one.

One line a case: the old memory, a bar, the new one; grouped by the relations that are right.
"""

from __future__ import annotations

import pytest

from recollect.judge.rules import compare

CASES = {
    "same": """
The auth service is owned by the platform team | The platform team owns the auth service
Always run `ruff check` before committing | always run ruff check before committing.
My timezone is UTC+2 | my timezone is UTC+2
Meeting with Dana at 2pm | Meeting with Dana at 14:00
The max payload is 512 kb | The max payload is 512 kilobytes
Do not use print for logging | Don't use print for logging
Never commit secrets | never commit secrets!!
The kids like the park | The children like the park
On Linux, the path is /opt/app | The path is /opt/app on Linux
Alice is the maintainer of recollect | The maintainer of recollect is Alice
The server was started by Bob | Bob started the server
The tests can't run offline | The tests cannot run offline
We store files in S3 | We store the files in S3
Deploys are approved by Karen | Karen approves deploys
The log level is DEBUG | the log level is debug
Please use British spelling | Use British spelling
We are based in Lisbon | We live in Lisbon
The upload limit is 2 GB | The upload limit is 2 gigabytes
The wiki is at docs/wiki.md | The wiki is at `docs/wiki.md`.
Alice and Bob review the code | Bob and Alice review the code
Nobody may push to main | nobody may push to main
There is a cron job cleaning the cache | A cron job is cleaning the cache
FYI: the VPN is required | The VPN is required
""",
    "changed contradicts related": """
The Redis port is 6379 | The Redis port is 6380
Project uses Node v16.2 | Project uses Node v20.1
Backups run every 6 hours | Backups run every 12 hours
CI runs on CircleCI | CI runs on GitHub Actions
The API is hosted on Heroku | The API is hosted on Fly.io
The app is written in Python | The app is written in Rust
Sprint review is on Thursday | Sprint review is on Wednesday
The on-call engineer is Priya | The on-call engineer is Luis
The release date is 2025-06-01 | The release date is June 15, 2025
Bob reports to Alice | Bob reports to Carol
The staging URL is https://a.example.com | The staging URL is https://b.example.com
The main database is Postgres 14 | The main database is Postgres 16
We indent with tabs | We indent with spaces
Line length is 100 | Line length is 120
My name is Jon | My name is Jonathan Smith
User's favorite editor is vim | User's favorite editor is emacs
We log to stdout | We log to Datadog
The feature flag new_ui is on | The feature flag new_ui is off
We use npm | We switched to pnpm from npm
The team lead is Sam | Sam is no longer the team lead
I drive a Tesla | I sold the Tesla and no longer drive a Tesla
The service is called ingest | The service has been renamed to intake
The rate limit is 100 requests per minute | The rate limit is 200 requests per minute
The budget is $5,000 | The budget is $7,500
I work as a designer | I work as a product manager now
The capital of Kazakhstan is Astana | The capital of Kazakhstan is Nur-Sultan
We deploy on Mondays | We deploy on Wednesdays now
The model is gpt-4 | The model is claude-3
The queue is RabbitMQ | The queue is Kafka
The session expires after 15 minutes | The session expires after 30 minutes
My email is a@x.org | My email is b@y.org
The company's CTO is Dana Hill | The company's CTO is Omar Reyes
The Postgres password rotates every 30 days | The Postgres password rotates every 90 days
We host on AWS | We host on GCP
The project is licensed under MIT | The project is licensed under Apache-2.0
The kickoff is scheduled for May 3 | The kickoff is scheduled for May 10
The next release is 2.4 | The next release is 3.0
My dog's name is Rex | My dog's name is Max
The website runs on Django | The website runs on Rails
We use black for formatting | We use ruff for formatting
Anna is the product owner | Anna is no longer the product owner
The meeting room is Blue | The meeting room is now Green
The API key is stored in Vault | The API key is stored in AWS Secrets Manager
We use poetry | We moved from poetry to uv
""",
    "changed contradicts related ": """
The API requires authentication | The API does not require authentication
Use single quotes | Use double quotes
Bob is a vegetarian | Bob is not a vegetarian
Tests pass on main | Tests fail on main
The endpoint is public | The endpoint is not public
I prefer Slack | I prefer email
You should rebase | You should not rebase
Alice owns billing | Bob owns billing
Comments must be in English | Comments must be in German
The cache is enabled in production | The cache is disabled in production
We support IE11 | We do not support IE11
Sam likes spicy food | Sam hates spicy food
Use snake_case for variables | Use camelCase for variables
The script is safe to rerun | The script is not safe to rerun
""",
    "different related": """
Server A listens on 80 | Server B listens on 80
Alice likes hiking | Alice likes cooking
Bob's birthday is May 3 | Alice's birthday is June 4
Bob's birthday is May 3 | Alice's birthday is May 3
The dev database password is in vault | The prod database password is in 1password
Ticket 45 is closed | Ticket 46 is closed
PR #12 was reviewed by Alice | PR #12 was reviewed by Bob
I read Dune | I read Emma
We have a staging cluster | We have a production cluster
The login page is slow | The login page is blue
pytest is configured in pyproject.toml | ruff is configured in pyproject.toml
Use async for I/O | Use threads for CPU work
Alice is on the infra team | Bob is on the infra team
The iOS app uses Swift | The Android app uses Kotlin
I went to Rome in 2019 | I went to Rome in 2021
Chapter 3 covers loops | Chapter 4 covers loops
The EU cluster has 3 nodes | The US cluster has 5 nodes
The API returns JSON | The API returns errors as text
My friend Bob lives in Oslo | My friend Carl lives in Oslo
Bob wants a raise | Bob wants a new laptop
User asked about Docker | User asked about Kubernetes
I bought a bike | I bought a car
Alice has two brothers | Alice has two sisters
Python 3.11 is supported | Python 3.12 is supported
The meeting with Bob is on Monday | The meeting with Alice is on Tuesday
Version 1.2 fixed the crash | Version 1.3 fixed the crash
I'm reading The Hobbit | I'm reading Dune
Alice's phone is an iPhone | Bob's phone is a Pixel
The orders table has 10 columns | The users table has 12 columns
Sam enjoys chess | Sam enjoys tennis
The worker reads from queue A | The worker reads from queue B
Dana went to Berlin in May | Dana went to Berlin in June
Build 41 failed | Build 42 failed
The API has a /health endpoint | The API has a /metrics endpoint
Lint errors block merges | Failing tests block merges
Add a test for login | Add a test for logout
eu-west-1 hosts the api | us-east-1 hosts the api
Tom's manager is Eve | Tim's manager is Eve
The Q1 budget is $5k | The Q2 budget is $6k
The test timeout is 30 s | The build timeout is 60 s
Alice met Bob | Alice met Carol
User wants unit tests | User wants type hints
The docs mention Redis | The docs mention Kafka
The team uses Slack | The team uses Zoom
Redis is used for caching | Redis is used for locks
Sarah is interested in ML | Sarah is interested in art
""",
    "extends different": """
Use black | Use black with line length 100
""",
    "extends": """
Alice lives in Paris | Alice lives in Paris with her two cats
""",
    "changed contradicts extends related different": """
Merge A into B | Merge B into A
Frontend framework: React | Frontend framework: Svelte
Give Alice access to Bob's repo | Give Bob access to Alice's repo
Only admins can delete users | Admins can delete users
The job runs hourly | The job runs daily
Increase the timeout | Decrease the timeout
Use HTTP | Use HTTPS
The key is abc123 | The key is abc124
Convert JSON to YAML | Convert YAML to JSON
Alice told Bob that Carol left | Bob told Alice that Carol left
The parser is tested by the linter | The linter is tested by the parser
Cats and dogs eat fish | Fish eat cats and dogs
Ship on the 3rd | Ship on the 4th
Two of the tests fail | The tests fail
It can be cached | It must be cached
Set DEBUG=true | Set DEBUG=false
Use os.path | Use pathlib
The first request is slow | The last request is slow
Do X before Y | Do Y before X
The old API is stable | The new API is stable
/home/a/x.py is the entry point | /home/a/y.py is the entry point
Server X trusts server Y | Server Y trusts server X
Users older than 18 | Users younger than 18
Every Monday | Every other Monday
Ask before deleting | Ask after deleting
The flag defaults to true | The flag defaults to false
v2 is faster than v1 | v1 is faster than v2
Postgres replaced MySQL | MySQL replaced Postgres
He is almost done | He is done
Backup weekly | Backup monthly
Alice can edit and Bob can view | Bob can edit and Alice can view
""",
}
ROWS = [(right, *line.split(" | ")) for right, lines in CASES.items() for line in lines.strip().splitlines()]


@pytest.mark.parametrize(("right", "old", "new"), ROWS)
def test_first_seen_cases_stay_right(right: str, old: str, new: str) -> None:
    assert compare(old, new, 0.93).relation in right.split()
