"""Add to results what helps to read them: why they were found, what their words mean, what refers to what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from documents.models import VersionQuerySet
from search.answer import Hit
from search.backends.keyword_indexes.rows import lexemes_of
from search.cite import Loaded
from search.enrich import Place, enrich_chunks, neighbours_of, parents_of, stem_words
from search.highlight import Highlight, highlight, words_to_stem
from search.request import SearchRequest
from search.understand.query import Understood

PARENT_CHARACTERS = 1_000  # Of the text of each unit around a result.
PLAIN = "simple"  # The language of a unit that no passage says.


def surround_hits(
    cited: Sequence[tuple[Hit, Loaded]],
    understood: Understood,
    versions: VersionQuerySet,
    request: SearchRequest,
) -> tuple[Hit, ...]:
    """Return the results with everything that comes with them; more of them take no more queries."""
    hits = [hit for hit, _ in cited]
    if not hits or not request.is_surrounded:
        return tuple(hits)
    sections = [loaded.section.pk for _, loaded in cited]
    enriched = enrich_chunks(
        [
            Place(hit.version_id, section, *hit.span, text="" if hit.is_cut else hit.content)
            for hit, section in zip(hits, sections, strict=True)
        ],
        versions,
    )
    chains = parents_of(sections, characters=PARENT_CHARACTERS if request.has_parents else 0)
    neighbours = neighbours_of([(hit.version_id, hit.position) for hit in hits], count=request.neighbours)
    marked = highlight_hits(hits, understood)
    return tuple(
        replace(
            hit,
            highlights=highlights,
            parent_chain=chain,
            neighbours=beside,
            definitions=extra.definitions,
            references=extra.references,
            referenced_by=extra.referenced_by,
            referenced_by_count=extra.referenced_by_count,
        )
        for hit, highlights, chain, beside, extra in zip(
            hits, marked, chains, neighbours, enriched, strict=True
        )
    )


def highlight_hits(hits: Sequence[Hit], understood: Understood) -> list[tuple[Highlight, ...]]:
    """Show in each result the words that it shares with the question, as its language stems them."""
    stems = {language: stems_for(hits, understood, language) for language in {one.language for one in hits}}
    return [
        highlight(
            hit.content,
            words=set(stems[hit.language][0]),
            phrases=[*understood.phrases, *understood.identifiers],
            stem=stems[hit.language][1],
        )
        for hit in hits
    ]


def stems_for(
    hits: Sequence[Hit], understood: Understood, language: str
) -> tuple[list[str], Mapping[str, str]]:
    """Return the question's lexemes, and those of the words that may be among them."""
    asked = lexemes_of(understood.text, language=language or PLAIN)
    words = {word for hit in hits if hit.language == language for word in words_to_stem(hit.content, asked)}
    return asked, stem_words(words, language=language or PLAIN)
