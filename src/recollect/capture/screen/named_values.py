"""Values that are credentials because of the name they are stored under: `{"password": ["hunter2"]}`, the key `api_key`.

The nearest name counts. One that says nothing (`value`, `v`, the place in a list) leaves it to the name around it, and in the end
to the name of the pool, the context, the task or the tag, where only values of a clear form count.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from recollect.capture.screen.look_alikes import latin_words
from recollect.capture.screen.passwords import is_password, names_credential
from recollect.capture.screen.secrets import find_secrets
from recollect.values.patterns import compiled

_SAYS_NOTHING: Final = (
    r"(?i)(?:v|k|x|val|values?|data|text|content|current|new|old|default|items?|entry|it|main"
    r"|state|result|messages?|scratch_pad|conversation|\W*|\d+)$"
)
_KEY: Final = r"(?i)(?:api|access|private|signing)[ _.-]?key[\W_]{0,3}$|credentials?[\W_]{0,3}$"
# A reference rather than a value: `prod/db-2`, `db-creds2`.
_SLUG: Final = r"[a-z]+\d{0,2}(?:[-_/.:][a-z]*\d{0,2})+$"
_LONGEST: Final = 200
_AROUND: Final = " \t\"'`=:>"


def credential_name(value: Any, name: str = "", around: str = "") -> str | None:
    """The name that makes something in a plain value a credential, or None.

    `name` is what the value is stored under, `around` the name of what holds it.
    """
    for nearest, scalar in _scalars(value, name):
        if _is_credential(nearest, scalar):
            return nearest
        if around and compiled(_SAYS_NOTHING).match(nearest) and _is_clear_credential(around, scalar):
            return around
    return None


def value_in(text: str) -> Any:
    """What a text says as a value: parsed if it is JSON, without quotes and signs around it if it is a word."""
    stripped = text.strip()
    if stripped[:1] in "{[" and len(stripped) <= _LONGEST:
        try:
            return json.loads(stripped)
        except (ValueError, RecursionError):
            return text
    word = stripped.strip(_AROUND)
    return word if word and not any(map(str.isspace, word)) else text


def _scalars(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Every text and number in a plain value with its nearest name that says something."""
    waiting = [(name, value)]
    while waiting:
        nearest, one = waiting.pop()
        if isinstance(one, Mapping):
            says_nothing = compiled(_SAYS_NOTHING).match
            waiting += [(nearest if says_nothing(str(key)) else str(key), inside) for key, inside in one.items()]
        elif isinstance(one, list | tuple):
            waiting += [(nearest, inside) for inside in one]
        elif isinstance(one, str):
            yield nearest, one.strip()
        elif isinstance(one, int | float) and not isinstance(one, bool):
            yield nearest, str(one)


@lru_cache(maxsize=1024)
def _names_credential(name: str) -> bool:
    return names_credential(latin_words(name) or name)


def _is_credential(name: str, text: str) -> bool:
    if not text or len(text) > _LONGEST or "\n" in text or not _names_credential(name):
        return False
    quoted = json.dumps(text, ensure_ascii=False)
    if find_secrets(f"{name}: {text}") or find_secrets(f"{name}: {quoted}"):
        return True
    return compiled(_KEY).search(name) is not None and _is_word_with_digits(text)


def _is_clear_credential(name: str, text: str) -> bool:
    if not text or len(text) > _LONGEST or not _names_credential(name):
        return False
    return _is_word_with_digits(text) or (text.isdigit() and bool(find_secrets(f"{name}: {text}")))


def _is_word_with_digits(text: str) -> bool:
    return (
        not any(map(str.isspace, text))
        and any(map(str.isalpha, text))
        and is_password(text)
        and compiled(_SLUG).match(text) is None
    )
