"""Cut a passage into what a model reads at once: each window says its context first."""

from __future__ import annotations

from search.backends.embedders.base import Embedder
from search.backends.embedders.windows import cut_windows

BETWEEN = "\n\n"
PROBE = "x"


def cut_passage(embedder: Embedder, *, context: str, text: str) -> list[str]:
    """Return the windows of a passage; one, if the model reads all of it."""
    whole = _join(context, text)
    limit = embedder.max_tokens - embedder.marks
    if _count(embedder, whole) <= limit:
        return [whole]
    head = _shorten(embedder, context, limit // 2)
    room = max(1, limit - _count(embedder, _join(head, PROBE)) + _count(embedder, PROBE))
    spans = cut_windows(text, embedder.split(text), limit=room, overlap=min(embedder.overlap, room // 4))
    parts = [text[slice(*span)].strip() for span in spans]
    return [window for part in parts if part for window in _fit(embedder, head, part, limit)]


def _join(context: str, text: str) -> str:
    return f"{context.strip()}{BETWEEN}{text}" if context.strip() else text


def _count(embedder: Embedder, text: str) -> int:
    return sum(piece.tokens for piece in embedder.split(text))


def _shorten(embedder: Embedder, context: str, limit: int) -> str:
    """Return the beginning of a context that leaves half of the window to the text."""
    spans = cut_windows(context, embedder.split(context), limit=limit, overlap=0)
    return context[slice(*spans[0])].strip() if spans else ""


def _fit(embedder: Embedder, head: str, part: str, limit: int) -> list[str]:
    """Put the context before a part; leave it out where that takes more tokens than the two apart."""
    window = _join(head, part)
    if _count(embedder, window) <= limit:
        return [window]
    return [part[slice(*span)] for span in embedder.windows(part)]
