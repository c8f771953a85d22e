"""Models: text to vector, and question and text to score. The write path embeds what it stores, the read path embeds the query.

| module | contains |
|---|---|
| `models` | the local models by name: repository, files, hashes, prefixes, pooling, calibration |
| `fetch` | `ensure_model`: the files of a local model, downloaded once (`sources`) and verified by hash |
| `onnx_model` | `ModelRuntime`: a local model on onnxruntime |
| `local` | `LocalEmbedder`: a local model that embeds; the default |
| `cross_encoder` | `LocalReranker`: a local model that reranks |
| `background` | an embedder or reranker that loads in a thread while the store is already used |
| `endpoint` | `Endpoint`: a URL of a model server that takes and returns JSON |
| `http` | `HttpEmbedder`: any server with the OpenAI embeddings API |
| `callable` | `CallableEmbedder`: any function from texts to vectors |
| `rerankers` | `HttpReranker`: any server with the API `/rerank`; `TimedReranker`: any function, with a deadline |
| `calibration` | `Calibration`: from raw cosine to the similarity that thresholds are written for; measured with `probe` |
| `checks` | the check that a foreign embedder returned one valid vector per text |
| `store_embedder` | `StoreEmbedder`: an embedder together with the store its vectors go to |

Nothing is imported here: a command that needs one embedder does not load the others, nor onnxruntime.
"""
