"""The screen is cheap: nothing compiled at import, and no text, however hostile, makes it run away."""

from __future__ import annotations

import random
import string
import subprocess
import sys
from base64 import b64encode
from time import perf_counter

import pytest

from recollect.capture.screen import apply_policy, injection_signs, junk_reason

SIZE = 200_000
_BASE64 = string.ascii_letters + string.digits + "+/"
HOSTILE = {
    "letters": "a" * SIZE,
    "equals": "=" * SIZE,
    "digits": "1" * SIZE,
    "quotes": "\"'" * (SIZE // 2),
    "base64": "".join(random.Random(1).choice(_BASE64) for _ in range(SIZE)),
    "card groups": "4111 " * (SIZE // 5),
    "beginnings": "sk-AKIAghp_" * (SIZE // 11),
    "assignments": "api_key = a1b2c3d4e5 " * (SIZE // 21),
    "passwords": "pass=" * (SIZE // 5),
    "open quotes": 'password="' * (SIZE // 10),
    "urls": "http://a:" * (SIZE // 9),
    "jwt heads": ("eyJ" + "a" * 30 + ".") * (SIZE // 34),
    "key heads": "-----BEGIN RSA PRIVATE KEY-----" * (SIZE // 31),
    "orders": "ignore all the previous " * (SIZE // 24),
    "yaml": "kind: Secret data: " * (SIZE // 19),
    "addresses": "a@a." * (SIZE // 4),
    "spoken passwords": "the password for the box is " * (SIZE // 28),
    "password after password": "hunter2 as my password " * (SIZE // 23),
    "passwords in a row": "password " * (SIZE // 9),
    "spaced letters": "a b c d " * (SIZE // 8),
    "parts of tokens": "aB3 x9Y " * (SIZE // 8),
    "lines of parts": "aB3\nx9Y\n" * (SIZE // 8),
    "tables": "| password | x |\n" * (SIZE // 17),
    "lists of headings": "user,password\n" * (SIZE // 14),
    "short base64": "aGVsbG8gd29ybGQhIQ== " * (SIZE // 21),
    "nested base64": b64encode(b64encode(b"password=hunter2 " * (SIZE // 40))).decode(),
    "cookies": "cookie: a=b; " * (SIZE // 13),
    "pairs": "admin / a1 / " * (SIZE // 13),
    "pins": "pin code " * (SIZE // 9),
    "key words": "api key for the " * (SIZE // 16),
    "seeds": "seed phrase: word word word " * (SIZE // 28),
    "invisible": "pa\u200bss" * (SIZE // 5),
    "ways in": "log in as tom1 with a1 and " * (SIZE // 27),
    "locks": "the door 11 opens with the door " * (SIZE // 32),
    "halves": "ghp_a1 and the second half is " * (SIZE // 30),
    "joined quotes": "'a1' + " * (SIZE // 7),
    "security questions": "security question: a; " * (SIZE // 22),
    "settings": "A_KEY is now set to " * (SIZE // 20),
    "Cyrillic": "рwd сеcrеt " * (SIZE // 11),
    "look-alikes": "іgnоrе аll " * (SIZE // 11),
    "commands": "curl -u docker login -p " * (SIZE // 24),
    "from now on": "from now on, always when you " * (SIZE // 29),
    "comments": "<!-- " * (SIZE // 5),
    "links": "![a](https://a?" * (SIZE // 15),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_length_and_no_faster(name: str) -> None:
    text = HOSTILE[name]
    started = perf_counter()
    apply_policy(text)
    injection_signs(text)
    junk_reason(text)
    # A fifth of the promise (2 s for 1 MB), with room for a slow machine; backtracking would take minutes.
    assert perf_counter() - started < 4


def test_importing_the_screen_compiles_no_pattern_and_loads_no_pathspec() -> None:
    program = (
        "import re, sys\n"
        "count = 0\n"
        "compile = re._compiler.compile\n"
        "def counted(*a):\n    global count\n    count += 1\n    return compile(*a)\n"
        "import dataclasses, functools, typing, collections, pathlib, base64, recollect.errors\n"
        "re._compiler.compile = counted\n"
        "import recollect.capture.screen\n"
        "print(count, 'pathspec' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "False"]
