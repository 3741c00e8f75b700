"""What every converter returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Converted:
    """The text of a file, with what else the file said about it.

    In Markdown, `#` starts a heading and `|` a table; in plain text they are characters like any other.
    Lines end in "\\n"; there is no NUL and no lone surrogate. Page n begins at `pages[n - 1]`.
    """

    text: str
    is_markdown: bool = True
    pages: tuple[int, ...] = ()
    title: str = ""
    warnings: tuple[str, ...] = ()
