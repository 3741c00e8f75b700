"""What a chunk is for, told by its words."""

from __future__ import annotations

import re

QUOTED = r"[\"“‘«„'][^\"”’»“\n]{1,80}[\"”’»“']"
DEFINES = (
    r"(?:means?|shall mean|(?:is|are) defined as|refers? to|ha(?:s|ve) the (?:same )?meaning"
    r"|signifie|désigne|s['’]entend|bezeichnet|bedeutet|significa|entende-se)"
)
TERM = r"(?!(?:This|That|It|Which|These|Those)\b)[A-Z][\w’'/-]*(?:\s+[\w’'/-]+){0,6}"
DEFINITION = re.compile(
    rf"{QUOTED}(?:\s*\([^)\n]{{1,60}}\))?,?\s+(?:\w+\s+){{0,4}}?{DEFINES}\b"
    rf"|(?m:^)[^\n]{{0,12}}?(?:The term\s+)?[*_]{{0,3}}{TERM}[*_]{{0,3}}"
    r"\s+(?:means(?! that)|shall mean|has the meaning|refers to)\b"
)
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


def classify_chunk(text: str, *, title: str, has_body: bool) -> str:
    """Return header, definition, reference, requirement or content."""
    if not has_body:
        return "header"
    if DEFINITION.search(text):
        return "definition"
    if REFERENCE_TITLE.fullmatch(title.strip(" .:")) or (
        len(text) <= SHORT_REFERENCE and REFERENCE.match(text.strip())
    ):
        return "reference"
    return "requirement" if REQUIREMENT.search(text) else "content"
