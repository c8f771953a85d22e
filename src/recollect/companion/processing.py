"""What the worker does with a turn: follow the topic, retrieve, decide what is good enough, offer it; then learn from the reply.

Everything slow happens here, between short views of the store. What is learned is written with the deferred writes, in the
journal with the origin `companion`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.companion.ledger import (
    KEPT_STATE,
    REPLY_TURNS,
    STATE,
    Injected,
    by_turn,
    cited,
    companion_namespace,
    telling_terms,
)
from recollect.companion.surfacing import (
    CANDIDATES,
    MOST_SURFACED,
    asks,
    last_said,
    refers_back,
    render,
    salient,
    turn_query,
    warns,
    without_recalled,
)
from recollect.companion.verifier import Judged, TimedDecider, verified
from recollect.companion.worker import (
    Channel,
    ExtractionDue,
    Handed,
    Happening,
    Observed,
    Offer,
    OfferedLine,
    StoreChanged,
)
from recollect.errors import Disabled, EmbedderError, RecollectError
from recollect.recall.profiles import SEARCH_PROFILES, Profile
from recollect.recall.run import answer_in_view
from recollect.recall.state import PreparedQuery, RecallRequest
from recollect.runtime import Runtime
from recollect.unit_of_work import UnitOfWork
from recollect.validation import MAX_CONTEXT
from recollect.values.companion import Turn
from recollect.values.conversation import Message
from recollect.values.gap import Miss
from recollect.values.recalled import Hit
from recollect.values.search import Filter, Floats, Search

# What was said is extracted when the topic changes after so many turns, and after so many in any case.
TURNS_OF_A_TOPIC, MOST_TURNS_UNEXTRACTED = 4, 12
# A word that at most so many memories, or this share of them, have is rare.
_RARE, _RARE_SHARE = 3, 0.02
_TOPIC_TEXT = 2000


@dataclass(frozen=True, slots=True)
class TurnProcessor:
    """Does the work of the worker, for one open store."""

    runtime: Runtime
    timed: TimedDecider

    def process(self, channel: Channel, events: Sequence[Happening]) -> None:
        """Everything that happened in one session since the last time; only the newest turn is retrieved for."""
        if self._is_off(channel):
            channel.drop()  # what is said while memory is off is not kept, and not extracted later
            return
        if not channel.loaded:
            self._load(channel)
        said = {
            place: self._new_messages(channel, one) for place, one in enumerate(events) if isinstance(one, Observed)
        }
        # What the assistant says after a question of the user belongs to that turn.
        asking = [place for place, new in said.items() if last_said(new, "user")] or [
            p for p, new in said.items() if new
        ]
        failures: list[RecollectError] = []
        for place, event in enumerate(events):
            try:
                if isinstance(event, Observed):
                    newest = asking[-1:] == [place]
                    heard = [message for later in said if later >= place for message in said[later]] if newest else []
                    self._observe(channel, said[place], heard, event.at)
                else:
                    self._one(channel, event)
            except Disabled:
                channel.drop()
            except RecollectError as error:  # the other events are still worth the work
                failures.append(error)
        self._persist(channel)
        if failures:
            raise failures[0]

    @staticmethod
    def _is_off(channel: Channel) -> bool:
        try:
            channel.uow.check_enabled()
        except Disabled:
            return True
        return False

    def stop(self) -> None:
        """Wait for no model any more."""
        self.timed.stop()

    def _one(self, channel: Channel, event: Handed | ExtractionDue | StoreChanged) -> None:
        match event:
            case Handed():
                self._note_handed(channel, event)
            case ExtractionDue():
                self._extract(channel)
            case StoreChanged():
                self._look_again(channel, event.taken)

    # One turn

    def _observe(self, channel: Channel, new: Sequence[Message], heard: Sequence[Message], at: datetime) -> None:
        """Take in what was said; `heard` is what to retrieve for, nothing if a newer turn waits."""
        # What the assistant answers belongs to the turn that the user began.
        channel.state.turn += bool(new) and (bool(last_said(new, "user")) or not channel.state.turn)
        if reply := last_said(new, "assistant"):
            self._learn_from(channel, reply)
        try:
            if heard:
                self._surface(channel, heard, at)
        finally:  # also while the store cannot be read
            channel.talk.extend(new)
            channel.before = last_said(new, "user") or channel.before
        if channel.state.turn - channel.state.extracted_at >= MOST_TURNS_UNEXTRACTED:
            self._extract(channel)

    def _new_messages(self, channel: Channel, event: Observed) -> list[Message]:
        """The messages that were not observed before, without what we put into them."""
        new = event.said[channel.state.unseen(event.said) :]
        first, channel.positions = channel.positions, channel.positions + len(new)
        messages = []
        for place, (role, text) in enumerate(new):
            own = without_recalled(text)
            messages.append(Message(role, own or text, first + place, event.at, recalled=own != text and not own))
        return messages

    def _surface(self, channel: Channel, new: Sequence[Message], at: datetime) -> None:
        """Retrieve for a turn and offer what is good enough. Where only the assistant or a tool spoke, only warnings come up."""
        spoken = [message for message in new if not message.recalled and message.role != "system"]
        asked = last_said(spoken, "user")
        query = turn_query(asked or last_said(spoken, "assistant", "tool"), channel.before if asked else "")
        if not query:
            return
        changed = bool(asked) and self._follow(channel, asked)
        if changed and channel.state.turn - channel.state.extracted_at > TURNS_OF_A_TOPIC:
            self._extract(channel)
        working_on = "\n".join(message.text for message in spoken)[-MAX_CONTEXT:]
        version = self.runtime.companions.version
        # Only triggers are looked for where nobody asked, so that nothing needs to be embedded.
        profile = self.runtime.profiles["hybrid"] if asked else SEARCH_PROFILES["lexical"]
        request, prepared = self._request(channel, query, working_on, profile)
        with self.runtime.store.view(request.now) as reader:
            channel.uow.require_enabled(reader)
            answer = answer_in_view(channel.uow, reader, request, prepared)
        # What is good enough is known of the scores of hybrid, whatever profile recall uses.
        found = replace(answer.recalled, hits=tuple(hit for hit in answer.recalled if self._foreign(channel, hit)))
        rows = {hit.memory.id: row for hit, row in zip(answer.recalled, answer.rows, strict=True)}
        judged = Judged([hit for hit in found if warns(hit)])
        if asked:
            judge = self.runtime.text_judge(channel.uow.viewer.account)
            judged = verified(self.timed, judge, found, query)
        lines = self._lines(channel, judged.good, rows)
        self._offer(channel, Offer(channel.state.turn, query, lines, version, judged.verified), keep=not asked)
        self._reject(channel, judged.rejected, query)
        if asked and not judged.good and asks(asked) and not answer.filtered:
            self._note_gap(channel.uow, request, prepared, salient(asked))
        retrieved = tuple(hit.memory.id for hit in found)
        if asked:
            turn = Turn(channel.session, channel.state.turn, at, retrieved, rejected=judged.rejected, new_topic=changed)
            channel.ledger.add(turn)

    def _request(
        self, channel: Channel, query: str, working_on: str, profile: Profile
    ) -> tuple[RecallRequest, PreparedQuery]:
        """What to retrieve: not what this session wrote, its warnings aside."""
        warnings = Filter(types=("negative",), statuses=())
        own = Filter(session=channel.session, statuses=(), none_of=(warnings,))
        request = RecallRequest(
            query,
            channel.uow.viewer,
            Filter(none_of=(own,)),
            self.runtime.clock(),
            profile,
            CANDIDATES,
            working_on=working_on,
        )
        return request, self.runtime.recall.prepare(request)

    def _follow(self, channel: Channel, text: str) -> bool:
        """Follow the topic; returns whether it changed. Without an embedder, and for a message of few words, it does not."""
        embedder = self.runtime.embedder
        if embedder is None or refers_back(text):
            return False
        try:
            vector: Floats = embedder.embed_documents([text[:_TOPIC_TEXT]])[0]
            topic = channel.state.topic
            known = topic is not None and len(topic) == len(vector)
            similarity = float(embedder.calibration.similarity(float(topic @ vector))) if known else 1.0  # type: ignore[operator]
        except EmbedderError:
            return False
        if not known:  # none yet, or that of another model
            channel.state.topic = None
        changed = similarity < self.runtime.settings.topic_change
        channel.state.follow(vector, changed=changed)
        return changed

    @staticmethod
    def _foreign(channel: Channel, hit: Hit) -> bool:
        """Whether a memory is not this session's own, which it knows; of a warning it is reminded."""
        return hit.memory.session != channel.session or warns(hit)

    def _lines(self, channel: Channel, good: Sequence[Hit], rows: Mapping[str, int]) -> tuple[OfferedLine, ...]:
        """What may be handed out now, warnings first, each text once."""
        state, now = channel.state, self.runtime.clock().timestamp()
        state.forget_old(now)
        lines: dict[str, OfferedLine] = {}
        for hit in sorted(good, key=lambda hit: not warns(hit)):
            text, memory = state.digest(hit.memory.content), hit.memory
            if text not in lines and state.may_hand(memory.id, text, now, warning=warns(hit)):
                lines[text] = OfferedLine(memory, rows[memory.id], text, render(memory), warns(hit))
        chosen = tuple(lines.values())[:MOST_SURFACED]
        if state.repeats_a_set((line.memory.id for line in chosen if not line.warning), now):
            return tuple(line for line in chosen if line.warning)
        return chosen

    @staticmethod
    def _offer(channel: Channel, offer: Offer, *, keep: bool) -> None:
        """Put an offer where `pending` finds it. `keep`: before what is still there from the turn that the user began."""
        if keep:
            for before in list(channel.offer)[:1]:
                known = {line.digest for line in offer.lines}
                both = offer.lines + tuple(line for line in before.lines if line.digest not in known)
                offer = replace(before, lines=both[:MOST_SURFACED])
        if offer.lines:
            channel.offer.append(offer)
        else:
            channel.offer.clear()

    def _look_again(self, channel: Channel, taken: Offer | None) -> None:
        """The store changed, or may have changed in another process: offer what may still be shown, as it is now."""
        try:
            waiting = channel.offer[0]
        except IndexError:
            waiting = None
        offer = waiting or taken
        if offer is None or (waiting is None and offer.turn != channel.state.turn):
            return
        version, now = self.runtime.companions.version, self.runtime.clock()
        search = Search(channel.uow.viewer, Filter(), now.timestamp())
        with self.runtime.store.view(now) as reader:
            channel.uow.require_enabled(reader)
            found = reader.fetch_visible(search, [line.row for line in offer.lines])
        lines = tuple(
            replace(line, memory=memory, digest=channel.state.digest(memory.content), text=render(memory))
            for line in offer.lines
            if (memory := found.get(line.row)) is not None
        )
        latest = replace(offer, lines=lines, version=version)
        if waiting is None or latest != waiting:
            self._offer(channel, latest, keep=False)

    # What is learned

    def _note_handed(self, channel: Channel, event: Handed) -> None:
        """After something was handed out: count it, note it in the ledger, and find what a reply could only have from it."""
        uow, deferred, offer = channel.uow, self.runtime.deferred, event.offer
        account, ids = uow.viewer.account, [line.memory.id for line in event.lines]
        self.runtime.recent_recalls.add(uow.viewer.identity, [line.memory.content for line in event.lines])
        deferred.recalled(account, ids, event.at)
        if self.runtime.store.writable and self.runtime.settings.touch:
            deferred.touch(account, [(line.row, line.memory.id) for line in event.lines], event.at)
        channel.ledger.change(offer.turn, injected=ids)
        channel.injected.extend(self._injected(uow, event))
        self._confirm(uow, [id_ for id_ in ids if id_ in offer.verified], (), offer.asked)

    def _injected(self, uow: UnitOfWork, event: Handed) -> list[Injected]:
        offer = event.offer
        terms = [telling_terms(line.memory, offer.asked)[:60] for line in event.lines]
        distinct = list(dict.fromkeys(term for some in terms for term in some))
        search = Search(uow.viewer, Filter(), event.at.timestamp())
        with self.runtime.store.view(event.at) as reader:
            counted = reader.how_many_embedded(uow.viewer.account)
            most = max(_RARE, int(_RARE_SHARE * counted))
            rows = reader.rows_with_terms(search, [[term] for term in distinct], most)
        rare = {term for term, found in zip(distinct, rows, strict=True) if found}
        return [
            Injected(line.memory, offer.turn, event.at, offer.asked, frozenset(rare & set(some)))
            for line, some in zip(event.lines, terms, strict=True)
        ]

    def _learn_from(self, channel: Channel, reply: str) -> None:
        """What the reply uses of what was handed out helped; what a judge verified was confirmed when it was handed out."""
        recent = [one for one in channel.injected if channel.state.turn - one.turn <= REPLY_TURNS]
        for turn, found in by_turn(cited(recent, reply)).items():
            ids = [one.memory.id for one in found]
            channel.ledger.change(turn, cited=ids)
            self._confirm(channel.uow, ids, (), found[0].asked)
            for one in found:
                channel.injected.remove(one)

    def _reject(self, channel: Channel, ids: Sequence[str], query: str) -> None:
        """What a judge rejected loses a little confidence, once in a session."""
        new = [id_ for id_ in ids if id_ not in channel.rejected]
        channel.rejected.extend(new)
        self._confirm(channel.uow, (), new, query)

    def _confirm(self, uow: UnitOfWork, helped: Sequence[str], rejected: Sequence[str], query: str) -> None:
        if self.runtime.confirm_later is not None and (helped or rejected):
            self.runtime.confirm_later(uow, helped, rejected, query)

    def _note_gap(self, uow: UnitOfWork, request: RecallRequest, prepared: PreparedQuery, question: str) -> None:
        """A turn that asks something and finds nothing is a gap, unless the session knows it or the gate would not store it."""
        runtime, unfiltered = self.runtime, replace(request, filter=Filter())
        if not (runtime.store.writable and runtime.settings.gaps and runtime.gate.accepts(question)):
            return
        prepared = replace(prepared, search=replace(prepared.search, filter=Filter()))
        with runtime.store.view(request.now) as reader:
            if not answer_in_view(uow, reader, unfiltered, prepared).missed:
                return
        vector = None if prepared.query.foreign else prepared.search.vector
        runtime.deferred.miss(Miss(question, prepared.query.terms, vector, uow.viewer, request.now))

    # Extraction and state

    def _extract(self, channel: Channel) -> None:
        """Give what was said since the last extraction to whoever extracts; what fails is given again later."""
        channel.state.extracted_at = channel.state.turn
        said = list(channel.talk)
        channel.talk.clear()
        if channel.extract is None or not said:
            return
        try:
            channel.extract(channel.session, said)
        except RecollectError:
            channel.talk.extendleft(reversed(said))
            raise

    def _load(self, channel: Channel) -> None:
        """Go on where another process stopped."""
        channel.loaded = True
        space, now = self._namespace(channel), self.runtime.clock().timestamp()
        state = self.runtime.working.get(space, STATE, now)
        if state is not None:
            channel.state.load(state)
        channel.ledger.load(self.runtime.working, space, now)

    def _persist(self, channel: Channel) -> None:
        working, space, now = self.runtime.working, self._namespace(channel), self.runtime.clock().timestamp()
        working.put(space, STATE, channel.state.dump(), now, now + KEPT_STATE)
        channel.ledger.persist(working, space, now)

    @staticmethod
    def _namespace(channel: Channel) -> tuple[str, str, str]:
        viewer = channel.uow.viewer
        return companion_namespace(viewer.identity, viewer.project, channel.session)
