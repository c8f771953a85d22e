"""The contract of a store, as a suite: what `ports.Store` promises beyond its types, and above all what must not come back.

A back end is held to it by one class in its tests, with a fixture that gives a fresh, empty, writable store:

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self):
            store = MyStore()
            yield store
            store.close()

`pytest.register_assert_rewrite("recollect.testing.contract")` in a conftest.py makes failures readable.
"""

from recollect.testing.contract.candidates import CandidatesContract
from recollect.testing.contract.graph import GraphContract
from recollect.testing.contract.identity import IdentityContract
from recollect.testing.contract.journal import JournalContract
from recollect.testing.contract.leases import LeasesContract
from recollect.testing.contract.legs import LegsContract
from recollect.testing.contract.lists import ListsContract
from recollect.testing.contract.models import ModelsContract
from recollect.testing.contract.moments import MomentsContract
from recollect.testing.contract.standing import StandingContract
from recollect.testing.contract.supersession import SupersessionContract
from recollect.testing.contract.transactions import TransactionsContract
from recollect.testing.contract.visibility import VisibilityContract
from recollect.testing.contract.whole import WholeContract

__all__ = ["StoreContract"]


class StoreContract(
    TransactionsContract,
    JournalContract,
    IdentityContract,
    ListsContract,
    ModelsContract,
    CandidatesContract,
    LegsContract,
    VisibilityContract,
    SupersessionContract,
    MomentsContract,
    GraphContract,
    StandingContract,
    WholeContract,
    LeasesContract,
):
    """Everything a store must keep to."""
