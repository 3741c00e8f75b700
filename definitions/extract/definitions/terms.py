"""What can be a term, and which terms a phrase names."""

from __future__ import annotations

import re

from definitions.extract.definitions.words import either
from definitions.extract.found import Span

MOST_WORDS = 14
LONGEST = 120

ARTICLE = re.compile(rf"{either('articles')}\b\s+|l['’]", re.IGNORECASE)
TERM_WORDS = re.compile(rf"{either('term_words')}\b:?\s+", re.IGNORECASE)
NO_TERM = re.compile(rf"{either('no_term')}(?!\w)", re.IGNORECASE)
NOT_ALONE = re.compile(either("not_alone"), re.IGNORECASE)
ABBREVIATION = re.compile(r"\s\(\s*[“\"‘«„*_]{0,3}([^()]{2,60}?)[”\"’»“*_]{0,3}\s*\)\s*$")
ACRONYM = re.compile(r"[A-Z][A-Za-z0-9&/.-]{0,11}")
CLAUSE = re.compile(
    r"\b(?:means|includes?|using|not|does|do|also|can|cannot|that|which|who|is|are|was|were|shall|must"
    r"|may|will|be|this|these"
    r"|if|has|have|est|sont|ist|sind)\b"
    rf"|\b(?:the|an?|any|all|by|no|every|these|those|as|{either('adjectives')})$"
)
JOIN = re.compile(rf"\s*,?\s+{either('joins')}\s+", re.IGNORECASE)
REQUIREMENT = re.compile(r"(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL|NOT)\b")
LAST = ")]%+*'’.®™"
INITIALS = re.compile(r"(?:[A-Z]\.){2,8}")
EDGES = " \t\n\r,.;:*_\u00a0\u202f"


def trim(text: str, span: Span) -> Span | None:
    """Return a phrase without punctuation and articles around it, or nothing if it cannot be a term."""
    start, end = span
    while start < end and text[start] in EDGES:
        start += 1
    while end > start and text[end - 1] in EDGES and not INITIALS.fullmatch(text, start, end):
        end -= 1
    if (article := ARTICLE.match(text, start, end)) and article.end() < end:
        start = article.end()
    phrase = text[start:end]
    if not phrase or not (phrase[-1].isalnum() or phrase[-1] in LAST) or REQUIREMENT.match(phrase):
        return None
    fits = len(phrase) <= LONGEST and len(phrase.split()) <= MOST_WORDS and "\n\n" not in phrase
    return (start, end) if fits and any(char.isalpha() for char in phrase) else None


def split_terms(text: str, span: Span, *, plural: bool) -> list[Span]:
    """Return the terms of an undressed phrase: "X (Y)", "X or XY", and with a plural verb "X and Y"."""
    start, end = span
    spans: list[Span] = []
    if short := ABBREVIATION.search(text[start:end]):
        spans.append((start + short.start(1), start + short.end(1)))
        end = start + short.start()
    if (join := JOIN.search(text, start, end)) and _are_two(
        text[start : join.start()], text[join.end() : end], plural
    ):
        spans = [(start, join.start()), (join.end(), end), *spans]
    else:
        spans = [(start, end), *spans]
    return [term for each in spans if (term := trim(text, each))]


def _are_two(first: str, second: str, plural: bool) -> bool:
    """Two phrases are two terms if the verb says so, or if one is the other again: "Bank or banking firm"."""
    if plural or (ACRONYM.fullmatch(second) and initials(first).startswith(second[:2].upper())):
        return True
    if second[:1].isupper() and first[:1].isupper() and " " in f"{first}{second}":
        return True
    stems = {word[:4].lower() for word in first.split() if len(word) > 3}  # noqa: PLR2004
    return any(word[:4].lower() in stems for word in second.split())


def initials(phrase: str) -> str:
    """Return the first letters of the words that have weight."""
    return "".join(word[0] for word in re.split(r"[\s/-]+", phrase) if word[:1].isupper()).upper()


def is_plain_term(phrase: str) -> bool:
    """Return whether a phrase without dress can be a term: no clause, no pronoun, no "electronic"."""
    if not phrase or not phrase[0].isalnum():
        return False
    return not (NO_TERM.match(phrase) or NOT_ALONE.fullmatch(phrase) or CLAUSE.search(phrase))
