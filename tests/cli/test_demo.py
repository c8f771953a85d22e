"""`make demo` shows what it promises."""

import subprocess
import sys


def test_the_output_in_a_pipe_is_plain_and_complete() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recollect.serve.cli.demo"], capture_output=True, text=True, check=True, timeout=120
    )
    assert "\x1b" not in done.stdout
    shown = (
        "✓ stored  Maria owns the billing service",
        "found by meaning alone",
        "+ reinforced  Maria owns the billing service",
        "↻ superseded  The shop's database is PostgreSQL 17",
        "was  The shop's database is PostgreSQL 16",
        "possible contradiction",
        "✓ resolved  supersede",
        "! trigger glob:*.env",
        "! Never commit the .env file",
        "✗ refused  the text holds a secret",
        "✓ updated  content",
        "✓ forgotten",
        "✗ refused  forgotten:",
        "✓ undone: forget",
        '--as-of "2 weeks ago"',
        "The shop's database is PostgreSQL 16",
        "Next steps",
    )
    place = 0
    for line in shown:
        place = done.stdout.index(line, place)
    assert done.stderr == ""
