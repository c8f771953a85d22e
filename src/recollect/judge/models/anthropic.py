"""The Anthropic Messages API; the answer is the input of a tool that the model has to call, so that it has a schema."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from recollect.endpoint import Endpoint
from recollect.errors import JudgeError
from recollect.judge.models.chat import ChatReply, ChatRequest, count_of

URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_TOO_MUCH = "raise judge_seconds, or choose a faster model"


class AnthropicMessages:
    """POST {url}/v1/messages with a forced tool. Safe to share between threads."""

    provider = "anthropic"

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout: float = 20.0,
        retries: int = 1,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        base = (url or URL).rstrip("/").removesuffix("/messages").removesuffix("/v1")
        self._endpoint = Endpoint(
            f"{base}/v1/messages",
            api_key,
            timeout,
            retries,
            sleep,
            setting="judge_url",
            too_much=_TOO_MUCH,
            error=JudgeError,
            key_header="x-api-key",
            headers={"anthropic-version": _VERSION},
        )
        self.model = model

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply."""
        tool = {"name": request.name, "description": "Gives the answer.", "input_schema": request.schema}
        answer = self._endpoint.post(
            {
                "model": self.model,
                "max_tokens": request.most_tokens,
                "system": request.instructions,
                "messages": [{"role": "user", "content": request.data}],
                "tools": [tool],
                "tool_choice": {"type": "tool", "name": request.name},
            }
        )
        if not isinstance(answer, dict) or not isinstance(answer.get("content"), list):
            raise JudgeError(f"{self._endpoint.shown} answered no message; is it the address of the Messages API?")
        usage = answer.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        return ChatReply(
            _text(answer["content"]),
            answer.get("stop_reason") == "max_tokens",
            count_of(counts.get("input_tokens")),
            count_of(counts.get("output_tokens")),
        )


def _text(content: list[object]) -> str:
    """The input of the tool as JSON text, else the text of the message."""
    blocks = [block for block in content if isinstance(block, dict)]
    for block in blocks:
        if block.get("type") == "tool_use":
            return json.dumps(block.get("input"))
    return "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
