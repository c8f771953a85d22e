"""Text to vector: the second stage. Capture embeds what it stores, recall embeds what it is asked.

| module | holds |
|---|---|
| `fetch` | `ensure_model`: the model files, fetched once (`sources` knows where from, `pins` what they must be) |
| `local` | `LocalEmbedder`: that model on onnxruntime; the default |
| `http` | `HttpEmbedder`: any server that speaks the OpenAI embeddings call (`endpoint` carries it) |
| `callable` | `CallableEmbedder`: any function from texts to vectors |
| `calibration` | `Calibration`: raw cosine to the similarity thresholds are written for; `measure` (from `probe`) |
| `rows` | the one check that an answer is a vector a text |

Nothing is imported here: a command that needs one embedder does not pay for the others, nor for onnxruntime.
"""
