"""Put texts between marks for a model, so that none of them can end its part and begin another."""

from __future__ import annotations

import re

INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"


class Marks:
    """The names of the parts that one prompt has."""

    def __init__(self, *names: str) -> None:
        self._mark = re.compile(rf"<(?=[\s/{INVISIBLE}]*(?:{'|'.join(names)})\b)", re.IGNORECASE)

    def between(self, name: str, text: str, attributes: str = "") -> str:
        return f"<{name}{attributes}>\n{self.neutralise(text)}\n</{name}>\n"

    def neutralise(self, text: str) -> str:
        """Make what looks like a mark mere text, and drop what cannot be sent."""
        return self._mark.sub("‹", sendable(text))


def sendable(text: str) -> str:
    """Replace halves of surrogate pairs, which no request can carry, by one character each."""
    return text.encode("utf-8", "replace").decode()


def size_in_bytes(text: str) -> int:
    """Return how many bytes a text has: never fewer than it has tokens, as tokenizers start from bytes."""
    return len(text.encode("utf-8", "replace"))
