"""Read the places of one mention: a word with its number, and the list that goes on from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from definitions.extract.found import Step
from definitions.extract.references import numbers, words
from definitions.extract.references.documents import DOCUMENT
from definitions.extract.references.patterns import (
    BARE_POINT,
    COMMENTS_ON,
    COUNTED,
    DEGREE,
    FOLLOWED,
    INNER,
    KIND,
    LIST,
    ORDINAL,
    PART_OF,
    QUANTITY,
    SMALL,
    THIS,
    WHOLE,
    WORD,
)

Steps = tuple[Step, ...]
FURTHEST_AHEAD = 12  # Members of a list; what stands behind a longer one is not looked for.


@dataclass(frozen=True, slots=True)
class Member:
    """One place of a list, where its own words stand."""

    start: int
    end: int
    steps: Steps
    is_range_end: bool = False


@lru_cache(maxsize=20_000)
def kind_of(word: str) -> str:
    """Return the kind that a word names; nothing for other words."""
    match = KIND.fullmatch(word)
    return match.lastgroup or "" if match else ""


def read_first(text: str, match: re.Match[str], kind: str) -> Member | None:
    if match.re is ORDINAL:
        steps: Steps = (Step(kind, numbers.count(match["ordinal"])),)
        return _read_inner(text, Member(match.start(), match.end(), steps), words.RANK[kind])
    number = read_number(match)
    if number is None or not _is_word(match):
        return None
    end, found = number
    if kind == "section" and COMMENTS_ON.search(text[max(match.start() - 20, 0) : match.start()]):
        kind = "comment"  # "the commentary to § 1013.4(q)"
    if text[match.end()] == "(":
        kind = words.BRACKETED.get(kind, kind)
    return _read_inner(text, Member(match.start(), end, _steps(kind, found)), words.RANK[kind])


def _is_word(match: re.Match[str]) -> bool:
    """Tell "s 5" and "r. 3" from initials: such a word is small, and a digit follows."""
    letters = match["word"].rstrip(".")
    if (
        letters != match["word"]
        and "\n" in match[0]
        and (match.string[match.end()] == "(" or letters.lower() == "app")
    ):
        return False  # The end of a sentence, and the number of the next line.
    if kind_of(match["word"]) in words.CAPITALIZED and letters.islower():
        return False
    if len(letters) > 1 or letters in "§¶":
        return True
    is_possessive = match.start() > 0 and match.string[match.start() - 1] in "'’"
    return letters.islower() and match.string[match.end()].isdigit() and not is_possessive


def _steps(kind: str, found: tuple[str, ...]) -> Steps:
    return (Step(kind, found[0]), *(Step("", number) for number in found[1:]))


def read_number(word: re.Match[str]) -> tuple[int, tuple[str, ...]] | None:
    """Return the end of the number behind a word and its steps, if it can be one of this kind."""
    text, kind = word.string, kind_of(word["word"])
    match = numbers.FULL.match(text, word.end())
    if match is None or _is_none(match, kind):
        match = SMALL.match(text, word.end()) if kind == "point" else None
        is_bare = BARE_POINT.fullmatch(word["word"]) is not None
        if match is None or not (is_bare or match[0].endswith(")")):
            return None
    end = match.end()
    if match.re is numbers.FULL and match["hyphen"] and kind != "comment":
        end = match.start("hyphen")
    found = numbers.read_steps(text[match.start() : end])
    if COUNTED.fullmatch(word["word"]):
        found = (found[0] + numbers.COUNTED, *found[1:])
    if kind == "comment" and (parts := re.fullmatch(r"(\d+)(-\d+)", found[0])):
        found = (parts[1], parts[2], *found[1:])  # "comment 9-5"
    return end, found


def _is_none(match: re.Match[str], kind: str) -> bool:
    """Tell numbers that this kind does not have: "point A", "form 10", "Part 2016 percent"."""
    if kind in words.CODED:
        return not re.match(r"[A-Z]{1,2}-\d", match[0])
    if match["capital"] is not None:
        return kind not in words.LETTERED
    if kind == "regulation" and match[0][0] == "(":
        return match[0][1].isupper()  # "Regulation (EU) 2016/679"
    is_year = kind == "regulation" and re.match(r"\d{4}", match[0])
    if match["number"] is not None and (kind in {"point", "item"} or is_year):
        return not FOLLOWED.match(match.string, match.end())
    return QUANTITY.match(match.string, match.end()) is not None


def _read_inner(text: str, member: Member, rank: int, *, is_ahead: bool = False) -> Member:
    """Go on down: "Artikel 6 Absatz 1 Buchstabe f", "Article 6, paragraph 1, first subparagraph"."""
    gap = INNER.match(text, member.end)
    found = _read_step(text, gap.end(), member, rank) if gap else None
    if gap is None or found is None:
        return member
    end, steps = found
    inner = Member(member.start, end, (*member.steps, *steps), member.is_range_end)
    if gap[0][0] == "," and not is_ahead and _is_part_of_another(text, inner):
        return member
    return _read_inner(text, inner, words.RANK[steps[0].kind], is_ahead=is_ahead)


def _read_step(text: str, position: int, member: Member, rank: int) -> tuple[int, Steps] | None:
    if match := ORDINAL.match(text, position):
        kind = kind_of(match["word"])
        counted = Step(kind, numbers.count(match["ordinal"]))
        return (match.end(), (counted,)) if words.RANK[kind] > rank else None
    if (match := DEGREE.match(text, position)) and rank >= words.RANK["article"]:
        return match.end(), (Step("point", match["number"]),)
    match = WORD.match(text, position)
    kind = kind_of(match["word"]) if match else ""
    if match and match["word"] == "§" and member.steps[-1].kind == "article":
        kind = "paragraph"  # Of a Belgian or Brazilian article: "art. 2º, § 1º".
    is_in_article = kind == "section" and member.steps[-1].kind == "article"  # "Article II, Section 1"
    if match is None or (words.RANK.get(kind, 0) <= rank and not is_in_article):
        return None
    number = read_number(match)
    return (number[0], _steps(kind, number[1])) if number else None


def _is_part_of_another(text: str, member: Member) -> bool:
    """Tell whether the end of it belongs to what follows: "Section 5, paragraph 2 of Section 7"."""
    ahead = islice(read_list(text, member, is_plural=True, is_ahead=True), FURTHEST_AHEAD)
    *_, last = ahead
    rank = words.RANK[member.steps[0].kind]
    if this := THIS.match(text, last.end):
        kind = kind_of(this["word"])
        return WHOLE.fullmatch(this["word"]) is None and words.RANK[kind] >= rank
    of = PART_OF.match(text, last.end)
    if of is None or DOCUMENT.match(text, of.end()):
        return False
    unit = WORD.match(text, of.end()) or ORDINAL.match(text, of.end())
    kind = kind_of(unit["word"]) if unit else ""
    return kind != "" and words.RANK[kind] >= rank


def read_list(text: str, first: Member, *, is_plural: bool, is_ahead: bool = False) -> Iterator[Member]:
    """Yield the members of a list: "(b), (c) and (d)", "§§ 5 to 7", "Abs. 1 und Abs. 3"."""
    yield from _split_range(first, is_plural=is_plural)
    last = first
    while (gap := LIST.match(text, last.end)) is not None:
        following = _read_next(text, gap, last, is_plural=is_plural, is_ahead=is_ahead)
        if following is None:
            return
        yield following
        last = following


def _split_range(first: Member, *, is_plural: bool) -> Iterator[Member]:
    """Yield both ends of "§§ 5-7" and "Section 3.1-3.5"; "§ 5-7" may be one number."""
    number = first.steps[-1].number
    ends = re.fullmatch(r"(\d+[a-z]?)-(\d+[a-z]?)", number) if is_plural else None
    ends = ends or re.fullmatch(r"(\d+(?:\.\d+)+)-(\d+(?:\.\d+)+)", number)
    if not (ends and _count(ends[1]) < _count(ends[2])):
        yield first
        return
    cut = first.end - len(ends[2])
    step = first.steps[-1]
    yield Member(first.start, cut - 1, (*first.steps[:-1], replace(step, number=ends[1])))
    yield Member(cut, first.end, (*first.steps[:-1], replace(step, number=ends[2])), is_range_end=True)


def _count(number: str) -> int:
    return int(re.sub(r"\D", "", number))


def _read_next(
    text: str, gap: re.Match[str], last: Member, *, is_plural: bool, is_ahead: bool
) -> Member | None:
    is_range_end = bool(gap["to"] or gap["dash"] or gap["en"])
    start = gap.end()
    found = _read_elliptic(text, gap, last, is_plural=is_plural) or _read_same_kind(text, start, last)
    if found is None:
        return None
    end, steps = found
    return _read_inner(text, Member(start, end, steps, is_range_end), _rank_of(steps), is_ahead=is_ahead)


def _rank_of(steps: Steps) -> int:
    return max(words.RANK.get(step.kind, 0) for step in steps) if steps[-1].kind else max(words.RANK.values())


def _read_elliptic(
    text: str, gap: re.Match[str], last: Member, *, is_plural: bool
) -> tuple[int, Steps] | None:
    has_word = bool(gap["and"] or gap["also"] or gap["to"] or gap["dash"] or gap["en"])
    match = numbers.ELLIPTIC.match(text, gap.end())
    if match and _is_elliptic(match, last, is_plural=is_plural):
        is_sure = has_word or FOLLOWED.match(text, match.end())
        joint = match[0][0] if match[0][0] in "-–‑." else ""
        return (
            (match.end(), numbers.go_on(last.steps, numbers.read_steps(match[0]), joint=joint))
            if is_sure
            else None
        )
    match = numbers.BARE.match(text, gap.end())
    if match is None or not _is_bare(match, last, is_sure=is_plural and has_word):
        return None
    return match.end(), numbers.count_on(last.steps, numbers.read_steps(match[0]))


def _is_elliptic(match: re.Match[str], last: Member, *, is_plural: bool) -> bool:
    if match[0][0] in "-–‑.":
        return len(last.steps) > 1
    if match[0][0] == "(" or match[0].endswith(")"):
        return True
    return is_plural and numbers.style_of(last.steps[-1].number) == "i"


def _is_bare(match: re.Match[str], last: Member, *, is_sure: bool) -> bool:
    """Tell a further number from whatever else is counted: "Section 5 and 10 days"."""
    before = next(step.number for step in reversed(last.steps) if step.kind)
    if numbers.style_of(before) != numbers.style_of(numbers.read_steps(match[0])[0]):
        return False
    if QUANTITY.match(match.string, match.end()):
        return False
    return is_sure or FOLLOWED.match(match.string, match.end()) is not None


def _read_same_kind(text: str, position: int, last: Member) -> tuple[int, Steps] | None:
    """Read "und Abs. 3" behind "§ 5 Abs. 1": the kind says what it replaces."""
    match = WORD.match(text, position)
    kind = kind_of(match["word"]) if match else ""
    place = next((index for index, step in enumerate(last.steps) if index and step.kind == kind), 0)
    number = read_number(match) if match and place else None
    if number is None:
        return None
    steps = (*last.steps[:place], *_steps(kind, number[1]))
    if _is_part_of_another(text, Member(position, number[0], steps)):
        return None
    return number[0], steps
