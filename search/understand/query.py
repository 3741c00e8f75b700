"""Read a query once: what it cites, what it quotes, what it asks for, and the words that are left."""

from __future__ import annotations

import re
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

    @property
    def is_citation_alone(self) -> bool:
        return self.kind in {QueryKind.CITATION, QueryKind.CITING}


def understand_query(query: str) -> Understood:
    citing = read_citing_question(query)
    definition = None if citing else read_definition_question(query)
    cited = find_citations(citing or query)
    wanted = read_phrases(query)
    rest = "" if citing else without_citations(query, cited)
    is_alone = bool(cited) and not WORD.search(rest)
    kind = _kind(query, is_citing=bool(citing), is_alone=is_alone, definition=definition, rest=rest)
    return Understood(
        query=query,
        kind=kind,
        cited=cited,
        phrases=wanted.phrases,
        identifiers=() if is_alone else wanted.identifiers,
        definition=definition,
        text=wanted.text,
    )


def _kind(
    query: str, *, is_citing: bool, is_alone: bool, definition: DefinitionQuestion | None, rest: str
) -> QueryKind:
    if is_citing:
        return QueryKind.CITING
    if is_alone:
        return QueryKind.CITATION
    if definition is not None:
        return QueryKind.DEFINITION
    wanted = read_phrases(query)
    if wanted.phrases and len(WORD.findall(wanted.text)) == sum(
        len(WORD.findall(phrase)) for phrase in wanted.phrases
    ):
        return QueryKind.PHRASE
    is_short = len(WORD.findall(rest)) <= FEW_WORDS and not query.rstrip().endswith("?")
    return QueryKind.KEYWORD if is_short else QueryKind.QUESTION
