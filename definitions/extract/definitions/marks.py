"""Words that are set apart by quotation marks or emphasis: the usual dress of a term."""

from __future__ import annotations

import re
from dataclasses import dataclass

from definitions.extract.definitions.page import Page

# Each begins with a character of its own, so that the search runs from one to the next.
_INNER = r"[^{0}\n]{{1,120}}(?:\n[^{0}\n]{{1,80}})?"
QUOTED = (
    (r"“", r"“”", r"”"),
    (r"«", r"«»", r"»"),
    (r"„", r"„“”", r"[“”\"]"),
    (r'"', r'"', r'"'),
)
MARKED = re.compile(
    "|".join(opening + _INNER.format(inside) + closing for opening, inside, closing in QUOTED)
    + r"|‘[^‘\n]{1,120}?’(?!\w)"
    r"|'(?<!\w')[A-Za-z][^'\n]{0,80}'(?!\w)"
    r"|\*(?<![\w*]\*)(?:\*\*?)?(?=[^\s*])[^*\n]{1,120}(?<=[^\s*])\*{1,3}(?![\w*])"
    r"|_(?<![\w_]_)(?:__?)?(?=[^\s_])[^_\n]{1,120}(?<=[^\s_])_{1,3}(?![\w_])"
)
DRESS = "“”«»„\"‘’'*_ \t\n\u00a0\u202f"
SINGLE = "‘'"


@dataclass(frozen=True, slots=True)
class Mark:
    """A dressed phrase: from the first quotation mark to behind the last, and the words inside."""

    start: int
    end: int
    inner_start: int
    inner_end: int
    quote: str  # The character that opens; "*" or "_" for emphasis.

    @property
    def is_emphasis(self) -> bool:
        return self.quote in "*_"


def find_marks(page: Page) -> list[Mark]:
    """Return the dressed phrases of a text in its order, without those in code."""
    return [
        _mark(page.text, match.start(), match.end())
        for match in MARKED.finditer(page.text)
        if not page.is_code(match.start())
    ]


def _mark(text: str, start: int, end: int) -> Mark:
    inner_start, inner_end = start, end
    while inner_start < inner_end and text[inner_start] in DRESS:
        inner_start += 1
    while inner_end > inner_start and text[inner_end - 1] in DRESS:
        inner_end -= 1
    quotes = [char for char in text[start:inner_start] if char not in "*_ \t\n"]
    while start and text[start - 1] in "*_":
        start -= 1
    while end < len(text) and text[end] in "*_":
        end += 1
    return Mark(start, end, inner_start, inner_end, quotes[0] if quotes else text[start])
