"""The gate, second stage of the write path: refuse or redact what must not be stored, label what is doubtful.

Every text passes it, whichever verb brings it: the content of memories, and everything that is stored beside it (names, tags,
reasons, keys, JSON values). What differs is the policy of a field: a name may be an e-mail address, but never a secret.
`tombstones.py` is its other half, asked inside the transaction: what was forgotten or purged does not come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from recollect.capture.screen.injection import injection_signs
from recollect.capture.screen.junk import is_echo, junk_reason
from recollect.capture.screen.named_values import credential_name, value_in
from recollect.capture.screen.policy import DEFAULT_POLICY, Action, Refusal, apply_policy
from recollect.capture.screen.secrets import find_secrets
from recollect.capture.screen.sources import source_problem
from recollect.capture.tombstones import Tombstones
from recollect.errors import InvalidInput
from recollect.values.enums import LOW_TRUST
from recollect.values.memory import NAME_FIELDS, TEXT_FIELDS, Record, side_texts
from recollect.values.normalise import normalise
from recollect.values.outcome import Refused
from recollect.values.patterns import compiled
from recollect.values.scope import Identity
from recollect.values.statements import spaced

_LONGEST_VALUE = 200
# With a space beside it, a slash is part of what somebody wrote: "admin / …".
_FOLDER_END = r"(?<! )[/\\](?! )"
# What is said about a memory, and where it belongs.
_NAMING = ("tags", "season", "reason", "triggers")
_PLACES = ("project", "team", "user", "task", "session")
_SAID_BY_USER = ("user_stated", "user_corrected")


@dataclass(frozen=True, slots=True)
class Gate:
    """What may be stored: the policy, the tombstones, where file paths start, and what was just recalled.

    `root` is the folder from which ignore files apply. `recalled` returns the texts an identity recalled lately; `identity`
    is the one that writes, if an echo of those is to be refused.
    """

    tombstones: Tombstones
    policy: Mapping[str, Action] = field(default_factory=lambda: dict(DEFAULT_POLICY))
    folder: Path | None = None
    root: Path | None = None
    recalled: Callable[[Identity], tuple[str, ...]] = lambda _: ()
    identity: Identity | None = None

    def accepts(self, text: str) -> bool:
        """Whether a short text, such as a query to keep, may be stored as it is: nothing in it is refused or redacted."""
        return _is_clean(text, self.policy)

    def is_name(self, name: str) -> bool:
        """Whether a name may be stored: there is no secret in it."""
        return self.policy.get("secret") == "allow" or not _contains_secret(name)

    def require_name(self, field: str, name: str | None) -> None:
        """Refuse a name that contains a secret; a name is never redacted, because it would name something else."""
        if name and not self.is_name(name):
            raise InvalidInput(field, "contains a secret", "leave it out, or use a name that says nothing secret")

    def require_text(self, field: str, text: str) -> None:
        """Refuse a text in which anything would be refused or redacted."""
        require_allowed(self.policy, field, text)

    def require_value(self, field: str, value: Any, name: str = "", around: str = "") -> None:
        """Refuse a plain value in which something is a credential by its name, or by the name of what holds it."""
        require_unnamed(self.policy, field, value, name, around)

    def require_changed(self, before: Record, after: Record) -> None:
        """Refuse a change that brings a secret, or a text that would be redacted, in a field beside the content."""
        self.require_no_naming(before, after)
        if after.metadata != before.metadata:
            self.require_value("metadata", dict(after.metadata))
        for fields, check in ((NAME_FIELDS, self.require_name), (TEXT_FIELDS, self.require_text)):
            known = set(_readings(before, fields))
            for name, text in _readings(after, fields):
                if (name, text) not in known:
                    check(name, text)

    def require_no_naming(self, before: Record, after: Record) -> None:
        """Refuse a change after which something beside the content says that it is a credential."""
        if self.policy.get("secret") != "allow" and (name := _names_secret(after)) and not _names_secret(before):
            raise InvalidInput(name, "says that the text is a credential", "leave it out, or store a reference to it")

    def changed(self, before: Record, after: Record) -> Record:
        """A change as it may be stored: nothing beside the content is refused, and what reads like an order is labelled."""
        self.require_changed(before, after)
        added = {text for _, text in side_texts(after)} - {text for _, text in side_texts(before)}
        return labelled(after, injection_signs("\n".join(sorted(added)))) if added else after

    def for_identity(self, identity: Identity) -> Gate:
        """The same gate, which also refuses echoes of what this identity recalled."""
        return replace(self, identity=identity)

    @property
    def name_policy(self) -> Mapping[str, Action]:
        """The policy for names: secrets are refused wherever the policy does not allow them, everything else is allowed."""
        return {**_allow_all(), "secret": "allow" if self.policy.get("secret") == "allow" else "refuse"}


@dataclass(frozen=True, slots=True)
class ScreenedRecord:
    """A memory that may be stored, and notes on what was changed in it."""

    record: Record
    notes: tuple[str, ...] = ()


def screen_record(
    record: Record,
    gate: Gate,
    *,
    verbatim: bool = False,
    personal: bool = False,
    given: Iterable[tuple[str, str]] = (),
    keeps_space: bool = False,
) -> ScreenedRecord | Refused:
    """Screen a memory. With `verbatim`, personal data and what is not worth storing pass; with `personal` as well, not.

    White space around the text stays if it is `verbatim`, or with `keeps_space`.

    `given` are texts that the memory has in another form (a label, a pattern), with the names of their fields.
    """
    signs = record_signs(record)
    content = normalise(record.content)
    content = content if verbatim or keeps_space else content.strip()
    record = record if content == record.content else record.with_(content=content)
    if not verbatim:
        reason = _rejection(record, gate)
        if reason:
            return Refused(reason)
    chosen = {kind: action for kind, action in gate.policy.items() if not verbatim or personal or kind == "secret"}
    policy = {**_allow_all(), **chosen}
    cleaned = apply_policy(record.content, policy)
    if isinstance(cleaned, Refusal):
        return Refused(cleaned.reason)
    record = record if cleaned.text == record.content else record.with_(content=cleaned.text)
    notes: list[str] = []
    if cleaned.redacted:
        kinds = tuple(dict.fromkeys(cleaned.redacted))
        record = record.with_(labels=(*record.labels, *(f"redacted:{kind}" for kind in kinds)))
        notes.append(f"redacted: {', '.join(kinds)}")
    if record.provenance.snippet is not None:
        snippet, note = _clean_snippet(record.provenance.snippet, policy)
        record = record.with_(snippet=snippet)
        notes += [note] if note else []
    if gate.policy.get("secret") != "allow" and (named := _names_secret(record)):
        return Refused(f"the text holds a secret: its {named} says so; take it out, or store a reference to it")
    if gate.policy.get("secret") != "allow" and record.metadata and credential_name(dict(record.metadata)) is not None:
        return Refused("metadata holds a secret: its name says so; take it out, or store a reference to it")
    problem = _given_problem(given, gate) or _side_problem(record, policy, gate.name_policy)
    if problem is not None:
        return Refused(f"{problem} contains what must not be stored; leave it out there")
    if signs:
        record = labelled(record, signs)
        notes.append(f"stored with low trust: it reads like instructions to an agent ({', '.join(signs)})")
    return ScreenedRecord(record, tuple(notes))


def record_signs(record: Record) -> tuple[str, ...]:
    """The signs of an order to an agent in the content of a memory, or in what is stored and shown beside it."""
    beside = "\n".join(text for _, text in side_texts(record))
    found = injection_signs(record.content)
    return tuple(dict.fromkeys((*found, *_signs_beside(beside)))) if beside else found


@lru_cache(maxsize=256)
def _signs_beside(text: str) -> tuple[str, ...]:
    """Turns of one conversation have the same texts beside them."""
    return injection_signs(text)


def labelled(record: Record, signs: Sequence[str]) -> Record:
    """A memory that reads like an order to an agent: labelled, and trusted little."""
    if not signs:
        return record
    labels = dict.fromkeys((*record.labels, *(f"injection:{sign}" for sign in signs)))
    return record.with_(trust=min(record.trust, LOW_TRUST), labels=tuple(labels))


def _names_secret(record: Record) -> str | None:
    """The field whose text makes the content a credential: `key="password"` for the content `hunter2`."""
    content = record.content.strip()
    if len(content) > _LONGEST_VALUE or "\n" in content:
        return None
    value = value_in(content)
    # A tag is about a whole sentence; only a value that stands alone is what it names.
    alone = not isinstance(value, str) or " " not in value
    for name, text in side_texts(record, ("key", *_NAMING, *_PLACES)) if alone else side_texts(record, ("key",)):
        if credential_name(value, text) if name not in _PLACES else credential_name(value, around=text):
            return name
    return None


def _readings(record: Record, chosen: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What is stored beside the content as it is, and in the parts in which a secret may stand by itself."""
    for name, text in side_texts(record, chosen):
        yield name, text
        if name == "season":
            yield name, spaced(text)
        elif name == "file_paths":
            yield from ((name, part) for part in compiled(_FOLDER_END).split(text) if part and part != text)
        elif name == "triggers" and ":" in text:
            yield name, text.partition(":")[2].strip()


def _given_problem(given: Iterable[tuple[str, str]], gate: Gate) -> str | None:
    """The first field that was given with a secret in it."""
    if gate.policy.get("secret") == "allow":
        return None
    return next((name for name, text in given if _contains_secret(normalise(text))), None)


def _side_problem(record: Record, policy: Mapping[str, Action], names: Mapping[str, Action]) -> str | None:
    """The first field beside the content that contains what must not be stored."""
    for fields, allowed in ((NAME_FIELDS, names), (TEXT_FIELDS, policy)):
        found = list(_readings(record, fields))
        # One look at everything: nearly always, that is all. The names are the same from turn to turn of a session.
        together = "\n".join(text for _, text in found)
        if not found or (fields is NAME_FIELDS and not _contains_secret(together)) or _is_clean(together, allowed):
            continue
        for name, text in found:
            if not _is_clean(text, allowed):
                return name
    return None


def _rejection(record: Record, gate: Gate) -> str | None:
    """Why a memory is not worth storing, or comes from a file that must not be read; None if neither."""
    for path in record.provenance.file_paths:
        problem = source_problem(str(path if gate.folder is None else gate.folder / path), gate.root)
        if problem:
            return problem
    junk = junk_reason(record.content)
    if junk:
        return junk
    # A person may repeat what was just recalled, which reinforces it; an agent that does so is an echo.
    if record.provenance.kind not in _SAID_BY_USER and is_echo(record.content, _recalled(gate)):
        return "echo: this was just recalled from memory, storing it again would only repeat it"
    return None


def _recalled(gate: Gate) -> tuple[str, ...]:
    return () if gate.identity is None else gate.recalled(gate.identity)


def _allow_all() -> dict[str, Action]:
    return dict.fromkeys(DEFAULT_POLICY, "allow")


def require_allowed(policy: Mapping[str, Action], field: str, text: str) -> None:
    """Refuse a text in which the screen finds anything it would refuse or redact."""
    cleaned = apply_policy(text, policy)
    if isinstance(cleaned, Refusal):
        raise InvalidInput(field, cleaned.reason, "leave it out, or store a reference to it")
    if cleaned.redacted:
        kinds = ", ".join(dict.fromkeys(cleaned.redacted))
        raise InvalidInput(field, f"contains {kinds}", "remove it, or change the policy for it")


def require_unnamed(policy: Mapping[str, Action], field: str, value: Any, name: str = "", around: str = "") -> None:
    """Refuse a plain value in which something is a credential by its name, or by the name of what holds it."""
    if policy.get("secret") != "allow" and credential_name(value, name, around) is not None:
        raise InvalidInput(field, "holds a secret: its name says so", "leave it out, or store a reference to it")


@lru_cache(maxsize=1024)
def _contains_secret(name: str) -> bool:
    """Kept for the names in use: every transaction asks for those of its writer."""
    return bool(find_secrets(name))


def _is_clean(text: str, policy: Mapping[str, Action]) -> bool:
    cleaned = apply_policy(text, policy)
    return not isinstance(cleaned, Refusal) and not cleaned.redacted


def _clean_snippet(snippet: str, policy: Mapping[str, Action]) -> tuple[str | None, str]:
    """A snippet as it may be stored, or None, and what to tell the caller: a memory is not refused for where it came from."""
    cleaned = apply_policy(snippet, policy)
    if isinstance(cleaned, Refusal):
        return None, f"the snippet was left out: it holds a {cleaned.kind}"
    kinds = ", ".join(dict.fromkeys(cleaned.redacted))
    return cleaned.text, f"redacted in the snippet: {kinds}" if kinds else ""
