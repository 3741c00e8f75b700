"""Terms in the form in which they are compared."""

from __future__ import annotations

import re
import unicodedata

LONGEST_KEY = 300
SAME = str.maketrans(
    dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("‘’ʼ", "'") | dict.fromkeys('"“”„‟«»‹›*_`', " ")
)
ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)", re.IGNORECASE)


def term_key(term: str) -> str:
    """Fold case, blanks, quotes and hyphens, and drop a leading article: “The  Bank” is “bank”."""
    words = " ".join(unicodedata.normalize("NFKC", term).translate(SAME).split())
    return ARTICLE.sub("", words).casefold()[:LONGEST_KEY]


def other_number(key: str) -> tuple[str, ...]:
    """Return what a key may be in the other grammatical number, for a term that is not found as typed."""
    if key.endswith("ies"):
        return (f"{key[:-3]}y",)
    if key.endswith(("ses", "xes", "ches", "shes", "zes")):
        return key[:-2], key[:-1]
    if key.endswith("s") and not key.endswith(("ss", "us", "is")):
        return (key[:-1],)
    if key.endswith("y") and not key.endswith(("ay", "ey", "oy", "uy")):
        return (f"{key[:-1]}ies",)
    return f"{key}s", f"{key}es"
