"""Text that repeats one piece without end, on which a careless pattern takes the square of its length."""

from __future__ import annotations

from documents.parse import Unit

DEFINING = (
    "“a” ", '"', '"a"', "a ", "(", "(the “A”", "*a", "**a** ", "X means ", "“A” means b. ", "'a ", "_",
    "‘a", "„a", "a, ", ": ", "| a ", "\n", "a\n", "a\t", ". A", "# a\n", "In this Act, ", 'is called a "b" ',
)  # fmt: skip
REFERRING = (
    "a (1) ", "§ ", "Section 1, ", "A A A ", "Section 1, paragraph 1, point a, ",
    "paragraph 1 of point 1 of ", "The Act ", "1 § 2 § ", "articles 1 et 2, § 3, 2°, ",
    "Section 5 of the A B C D E F ", "paragraph (a) of the definition of a ",
)  # fmt: skip


def repeat(piece: str, length: int) -> tuple[str, tuple[Unit, ...]]:
    """Return a text of that length with the outline of flat text."""
    text = (piece * (length // len(piece) + 1))[:length]
    return text, (Unit(0, length, None, 0, "document", "", "", "Document"),)
