"""Questions that the structure answers: what a term means, and what refers to a unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from search.understand.asking import LANGUAGES, UNITS, Asking

LONGEST = 500  # Characters of a question; whoever types more tells a story.
MOST_WORDS = 14  # Of a term, as where terms are found.
QUOTES = "\"'“”„‟‘’‚«»‹›`*_「」"
QUOTED = re.compile(r"[\"“„«‘'「](?P<term>[^\"“”„«»「」]+?)[\"”“»’'」](?=\s|[(,?.!:]|$)\s*")
END = re.compile(r"[\s?.!…؟？]+$")
BARE = re.compile(r"(?:the|an?|of|to|for|in|by|and|or|der|die|das|von|de|du|des|la|le|del|di|van|do|da)")


@dataclass(frozen=True, slots=True)
class DefinitionQuestion:
    """The term that is asked about, and the name of the document whose meaning is asked for, if any is.

    `others` are further ways to part the two: “data in transit” is a term, or data in a document so named.
    """

    term: str
    document: str = ""
    others: tuple[tuple[str, str], ...] = ()
    is_weak: bool = False  # “What is a lease?” asks for a definition if there is one, and else for anything.

    @property
    def readings(self) -> tuple[tuple[str, str], ...]:
        """Term and document, the likeliest first."""
        return ((self.term, self.document), *self.others)


def read_definition_question(query: str) -> DefinitionQuestion | None:
    """Return what a query asks the meaning of, in any language that is known; nothing if it asks for more."""
    words = _tidy(query)
    if words is None:
        return None
    for is_weak in (False, True):
        for language in LANGUAGES:
            for frame in _frames(language, is_weak=is_weak):
                match = frame.fullmatch(words)
                readings = list(_readings(match, language)) if match else []
                if readings:
                    (term, document), *others = readings
                    return DefinitionQuestion(term, document, tuple(others), is_weak)
    return None


def read_citing_question(query: str) -> str | None:
    """Return the words that say what is referred to: “§ 5” of “Which provisions refer to § 5?”."""
    words = _tidy(query)
    if words is None:
        return None
    matches = (frame.fullmatch(words) for language in LANGUAGES for frame in _citing_frames(language))
    cited = (match["x"].strip(f"{QUOTES} ") for match in matches if match)
    return next((words for words in cited if words), None)


def _tidy(query: str) -> str | None:
    if len(query) > LONGEST:
        return None
    return END.sub("", " ".join(query.split())) or None


@cache
def _frames(language: Asking, *, is_weak: bool) -> tuple[re.Pattern[str], ...]:
    return tuple(
        _compile(frame, rf"(?:,? {_under(language)}(?P<under>.+)| ?\((?P<bracket>.+)\))?")
        for frame in (language.may_mean if is_weak else language.means)
    )


@cache
def _citing_frames(language: Asking) -> tuple[re.Pattern[str], ...]:
    return tuple(_compile(frame, "") for frame in language.cites)


def _compile(frame: str, tail: str) -> re.Pattern[str]:
    """Put what is asked about into a frame; where it comes last, a document behind it is read from it."""
    pattern = frame.replace("{units}", UNITS).replace("{document}", "(?P<document>.+?)")
    if pattern.endswith("{x}"):
        tail = ""
    return re.compile(pattern.replace("{x}", "(?P<x>.+?)") + tail, re.IGNORECASE)


def _under(language: Asking) -> str:
    """Return what parts a term from a document, with the blank that an apostrophe does without."""
    return rf"(?:{language.under})(?: |(?<=['’]))"


def _readings(match: re.Match[str], language: Asking) -> Iterator[tuple[str, str]]:
    """Yield the terms and documents that a match can mean, each pair once."""
    named = match.groupdict()
    document = named.get("document") or named.get("under") or named.get("bracket") or ""
    pairs = [(named["x"], document)] if document else _part(named["x"], language)
    seen = set()
    for term, name in pairs:
        reading = _clean_term(term, language), _clean_name(name, language)
        if reading[0] and reading not in seen and len(reading[0].split()) <= MOST_WORDS:
            seen.add(reading)
            yield reading


def _part(asked: str, language: Asking) -> list[tuple[str, str]]:
    """Part a term from a document: “lease (Land Registration)”, “lease under Land Registration”."""
    if quoted := QUOTED.match(asked):
        return [(quoted["term"], _behind(asked[quoted.end() :], language))]
    if (bracket := _last_bracket(asked)) > 0:
        return [(asked[:bracket], asked[bracket + 1 : -1]), (asked, "")]
    splits = re.finditer(rf",? {_under(language)}", asked, re.IGNORECASE)
    return [*((asked[: split.start()], asked[split.end() :]) for split in splits), (asked, "")]


def _behind(rest: str, language: Asking) -> str:
    return re.sub(rf"^,?\s*{_under(language)}", "", rest, count=1, flags=re.IGNORECASE)


def _last_bracket(asked: str) -> int:
    """Return where the last bracket opens, if it closes at the end; brackets inside it are a part of it."""
    if not asked.endswith(")"):
        return -1
    depth = 0
    for index in range(len(asked) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(asked[index], 0)
        if not depth:
            return index
    return -1


def _clean_term(term: str, language: Asking) -> str:
    """Take off quotation marks, and “the term” before them; nothing is left of what cannot be a term."""
    term = _without_words(term, language)
    return "" if not term or BARE.fullmatch(term.rsplit(" ", 1)[-1].lower()) else term


def _clean_name(name: str, language: Asking) -> str:
    name = _without_words(name, language)
    while name.startswith("(") and _last_bracket(name) == 0:
        name = name[1:-1].strip()
    return name


def _without_words(words: str, language: Asking) -> str:
    before = rf"^(?:{language.term_words})(?:\s|(?<=['’]))"
    return re.sub(before, "", words.strip(), count=1, flags=re.IGNORECASE).strip(f"{QUOTES},;: ")
