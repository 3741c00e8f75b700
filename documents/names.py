"""Names of documents: text for people, never a path on a disk."""

from __future__ import annotations

import unicodedata

from documents.errors import BadName

MOST_CHARACTERS = 300
UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}
REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean_name(name: str) -> str:
    """Return a name in its one spelling, with “/” between folders."""
    text = unicodedata.normalize("NFC", name).replace("\\", "/")
    if any(unicodedata.category(char) in UNPRINTABLE or char in REORDERING for char in text):
        raise BadName("The name holds characters that cannot be shown. Rename the file and upload it again.")
    parts = [part.strip() for part in text.split("/")]
    if ".." in parts:
        raise BadName("The name leads out of its folder. Upload the file without “..” in its path.")
    cleaned = "/".join(part for part in parts if part not in {"", "."})
    if not cleaned:
        raise BadName("The file has no name. Give it one and upload it again.")
    if len(cleaned) > MOST_CHARACTERS:
        raise BadName(
            f"The name has {len(cleaned)} characters, and {MOST_CHARACTERS} is the most. Shorten it."
        )
    return cleaned
