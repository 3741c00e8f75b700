"""IBM's granite-embedding-30m-english, run by onnxruntime from the weights in a package."""

from search.backends.embedders.granite.embedder import GraniteEmbedder

__all__ = ["GraniteEmbedder"]
