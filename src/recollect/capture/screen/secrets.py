"""Credentials in a text: known token formats, known shapes, named secrets, passwords.

Most texts contain no long run of characters and no cue, and are done after a few plain string searches. Patterns are compiled
when first needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from recollect.capture.screen.access_codes import lock_combinations, pin_codes, security_answers
from recollect.capture.screen.finding import Finding, disjoint, redact
from recollect.capture.screen.logins import login_pairs, loose_pairs, spoken_logins, table_cells
from recollect.capture.screen.look_alikes import latin_words
from recollect.capture.screen.named_secrets import named_secrets
from recollect.capture.screen.passwords import password_words, passwords
from recollect.capture.screen.secret_formats import FORMATS, Format
from recollect.capture.screen.secret_shapes import ANYWHERE, IN_RUNS, Shape
from recollect.capture.screen.secret_values import entropy, is_placeholder, is_reference
from recollect.capture.screen.split_tokens import split_tokens
from recollect.capture.screen.views import decoded, has_mixed_run, joined, unquoted, visible
from recollect.values.patterns import compiled

__all__ = ["Finding", "find_secrets", "redact"]

_BLOB = r"(?<!base64,)(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{400,}={0,2}"
_STOCK_WORDS: Final = (
    "pass password passwd pwd secret user username admin root guest test testing token postgres mysql redis mongo "
    "rabbitmq example changeme my_password mypassword yourpassword db_password pw p key xxx yyy public private community"
)
_TRIVIAL_CREDENTIALS: Final = frozenset(_STOCK_WORDS.split())
# Values written by people: their placeholders are words ("your-password"), not only repeated characters.
_CHOSEN = frozenset(
    {
        "url-password",
        "http-header",
        "netrc-password",
        "npmrc-token",
        "kubernetes-secret",
        "cli-password",
        "login-pair",
        "wifi-password",
    }
)


@cache
def _prefixes() -> tuple[tuple[str, Format], ...]:
    return tuple((start, form) for form in FORMATS for start in form.prefixes.split())


@cache
def _cued(shapes: tuple[Shape, ...]) -> tuple[tuple[str, Shape], ...]:
    return tuple((cue, shape) for shape in shapes for cue in shape.cues.split())


def find_secrets(text: str) -> tuple[Finding, ...]:
    """Every credential found in the text, in order, without overlaps."""
    view = visible(text)
    if view is not None:
        return disjoint(Finding(found.kind, *view.span(found.start, found.end)) for found in find_secrets(view.text))
    found, mixed = _scan(text), has_mixed_run(text)
    for other in (joined(text, mixed=mixed), unquoted(text)):
        if other is not None:
            found += [Finding(each.kind, *other.span(each.start, each.end)) for each in _scan(other.text)]
    if mixed:
        found += split_tokens(text)
    if not text.isascii() and (spelled := latin_words(text)) is not None:
        found += _scan(spelled)
    return disjoint(found) if found else ()


def _scan(text: str, *, decode: bool = True) -> list[Finding]:
    text = _unescaped(text)
    lowered = lower(text)
    found = list(_of_shapes(ANYWHERE, lowered, text))
    odd = [word for word in text.split() if len(word) > 9 and not word.isalpha()]
    runs = "\n".join(word for word in odd if _may_hold_token(word))
    if runs:
        found += _in_runs(runs, text)
        found += named_secrets(text, lowered)
        if decode:
            found += _encoded(text)
    words = password_words(text, lowered)
    found += passwords(text, words)
    found += pin_codes(text, lowered)
    found += lock_combinations(text, lowered)
    found += security_answers(text, lowered)
    found += table_cells(text, lowered, words)
    found += login_pairs(text, lowered)
    found += loose_pairs(text, lowered)
    found += spoken_logins(text, lowered)
    return found


def _encoded(text: str) -> Iterator[Finding]:
    """Base64 of a text in which a credential is found, or of `user:password` after the word Basic."""
    for start, end, plain in decoded(text):
        basic = text[max(0, start - 6) : start].lower() == "basic "
        if _scan(plain, decode=False) or (basic and compiled(r"[^\s:]+:\S+$").match(plain)):
            yield Finding("encoded-secret", start, end)


def _unescaped(text: str) -> str:
    """The text with escaped line breaks as spaces of the same length: in `\\nAKIA…` the n is not part of the token."""
    if "\\" not in text:
        return text
    return text.replace("\\n", "  ").replace("\\r", "  ").replace("\\t", "  ")


def lower(text: str) -> str:
    """The text in lower case with the same length: the few letters whose lower case is longer stay as they are."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _may_hold_token(word: str) -> bool:
    """Whether a word has a digit or capitals inside, as a token has; hyphenated prose has not."""
    return any(map(str.isdigit, word)) or not (word.islower() or word.istitle())


def _in_runs(runs: str, text: str) -> Iterator[Finding]:
    for start, form in _prefixes():
        if start in runs:
            yield from _of_format(form, start, text)
    yield from _of_shapes(IN_RUNS, runs.lower(), text)
    for blob in compiled(_BLOB).finditer(text):
        if entropy(blob[0]) > 5.0:
            yield Finding("encoded-blob", *blob.span())


def _of_shapes(shapes: tuple[Shape, ...], lowered: str, text: str) -> Iterator[Finding]:
    for cue, shape in _cued(shapes):
        if cue in lowered:
            yield from _of_shape(shape, text)


def _of_format(form: Format, start: str, text: str) -> Iterator[Finding]:
    run = compiled(f"{form.alphabet}{{0,{form.most + 1}}}+")
    at = text.find(start)
    while at >= 0:
        tail = run.match(text, at + len(start))
        end = tail.end() if tail else at + len(start)
        end -= text[end - 1] == "."
        size = end - at - len(start)
        if form.least <= size <= form.most and _stands_alone(text, at, end):
            value = text[at + len(start) : end]
            if entropy(value) >= form.bits and not _is_blank(value):
                yield Finding(form.kind, at, end)
        at = text.find(start, max(end, at + len(start)))


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not before.isalnum() and not (after.isalnum() and after.isascii())


def _is_blank(value: str) -> bool:
    """Whether a value is a placeholder such as xxxx.

    Words such as "fake" do not count, because they occur in real tokens by chance. Nor does the alphabet in order: after a
    provider's prefix it may be a token from a test, and refusing that costs nothing.
    """
    return compiled(r"(?i)x{6,}|\*{4,}|([a-z0_-])\1{9,}|your[-_]").search(value) is not None


def _of_shape(shape: Shape, text: str) -> Iterator[Finding]:
    for match in compiled(shape.pattern).finditer(text):
        group = match.lastindex or 0
        value = match[group]
        if shape.kind == "curl-credentials":
            real = _has_password(value)
        elif shape.kind in _CHOSEN:
            real = value.lower() not in _TRIVIAL_CREDENTIALS and not is_placeholder(value) and not is_reference(value)
        else:
            real = not _is_blank(value)
        if real and (not shape.bits or entropy(value) >= shape.bits):
            yield Finding(shape.kind, *match.span(group))


def _has_password(credentials: str) -> bool:
    """Whether `user:password` given to curl has a real password: both parts literal, and not a stock word."""
    user, colon, password = credentials.replace('"', "").replace("'", "").partition(":")
    sides = [side.removeprefix("{").removesuffix("}") for side in (user, password) if side]
    secret = sides[-1] if sides else ""
    if not colon or any("{" in side or is_reference(side) for side in sides):
        return False
    return len(secret) > 3 and secret.lower() not in _TRIVIAL_CREDENTIALS and not is_placeholder(secret)
