"""Edit: changes to one stored memory. Text, tags and triggers pass the same validation and gate as a new memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.capture.gate import Gate, screen_record
from recollect.capture.infer_tags import inferred_tags
from recollect.capture.infer_triggers import inferred_triggers
from recollect.capture.intake import given_texts
from recollect.errors import InvalidInput
from recollect.validation import (
    MAX_CONTENT,
    check_number,
    clean_expiry,
    clean_flag,
    clean_metadata,
    clean_season,
    clean_tags,
    clean_text,
    clean_time,
    clean_triggers,
    one_of,
)
from recollect.values.enums import DELIVERIES, MEMORY_TYPES
from recollect.values.memory import Record
from recollect.values.metadata import merged
from recollect.values.normalise import normalise
from recollect.values.outcome import Refused

EDITABLE = (
    "content", "type", "tags", "importance", "weight", "confidence", "ttl", "expires_at", "valid_from", "valid_until", "delivery",
    "triggers", "season", "metadata", "replace_metadata",
)  # fmt: skip


def edited(old: Record, changes: Mapping[str, Any], gate: Gate, now: datetime) -> Record | Refused:
    """The memory with some fields changed, validated and screened."""
    if not changes:
        raise InvalidInput("update", "nothing to change", f"name at least one of {', '.join(EDITABLE)}")
    for name in changes:
        if name not in EDITABLE:
            raise InvalidInput(name, "cannot be changed", f"these can: {', '.join(EDITABLE)}")
    new = _reannotated(old, old.with_(**_checked(old, changes, now), updated_at=now, hit_at=now), changes)
    for name, text in given_texts(changes):
        gate.require_name(name, normalise(text))
    if not changes.keys() & {"content", "tags", "triggers"}:
        return new
    if "content" in changes:
        new = new.with_(
            labels=tuple(label for label in new.labels if not label.startswith(("redacted:", "injection:")))
        )
    # An edit of something just recalled is not an echo of it.
    screened = screen_record(new, replace(gate, identity=None), keeps_space=_keeps_space(old))
    return screened if isinstance(screened, Refused) else screened.record


def _reannotated(old: Record, new: Record, changes: Mapping[str, Any]) -> Record:
    """With another text, the tags and triggers that were inferred from the old one give way to those of the new one."""
    if new.content == old.content:
        return new
    paths = old.provenance.file_paths
    infer: dict[str, Callable[[str], tuple[str, ...]]] = {
        "tags": lambda text: inferred_tags(text, paths),
        "triggers": inferred_triggers,
    }
    made: dict[str, tuple[str, ...]] = {}
    for name, inferred in infer.items():
        given = getattr(old, name)
        before = inferred(old.content) if given and name not in changes else ()
        # Inference adds all or nothing, so tags that are not all there were given by the caller.
        if before and set(before) <= set(given):
            kept = (one for one in given if one not in before)
            made[name] = tuple(dict.fromkeys((*kept, *inferred(new.content))))
    return new.with_(**made) if made else new


def _checked(old: Record, changes: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    made = dict(changes)
    for name in ("content", "type", "delivery", "importance", "weight", "confidence"):
        if name in made and made[name] is None:
            raise InvalidInput(name, "is missing", "give a value, or leave it out")
    one_of("type", made.get("type"), MEMORY_TYPES)
    one_of("delivery", made.get("delivery"), DELIVERIES)
    for name, low in (("importance", 0.0), ("weight", 0.1), ("confidence", 0.0)):
        check_number(name, made.get(name), low, 1.0)
    if "content" in made:
        clean_text("content", made["content"], MAX_CONTENT)
        # The gate normalises it, because hidden characters are a sign to label.
        made["content"] = made["content"] if _keeps_space(old) else made["content"].strip()
    if "tags" in made:
        made["tags"] = clean_tags(made["tags"])
    if "triggers" in made:
        made["triggers"] = clean_triggers(made["triggers"])
    if "season" in made:
        made["season"] = clean_season(made["season"])
    for name in ("valid_from", "valid_until"):
        if name in made:
            made[name] = clean_time(name, made[name])
    since, until = made.get("valid_from", old.valid_from), made.get("valid_until", old.valid_until)
    if since is not None and until is not None and until <= since:
        raise InvalidInput("valid_until", "is not after valid_from", "give a later time")
    made |= _metadata(old, made, replaced=clean_flag("replace_metadata", made.pop("replace_metadata", False)))
    if "ttl" in made or "expires_at" in made:
        made["expires_at"] = clean_expiry("ttl", made.pop("ttl", None), made.get("expires_at"), now)
    return made


def _keeps_space(old: Record) -> bool:
    """Whether the white space around a text belongs to it, as in a file that was stored verbatim."""
    return old.content != old.content.strip()


def _metadata(old: Record, changes: Mapping[str, Any], *, replaced: bool) -> dict[str, Any]:
    """The metadata after a change: what is given, or that merged into what there is."""
    if "metadata" not in changes:
        return {}
    given = clean_metadata(changes["metadata"])
    return {"metadata": given if replaced else clean_metadata(merged(old.metadata, given))}


def adjust_score(old: Record, by: int, now: datetime) -> Record:
    """Reinforce or demote: change the Hebbian score; a positive change also resets the time of the last hit."""
    return old.with_(score=old.score + by, hit_at=now if by > 0 else old.hit_at)


def apply_feedback(old: Record, helpful: bool, now: datetime) -> Record:
    """Feedback as in seed 002: helpful +0.05 confidence and +1 strength, unhelpful −0.1 confidence."""
    if helpful:
        return old.with_(confidence=min(1.0, round(old.confidence + 0.05, 6)), strength=old.strength + 1, hit_at=now)
    return old.with_(confidence=max(0.0, round(old.confidence - 0.1, 6)))
