"""Screen, the second stage: what must not be kept is refused or redacted, what is doubtful is labelled. Next: annotate.

Every write path passes here: remember, update, import, extraction. A verbatim load passes only the secret screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from recollect.capture.screen.injection import injection_signs
from recollect.capture.screen.junk import is_echo, junk_reason
from recollect.capture.screen.policy import DEFAULT_POLICY, Action, Refusal, apply_policy
from recollect.capture.screen.sources import source_problem
from recollect.values.memory import Record
from recollect.values.outcome import Refused
from recollect.values.scope import Identity
from recollect.values.words import LOW_TRUST

_OWN_WORDS = ("user_stated", "user_corrected")


@dataclass(frozen=True, slots=True)
class Vetting:
    """What the screen is to let through."""

    policy: Mapping[str, Action] = field(default_factory=lambda: dict(DEFAULT_POLICY))
    folder: Path | None = None
    root: Path | None = None
    recalled: Callable[[Identity], tuple[str, ...]] = lambda _: ()
    asker: Identity | None = None

    def by(self, identity: Identity) -> Vetting:
        """The same screen for one identity: what others recalled is not its echo."""
        return replace(self, asker=identity)


@dataclass(frozen=True, slots=True)
class Vetted:
    """A memory that may be stored, and what was done to it."""

    record: Record
    notes: tuple[str, ...] = ()


def vet(record: Record, vetting: Vetting, *, verbatim: bool = False, personal: bool = False) -> Vetted | Refused:
    """Pass a memory through the screen; `verbatim` for secrets alone, with `personal` also for personal data."""
    if not verbatim:
        reason = _unwanted(record, vetting)
        if reason:
            return Refused(reason)
    policy = {kind: action for kind, action in vetting.policy.items() if not verbatim or personal or kind == "secret"}
    cleaned = apply_policy(record.content, {**_nothing(), **policy})
    if isinstance(cleaned, Refusal):
        return Refused(cleaned.reason)
    record = record if cleaned.text == record.content else record.with_(content=cleaned.text)
    notes: list[str] = []
    if cleaned.redacted:
        kinds = tuple(dict.fromkeys(cleaned.redacted))
        record = record.with_(labels=(*record.labels, *(f"redacted:{kind}" for kind in kinds)))
        notes.append(f"redacted: {', '.join(kinds)}")
    if record.provenance.snippet is not None:
        record = record.with_(snippet=_clean_snippet(record.provenance.snippet, {**_nothing(), **policy}))
    for name, text in (("tags", "\n".join(record.tags)), ("triggers", "\n".join(record.triggers))):
        if text and not _is_clean(text, {**_nothing(), **policy}):
            return Refused(f"{name} hold what must not be kept; leave it out of them")
    signs = () if verbatim else injection_signs(record.content)
    if signs:
        record = record.with_(
            trust=min(record.trust, LOW_TRUST), labels=(*record.labels, *(f"injection:{sign}" for sign in signs))
        )
        notes.append(f"kept at low trust: it reads like instructions to an agent ({', '.join(signs)})")
    return Vetted(record, tuple(notes))


def _unwanted(record: Record, vetting: Vetting) -> str | None:
    for path in record.provenance.file_paths:
        problem = source_problem(str(path if vetting.folder is None else vetting.folder / path), vetting.root)
        if problem:
            return problem
    junk = junk_reason(record.content)
    if junk:
        return junk
    # A person may say again what was just recalled (that reinforces it); an agent that does so is an echo.
    if record.provenance.kind not in _OWN_WORDS and is_echo(record.content, _recalled(vetting)):
        return "echo: this was just recalled from memory, storing it again would only repeat it"
    return None


def _recalled(vetting: Vetting) -> tuple[str, ...]:
    return () if vetting.asker is None else vetting.recalled(vetting.asker)


def _nothing() -> dict[str, Action]:
    return dict.fromkeys(DEFAULT_POLICY, "allow")


def _is_clean(text: str, policy: Mapping[str, Action]) -> bool:
    cleaned = apply_policy(text, policy)
    return not isinstance(cleaned, Refusal) and cleaned.text == text


def _clean_snippet(snippet: str, policy: Mapping[str, Action]) -> str | None:
    cleaned = apply_policy(snippet, policy)
    return None if isinstance(cleaned, Refusal) else cleaned.text
