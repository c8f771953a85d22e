"""An embedder over HTTP: any server with the OpenAI embeddings API, with retries and clear errors.

It uses urllib of the standard library, which respects the user's proxy and certificates.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from typing import IO, Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from recollect.embed.calibration import Calibration, measure, measure_queries
from recollect.embed.checks import unit_rows
from recollect.errors import EmbedderError

_MOST_BYTES = 256 << 20
_BLOCK = 1 << 16
_EXCERPT = 200
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 20.0
_ADVICE = {
    400: "a text may be too long for the model, or the model name wrong",
    401: "check the API key",
    403: "check the API key and what it may do",
    404: "check the address (without /embeddings at its end) and the model name",
    413: "embed fewer texts at once",
    429: "wait, or raise the quota",
}


class _TransientError(Exception):
    """A failure that may not happen again: 429, 5xx or a broken connection."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirects: a POST would become a GET and take the API key to a host the user did not name."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A URL that takes and returns JSON, with its API key, timeout and number of retries."""

    url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 30.0
    retries: int = 2
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https") or not urlsplit(self.url).hostname:
            raise EmbedderError(f"the embedding address {self.url!r} must look like https://host/v1")

    @property
    def shown(self) -> str:
        """The URL for messages: without user, password and query string."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}"

    def post(self, body: Mapping[str, object]) -> object:
        """The parsed response. Retried only after 429, 5xx and broken connections."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "recollect"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers, method="POST")
        attempt = 0
        while True:
            try:
                return self._parse(self._send(request))
            except _TransientError as failure:
                if attempt >= self.retries:
                    raise EmbedderError(f"{failure} (tried {attempt + 1} times)") from failure
                asked = failure.retry_after
                wait = _FIRST_WAIT_SECONDS * 2**attempt if asked is None else asked
            self.sleep(min(wait, _LONGEST_WAIT_SECONDS))
            attempt += 1

    def _send(self, request: urllib.request.Request) -> bytes:
        try:
            until = time.monotonic() + self.timeout
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=self.timeout) as answer:
                return _read(answer, until)
        except urllib.error.HTTPError as error:
            with error:  # closes the connection
                raise self._refusal(error) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise self._too_slow() from error
            raise _TransientError(f"{self.shown} is not reachable: {error.reason}; is the server running?") from error
        except TimeoutError as error:
            raise self._too_slow() from error
        except (ConnectionError, http.client.HTTPException) as error:
            raise _TransientError(f"{self.shown} closed the connection: {error or type(error).__name__}") from error

    def _too_slow(self) -> EmbedderError:
        # Not retried: a caller would only wait three times as long.
        return EmbedderError(
            f"{self.shown} did not answer within {self.timeout:g} s; embed fewer texts at once or wait longer"
        )

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        said = ""
        with contextlib.suppress(OSError, http.client.HTTPException):
            said = self._excerpt(error.read(4 * _EXCERPT))
        advice = _ADVICE.get(error.code, "see the log of the server" if error.code >= 500 else "check the address")
        message = f"{self.shown} answered {error.code}{': ' + said if said else ''}; {advice}"
        if error.code == 429 or error.code >= 500:
            return _TransientError(message, _seconds(error.headers.get("Retry-After")))
        return EmbedderError(message)

    def _parse(self, content: bytes) -> object:
        try:
            parsed: object = json.loads(content)
        except ValueError as error:
            raise EmbedderError(f"{self.shown} did not answer JSON: {self._excerpt(content)!r}") from error
        return parsed

    def _excerpt(self, content: bytes) -> str:
        """The start of a response on one line. Servers quote the key they refuse, so it is masked."""
        text = " ".join(content[: 4 * _EXCERPT].decode("utf-8", "replace").split())
        return (text.replace(self.api_key, "***") if self.api_key else text)[:_EXCERPT]


def _read(answer: http.client.HTTPResponse, until: float) -> bytes:
    """The content. The timeout of a socket begins again with each byte, so a server that sends one by one is given up here."""
    content = bytearray()
    while len(content) < _MOST_BYTES and (block := answer.read1(_BLOCK)):
        content += block
        if time.monotonic() > until:
            raise TimeoutError
    return bytes(content)


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After in seconds; the rare form with a date is ignored."""
    return float(retry_after) if retry_after is not None and retry_after.strip().isdecimal() else None


class HttpEmbedder:
    """Embeds by POST {url}/embeddings. Nothing is sent before the first text; safe to share between threads.

    The calibrations are measured when first needed, two requests each; pass stored ones to avoid that.
    """

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str | None = None,
        dimensions: int | None = None,
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        batch: int = 64,
        timeout: float = 30.0,
        retries: int = 2,
        calibration: Calibration | None = None,
        query_calibration: Calibration | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint = Endpoint(url.rstrip("/") + "/embeddings", api_key, timeout, retries, sleep)
        self._model = model
        self._dimensions = dimensions
        self._query_prefix, self._document_prefix = query_prefix, document_prefix
        self._batch = max(1, batch)
        self._calibration, self._query_calibration = calibration, query_calibration

    @property
    def model(self) -> str:
        """The model name on the server, with a hash of the document prefix: another prefix gives other vectors."""
        if not self._document_prefix:
            return self._model
        return f"{self._model}+{hashlib.sha256(self._document_prefix.encode()).hexdigest()[:8]}"

    @property
    def dimensions(self) -> int:
        """As given, or learned from the first response (which costs a request if there is none yet)."""
        if self._dimensions is None:
            self._dimensions = self._request(["dimensions"]).shape[1]
        return self._dimensions

    @property
    def calibration(self) -> Calibration:
        """For the cosine of two stored texts."""
        if self._calibration is None:
            self._calibration = measure(self.embed_documents)
        return self._calibration

    @property
    def query_calibration(self) -> Calibration:
        """For the cosine of a query and a stored text."""
        if self._query_calibration is None:
            self._query_calibration = measure_queries(self.embed_documents, self._embed_queries)
        return self._query_calibration

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """One row of unit length per text; `progress` is called with (done, all) after each request."""
        return self._embed([self._document_prefix + text for text in texts], progress)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._embed_queries([text])[0]
        return vector

    def _embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self._query_prefix + text for text in texts], None)

    def _embed(self, texts: Sequence[str], progress: Callable[[int, int], None] | None) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        parts = []
        for start in range(0, len(texts), self._batch):
            parts.append(self._request(texts[start : start + self._batch]))
            if progress is not None:
                progress(min(start + self._batch, len(texts)), len(texts))
        return np.concatenate(parts)

    def _request(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # Servers answer 400 to the whole request if one text has a lone surrogate.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        answer = self._endpoint.post({"model": self._model, "input": clean, "encoding_format": "float"})
        who = f"{self._model} at {self._endpoint.shown}"
        rows = unit_rows(_in_order(answer, who), count=len(texts), dimensions=self._dimensions, model=who)
        self._dimensions = rows.shape[1]
        return rows


def _in_order(answer: object, who: str) -> list[Any]:
    """The vectors in the order of the texts; the API allows any order in the response."""
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) and "embedding" in item for item in items):
        raise EmbedderError(f"{who} did not answer a list of embeddings: {str(answer)[:200]}")
    if all(item.get("index") is None for item in items):
        return [item["embedding"] for item in items]
    by_position = {str(item.get("index")): item["embedding"] for item in items}
    try:
        return [by_position[str(position)] for position in range(len(items))]
    except KeyError as error:
        raise EmbedderError(f"{who} answered {len(items)} embeddings, none of them numbered {error}") from error
