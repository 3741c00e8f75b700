"""Alphabets, and the languages that can be told by them alone."""

from __future__ import annotations

from collections import Counter

# First and last character of what tells an alphabet from others.
RANGES: tuple[tuple[str, str, str], ...] = (
    ("latin", "A", "Z"),
    ("latin", "a", "z"),
    ("latin", "À", "ɏ"),
    ("latin", "Ḁ", "ỿ"),
    ("greek", "Ͱ", "Ͽ"),
    ("greek", "ἀ", "῿"),
    ("cyrillic", "Ѐ", "ӿ"),
    ("armenian", "Ա", "֏"),
    ("hebrew", "\u0591", "\u05f4"),
    ("arabic", "\u0600", "\u06ff"),
    ("arabic", "\u0750", "\u077f"),
    ("devanagari", "\u0900", "\u097f"),
    ("bengali", "\u0980", "\u09ff"),
    ("punjabi", "\u0a00", "\u0a7f"),
    ("gujarati", "\u0a80", "\u0aff"),
    ("tamil", "\u0b80", "\u0bff"),
    ("telugu", "\u0c00", "\u0c7f"),
    ("kannada", "\u0c80", "\u0cff"),
    ("malayalam", "\u0d00", "\u0d7f"),
    ("sinhala", "\u0d80", "\u0dff"),
    ("thai", "\u0e00", "\u0e7f"),
    ("lao", "\u0e80", "\u0eff"),
    ("burmese", "\u1000", "\u109f"),
    ("georgian", "\u10a0", "\u10ff"),
    ("amharic", "\u1200", "\u137f"),
    ("khmer", "\u1780", "\u17ff"),
    ("kana", "\u3041", "\u30ff"),
    ("han", "\u3400", "\u9fff"),
    ("han", "\uf900", "\ufaff"),
    ("han", "\U00020000", "\U0003ffff"),
    ("hangul", "\u1100", "\u11ff"),
    ("hangul", "\uac00", "\ud7a3"),
)
# Of several languages, which the words have to tell.
SHARED = frozenset({"latin", "cyrillic", "hebrew", "arabic", "devanagari"})
ALONE = frozenset(
    {name for name, _, _ in RANGES} - SHARED - {"kana", "han", "hangul"} | {"chinese", "japanese", "korean"}
)
DENSE = {"han": 3, "kana": 3, "hangul": 3}  # Letters of an alphabet say as much as one of these characters.
LEAST_KANA = 0.05  # Of the characters of a Japanese text.


def main_script(text: str) -> str:
    """Return the alphabet that says most of a text; nothing if it has no letters."""
    counts = Counter[str]()
    for character, count in Counter(text).items():
        if script := script_of(character):
            counts[script] += count * DENSE.get(script, 1)
    if counts["kana"] > LEAST_KANA * counts["han"]:
        counts["japanese"] = counts.pop("kana") + counts.pop("han", 0)
    else:
        counts["chinese"] = counts.pop("han", 0)
    counts["korean"] = counts.pop("hangul", 0)
    script, count = max(counts.items(), key=lambda item: item[1])
    return script if count else ""


def script_of(character: str) -> str:
    return next((name for name, first, last in RANGES if first <= character <= last), "")
