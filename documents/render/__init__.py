"""From a stretch of a version's text to HTML that shows it, with each character's place known."""

from documents.render.blocks import Block, read_blocks
from documents.render.inline import Style, read_inline
from documents.render.write import Mark, PageMark, ShownUnit, Wrap, write_text

__all__ = [
    "Block",
    "Mark",
    "PageMark",
    "ShownUnit",
    "Style",
    "Wrap",
    "read_blocks",
    "read_inline",
    "write_text",
]
