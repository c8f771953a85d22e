"""Text to vector. The write path embeds what it stores, the read path embeds the query.

| module | contains |
|---|---|
| `fetch` | `ensure_model`: the files of the local model, downloaded once (`sources`) and verified by hash |
| `local` | `LocalEmbedder`: that model on onnxruntime; the default |
| `background` | `BackgroundEmbedder`: an embedder that loads in a thread while the store is already used |
| `http` | `HttpEmbedder`: any server with the OpenAI embeddings API |
| `callable` | `CallableEmbedder`: any function from texts to vectors |
| `calibration` | `Calibration`: from raw cosine to the similarity that thresholds are written for; measured with `probe` |
| `checks` | the check that a foreign embedder returned one valid vector per text |
| `store_embedder` | `StoreEmbedder`: an embedder together with the store its vectors go to |

Nothing is imported here: a command that needs one embedder does not load the others, nor onnxruntime.
"""
