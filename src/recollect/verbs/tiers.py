"""The tiers beside long-term memory, as attributes of `Memory`; each is bound to the same identity and project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.verbs.view import View

if TYPE_CHECKING:
    from recollect.verbs.contexts import Contexts
    from recollect.verbs.narratives import Narratives
    from recollect.verbs.pools import Pools
    from recollect.verbs.router import Router
    from recollect.verbs.short_term import ShortTerm
    from recollect.verbs.working import WorkingMemory


class TierVerbs(View):
    """What an agent needs beside memories. Imported when first asked for: most callers use few of them."""

    @property
    def working(self) -> WorkingMemory:
        """Values for the task at hand, gone after an hour or so."""
        from recollect.verbs.working import WorkingMemory

        return WorkingMemory(self._parts, self._viewer.identity, self._viewer.project)

    @property
    def short_term(self) -> ShortTerm:
        """Typed entries of a session, gone after their time unless they prove useful."""
        from recollect.verbs.short_term import ShortTerm

        return ShortTerm(self._parts, self._viewer.identity, self._viewer.project)

    @property
    def pools(self) -> Pools:
        """Data that agents share, with versions and access control."""
        from recollect.verbs.pools import Pools

        return Pools(self._parts, self._viewer.identity, self._viewer.project)

    @property
    def contexts(self) -> Contexts:
        """Containers of memories with versions, grants, an access log and snapshots."""
        from recollect.verbs.contexts import Contexts

        return Contexts(self._parts, self._viewer.identity, self._viewer.project)

    @property
    def narratives(self) -> Narratives:
        """The chain of session summaries, linked with the memories they tell of."""
        from recollect.verbs.narratives import Narratives

        return Narratives(self._parts, self._viewer.identity, self._viewer.project)

    @property
    def router(self) -> Router:
        """One door to all tiers."""
        from recollect.verbs.router import Router

        return Router(self._parts, self._viewer.identity, self._viewer.project)
