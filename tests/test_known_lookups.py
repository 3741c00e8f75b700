"""Citations of documents with known structure, if they are at hand: what exists is found, and only that."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from documents import services
from documents.models import Collection, State, Version, VersionQuerySet
from documents.pipeline import ingest_version
from search.retrieve.citations import Citations, resolve_citations
from search.understand.citations import find_citations
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR
from tests.processes import DATA

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="The documents are not here.")

SETS = ["struct_regml", "struct_eu", "struct_rfc"]
FORMS = ["md", "txt"]
INVENTED = 300  # Of each set.
# The source gives one unit another number than its text: 2(b)-2.i is printed below "2." of "(b)".
MISPRINTED = frozenset({("struct_regml", "1030 comment 2-2.i")})
# And two of which the text has the number that the source does not give them.
PRINTED = frozenset({"2(a)-2.iv", "8(c)(2)-2"})
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi"]


def read_records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def fill(tenant: Tenant, name: str, form: str, place: Collection | None = None) -> None:
    place = place or factories.collection(tenant)
    for path in sorted((DATA / name / f"corpus_{form}").iterdir()):
        version = services.add_document(
            collection=place, name=path.name, content=path.read_bytes(), actor=ACTOR, is_queued=False
        )
        ingest_version(version.pk, version.tenant_id)
        with tenant_scope(tenant.pk):
            version.refresh_from_db(fields=["state", "failure"])
        assert (version.state, version.failure) == (State.READY, "")


def ask(query: str, versions: VersionQuerySet) -> Citations:
    return resolve_citations(find_citations(query), versions)


def missed(name: str, form: str, versions: VersionQuerySet) -> list[str]:
    """Return the look-ups whose first answer is not the unit itself."""
    queries = {one["qid"]: one["query"] for one in read_records(DATA / name / "lookup_queries.jsonl")}
    truth = read_records(DATA / name / "lookup_qrels.jsonl")
    return [
        f"{queries[one['qid']]} ({one['cite']})"
        for one in truth
        if not is_exact(ask(queries[one["qid"]], versions), one, form)
    ]


def is_exact(answer: Citations, truth: dict[str, Any], form: str) -> bool:
    """Tell by the rule of the sets: at least half of both spans together is common to both."""
    if not answer.units:
        return False
    section = answer.units[0].section
    start, end = truth[form]
    is_document = Path(section.version.document.name).stem == truth["doc"]
    common: int = max(0, min(end, section.end) - max(start, section.start)) if is_document else 0
    return bool(common / max(1, end - start + section.end - section.start - common) >= 0.5)


def expected_misses(name: str) -> list[str]:
    queries = {one["qid"]: one["query"] for one in read_records(DATA / name / "lookup_queries.jsonl")}
    truth = read_records(DATA / name / "lookup_qrels.jsonl")
    return [f"{queries[one['qid']]} ({one['cite']})" for one in truth if (name, one["cite"]) in MISPRINTED]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SETS)
def test_real_citations_are_found_and_invented_ones_refused(harbour: Tenant, name: str, form: str) -> None:
    fill(harbour, name, form)
    with tenant_scope(harbour.pk):
        versions = Version.objects.for_tenant(harbour).head()
        assert missed(name, form, versions) == expected_misses(name)
        asked = invent(name)
        assert len(asked) >= INVENTED * 0.6
        answers = {query: ask(query, versions) for query in asked}
        assert [query for query, answer in answers.items() if answer.units or not answer.missing] == []
    print(f"\n{name} {form}: {len(asked)} invented ones refused")


@pytest.mark.parametrize("form", FORMS)
def test_documents_of_all_kinds_side_by_side_do_not_disturb_each_other(harbour: Tenant, form: str) -> None:
    place = factories.collection(harbour)
    for name in SETS:
        fill(harbour, name, form, place)
    with tenant_scope(harbour.pk):
        versions = Version.objects.for_tenant(harbour).head()
        for name in SETS:
            assert missed(name, form, versions) == expected_misses(name)
            asked = invent(name)
            assert [query for query in asked if ask(query, versions).units] == []


# --- Citations of units that do not exist, spelled like those that do. ---


def invent(name: str) -> list[str]:
    random = Random(7)
    cites = {one["cite"] for one in read_records(DATA / name / "sections.jsonl")}
    found = sorted(query for query in set(INVENT[name](random, cites)) if not PRINTED & set(query.split()))
    random.shuffle(found)
    return found[:INVENTED]


def beyond(last: list[str], random: Random) -> Iterator[str]:
    """Yield numbers that come behind all of a list."""
    for by in (1, 2, 7):
        if all(one.isdigit() for one in last):
            yield str(max(map(int, last)) + by)
        elif all(one in ROMAN for one in last) and len(last) > 1:
            place = max(map(ROMAN.index, last)) + by
            yield ROMAN[place] if place < len(ROMAN) else "xl"
        elif all(len(one) == 1 and one.islower() for one in last):
            place = max(map(LETTERS.index, last)) + by
            yield LETTERS[place] if place < len(LETTERS) else "zz"
        elif all(len(one) == 1 and one.isupper() for one in last):
            place = max(map(LETTERS.index, (one.lower() for one in last))) + by
            yield LETTERS[place].upper() if place < len(LETTERS) else "ZZ"


def siblings(cites: set[str], pattern: str) -> dict[str, list[str]]:
    """Return what stands below each citation that a pattern parts into all but the last step, and that."""
    below: dict[str, list[str]] = defaultdict(list)
    for cite in sorted(cites):
        if match := re.fullmatch(pattern, cite):
            below[match[1]].append(match[2])
    return below


def invent_regulations(random: Random, cites: set[str]) -> Iterator[str]:
    paragraphs = siblings(cites, r"(\d+\.\d+(?:\(\w{1,4}\))*)\((\w{1,4})\)")
    spelled = [
        "12 CFR {}",
        "§ {}",
        "§{}",
        "Sec. {}",
        "section {}",
        "{}",
        "12 C.F.R. § {}",
        "What does 12 CFR {} say?",
    ]
    for above, last in paragraphs.items():
        for number in beyond(last, random):
            if (cite := f"{above}({number})") not in cites:
                yield random.choice(spelled).format(cite)
    sections = siblings(cites, r"(\d+)\.(\d+)")
    for part, numbers in sections.items():
        for by in (1, 3, 50, 400):
            yield random.choice(spelled).format(f"{part}.{max(map(int, numbers)) + by}")
        for letter in "KQXZ":
            if f"Appendix {letter} to Part {part}" not in cites:
                yield f"12 CFR part {part}, appendix {letter}"
                yield f"appendix {letter.lower()} to part {part}"
    yield from invent_comments(random, cites)
    yield from ("12 CFR 1099.4(a)", "12 CFR part 1099, appendix A", "comment 4-1 of part 1099", "§ 1099.1")


def invent_comments(random: Random, cites: set[str]) -> Iterator[str]:
    spelled = [
        "comment {1} of part {0}",
        "12 CFR part {0}, Supp. I, comment {1}",
        "official interpretation {1} (Part {0})",
    ]
    comments = siblings(cites, r"(\d+ comment \d+(?:\(\w+\))*)-(\d+)")
    for above, last in comments.items():
        for number in beyond(last, random):
            part, _, place = above.split(" ")
            yield random.choice(spelled).format(part, f"{place}-{number}")
    points = siblings(cites, r"(\d+ comment \d+(?:\(\w+\))*-\d+)\.([ivx]+)")
    for above, last in points.items():
        for number in beyond(last, random):
            part, _, place = above.split(" ")
            yield random.choice(spelled).format(part, f"{place}.{number}")


def invent_articles(random: Random, cites: set[str]) -> Iterator[str]:
    spelled = [
        "{} GDPR",
        "GDPR {}",
        "{} of Regulation (EU) 2016/679",
        "{} of the General Data Protection Regulation",
        "{}",
    ]
    for above, last in siblings(cites, r"(Article \d+(?:\(\w+\))*)\((\w+)\)").items():
        for number in beyond(last, random):
            if (cite := f"{above}({number})") not in cites:
                cite = random.choice([cite, cite.replace("Article", "Art."), cite.replace("Article", "art.")])
                yield random.choice(spelled).format(cite)
    for article in (100, 101, 120, 173, 250, 1999):
        yield from (one.format(f"Article {article}") for one in spelled)
    for recital in (174, 180, 999):
        yield from (one.format(f"Recital {recital}") for one in spelled)
    yield from (
        "Annex I GDPR",
        "Schedule 1 of Regulation (EU) 2016/679",
        "Article 6 of Directive 95/46/EC",
        "Chapter XIV GDPR",
    )


def invent_protocols(random: Random, cites: set[str]) -> Iterator[str]:
    spelled = [
        "{1} {0}",
        "{1} section {0}",
        "{1}, Section {0}",
        "{1} § {0}",
        "[{1}], Section {0}",
        "Section {0} of {1}",
        "see Section {0} of {1}",
    ]
    known: dict[str, set[str]] = {
        match[2]: set() for cite in cites if (match := re.fullmatch(r"Section (\S+) of (RFC\d+)", cite))
    }
    for cite in cites:
        if match := re.fullmatch(r"(?:Section|Appendix) (\S+) of (RFC\d+)", cite):
            known[match[2]].add(match[1])
    for document, numbers in sorted(known.items()):
        below: dict[str, list[str]] = defaultdict(list)
        for number in sorted(numbers):
            above, _, last = number.rpartition(".")
            below[above].append(last)
        for above, numbered in below.items():
            for number in beyond([one for one in numbered if one.isdigit()] or ["0"], random):
                cite = f"{above}.{number}" if above else number
                if cite not in numbers:
                    yield random.choice(spelled).format(
                        cite, random.choice([document, f"RFC {document[3:]}"])
                    )
        others = sorted({one for other in known.values() for one in other if "." in one} - numbers)
        for number in random.sample(others, 12):
            yield random.choice(spelled).format(number, document)
    yield from (
        "RFC 9999, Section 1",
        "RFC9999 4.3",
        "[RFC2119], Section 3",
        "RFC 7230, Appendix Q",
        "RFC 7231 § Z.1",
    )


INVENT: dict[str, Callable[[Random, set[str]], Iterator[str]]] = {
    "struct_regml": invent_regulations,
    "struct_eu": invent_articles,
    "struct_rfc": invent_protocols,
}
