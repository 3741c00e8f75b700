"""Measure what is read as of a day: the text of each unit, and that no search shows another version's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from random import Random

from documents.models import Chunk, Collection
from documents.read_context import Basis, ReadContext, Selector
from search.answer import Answer, Hit
from search.evaluation.ask import Asker, Way
from search.evaluation.histories import Histories, KnownUnit, KnownVersion, fold, hash_words
from search.evaluation.measures import Measure, share
from search.evaluation.scratch import read_versions
from search.models import Placement
from search.request import Mode
from tenants.scope import tenant_scope

SEARCHES = 2_000
SHOWN = 20  # Results of each.
CITED = 1_000  # Units that are looked up by their citations.
SEED = 20_160_101
BEFORE, BEHIND = timedelta(days=60), timedelta(days=400)  # Of the days on which something changes.
WORD = re.compile(r"\w[\w’'-]*")
PHRASE = 3, 9  # Words.
FEW = 2, 5
WAYS = tuple(Way(mode=mode, top_k=SHOWN, is_surrounded=True, neighbours=1, has_parents=True) for mode in Mode)

Tell = Callable[[str], None]


def in_force(day: date) -> ReadContext:
    """Return the read context of what applies on a day."""
    moment = datetime.combine(day, time.max, UTC)
    return ReadContext(selector=Selector.AS_OF, as_of=moment, basis=Basis.EFFECTIVE)


def measure_text(collection: Collection, histories: Histories, units: Iterable[KnownUnit]) -> list[Measure]:
    """Count units whose words are read on the day of their version.

    A version that was superseded on its own day is read on none, and so not asked for.
    """
    texts = {
        version: _read_text(collection, version)
        for version in histories.versions
        if histories.is_ever_in_force(version)
    }
    asked = [unit for unit in units if unit.version in texts]
    right = sum(hash_words(texts[unit.version][unit.start : unit.end]) == unit.sha for unit in asked)
    return [Measure("as_of_text", share(right, len(asked)), len(asked))]


def _read_text(collection: Collection, version: KnownVersion) -> str:
    """Return what a document says on the day of a version."""
    with tenant_scope(collection.tenant_id):
        read = read_versions(collection, in_force(version.effective))
        return "".join(read.filter(document__name=version.document).values_list("text", flat=True))


def measure_units(asker: Asker, histories: Histories, units: Sequence[KnownUnit]) -> list[Measure]:
    """Count units that are found by their citations on the day of their version, word for word."""
    asked = [unit for unit in units if histories.is_ever_in_force(unit.version)]
    chosen = Random(SEED).sample(asked, min(len(asked), asker.limit or CITED))  # noqa: S311
    found = sum(_is_found(asker, unit) for unit in chosen)
    return [Measure("as_of_unit", share(found, len(chosen)), len(chosen))]


def _is_found(asker: Asker, unit: KnownUnit) -> bool:
    answer = asker.ask(unit.cite, Way(top_k=5), in_force(unit.version.effective))
    return any(
        hit.document_name == unit.version.document and hash_words(hit.content) == unit.sha
        for hit in answer.hits
    )


def measure_leaks(
    asker: Asker, histories: Histories, units: Sequence[KnownUnit], *, tell: Tell = print
) -> list[Measure]:
    """Count searches on random days that show nothing but what was in force, on every leg in turn."""
    answered = leaking = total = 0
    for query, way, day in random_searches(histories, units, asker.limit or SEARCHES):
        answer = asker.ask(query, way, in_force(day))
        leaks = list(find_leaks(answer, histories, day))
        total, answered, leaking = total + 1, answered + bool(answer.hits), leaking + bool(leaks)
        for leak in leaks[:1]:
            tell(f"{way.mode} “{query}” as of {day}: {leak}")
    tell(f"{answered} of {total} searches as of a day had results")
    return [Measure("as_of_leak_free", share(total - leaking, total), total)]


def random_searches(
    histories: Histories, units: Sequence[KnownUnit], count: int
) -> Iterator[tuple[str, Way, date]]:
    """Yield words, phrases and citations of random versions, each with a leg and a day; always the same."""
    random = Random(SEED)  # noqa: S311
    first, last = histories.days()
    span = (last + BEHIND - first + BEFORE).days
    for number in range(count):
        day = first - BEFORE + timedelta(days=random.randrange(span))
        yield _query(random, histories, units), WAYS[number % len(WAYS)], day


def _query(random: Random, histories: Histories, units: Sequence[KnownUnit]) -> str:
    kind = random.choice(("citation", "phrase", "quoted", "words"))
    if kind == "citation" and units:
        return random.choice(units).cite
    text = random.choice(histories.versions).text
    words = WORD.findall(text, random.randrange(max(1, len(text) - 200))) or WORD.findall(text)
    if kind == "words":
        return " ".join(random.sample(words[:200], min(len(words), random.randint(*FEW))))
    phrase = " ".join(words[: random.randint(*PHRASE)])
    return f"“{phrase}”" if kind == "quoted" else phrase


@dataclass(frozen=True, slots=True)
class Shown:
    """Words that an answer shows, of which document, and where they stand there if that is known."""

    document: str
    text: str
    start: int | None = None
    end: int | None = None


def find_leaks(answer: Answer, histories: Histories, day: date) -> Iterator[str]:
    """Yield what an answer shows that is not what its document said on a day, by the files of the set."""
    for hit in answer.hits:
        for shown in shown_by(hit):
            version = histories.in_force(shown.document, day)
            if version is None:
                yield f"{shown.document} said nothing yet, and “{shown.text[:60]}” is shown"
            elif not _says(version, shown):
                yield f"{version.name} does not say “{shown.text[:60]}”"
        for reference in (*hit.references, *hit.referenced_by):
            name = reference.target_document_name
            if histories.of(name) and histories.in_force(name, day) is None:
                yield f"{name} said nothing yet, and “{reference.text[:60]}” leads there"


def shown_by(hit: Hit) -> Iterator[Shown]:
    own = hit.document_name
    start, end = hit.span
    yield Shown(own, hit.content, start, start + len(hit.content) if hit.is_cut else end)
    for beside in hit.neighbours:
        yield Shown(own, beside.text, *beside.span)
    for parent in hit.parent_chain:
        yield Shown(own, parent.text)
    for definition in hit.definitions:
        yield Shown(definition.document_name, definition.meaning)
    for reference in (*hit.references, *hit.referenced_by):
        yield Shown(reference.document_name, reference.text, *reference.span)


def _says(version: KnownVersion, shown: Shown) -> bool:
    if shown.start is None:
        return fold(shown.text) in version.words
    return fold(shown.text) == fold(version.text[shown.start : shown.end])


def measure_reuse(collection: Collection) -> list[Measure]:
    """Tell how many chunks are indexed as what another chunk says already."""
    with tenant_scope(collection.tenant_id):
        chunks = Chunk.objects.filter(version__document__collection=collection).count()
        placed = Placement.objects.filter(version__document__collection=collection).order_by()
        passages = placed.values("passage").distinct().count()
    return [Measure("reused_share", 1 - share(passages, chunks), chunks)]
