"""Tags a memory may carry without being told: languages and kinds of its files, topics, names. At most four."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from recollect.capture.inference.names import names_in
from recollect.capture.inference.paths import mentioned_paths, told_by_paths
from recollect.capture.inference.topics import STRONG, TOPICS, cues, pair_ends
from recollect.values.patterns import compiled
from recollect.values.terms import STOP_WORDS

_MOST = 4
_MOST_TOPICS = 2
_SHORTEST_KNOWN = 3
# What a text is about is said early; a long one is not read to its end for four tags.
_START = 2000
_WORD = r"[^\W\d_][\w+#]*(?:[-/.'][^\W\d_][\w+#]*)*"


def inferred_tags(content: str, file_paths: Iterable[str] = (), known: Collection[str] = ()) -> tuple[str, ...]:
    """Tags in lower case, the surest first.

    `known` are tags already in use, in lower case: one that a text mentions is taken, so that a project finds its own
    words again.
    """
    start = content[:_START]
    written = compiled(_WORD).findall(start)
    words = [word.casefold() for word in written]
    found = dict.fromkeys(told_by_paths(file_paths))
    found |= dict.fromkeys(told_by_paths(mentioned_paths(start)))
    found |= dict.fromkeys(_topics(words))
    if known:
        found |= dict.fromkeys(_mentioned(words, known))
    found |= dict.fromkeys(names_in(start, set(written)))
    return tuple(found)[:_MOST]


def _topics(words: list[str]) -> list[str]:
    """The topics with one strong cue or two different weak ones, the best supported first."""
    told, ends = cues(), pair_ends()
    weights: dict[str, int] = {}
    seen: set[str] = set()
    before = ""
    for word in words:
        for cue in (word, f"{before} {word}") if word in ends else (word,):
            topics = told.get(cue) or (told.get(cue[:-1]) if cue[-1] == "s" else None)
            if topics and (stem := cue.rstrip("s")) not in seen:
                seen.add(stem)
                for topic, weight in topics:
                    weights[topic] = weights.get(topic, 0) + weight
        before = word
    enough = [topic for topic, weight in weights.items() if weight >= STRONG]
    return sorted(enough, key=lambda topic: -weights[topic])[:_MOST_TOPICS]


def _mentioned(words: list[str], known: Collection[str]) -> Iterator[str]:
    """The known tags that a text has as a word; a topic's name is left to its cues."""
    held = known if isinstance(known, set | frozenset) else frozenset(known)
    for word in dict.fromkeys(words):
        if word in held and len(word) >= _SHORTEST_KNOWN and word not in STOP_WORDS and word not in TOPICS:
            yield word
