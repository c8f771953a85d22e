"""Rerankers that are somebody else's code: a server over HTTP, or any function; and the deadline that both get."""

from __future__ import annotations

from collections.abc import Sequence
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import Any

from recollect.endpoint import Endpoint
from recollect.errors import RerankerError
from recollect.forking import follow_forks
from recollect.ports import Reranker

_MOST_AT_ONCE = 16


class HttpReranker:
    """Scores by POST {url}/rerank: the API of Cohere, Jina, vLLM and llama.cpp, or without a model name that of TEI.

    text-embeddings-inference serves one model, so it takes no name, and it calls the documents `texts`.
    """

    def __init__(self, url: str, model: str = "", api_key: str | None = None, *, timeout: float = 5.0) -> None:
        address = url.rstrip("/").removesuffix("/rerank") + "/rerank"
        self._endpoint = Endpoint(
            address,
            api_key,
            timeout,
            retries=0,  # somebody waits for the answer, which is there without the reranker
            setting="reranker_url",
            too_much="lower rerank_candidates or raise rerank_seconds",
            error=RerankerError,
        )
        self._model = model

    @property
    def model(self) -> str:
        return self._model or self._endpoint.shown

    def __call__(self, query: str, texts: Sequence[str]) -> list[Any]:
        """One score per text."""
        # Servers answer 400 to the whole request if one text has a lone surrogate.
        query, *clean = (text.encode("utf-8", "replace").decode("utf-8") for text in (query, *texts))
        if self._model:
            body = {"model": self._model, "query": query, "documents": clean, "top_n": len(clean)}
        else:
            body = {"query": query, "texts": clean, "truncate": True}
        return _in_order(self._endpoint.post(body), len(clean), self._endpoint.shown)


def _in_order(answer: object, count: int, who: str) -> list[Any]:
    """The scores in the order of the texts; a server returns them best first."""
    items = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RerankerError(f"{who} did not answer a list of scores: {str(answer)[:200]}")
    scores = {item.get("index"): item.get("relevance_score", item.get("score")) for item in items}
    if len(items) != count or set(scores) != set(range(count)):
        raise RerankerError(f"{who} answered {len(items)} scores, not one for each of the {count} texts")
    return [scores[place] for place in range(count)]


class TimedReranker:
    """A reranker that is waited for until a deadline. It works in a thread of its own, which is left behind when it is late."""

    def __init__(self, inner: Reranker, seconds: float) -> None:
        self._inner, self._seconds = inner, seconds
        self._free = BoundedSemaphore(_MOST_AT_ONCE)
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """The threads of the parent do not exist in the child."""
        if child:
            self._free = BoundedSemaphore(_MOST_AT_ONCE)

    @property
    def model(self) -> str:
        named = getattr(self._inner, "model", None) or getattr(self._inner, "__name__", type(self._inner).__name__)
        return str(named)

    def __call__(self, query: str, texts: Sequence[str]) -> Any:
        """One score per text."""
        free = self._free
        if not free.acquire(blocking=False):
            raise RerankerError(f"{self.model} still works on {_MOST_AT_ONCE} earlier questions")
        outcome: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def work() -> None:
            try:
                outcome.put((self._inner(query, texts), None))
            except BaseException as error:
                outcome.put((None, error))
            finally:
                free.release()

        # A daemon: a function that never returns must not keep a finished process from exiting.
        Thread(target=work, name="recollect-rerank", daemon=True).start()
        try:
            scores, error = outcome.get(timeout=self._seconds)
        except Empty:
            raise RerankerError(f"{self.model} did not answer within {self._seconds:g} s") from None
        if error is not None:
            raise error
        return scores


class MissingReranker:
    """A reranker that could not be set up: it says why whenever it is asked."""

    def __init__(self, model: str, problem: str) -> None:
        self.model, self._problem = model, problem

    def __call__(self, query: str, texts: Sequence[str]) -> list[float]:  # noqa: ARG002 - the signature is the port's
        """Never returns."""
        raise RerankerError(self._problem)
