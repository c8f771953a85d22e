"""What a back end or a model must offer: one small protocol per power. Only `wiring.py` names who implements them."""

from recollect.ports.documents import DocumentReader, DocumentWriter
from recollect.ports.erasure import ErasureReader, ErasureWriter
from recollect.ports.graph import GraphReader, GraphWriter
from recollect.ports.journal import JournalReader, JournalWriter
from recollect.ports.leases import Leases
from recollect.ports.models import (
    Calibrated,
    Clock,
    Decider,
    Embedder,
    EmbedMany,
    Judge,
    Progress,
    Reranker,
    TextJudge,
    TextWriter,
    TokenLedger,
    Vectors,
    scripts_of,
)
from recollect.ports.records import Accesses, RecordReader, RecordWriter
from recollect.ports.search import SearchReader
from recollect.ports.store import Reader, Store, Transaction
from recollect.ports.transfer import TransferReader, TransferWriter
from recollect.ports.working import Namespace, Working

__all__ = [
    "Accesses",
    "Calibrated",
    "Clock",
    "Decider",
    "DocumentReader",
    "DocumentWriter",
    "EmbedMany",
    "Embedder",
    "ErasureReader",
    "ErasureWriter",
    "GraphReader",
    "GraphWriter",
    "JournalReader",
    "JournalWriter",
    "Judge",
    "Leases",
    "Namespace",
    "Progress",
    "Reader",
    "RecordReader",
    "RecordWriter",
    "Reranker",
    "SearchReader",
    "Store",
    "TextJudge",
    "TextWriter",
    "TokenLedger",
    "Transaction",
    "TransferReader",
    "TransferWriter",
    "Vectors",
    "Working",
    "scripts_of",
]
