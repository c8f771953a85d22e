"""Language models as the judge: any OpenAI-compatible server, the Anthropic API, or a function. None is used unless configured.

`judge` asks in batches, checks and repairs the answers; `openai`, `anthropic` and `callable` send one request; `questions` and
`writing` say how a question looks and what its answer may be; `breaker` stops asking a server that fails.
"""
