"""Whatever is asked at a read context, the answer holds nothing but what is visible there.

Each version has a word of its own, in its title, its headings, its definitions and its sentences. Answers are
walked to their last leaf: every id belongs to a version that is visible, and no word to one that is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from definitions.models import Definition
from definitions.network import document_network, unit_network
from documents import services
from documents.models import Baseline, Chunk, Collection, Document, Section, Version
from documents.pipeline import ingest_version
from documents.read_context import HEAD, Basis, ReadContext, Selector
from documents.services import Dates
from documents.visible import visible_versions
from search import pipeline
from search.ask import ask
from search.context.assemble import assemble_context
from search.models import Embedding, Passage, Placement
from search.read import (
    list_documents,
    list_references_at,
    lookup_definition_at,
    outline_of,
    read_document,
    read_section,
)
from search.request import Mode
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tenants.shapes import show_answer
from tests.factories import ACTOR
from tests.searching import ACT, RULES, add, make_collection

pytestmark = pytest.mark.timeout(1200)  # Seconds: a minute on a quiet machine, and others are not.

MARKS = (
    *("ambrel", "bostik", "corvun", "dremal", "elsiva", "fornax"),
    *("gallim", "hestor", "ivandi", "kelmar", "lurien", "jorkan"),
)
HARBOUR, PILOT, TIDE, OTHER = "harbour-act.md", "pilot-rules.md", "tide-rules.md", "jorkan/tide-rules.md"
SHARED = "## Section 8. Penalties\n\n" + "Whoever disobeys this pays a penalty to the authority. " * 9 + "\n"
TEXTS = {
    HARBOUR: """# Harbour Act {Mark}

## Section 1. Terms {Mark}

(a) In this Act, “berth” means a {mark} place for one vessel.

(b) “{Mark} fee” means what is paid under section 2.

## Section 2. Fees {Mark}

(a) The {mark} fee for a berth is due under section 3 of the Pilot Rules.

(b) Form HB-{number}(1) is filled in, see section {number} and section 7{number} of the Tide Rules.

""",
    PILOT: """# Pilot Rules {Mark}

## Section 1. Terms {Mark}

“Berth” has the meaning given in section 1 of the Harbour Act. “Pilot” means a {mark} guide.

## Section 3. Pilots {Mark}

(a) A pilot takes the {mark} vessel to its berth, see section 2 of the Harbour Act.

(b) Section 1 of the Tide Rules and section 2{number} of the Tide Rules apply, form HB-2(1) too.

""",
    TIDE: """# Tide Rules {Mark}

## Section 1. Water {Mark}

“Berth” means a {mark} place at low water. See section 2 of the Harbour Act.

## Section 2{number}. Ebb {Mark}

The {mark} ebb begins as section 3 of the Pilot Rules says.

""",
}
DOCUMENTS = (HARBOUR, PILOT, TIDE, OTHER)
NAMED = (
    "penalty to the authority",
    "Section 2",
    "section 2 of the Harbour Act",
    "section 99 of the Harbour Act",
    "section 22 of the Tide Rules",
    "section 1 of the Tide Rules",
    "“what is paid under section”",
    "HB-2(1)",
    "what does berth mean",
    "what does berth mean in the Tide Rules",
    "which provisions refer to section 2 of the Harbour Act",
    "which provisions refer to section 1 of the Tide Rules",
)
ECHOES = {"not_found", "suggestion", "explanation"}  # They repeat the words of the query.


@dataclass
class Known:
    """A version as the test knows it."""

    document: str
    number: int
    mark: str
    id: UUID
    begins: date
    is_withdrawn: bool = False


@dataclass
class Story:
    """What was done, and what is visible because of it."""

    collection: Collection
    versions: list[Known] = field(default_factory=list)
    binned: set[str] = field(default_factory=set)
    head: dict[str, Known] = field(default_factory=dict)
    moments: list[tuple[datetime, tuple[Known, ...]]] = field(default_factory=list)
    baselines: list[tuple[Baseline, tuple[Known, ...]]] = field(default_factory=list)
    published: tuple[Known, ...] = ()

    @property
    def tenant(self) -> Tenant:
        return self.collection.tenant

    def visible(self) -> tuple[Known, ...]:
        return tuple(known for name, known in self.head.items() if name not in self.binned)

    def tick(self) -> None:
        self.moments.append((timezone.now(), self.visible()))

    def add(self, name: str, begins: date | None = None) -> None:
        number = 1 + sum(known.document == name for known in self.versions)
        mark = MARKS[len(self.versions)] if name != OTHER else MARKS[-1]
        text = TEXTS[TIDE if name == OTHER else name].format(mark=mark, Mark=mark.title(), number=number)
        version = services.add_document(
            collection=self.collection,
            name=name,
            content=(text + SHARED).encode(),
            actor=ACTOR,
            dates=Dates(begins),
            is_queued=False,
        )
        ingest_version(version.pk, version.tenant_id)
        begins = begins or timezone.now().date()
        self.head[name] = Known(name, version.number, mark, version.pk, begins)
        self.versions.append(self.head[name])
        self.tick()

    def withdraw(self, name: str) -> None:
        known = self.head.pop(name)
        with tenant_scope(self.tenant.pk):
            version = Version.objects.get(pk=known.id)
        services.withdraw_version(version=version, actor=ACTOR)
        known.is_withdrawn = True
        self.tick()

    def delete(self, name: str) -> None:
        services.delete_document(document=self._document(name), actor=ACTOR)
        self.binned.add(name)
        self.tick()

    def restore(self, name: str) -> None:
        services.restore_document(document=self._document(name), actor=ACTOR)
        self.binned.discard(name)
        self.tick()

    def keep(self, *, is_published: bool) -> None:
        name = f"Baseline {len(self.baselines)}"
        baseline = services.create_baseline(collection=self.collection, name=name, actor=ACTOR)
        self.baselines.append((baseline, self.visible()))
        if is_published:
            services.publish_baseline(baseline=baseline, actor=ACTOR)
            self.published = self.visible()

    def _document(self, name: str) -> Document:
        with tenant_scope(self.tenant.pk):
            return Document.objects.select_related("tenant").get(collection=self.collection, name=name)

    def in_force(self, day: date) -> tuple[Known, ...]:
        """What applies on a day: of each document the one that begins last, and of these the newest."""
        best: dict[str, Known] = {}
        for known in self.versions:
            if known.is_withdrawn or known.document in self.binned or known.begins > day:
                continue
            other = best.get(known.document)
            if other is None or (known.begins, known.number) > (other.begins, other.number):
                best[known.document] = known
        return tuple(best.values())

    def contexts(self) -> Iterator[tuple[ReadContext, tuple[Known, ...]]]:
        """Yield every read context that differs from its neighbours, with what is visible there."""
        yield HEAD, self.visible()
        for moment, visible in self.moments:
            yield ReadContext(selector=Selector.AS_OF, as_of=moment), visible
        for day in sorted({known.begins for known in self.versions}):
            moment = datetime.combine(day, time.max, UTC)
            effective = ReadContext(selector=Selector.AS_OF, as_of=moment, basis=Basis.EFFECTIVE)
            yield effective, self.in_force(day)
        for baseline, visible in self.baselines:
            yield ReadContext(selector=Selector.BASELINE, baseline_id=baseline.pk), visible
        if self.published:
            yield ReadContext(selector=Selector.PUBLISHED), self.published


@dataclass(frozen=True)
class Allowed:
    """What an answer at a read context may hold."""

    ids: frozenset[UUID]
    labels: frozenset[str]
    marks: frozenset[str]


def allowed(story: Story, context: ReadContext, visible: Sequence[Known]) -> Allowed:
    versions = [known.id for known in visible]
    with tenant_scope(story.tenant.pk):
        rows = [
            Document.objects.filter(versions__in=versions),
            Section.objects.filter(version__in=versions),
            Chunk.objects.filter(version__in=versions),
            Definition.objects.filter(version__in=versions),
            Passage.objects.filter(placements__version__in=versions),
        ]
        ids = {pk for each in rows for pk in each.values_list("pk", flat=True)}
        labels = set(Section.objects.filter(version__in=versions).values_list("label", flat=True))
    given = {context.baseline_id, story.tenant.pk, story.collection.pk}
    kept = {baseline.pk for baseline, held in story.baselines if held == tuple(visible)}
    shown = {*versions, *ids, *(one for one in given if one is not None), *kept}
    return Allowed(frozenset(shown), frozenset(labels), frozenset(known.mark for known in visible))


def walk(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every leaf of an answer, and every key, with where it stands."""
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield (*path, "key"), key
            yield from walk(below, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for below in value:
            yield from walk(below, path)
    else:
        yield path, value


def leaks(answer: dict[str, Any], query: str, may: Allowed) -> list[str]:
    found = []
    for path, leaf in walk(answer):
        where = ".".join(path)
        is_id = isinstance(leaf, UUID) or bool(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-.{12}", str(leaf)))
        if is_id and UUID(str(leaf)) not in may.ids:
            found.append(f"{where}: {leaf}")
        if path[-1] in {"target_label", "section_label"} and leaf and leaf not in may.labels:
            found.append(f"{where}: {leaf}")
        said = str(leaf).lower()
        echo = query.lower() if path[0] in ECHOES else ""
        found += [
            f"{where}: {leaf}"
            for mark in MARKS
            if mark in said and mark not in may.marks and mark not in echo
        ]
    return found


def queries(marks: Sequence[str], turn: int) -> Iterator[tuple[str, Mode]]:
    """Yield what leads by every way to what some version says; each turn asks otherwise for marks."""
    yield from (("fee for a berth", mode) for mode in Mode)
    for number, mark in enumerate(marks, turn):
        yield (
            (f"{mark} vessel", tuple(Mode)[turn % len(Mode)]),
            (f"what does “{mark} fee” mean", Mode.HYBRID),
            (f"{mark[:3]}{mark[4:]} {mark[0]}{mark[2]}{mark[1]}{mark[3:]}", Mode.KEYWORD),  # Misspelled.
            (f"section 1 of the Harbour Act {mark.title()}", Mode.EXACT),
        )[number % 4]
    yield from ((query, Mode.HYBRID) for query in NAMED)


def search_everything(story: Story, contexts: Sequence[tuple[ReadContext, tuple[Known, ...]]]) -> int:
    """Ask everything at some read contexts, and return how many results there were."""
    total = 0
    for turn, (context, visible) in enumerate(contexts):
        may = allowed(story, context, visible)
        for query, mode in queries([known.mark for known in story.versions], turn):
            answer = ask(
                tenant=story.tenant,
                query=query,
                mode=mode,
                read_context=context,
                collections=[story.collection.name],
                facets=True,
                explain=True,
                parents=True,
                neighbours=2,
                top_k=20,
            )
            assert answer.degraded == {}
            assert leaks(show_answer(answer), query, may) == [], (context.words, query, mode)
            assert not (answer.hits and not visible)
            total += len(answer.hits)
    return total


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for every leg: one that is missing cannot leak."""
    monkeypatch.setattr(pipeline, "LIMITED", {"statement_timeout": "60000"})


@pytest.fixture
def story(harbour: Tenant) -> Story:
    """Documents come, change, are withdrawn and deleted; references lead to what is not there yet."""
    story = Story(make_collection(harbour))
    story.add(HARBOUR, date(2010, 1, 1))
    story.add(PILOT)
    story.keep(is_published=True)
    story.add(HARBOUR, date(2016, 1, 1))
    story.add(TIDE, date(2012, 1, 1))
    story.add(OTHER)
    story.delete(OTHER)
    story.add(PILOT, date(2016, 1, 1))
    story.add(TIDE, date(2011, 1, 1))
    story.keep(is_published=False)
    story.add(HARBOUR)
    story.withdraw(HARBOUR)
    return story


@pytest.mark.parametrize("part", range(3))
def test_at_every_read_context_nothing_is_found_but_what_is_visible(story: Story, part: int) -> None:
    total = search_everything(story, list(story.contexts())[part::3])
    assert total > 300


def plain(value: Any) -> Any:
    """Return an answer as what it is made of."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(below) for key, below in value.items()}
    return [plain(below) for below in value] if isinstance(value, list | tuple) else value


def names_in(answer: Any) -> set[str]:
    """Return the names of files that an answer holds, alone or in a sentence."""
    said = [str(leaf) for _, leaf in walk(answer)]
    return {name for each in said for name in re.findall(r"[\w/-]+\.md", each)}


def read_everything(story: Story, context: ReadContext, known: Known) -> Iterator[tuple[str, Any]]:
    """Yield what every reading service says of a document at a read context."""
    with tenant_scope(story.tenant.pk):
        document = Version.objects.get(pk=known.id).document_id
        units = Section.objects.filter(version=known.id, kind="section")
        labels = ["", *units.values_list("label", flat=True)]
    every: dict[str, Any] = {"tenant": story.tenant, "read_context": context}
    whole = {"document": document, **every}
    for label in labels:
        place = {"label": label, **whole}
        yield "out", list_references_at(direction="out", **place)
        yield "in", list_references_at(direction="in", **place)
        yield "section", read_section(**place)
        yield "meaning", lookup_definition_at(term="berth", **place)
    yield "outline", outline_of(**whole)
    yield "document", read_document(**whole)
    yield "documents", list_documents(**every)
    yield "meanings", lookup_definition_at(term="berth", **every)
    yield "context", assemble_context(query="fee for a berth", **every)
    yield "network", networks_at(story, context, known)


def networks_at(story: Story, context: ReadContext, known: Known) -> dict[str, Any]:
    with tenant_scope(story.tenant.pk):
        versions = visible_versions(tenant=story.tenant, context=context).versions
        version = versions.select_related("document").get(pk=known.id)
        knots = [*document_network(versions).knots, *unit_network(version, versions).knots]
    return {
        "keys": [knot.key.removeprefix("document:") for knot in knots if knot.is_document],
        "section_label": [knot.label for knot in knots if not knot.is_document],
        "titles": [knot.title for knot in knots],
        "names": [knot.label for knot in knots if knot.is_document],
    }


@pytest.mark.parametrize("part", range(3))
def test_whatever_is_read_at_a_read_context_is_visible_there(story: Story, part: int) -> None:
    """Names of files are looked for too: no service but a search repeats what it is asked."""
    found, read = Counter[str](), Counter[str]()
    for context, visible in list(story.contexts())[part::3]:
        may = allowed(story, context, visible)
        hidden = {HARBOUR, PILOT, TIDE, OTHER} - {known.document for known in visible}
        for known in visible:
            for service, answer in read_everything(story, context, known):
                said = plain(answer)
                strange = [*leaks(said, "", may), *(name for name in hidden if name in names_in(said))]
                found.update(f"{service} {context.words}: {leak}" for leak in strange)
                read[service] += 1
    assert found == {}
    assert set(read) == {
        *("out", "in", "section", "meaning", "outline", "document", "documents", "meanings", "context"),
        "network",
    }


def test_each_distinct_passage_is_indexed_once(harbour: Tenant) -> None:
    collection = make_collection(harbour)
    added = "\n## Section 4. Fees\n\n" + "(a) The master of a vessel pays a fee for each berth. " * 8
    for text in (ACT, ACT + added, ACT.replace("six", "five") + added):
        add(collection, "act.md", text)
    with tenant_scope(harbour.pk):
        passages = Passage.objects.all()
        assert passages.count() == len(set(passages.values_list("language", "context", "text")))
        assert Embedding.objects.count() == passages.count()
        assert Placement.objects.count() == Chunk.objects.count() > passages.count()
        placed = [one.placements.count() for one in passages.filter(text__contains="pays a fee")]
    assert set(placed) == {2}


def test_a_document_is_found_by_the_name_that_it_had(harbour: Tenant) -> None:
    collection = make_collection(harbour)
    add(collection, "a1.md", ACT)
    moment = timezone.now()
    add(collection, "a1.md", ACT.replace("# Harbour Safety Act", "# Port Order"))
    found = {}
    for name in ("Harbour Safety Act", "Port Order"):
        for context in (HEAD, ReadContext(selector=Selector.AS_OF, as_of=moment)):
            answer = ask(tenant=harbour, query=f"section 2 of the {name}", read_context=context)
            titles = [hit.source.title for hit in answer.hits if hit.why == "citation"]
            found[name, context.selector] = titles, [one.reason for one in answer.not_found]
    assert found == {
        ("Harbour Safety Act", "head"): ([], ["No document here is called “harbour safety act”."]),
        ("Harbour Safety Act", "as_of"): (["Harbour Safety Act"], []),
        ("Port Order", "head"): (["Port Order"], []),
        ("Port Order", "as_of"): (["Harbour Safety Act"], []),  # What it is called now finds it too.
    }


def test_a_reference_leads_where_it_led_and_says_nothing_of_what_is_not_read(harbour: Tenant) -> None:
    """The rules refer to an act that comes later, loses the unit, and gets a namesake."""
    collection = make_collection(harbour)
    add(collection, "rules.md", RULES.replace("section 2 of", "section 3 of"))
    moments = [timezone.now()]

    def said() -> list[tuple[str, str, str]]:
        shown = []
        for moment in moments:
            context = ReadContext(selector=Selector.AS_OF, as_of=moment)
            answer = ask(tenant=harbour, query="section 1 of the Pilotage Rules", read_context=context)
            made = answer.hits[0].references[0]
            assert (made.target_section_id is None) == bool(made.reason)
            shown.append((made.target_document_name, made.target_label, made.reason))
        return shown

    act, lost = "harbour-safety-act.md", "There is no section 3 in harbour-safety-act.md."
    not_read = ("", "", "The document that is meant is not read here.")
    for name, text, expected in (
        (act, ACT, [not_read, (act, "Section 3", "")]),
        (act, ACT[: ACT.index("## Section 3")], [not_read, (act, "Section 3", ""), (act, "", lost)]),
        (f"more/{act}", ACT, [("", "", "Several documents are called so.")] * 4),
    ):
        add(collection, name, text)
        moments.append(timezone.now())
        assert said() == expected


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"),
            st.sampled_from(DOCUMENTS),
            st.none() | st.dates(date(2010, 1, 1), date(2012, 1, 1)),
        ),
        st.tuples(st.sampled_from(["withdraw", "delete", "restore"]), st.sampled_from(DOCUMENTS)),
        st.tuples(st.just("keep"), st.booleans()),
    ),
    min_size=4,
    max_size=9,
)


@settings(
    suppress_health_check=list(HealthCheck),
    deadline=None,
    max_examples=6,
    phases=[Phase.explicit, Phase.generate],
)
@given(data=st.data(), history=steps)
def test_whatever_was_done_before_nothing_leaks(
    harbour: Tenant, data: st.DataObject, history: list[tuple[Any, ...]]
) -> None:
    story = Story(make_collection(harbour, name=f"acts-{uuid4()}"))
    for step, *given_ in history:
        take(story, step, *given_)
    contexts = list(story.contexts())
    chosen = data.draw(st.lists(st.sampled_from(range(len(contexts))), min_size=1, max_size=3, unique=True))
    search_everything(story, [contexts[place] for place in chosen])


def take(story: Story, step: str, name: Any, begins: date | None = None) -> None:
    """Take a step of a history, if it can be taken."""
    if step == "add" and name not in story.binned and len(story.versions) < len(MARKS) - 1:
        story.add(name, begins)
    elif step == "withdraw" and name in story.head:
        story.withdraw(name)
    elif step == "delete" and name in story.head and name not in story.binned:
        story.delete(name)
    elif step == "restore" and name in story.binned:
        story.restore(name)
    elif step == "keep" and story.visible():
        story.keep(is_published=name)
