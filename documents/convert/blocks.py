"""The blocks of a document on their way to Markdown, and the rules that all readers of markup share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["heading", "paragraph", "item", "table", "verbatim"]

SPACES = re.compile(r"[ \t\n\r\f\v\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
# What can stand alone as the number of the text after it: (a), (12A), 1.2.3, 4., iv), § 7a, a dash.
MARKER = re.compile(
    r"(?:\((?:\d{1,4}[A-Za-z]{0,3}|[A-Za-z]{1,5})\)|(?:§§?|Sec\.|Art\.)\s?\d[\w.-]*|\d{1,3}[A-Za-z]{0,2}|"
    r"\d{1,4}[A-Za-z]{0,2}[.)]|[A-Z]?\d{1,4}[A-Z]{0,2}(?:[.-]\d{1,4}[A-Za-z]{0,3})+[.)]?|[A-Za-z]{1,2}[.)]|"
    r"[ivxlcdm]{1,7}[.)]|[IVXLCDM]{1,7}[.)]|[–—•·▪●-])(?:\s?\((?:\d{1,3}|[A-Za-z]{1,4})\))*"
)
STARTS_WITH_MARKER = re.compile(
    r"\(\w{1,5}\)|\d{1,4}(?:\.\d{1,4})*[A-Za-z]{0,2}[.)]?[\s(]|[A-Za-z]{1,2}[.)]\s|[ivxlcdm]{1,7}[.)]\s|"
    r"(?:§|Sec\.|Art\.|Article|Section|Rule)\s?\d"
)
BULLETS = "•·▪●-"
MAX_HEADING = 250


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, list item or table."""

    text: str
    kind: Kind = "paragraph"
    level: int = 0
    quoted: bool = False


def squeeze(text: str) -> str:
    """Show white space as a browser does: in one piece, and none at the ends."""
    return SPACES.sub(" ", INVISIBLE.sub("", text)).strip()


def is_marker(text: str) -> bool:
    return MARKER.fullmatch(text) is not None


def join_markers(blocks: Iterable[Block]) -> Iterator[Block]:
    """Put a number that stands alone in front of the text it belongs to."""
    waiting: Block | None = None
    for block in blocks:
        if waiting is not None:
            if block.kind in {"paragraph", "heading"}:
                yield from joined(waiting, block)
                waiting = None
                continue
            yield waiting
        waiting = block if block.kind == "paragraph" and is_marker(block.text) else None
        if waiting is None:
            yield block
    if waiting is not None:
        yield waiting


def joined(marker: Block, block: Block) -> Iterator[Block]:
    if marker.text in BULLETS and block.kind == "paragraph":
        yield Block(f"- {block.text}", "item", quoted=block.quoted)
    else:
        yield replace(block, text=f"{marker.text} {block.text}")


def write_markdown(blocks: Iterable[Block]) -> str:
    """Separate blocks by one blank line and keep plain text from reading as markup."""
    return "\n\n".join(text for block in blocks if (text := write_block(block)))


def write_block(block: Block) -> str:
    if block.kind == "heading" and len(block.text) <= MAX_HEADING:
        text = f"{'#' * min(max(block.level, 1), 6)} {block.text.replace(chr(10), ' ')}"
    elif block.kind in {"paragraph", "heading", "verbatim"}:
        text = "\n".join(escape_start(line) for line in block.text.split("\n"))
    else:
        text = block.text
    return "\n".join(f"> {line}" for line in text.split("\n")) if block.quoted else text


def escape_start(line: str) -> str:
    return f"\\{line}" if line.startswith(("#", ">")) else line


def write_table(rows: Sequence[Sequence[str]]) -> str:
    """Write a pipe table whose first row is its header; rows and columns without a word are left out."""
    full = [row for row in rows if any(row)]
    width = max((len(row) for row in full), default=0)
    padded = [[*row, *[""] * (width - len(row))] for row in full]
    kept = [i for i in range(width) if any(row[i] for row in padded)]
    lines = [f"| {' | '.join(escape_cell(row[i]) for i in kept)} |" for row in padded]
    return "\n".join([lines[0], f"|{'---|' * len(kept)}", *lines[1:]]) if lines else ""


def escape_cell(text: str) -> str:
    return squeeze(text).replace("|", "\\|")
