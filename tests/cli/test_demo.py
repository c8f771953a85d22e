"""`make demo` tells the story it promises."""

import subprocess
import sys


def test_the_story_in_a_pipe_is_plain_and_complete() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recollect.serve.cli.demo"], capture_output=True, text=True, check=True, timeout=120
    )
    assert "\x1b" not in done.stdout
    told = (
        "✓ stored  Maria owns the billing service",
        "found by its meaning alone",
        "+ reinforced  Maria owns the billing service",
        "↻ superseded  The shop's database is PostgreSQL 17",
        "was  The shop's database is PostgreSQL 16",
        "may contradict",
        "✓ resolved  supersede",
        "! trigger glob:*.env",
        "! Never commit the .env file",
        "✗ refused  the text holds a secret",
        "✓ updated  content",
        "✓ forgotten",
        "✗ refused  forgotten:",
        "✓ taken back: 1 memory",
        '--as-of "2 weeks ago"',
        "The shop's database is PostgreSQL 16",
        "Now yours",
    )
    place = 0
    for line in told:
        place = done.stdout.index(line, place)
    assert done.stderr == ""
