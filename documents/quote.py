"""What files would cost and take, told before anything is kept or spent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from uuid import uuid4

from definitions.anchor import anchor_lists
from definitions.gather import gather_findings
from documents.chunk import chunk_outline
from documents.convert import convert_in_child
from documents.errors import ConversionError
from documents.models import Collection
from documents.parse import parse_outline
from documents.reading import Reading
from documents.unpack import Incoming
from search.contextualize import Work
from search.quote import Quote, quote_works


def quote_files(collection: Collection, files: Iterable[Incoming]) -> Quote:
    """Read files as if they were added, without keeping them, and say what the rest would cost.

    What cannot be read costs nothing; whoever adds it will be told why.
    """
    works = defaultdict[str, list[Work]](list)
    for file in files:
        try:
            reading = read_file(collection, file)
        except ConversionError:
            continue
        works[reading.language.configuration].append(
            Work(
                tenant_id=collection.tenant_id,
                version_id=uuid4(),
                manuscript=reading.manuscript(),
                excerpts=reading.excerpts(),
                max_tokens=collection.context_max_tokens,
                concurrency=collection.context_concurrency,
            )
        )
    has_contexts = collection.contextual_embeddings
    quotes = [
        quote_works(some, language=language, has_contexts=has_contexts) for language, some in works.items()
    ]
    return sum(quotes, Quote())


def read_file(collection: Collection, file: Incoming) -> Reading:
    converted = convert_in_child(file.content, file.name)
    outline = parse_outline(converted.text, is_markdown=converted.is_markdown)
    findings = gather_findings(
        converted.text,
        outline.units,
        title=converted.title or outline.units[0].title,
        file_name=file.name,
        has_definitions=collection.extract_definitions,
        has_references=False,
    )
    outline = anchor_lists(outline, findings.definitions)
    pieces = chunk_outline(
        converted.text,
        outline,
        max_tokens=collection.max_chunk_tokens,
        overlap=collection.chunk_overlap,
        strategy=collection.chunking_strategy,
        definitions=[definition.body for definition in findings.definitions],
    )
    return Reading(converted, outline, findings, pieces, file.name, collection)
