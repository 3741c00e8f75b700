"""A name that a document defines stands for the document that it means."""

from __future__ import annotations

import pytest

from definitions.extract.references.cite import cite_target
from definitions.gather import gather_findings
from documents.parse import parse_outline


def cited(text: str) -> list[str]:
    units = parse_outline(text, is_markdown=False).units
    findings = gather_findings(text, units, title="", file_name="rules.txt")
    return [cite_target(reference.target) for reference in findings.references]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (
            "1. In these rules “Act” means the Harbour Safety Act 2014.\n\n2. See section 14(d) of the Act.",
            "harbour safety act 2014 § 14(d)",
        ),
        (
            "We follow Regulation (EU) 2016/679 (the “GDPR”).\n\nYou may object under Article 21(1) GDPR.",
            "regulation 2016/679 article 21(1)",
        ),
        (
            "1. “Act” means a deed.\n\n2. See section 14(d) of the Act.",
            "act § 14(d)",
        ),
        (
            "1. See the Harbour Safety Act 2014.\n\n2. See section 14(d) of the Act.",
            "harbour safety act 2014 § 14(d)",
        ),
        (
            "1. See the First Act 2001 and the Second Act 2002.\n\n2. See section 14(d) of the Act.",
            "act § 14(d)",
        ),
        (
            "1. See the First Act 2001, the Second Act 2002 and section 14(d) of that Act.",
            "second act 2002 § 14(d)",
        ),
        (
            "1. See section 12(b), except for paragraph (c)(2) of that section.",
            "§ 12 paragraph c(2)",
        ),
        (
            "1. See section 3 of the Harbours Act 1964, except for paragraph (c) of that section.",
            "harbours act 1964 § 3 paragraph c",
        ),
    ],
)
def test_the_last_reference_is_read_by_what_is_defined(text: str, last: str) -> None:
    assert cited(text)[-1] == last


def test_a_name_holds_inside_its_scope_alone() -> None:
    text = (
        "Section 1. Pilots\n\nIn this section “Act” means the Pilotage Act 1983. See section 5 of the Act."
        "\n\nSection 2. Ships\n\nSee section 6 of the Act.\n"
    )
    assert cited(text) == ["pilotage act 1983", "pilotage act 1983 § 5", "act § 6"]
