"""A URL of a model server that takes and returns JSON, with an API key, a timeout, retries and clear errors.

It uses urllib of the standard library, which respects the user's proxy and certificates.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import IO
from urllib.parse import urlsplit

from recollect.errors import EmbedderError, RecollectError

_MOST_BYTES = 256 << 20
_BLOCK = 1 << 16
_EXCERPT = 200
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 20.0
_ADVICE = {
    400: "a text may be too long for the model, or the model name wrong",
    401: "check the API key",
    403: "check the API key and what it may do",
    404: "check the address (without the last part, such as /embeddings) and the model name",
    413: "send fewer texts at once",
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
    """A URL that takes and returns JSON, with its API key, timeout and number of retries.

    `setting` is what the address is called in messages, `too_much` what to do if the server is too slow.
    """

    url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 30.0
    retries: int = 2
    sleep: Callable[[float], None] = time.sleep
    setting: str = "the embedding address"
    too_much: str = "embed fewer texts at once or wait longer"
    error: type[RecollectError] = EmbedderError
    # Where the key goes; Authorization gets it as a bearer token.
    key_header: str = "Authorization"
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https") or not urlsplit(self.url).hostname:
            raise self.error(f"{self.setting} {self.url!r} must look like https://host/v1")

    @property
    def shown(self) -> str:
        """The URL for messages: without user, password and query string."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}"

    def post(self, body: Mapping[str, object]) -> object:
        """The parsed response. Retried only after 429, 5xx and broken connections."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "recollect"}
        headers |= self.headers
        if self.api_key:
            headers[self.key_header] = f"Bearer {self.api_key}" if self.key_header == "Authorization" else self.api_key
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers, method="POST")
        attempt = 0
        while True:
            try:
                return self._parse(self._send(request))
            except _TransientError as failure:
                if attempt >= self.retries:
                    tried = f" (tried {attempt + 1} times)" if attempt else ""
                    raise self.error(f"{failure}{tried}") from failure
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

    def _too_slow(self) -> RecollectError:
        # Not retried: a caller would only wait three times as long.
        return self.error(f"{self.shown} did not answer within {self.timeout:g} s; {self.too_much}")

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        said = ""
        with contextlib.suppress(OSError, http.client.HTTPException):
            said = self._excerpt(error.read(4 * _EXCERPT))
        advice = _ADVICE.get(error.code, "see the log of the server" if error.code >= 500 else "check the address")
        message = f"{self.shown} answered {error.code}{': ' + said if said else ''}; {advice}"
        if error.code == 429 or error.code >= 500:
            return _TransientError(message, _seconds(error.headers.get("Retry-After")))
        return self.error(message)

    def _parse(self, content: bytes) -> object:
        try:
            parsed: object = json.loads(content)
        except ValueError as error:
            raise self.error(f"{self.shown} did not answer JSON: {self._excerpt(content)!r}") from error
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
