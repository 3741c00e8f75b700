"""Find what a text quotes at length: an amending act prints the numbering of the act that it amends."""

from __future__ import annotations

import re

LINE = re.compile(r"[^\n]+(?:\n|\Z)|\n")
OPENS = re.compile(r"[ \t>]*[“\"]")
STAYS_OPEN = re.compile(r"^[ \t>]*(?:“[^”\n]*|\"[^\"\n]*)$", re.MULTILINE)
CLOSES_LINE = re.compile(r"[”\"][.;,)\]]*(?:[ ]?(?:and|or))?[ \t]*$")
LONGEST = 60  # Lines; a quotation mark that is never closed quotes nothing.


def find_quotations(text: str) -> list[tuple[int, int]]:
    """Return the spans of quotations that begin with a line and end with a later one, the last first."""
    found: list[tuple[int, int]] = []
    if "“" in text or '"' in text:
        for match in STAYS_OPEN.finditer(text):
            is_inside = found and match.start() < found[-1][1]
            if not is_inside and (end := _find_end(text, match.end())) is not None:
                found.append((match.start(), end))
    return found[::-1]


def _find_end(text: str, start: int) -> int | None:
    position = min(start + 1, len(text))
    for _ in range(LONGEST):
        match = LINE.match(text, position)
        if match is None:
            return None
        position = match.end()
        line = match[0].rstrip()
        if _closes(line):
            return position if CLOSES_LINE.search(line) else None
    return None


def _closes(line: str) -> bool:
    """Tell whether more quotations end in a line than begin."""
    straight = line.count('"') % 2 if not OPENS.match(line) else 0
    return line.count("”") - line.count("“") + straight > 0
