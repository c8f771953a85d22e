"""One address that takes JSON and answers JSON, with patience for what passes and a plain word for what does not.

The transport under `http`. The standard library's urllib, so that the user's proxy and certificates are respected.
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

from recollect.errors import EmbedderError

_MOST_BYTES = 256 << 20
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


class _Passing(Exception):
    """A failure that may be gone the next time."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as a GET, with the key, at a host the user did not name."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to post, as whom, and how patiently."""

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
        """The address as it may appear in a message: no user, no password, no query."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}"

    def post(self, body: Mapping[str, object]) -> object:
        """What the server answers; tried again only after 429, 5xx and broken connections."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "recollect"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers, method="POST")
        attempt = 0
        while True:
            try:
                return self._parse(self._send(request))
            except _Passing as failure:
                if attempt >= self.retries:
                    raise EmbedderError(f"{failure} (tried {attempt + 1} times)") from failure
                asked = failure.retry_after
                wait = _FIRST_WAIT_SECONDS * 2**attempt if asked is None else asked
            self.sleep(min(wait, _LONGEST_WAIT_SECONDS))
            attempt += 1

    def _send(self, request: urllib.request.Request) -> bytes:
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=self.timeout) as answer:
                content: bytes = answer.read(_MOST_BYTES)
                return content
        except urllib.error.HTTPError as error:
            with error:  # it holds the connection until it is closed
                raise self._refusal(error) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise self._too_slow() from error
            raise _Passing(f"{self.shown} is not reachable: {error.reason}; is the server running?") from error
        except TimeoutError as error:
            raise self._too_slow() from error
        except (ConnectionError, http.client.HTTPException) as error:
            raise _Passing(f"{self.shown} broke off the connection: {error or type(error).__name__}") from error

    def _too_slow(self) -> EmbedderError:
        # Not tried again: a caller who waits gets nothing from waiting three times as long.
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
            return _Passing(message, _seconds(error.headers.get("Retry-After")))
        return EmbedderError(message)

    def _parse(self, content: bytes) -> object:
        try:
            parsed: object = json.loads(content)
        except ValueError as error:
            raise EmbedderError(f"{self.shown} did not answer JSON: {self._excerpt(content)!r}") from error
        return parsed

    def _excerpt(self, content: bytes) -> str:
        """The beginning of an answer on one line. Servers quote the key they refuse: it is blotted out."""
        text = " ".join(content[: 4 * _EXCERPT].decode("utf-8", "replace").split())
        return (text.replace(self.api_key, "***") if self.api_key else text)[:_EXCERPT]


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After in its form of seconds; a date there is rare and not worth a clock."""
    return float(retry_after) if retry_after is not None and retry_after.strip().isdecimal() else None
