"""What a value is: random (`sk-live-8fK2…`), a placeholder (`sk-your-key-here`), a reference to a variable, a plain name.

Every detector of secrets uses these functions.
"""

from __future__ import annotations

from collections import Counter
from math import log2

from recollect.values.patterns import compiled

# Longer samples change the estimate by less than a tenth of a bit and would make a 1 MB line slow.
_SAMPLE = 256

_PLACEHOLDER = r"""(?xi)
    ([x*\#.?0_-])\1{4,} | \.\.\. | abcdefghijkl | (?<![a-z0-9])(?:xxx+|yyy+|zzz+|foo|bar|baz|foobar)(?![a-z0-9])
  | ([a-z0-9])\2{11,} | redacted | placeholder | change[-_ ]?(?:me|this|it) | replace[-_ ]?(?:me|this|with) | todo
  | (?<![a-z])(?:your|my|insert|enter|add|put|paste|some|the)[-_ ]?\w*(?:key|token|secret|pass|value|name|here|id)
  | (?:key|token|secret|password|goes)[-_ ]?here | dummy | not[-_ ]?a?[-_ ]?(?:real|secret) | (?<![a-z])(?:example
    |sample)
  | (?:example|sample)(?![a-z0-9]) | ^(?:null|none|true|false|undefined|nil|empty|required|optional|string)$
"""
_REFERENCE = r"""(?xi)
    ^[$%@&{<\[(] | \$\{ | \{\{ | \$\( | ^%\w+%$ | ^<.*>$ | process\.env | os\.(?:environ|getenv) | getenv | import\.meta
  | ^(?:secrets?|vars?|env|config|settings|self|this|args|options|params|data|local|module|request|req|ctx)[.\[]
  | ^[a-z_]\w*(?:\.[a-z_]\w*)*[(\[] | ^(?:https?|file|arn|urn|projects|vault)[:/]
"""
_FILE_NAME = (
    r"(?i)\.(?:pem|cer|crt|key|p12|pfx|jks|txt|json|ya?ml|toml|ini|cfg|conf|xml|html?|css|jsx?|tsx?|py|go|rs|rb|"
    r"java|kt|cs|php|sh|md|png|jpe?g|gif|svg|pdf|zip|gz|tar|jar|com|org|net|io|dev|local|image|keytab|keystore)$"
)
_DOTTED_NAME = r"^[A-Za-z_][A-Za-z_0-9]*(?:(?:\.|::|->)[A-Za-z_][A-Za-z_0-9]*)+$"


def entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    sample = value[:_SAMPLE]
    size = len(sample)
    return -sum(n / size * log2(n / size) for n in Counter(sample).values()) if size else 0.0


def is_placeholder(value: str) -> bool:
    """Whether a value is what documentation writes in place of a secret."""
    return compiled(_PLACEHOLDER).search(value[:_SAMPLE]) is not None


def is_reference(value: str) -> bool:
    """Whether a value is code that gets the secret from elsewhere: a variable, a template, a call, an address."""
    return compiled(_REFERENCE).search(value[:_SAMPLE]) is not None


def is_name(value: str) -> bool:
    """Whether a value is a file name or an identifier: `cert.p12`, `X25519.KeyPair`."""
    return any(compiled(p).search(value[:_SAMPLE]) for p in (_FILE_NAME, _DOTTED_NAME))


def looks_random(value: str, bits: float) -> bool:
    """Whether letters and digits are mixed as in a generated token, with an entropy of at least `bits` per character."""
    head = value[:_SAMPLE]
    if head.isalpha() or not any(c.isalnum() for c in head):
        return False
    return any(c.isdigit() for c in head) and entropy(head) >= bits and not is_placeholder(head)
