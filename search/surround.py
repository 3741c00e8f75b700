"""Add to results what helps to read them: why they were found, what their words mean, what refers to what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from definitions.readable import Readable, holder_of
from search.answer import Hit
from search.backends.keyword_indexes.rows import lexemes_of
from search.cite import Loaded
from search.copies import count_copies
from search.enrich import Place, enrich_chunks, neighbours_of, parents_of, stem_words
from search.highlight import Highlight, Highlighter, tokens_of, words_to_stem
from search.request import SearchRequest
from search.round_trips import Asking, ask, together
from search.understand.query import Understood

PARENT_CHARACTERS = 1_000  # Of the text of each unit around a result.
PLAIN = "simple"  # The language of a unit that no passage says.


def surround_hits(
    cited: Sequence[tuple[Hit, Loaded]],
    understood: Understood,
    readable: Readable,
    request: SearchRequest,
) -> tuple[Hit, ...]:
    """Return the results with everything that comes with them; more of them take no more queries."""
    hits = [hit for hit, _ in cited]
    if not hits or not request.is_surrounded:
        return tuple(hits)
    sections = [loaded.section.pk for _, loaded in cited]
    places = [
        Place(hit.version_id, section, *hit.span, text="" if hit.is_cut else hit.content)
        for hit, section in zip(hits, sections, strict=True)
    ]
    holders = {loaded.chunk.version_id: holder_of(loaded.chunk.version) for _, loaded in cited}
    enriched, chains, neighbours, marked, copies = ask(
        together(
            enrich_chunks(places, readable, holders=holders),
            parents_of(sections, characters=PARENT_CHARACTERS if request.has_parents else 0),
            neighbours_of([(hit.version_id, hit.position) for hit in hits], count=request.neighbours),
            highlight_hits(hits, understood),
            count_copies([hit.passage_id for hit in hits if hit.passage_id is not None], readable),
        )
    )
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
            also_in=0 if hit.passage_id is None else copies.get(hit.passage_id, 0),
        )
        for hit, highlights, chain, beside, extra in zip(
            hits, marked, chains, neighbours, enriched, strict=True
        )
    )


def highlight_hits(hits: Sequence[Hit], understood: Understood) -> Asking[list[tuple[Highlight, ...]]]:
    """Show in each result the words that it shares with the question, as its language stems them."""
    tokens = [tokens_of(hit.content) for hit in hits]
    of_language: dict[str, set[str]] = {}
    for hit, own in zip(hits, tokens, strict=True):
        of_language.setdefault(hit.language, set()).update(own)
    made = yield from together(*(highlighter_of(*item, understood) for item in of_language.items()))
    marking = dict(zip(of_language, made, strict=True))
    return [
        marking[hit.language].highlight(hit.content, tokens=own)
        for hit, own in zip(hits, tokens, strict=True)
    ]


def highlighter_of(language: str, tokens: set[str], understood: Understood) -> Asking[Highlighter]:
    """Look up the question's lexemes, and those of the words in the results that may be among them."""
    asked = lexemes_of(understood.text, language=language or PLAIN)
    stems = yield from stem_words(words_to_stem(tokens, asked), language=language or PLAIN)
    phrases = [*understood.phrases, *understood.identifiers]
    return Highlighter(words=asked, phrases=phrases, stem=stems)
