"""An answer is shown as it stands: quotations that are in their sources, marks that there are, the rest."""

from __future__ import annotations

import pytest

from search.check_answer import Claim, Standing, check_answer, sentences_of

SOURCES = {
    1: "(a) The master of a vessel shall not exceed six knots in the inner harbour.",
    2: "(b) A vessel under **section 3** may exceed that speed.",
}


def only(text: str) -> Claim:
    (paragraph,) = check_answer(text, SOURCES)
    (claim,) = paragraph
    return claim


def shown(claim: Claim) -> str:
    return "".join(part.text for part in claim.parts)


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("The master “shall not exceed six knots” there [1].", Standing.QUOTED),
        ("“The master of a vessel shall not exceed six knots … in the inner harbour.” [1]", Standing.QUOTED),
        ("“A vessel under section 3 may exceed that speed” [2].", Standing.QUOTED),
        ('It "shall not exceed six knots" [2, 1].', Standing.QUOTED),
        ("Six knots are the most [1].", Standing.CITED),
        ("Six knots are the most. [1][2]", Standing.CITED),
    ],
)
def test_what_can_be_checked_is_told_from_what_cannot(text: str, standing: Standing) -> None:
    assert (only(text).standing, only(text).problem) == (standing, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "The master “shall not exceed seven knots” [1].",
            "“shall not exceed seven knots” does not stand word for word in the source that is named.",
        ),
        (
            "The master “shall not exceed six knots” [2].",
            "“shall not exceed six knots” does not stand word for word in the source that is named.",
        ),
        (
            "The master “shall not exceed six knots”.",
            "“shall not exceed six knots” does not stand word for word in the source that is named.",
        ),
        ("Six knots are the most [3].", "It names [3], and there is no such source."),
        ("Six knots are the most [1][9].", "It names [9], and there is no such source."),
        ("Six knots are the most.", "It names no source."),
        (
            f"It is “{'said so ' * 20}” [1].",
            "“said so said so said so said so said so said so said so said…” does",
        ),
    ],
)
def test_what_does_not_stand_is_never_shown_as_if_it_did(text: str, problem: str) -> None:
    claim = only(text)
    assert claim.standing == Standing.UNVERIFIED
    assert claim.problem.startswith(problem)
    assert not any(part.is_quotation for part in claim.parts)


def test_a_mark_without_a_source_is_left_out() -> None:
    claim = only("Six knots [1] are the most [9], or [12, 2].")
    assert shown(claim) == "Six knots[1] are the most, or[2]."
    assert [part.mark for part in claim.parts if part.mark] == [1, 2]


def test_paragraphs_and_sentences_are_checked_one_by_one() -> None:
    said = "The master “shall not exceed six knots” [1]. A vessel may [7].\n\n- Others do not matter."
    first, second = check_answer(said, SOURCES)
    assert [claim.standing for claim in first] == [Standing.QUOTED, Standing.UNVERIFIED]
    assert [shown(claim) for claim in first] == [
        "The master “shall not exceed six knots”[1].",
        "A vessel may.",
    ]
    assert [shown(claim) for claim in second] == ["Others do not matter."]


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("One [1]. Two [2].", ["One [1].", "Two [2]."]),
        ("One. [1] Two. [2]", ["One. [1]", "Two. [2]"]),
        ("“One. And more of it.” [1] Two [2].", ["“One. And more of it.” [1]", "Two [2]."]),
        ("See 1.2 and e.g.this [1]", ["See 1.2 and e.g.this [1]"]),
        ("", []),
    ],
)
def test_sentences_end_behind_their_marks_and_not_in_quotations(paragraph: str, sentences: list[str]) -> None:
    assert list(sentences_of(paragraph)) == sentences


def test_a_source_that_could_not_be_read_says_nothing() -> None:
    ((claim,),) = check_answer("“shall not exceed six knots” [1]", {1: ""})
    assert claim.standing == Standing.UNVERIFIED
