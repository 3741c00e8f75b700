"""From any file to text: `convert_in_child` for files of strangers, `convert_file` inside that child."""

from __future__ import annotations

from documents.convert.child import MAX_CHARACTERS, convert_in_child
from documents.convert.converted import Converted, clean_converted
from documents.convert.formats import EXTENSIONS, READABLE, detect_format
from documents.errors import NoText, OverLimit

__all__ = ["EXTENSIONS", "READABLE", "Converted", "convert_file", "convert_in_child"]


def convert_file(content: bytes, name: str, *, characters: int = MAX_CHARACTERS) -> Converted:
    """Convert here and now with whichever converter the content asks for."""
    converted = detect_format(content, name).load()(content, name)
    if len(converted.text) > characters:
        raise OverLimit(
            f"The file holds {len(converted.text):,} characters of text, which is more than the "
            f"{characters:,} that are read. Split it and upload the parts."
        )
    if not any(char.isalnum() for char in converted.text):
        raise NoText("There are no words in the file. If it is a scan, recognize its text and upload that.")
    return clean_converted(converted)
