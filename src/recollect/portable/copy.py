"""Copies whole accounts from one store to another, whatever their back ends, and verifies that everything arrived.

The stream goes directly from one store to the other. An interrupted copy is run again: what is there already is skipped, and
the rest is written under the same operation.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from recollect.portable import jsonl
from recollect.portable.exporter import ExportOptions, ExportScope, export_items
from recollect.portable.importer import import_items
from recollect.portable.merge_policy import ImportPolicy
from recollect.portable.permissions import TransferPermissions
from recollect.ports import Progress, Store
from recollect.unit_of_work import UnitOfWork, flush
from recollect.values.scope import Identity, Viewer
from recollect.values.transfer import Copied, Exported

_FULL = ExportOptions(vectors=True, history=True)


def copy(source: UnitOfWork, target: UnitOfWork, progress: Progress | None) -> list[Copied]:
    """Copy every account of one open store to another."""
    here, there = source.runtime, target.runtime
    if here.store.writable:
        flush(here)
    now = here.clock()
    with here.store.view(now) as reader:
        keys = {account: reader.digest_keys(account) for account in reader.accounts()}
    done: list[Copied] = []
    for account, own in keys.items():
        _copy_keys(own, there.store, account, target.actor, now)
        policy = TransferPermissions(target, Identity(account), everything=True).import_policy(require_enabled=False)
        done.append(copy_account(here.store, there.store, account, policy, now, progress))
    return done


def copy_account(
    source: Store, target: Store, account: str, policy: ImportPolicy, now: datetime, progress: Progress | None = None
) -> Copied:
    """Copy all of an account; the `policy` is that of the target."""
    with source.view(now) as reader:
        stream_id = hashlib.sha256("\n".join((*reader.digest_keys(account)[:1], account)).encode()).hexdigest()
        items = export_items(reader, _whole_account(account), now, _FULL)
        imported = import_items(target, items, policy, stream_id=stream_id, progress=progress)
    here, there = account_fingerprint(source, account, now), account_fingerprint(target, policy.account, now)
    # A target that had memories of its own now has more than was copied; then it is enough that nothing was left out.
    agree = here.sha256 == there.sha256 or (not imported.left_out and _has_at_least(there, here))
    return Copied(account, imported, here.counts, there.counts, agree)


def account_fingerprint(store: Store, account: str, now: datetime) -> Exported:
    """How many items of each kind an account has, and one hash over all of them."""
    with store.view(now) as reader:
        return jsonl.write(export_items(reader, _whole_account(account), now, _FULL), len)


def _copy_keys(keys: tuple[str, ...], target: Store, account: str, actor: str, now: datetime) -> None:
    """Before an account: an empty target takes over the key, so that both stores hash a text to the same digest."""
    if keys:
        with target.transaction(account, actor, now) as tx:
            tx.keep_purged(account, keys, ())


def _whole_account(account: str) -> ExportScope:
    everyone = Identity(account)
    return ExportScope(
        Viewer(everyone), everyone, everything=True, documents=lambda *_: True, events=lambda _, page: page
    )


def _has_at_least(there: Exported, here: Exported) -> bool:
    return all(there.counts.get(kind, 0) >= here.counts.get(kind, 0) for kind in ("memory", "purged"))
