"""From an outline to chunks: pieces that know their place and together are the whole text."""

from documents.chunk.pieces import Piece, chunk_outline

__all__ = ["Piece", "chunk_outline"]
