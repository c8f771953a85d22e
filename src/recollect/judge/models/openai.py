"""Any server with the OpenAI chat API: OpenAI, Ollama, llama.cpp, vLLM, LM Studio …"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from recollect.endpoint import Endpoint
from recollect.errors import JudgeError
from recollect.judge.models.chat import ChatReply, ChatRequest, count_of

_TOO_MUCH = "raise judge_seconds, or choose a faster model"


class OpenAIChat:
    """POST {url}/chat/completions, with the schema as response_format. Safe to share between threads."""

    provider = "openai"

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
        address = url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        self._endpoint = Endpoint(
            address, api_key, timeout, retries, sleep, setting="judge_url", too_much=_TOO_MUCH, error=JudgeError
        )
        self.model = model
        # Newer models of OpenAI refuse max_tokens and any temperature but their own; other servers know only max_tokens.
        self._is_openai = urlsplit(address).hostname == "api.openai.com"

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply. A server that does not know response_format is asked again without it: its answer is checked anyway."""
        body = self._body(request)
        try:
            return self._reply(self._endpoint.post(body))
        except JudgeError as error:
            if not any(word in str(error) for word in ("response_format", "json_schema")):
                raise
        del body["response_format"]
        return self._reply(self._endpoint.post(body))

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        schema = {"name": request.name, "strict": True, "schema": request.schema}
        limit = (
            {"max_completion_tokens": request.most_tokens}
            if self._is_openai
            else {"max_tokens": request.most_tokens, "temperature": 0}
        )
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": f"{request.instructions}\n\n{request.form}"},
                {"role": "user", "content": request.data},
            ],
            "response_format": {"type": "json_schema", "json_schema": schema},
            **limit,
        }

    def _reply(self, answer: object) -> ChatReply:
        choices = answer.get("choices") if isinstance(answer, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        message = choice.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if content is None and choice.get("finish_reason") == "length":
            content = ""  # all tokens went into thinking
        if not isinstance(content, str) or not isinstance(answer, dict):
            raise JudgeError(f"{self._endpoint.shown} answered no message; is it a chat server?")
        usage = answer.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        return ChatReply(
            content,
            choice.get("finish_reason") == "length",
            count_of(counts.get("prompt_tokens")),
            count_of(counts.get("completion_tokens")),
        )
