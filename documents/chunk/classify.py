"""What a chunk is for, told by its words."""

from __future__ import annotations

import re

REQUIREMENT = re.compile(
    r"\b(?:shall|must|may not|(?:is|are) required to|(?:is|are) prohibited|doit|doivent|est tenu|ne peut"
    r"|muss|müssen|darf nicht|dürfen nicht|deberá|deberán|deve|devem|deverá|é vedad[oa])\b(?!\s+mean)",
    re.IGNORECASE,
)
REFERENCE_TITLE = re.compile(
    r"(?:normative |informative )?references|bibliography|works cited|références|literaturverzeichnis",
    re.IGNORECASE,
)
REFERENCE = re.compile(
    r"^[^\w\n]{0,8}(?:\w{1,4}[.)]\s+)?(?:[^.\n]{0,60}\.\s+)?(?:See|Cf\.|Voir|Siehe|Véase)\b[^\n]{3,200}$"
)
SHORT_REFERENCE = 300
DEFINING = 0.3  # The share of a chunk's text that says what terms mean, from which on it is there for that.


def classify_chunk(text: str, *, title: str, has_body: bool, defined: int = 0) -> str:
    """Return header, definition, reference, requirement or content; `defined` characters define terms."""
    if not has_body:
        return "header"
    if defined >= DEFINING * len(text.strip()):
        return "definition"
    if REFERENCE_TITLE.fullmatch(title.strip(" .:")) or (
        len(text) <= SHORT_REFERENCE and REFERENCE.match(text.strip())
    ):
        return "reference"
    return "requirement" if REQUIREMENT.search(text) else "content"
