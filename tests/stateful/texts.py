"""Four hundred drafts and sixty questions, the same each time: talk, statements, other scripts, tags, rooms, times."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from recollect.values.enums import MEMORY_TYPES

PEOPLE = ("Zoë", "Bram", "assistant")
PROJECTS = (None, "atlas", "zephyr")
TAGS = ("infra", "style", "travel", "food", "people")
THINGS = (
    "gateway",
    "ledger",
    "kettle",
    "harbour",
    "orchard",
    "telescope",
    "bicycle",
    "violin",
    "archive",
    "greenhouse",
)
DOINGS = ("runs on", "was moved to", "needs", "no longer uses", "is painted", "costs", "talks to", "waits for")
ENDS = (
    "port 9001",
    "port 9002",
    "kafka",
    "two spaces",
    "the blue door",
    "Lisbon",
    "forty euros",
    "rain",
    "ops@example.org",
)
SAID = (
    "I think",
    "do you remember",
    "last week",
    "honestly",
    "we agreed that",
    "my sister says",
    "nobody told me that",
)
ELSEWHERE = (
    "Das Gewächshaus in Köln öffnet um neun Uhr",
    "Мост через реку закрыт до весны",
    "Η βιβλιοθήκη ανοίγει στις οκτώ",
    "会议改到星期五下午三点",
    "鍵は青い扉の裏に掛けてある",
    "열쇠는 정원사에게 있다",
    "المكتبة مغلقة يوم الجمعة",
    "ห้องสมุดปิดวันศุกร์",
    "पुस्तकालय शुक्रवार को बंद है",
    "Ο Άδης και το ποτάμι 🚣",
)
WHERE: tuple[dict[str, Any], ...] = (
    *({} for _ in range(5)),
    {"project": "atlas"},
    {"scope": "agent", "agent": "ada"},
    {"scope": "team", "team": "core", "project": "atlas"},
    {"scope": "session", "session": "talk 2", "project": "zephyr"},
    {"scope": "task", "task": "t1", "project": "atlas"},
)
WHEN: tuple[dict[str, Any], ...] = (
    {},
    {"ttl": 3600},
    {"valid_from": "2025-12-25T00:00:00+00:00"},
    {"valid_until": "2025-12-31T00:00:00+00:00"},
)


def drafts(chance: Random, now: datetime) -> Iterator[dict[str, Any]]:
    """What is to be remembered, in this order."""
    for number in range(160):
        session, position = divmod(number, 20)
        yield {
            "content": f"{chance.choice(SAID)} the {_happening(chance)}",
            "session": f"talk {session}",
            "position": position,
            "speaker": PEOPLE[position % 2 if session % 3 else position % 3],
            "occurred_at": now - timedelta(days=30 - session, minutes=60 - position),
            "project": PROJECTS[session % 3],
        }
    for number in range(200):
        yield {
            "content": f"Number {number}: the {_happening(chance)}",
            "tags": chance.sample(TAGS, chance.randrange(3)),
            "type": chance.choice((None, *MEMORY_TYPES[:5])),
            "importance": chance.choice((None, 0.2, 0.9)),
            "weight": chance.choice((None, 0.4)),
            "confidence": chance.choice((None, 0.6)),
            "source": chance.choice((None, "inferred")),
            "delivery": "pinned" if number % 50 == 0 else None,
            "season": chance.choice((None, None, "winter")),
            **chance.choice(WHEN),
            **chance.choice(WHERE),
        }
    for number, text in enumerate(4 * ELSEWHERE):
        yield {"content": f"{text} {number}", "tags": ["people"] if number % 3 else (), "project": PROJECTS[number % 3]}


def _happening(chance: Random) -> str:
    """Of many lengths: texts of one length with one word in common say it equally well."""
    lots = " ".join(f"lot{chance.randrange(500)}" for _ in range(chance.randrange(15)))
    return f"{chance.choice(THINGS)} {chance.choice(DOINGS)} {chance.choice(ENDS)} {lots}".strip()


def questions(chance: Random) -> Iterator[str]:
    """Sixty questions: by words, about a time, with a tag, in other scripts, about nothing that is there."""
    for _ in range(36):
        yield f"what did we say about the {chance.choice(THINGS)} and {chance.choice(ENDS)}"
    yield from (text[: 2 * len(text) // 3] for text in ELSEWHERE)
    yield from (f"{thing} #infra" for thing in THINGS[:5])
    yield from (f"what happened to the {thing} last week" for thing in THINGS[:3])
    yield from (
        "ledger in december",
        "who said that",
        "zzz quux",
        'the "blue door"',
        "kettle?",
        "Zoë Lisbon harbour 12",
    )
