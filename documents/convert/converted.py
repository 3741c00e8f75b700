"""What every converter returns, and the characters that no text may have."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

# Halves of characters, and controls but tab and line break: databases refuse some, terminals obey others.
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


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


def clean_converted(converted: Converted) -> Converted:
    """Replace forbidden characters one for one, so that page offsets hold."""
    return replace(
        converted,
        text=clean_text(converted.text),
        title=clean_text(converted.title),
        warnings=tuple(map(clean_text, converted.warnings)),
    )


def clean_text(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
