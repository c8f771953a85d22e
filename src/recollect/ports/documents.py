"""Documents: named JSON values of one kind (pools, contexts, gaps, descriptions of tags), and the access log of contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recollect.values.document import Access, Document
from recollect.values.enums import DocumentKind, EventKind


class DocumentReader(Protocol):
    """Documents by kind, name and id."""

    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        """The documents of a kind: all, those of one name (one per place), or those whose names begin alike."""

    def get_documents(self, account: str, ids: Sequence[str]) -> list[Document]:
        """The documents with these ids, of whatever kind; those that do not exist are left out."""

    def accesses(self, account: str, document: str, limit: int) -> list[Access]: ...


class DocumentWriter(Protocol):
    """Changes of documents."""

    def put_document(
        self, before: Document | None, after: Document | None, kind: EventKind | None, reason: str | None = None
    ) -> None:
        """Create, change or (without `after`) remove a document; without a kind, only a counter moved and there is no event."""

    def purge_document(self, document: Document) -> None:
        """Erase a document for good, with what the journal says of it."""

    def log_access(self, account: str, document: str, access: Access) -> None: ...
