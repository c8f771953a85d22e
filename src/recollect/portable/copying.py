"""Copying: an account from one store to another, whatever their back ends, and the proof that it arrived.

The stream goes straight from the one to the other. A copy that was interrupted is run again: what is there already is passed
over, and it goes on as the same operation.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from recollect.portable import jsonl
from recollect.portable.deciding import Terms
from recollect.portable.giving import Extent, Sight, give, secrets_of
from recollect.portable.taking import take
from recollect.ports import Progress, Store
from recollect.values.moved import Copied, Exported
from recollect.values.scope import Identity

_WHOLE = Extent(vectors=True, history=True)


def copy_account(
    source: Store, target: Store, account: str, terms: Terms, now: datetime, progress: Progress | None = None
) -> Copied:
    """Copy all of an account; `terms` are those of the target."""
    with source.reading(now) as reader:
        of = hashlib.sha256("\n".join((*secrets_of(reader)[:1], account)).encode()).hexdigest()
        items = give(reader, _everything(account), now, _WHOLE)
        imported = take(target, items, terms, of=of, progress=progress)
    here, there = fingerprint(source, account, now), fingerprint(target, terms.account, now)
    # An account that had memories of its own before now holds more than was copied: then every one of them was taken.
    agree = here.sha256 == there.sha256 or (not imported.left_out and _covers(here, there))
    return Copied(account, imported, here.counts, there.counts, agree)


def take_secrets(source: Store, target: Store, actor: str, now: datetime) -> None:
    """Before the first account: a store that holds nothing yet knows texts by the same keyed hashes from then on."""
    with source.reading(now) as reader:
        secrets, accounts = secrets_of(reader), reader.accounts()
    if accounts and secrets[0]:
        with target.transaction(accounts[0], actor, now) as tx:
            tx.keep_purged(accounts[0], secrets, ())


def fingerprint(store: Store, account: str, now: datetime) -> Exported:
    """How many of each kind an account holds, and one number for all of it."""
    with store.reading(now) as reader:
        return jsonl.write(give(reader, _everything(account), now, _WHOLE), len)


def _everything(account: str) -> Sight:
    return Sight(Identity(account), everything=True, documents=lambda *_: True, events=lambda _, page: page)


def _covers(here: Exported, there: Exported) -> bool:
    return all(there.counts.get(kind, 0) >= here.counts.get(kind, 0) for kind in ("memory", "purged"))
