"""A query is read once: what it cites, quotes, asks for, and what is left."""

from __future__ import annotations

import pytest

from search.understand.query import QueryKind, understand_query


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("Article 6(1)(f) GDPR", QueryKind.CITATION),
        ("What does 12 CFR 1002.5(c)(2)(ii) say?", QueryKind.CITATION),
        ("Which provisions refer to section 3?", QueryKind.CITING),
        ("references to personal data", QueryKind.KEYWORD),
        ("What does “vessel” mean?", QueryKind.DEFINITION),
        ("definition of vessel", QueryKind.DEFINITION),
        ('"shall not disclose"', QueryKind.PHRASE),
        ('who "shall not disclose" the names of those who were rescued', QueryKind.QUESTION),
        ("berth fee", QueryKind.KEYWORD),
        ("how fast may a vessel go in the inner harbour?", QueryKind.QUESTION),
        ("speed of a vessel in section 2(a) of the Harbour Safety Act", QueryKind.QUESTION),
    ],
)
def test_a_query_has_a_kind(query: str, kind: QueryKind) -> None:
    assert understand_query(query).kind == kind


def test_the_number_of_a_citation_beside_other_words_may_be_mentioned_elsewhere() -> None:
    understood = understand_query("what must an employee ensure under Rule 6.2.1(a) when using getTarget?")
    assert [place.text for place in understood.cited] == ["Rule 6.2.1(a)"]
    assert understood.identifiers == ("6.2.1(a)", "getTarget")
    assert understand_query("Rule 6.2.1(a)").identifiers == ()
