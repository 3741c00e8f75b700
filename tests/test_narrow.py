"""A definition holds in the unit that its own words name."""

from __future__ import annotations

import pytest

from definitions.gather import gather_findings
from documents.parse import parse_outline

LAW = """§ 1 Quays

(a) A quay is safe.

(b) A quay is lit.

§ 2 Rafts

(a) {sentence}

(b) A raft is free.
"""


@pytest.mark.parametrize(
    ("sentence", "scope"),
    [
        ("For the purposes of paragraph (b), “raft” means a plank.", "§ 2(b)"),
        ("For purposes of § 1(b), “quay” means a wall.", "§ 1(b)"),
        ("In § 1, “quay” means a wall.", "§ 1"),
        ("For the purposes of this section, “raft” means a plank.", "§ 2"),
        ("For the purposes of § 9, “raft” means a plank.", "Document"),
        ("For the purposes of section 5 of the Rafts Act 1999, “raft” means a plank.", "Document"),
        ("Subject to § 1, “raft” means a plank.", "Document"),
        ("This follows § 1. A “raft” means a plank.", "Document"),
    ],
)
def test_the_scope_is_the_unit_that_is_named(sentence: str, scope: str) -> None:
    text = LAW.format(sentence=sentence)
    units = parse_outline(text, is_markdown=False).units
    (definition,) = gather_findings(text, units, title="", file_name="law.txt").definitions
    assert units[definition.scope].label == scope
