"""Infer the triggers of a negative memory: the code it forbids. Only what looks like code; a plain word would match everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.errors import InvalidInput
from recollect.values.patterns import compiled
from recollect.values.terms import STOP_WORDS
from recollect.values.trigger import Kind, Trigger, format_trigger, parse

_MOST = 5
_START = 2000
_LONGEST = 80
# The part that says what to do instead is not forbidden.
_INSTEAD = (
    r"(?i)(?:[,;.:—–]|\s-|\bbut|\band)\s*(?:please\s+|always\s+|we\s+|you should\s+)?"
    r"(?:use|prefer|instead|go with|switch to|rather)\b"
)
_REPLACED = r"(?i)\b(?:instead of|rather than)\b"
_NEGATED = r"(?i)\b(?:never|not|don't|avoid|no|cannot|can't|stop)\b"
_ASIDE = r"(?i)\((?:see|cf|e\.g|like|unless|except)\b[^)]*\)"
_FENCED = r"`{1,3}([^`\n]{2,80})`{1,3}"
_QUOTED = r"(?<!\w)[\"“'‘]([^\"”'’\n]{2,80})[\"”'’](?!\w)"
_FLAGGED = r"(?<![\w-])(?:[a-z][a-z0-9_.]+ ){0,2}-{1,2}[A-Za-z][\w-]*(?:=\S+)?(?![\w-])"
_ENDINGS = (
    "py|rs|go|tsx?|jsx?|java|kt|rb|php|cs|cpp|c|h|css|html|sql|sh|env|json|ya?ml|toml|ini|cfg|conf|lock|pem|key|p12|md|txt"
    "|csv|xml|db|sqlite3?|bak|zip|tf|tfstate|ipynb|proto|swo|swp|orig"
)
_FILE = r"(?:[\w.*~-]+/)*[\w*.-]*\.(?:" + _ENDINGS + r")|(?:[\w.~-]+/)*[\w.-]*\*[\w*.-]*\.[\w*]+|(?:[\w.*~-]+/)+\*{1,2}"
_HIDDEN = r"\.(?!com\b|org\b|net\b)[a-z][a-z0-9_-]{2,20}"
_CODE = r"""(?x)
      (?:println|eprintln|print|eprint|dbg|panic|todo|unimplemented|unreachable|assert|vec|format|unsafe)!
    | [a-z_][\w:]*!(?=[(\[{])                                      # a macro called
    | [A-Za-z_][\w.]*(?:(?:::|->)[A-Za-z_]\w*)+!?                  # std::mem::forget
    | [A-Za-z_][\w.]*\(\)?                                         # eval(), foo.bar(
    | [A-Za-z]+_[A-Za-z_\d]+(?:=\w+)? | [a-z]{2,}=[A-Za-z]\w+      # snake_case, shell=True
    | @[A-Za-z_][\w-]*/[\w.-]+ | \#\[?[a-z_!]\w+\] | \$\{?[A-Z_]{2,}\}?
    | [a-z]{2,}[A-Z][A-Za-z]+                                      # camelCase
    | [A-Za-z_]\w+\.(?!com\b|org\b|net\b|io\b|dev\b|ai\b|co\b|de\b|uk\b)[a-z_]\w+(?:\.\w+)*
    """
_PLAIN = r"\w+(?:-\w+)*(?: \w+(?:-\w+)*)*"
# Words too common to be a trigger, even in backticks.
_COMMON = STOP_WORDS | frozenset(
    "main master test tests let get set data use new old run true false null none type user".split()
)
_VERBS = frozenset(
    "use run call commit push add write edit touch pass do never not don't to with and or the a an any of".split()
)


def inferred_triggers(content: str) -> tuple[str, ...]:
    """At most five triggers, in the order of the text; none when nothing in it is code."""
    found: dict[str, None] = {}
    for text in _candidates(compiled(_ASIDE).sub(" ", _forbidden(content[:_START]))):
        try:
            # A call is written with its arguments: `eval(` is in `eval(text)`, `eval()` is not.
            found[format_trigger(parse(text[:-1] if text.endswith("()") else text))] = None
        except InvalidInput:
            continue
    return tuple(found)[:_MOST]


def _forbidden(text: str) -> str:
    """The part that says what not to do."""
    replaced = compiled(_REPLACED).search(text)
    if replaced and not compiled(_NEGATED).search(text, 0, replaced.start()):
        return text[replaced.end() :]
    instead = compiled(_INSTEAD).search(text)
    return text[: instead.start()] if instead else text


def _candidates(text: str) -> Iterator[str]:
    if "`" in text:
        for match in compiled(_FENCED).finditer(text):
            yield from _whole(match.group(1).strip())
        text = compiled(_FENCED).sub(" \n ", text)
    for match in compiled(_QUOTED).finditer(text):
        if (
            _is_file(match.group(1))
            or compiled(_CODE).match(match.group(1))
            or compiled(_FLAGGED).search(match.group(1))
        ):
            yield from _whole(match.group(1).strip())
    text = compiled(_QUOTED).sub(" \n ", text)
    if " -" in text:
        yield from (_command(match.group()) for match in compiled(_FLAGGED).finditer(text))
        text = compiled(_FLAGGED).sub(" \n ", text)
    for word in text.split():
        if not word.isalpha() or not word[1:].islower():
            yield from _bare(word.lstrip("([{\"'“‘*"))


def _whole(text: str) -> Iterator[str]:
    """A trigger for quoted text: a file as a glob, words as whole words, anything else literally."""
    if _is_file(text):
        yield _as_glob(text)
    elif text.casefold() not in _COMMON:
        kind: Kind = "word" if compiled(_PLAIN).fullmatch(text) else "literal"
        yield format_trigger(Trigger(kind, text))


def _bare(word: str) -> Iterator[str]:
    plain = word.rstrip(".,;:!?\"'”’)]}*")
    if plain.isalpha() and plain.islower() and word[len(plain) : len(plain) + 1] not in ("!", "("):
        return
    if "://" in word or "@" in word[1:] or len(plain) > _LONGEST:
        return
    if _is_file(plain):
        yield _as_glob(plain)
    elif code := compiled(_CODE).match(word):
        yield code.group()
    elif plain.casefold().startswith("force-push"):
        yield "word:force-push"


def _command(text: str) -> str:
    """A command with its flag, without the verb of the sentence before it."""
    words = text.split()
    while words and words[0] in _VERBS:
        del words[0]
    return " ".join(words)


def _is_file(text: str) -> bool:
    return bool(compiled(_HIDDEN).fullmatch(text) or compiled(_FILE).fullmatch(text))


def _as_glob(text: str) -> str:
    return f"glob:*{text}" if compiled(_HIDDEN).fullmatch(text) else f"glob:{text}"
