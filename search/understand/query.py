"""Read a query once: what it cites, what it quotes, what it asks for, and the words that are left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from search.understand.citations import CitedPlace, find_citations, without_citations
from search.understand.phrases import read_phrases
from search.understand.questions import DefinitionQuestion, read_citing_question, read_definition_question

FEW_WORDS = 4  # As many as somebody types who does not ask a question.
WORD = re.compile(r"\w+")


class QueryKind(StrEnum):
    CITATION = "citation"
    CITING = "citing"
    DEFINITION = "definition"
    PHRASE = "phrase"
    KEYWORD = "keyword"
    QUESTION = "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    query: str
    kind: QueryKind
    cited: tuple[CitedPlace, ...] = ()
    phrases: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    definition: DefinitionQuestion | None = None
    text: str = ""  # What is looked for by words and by meaning.


def understand_query(query: str) -> Understood:
    citing = read_citing_question(query)
    cited = find_citations(citing) if citing else ()
    is_citing = bool(cited)  # "references to personal data" asks for words.
    cited = cited or find_citations(query)
    rest = "" if is_citing else without_citations(query, cited)
    wanted = read_phrases(query)
    definition = None if is_citing else read_definition_question(query)
    kind = QueryKind.CITING
    if not is_citing:
        kind = _kind(query, rest, is_cited=bool(cited), is_defining=definition is not None)
    return Understood(
        query=query,
        kind=kind,
        cited=cited,
        phrases=wanted.phrases,
        identifiers=(*_mentions(cited, is_alone=not rest), *read_phrases(rest).identifiers),
        definition=definition,
        text=wanted.text or query,
    )


def _mentions(cited: Sequence[CitedPlace], *, is_alone: bool) -> Iterator[str]:
    """Yield what passages may mention of citations: beside other words, those that say the same number."""
    for place in cited:
        if not place.is_sure:
            yield place.text  # Perhaps no citation at all.
        elif not is_alone:
            yield from read_phrases(place.text).identifiers


def _kind(query: str, rest: str, *, is_cited: bool, is_defining: bool) -> QueryKind:
    words = WORD.findall(rest)
    if is_cited and not words:
        return QueryKind.CITATION
    if is_defining:
        return QueryKind.DEFINITION
    wanted = read_phrases(query)
    quoted = [word for phrase in wanted.phrases for word in WORD.findall(phrase)]
    if quoted and len(quoted) == len(WORD.findall(wanted.text)):
        return QueryKind.PHRASE
    is_short = len(words) <= FEW_WORDS and not query.rstrip().endswith("?")
    return QueryKind.KEYWORD if is_short else QueryKind.QUESTION
