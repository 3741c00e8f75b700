"""Read one mention with all that belongs to it: its list, and the whole that it is a part of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from definitions.extract.found import Step, Target
from definitions.extract.references import words
from definitions.extract.references.acts import read_act, trailing_act
from definitions.extract.references.documents import DOCUMENT, plain_key, target_of
from definitions.extract.references.members import Member, Steps, kind_of, read_first, read_list
from definitions.extract.references.patterns import (
    ALONE,
    DEFINED,
    ORDINAL,
    OWN,
    PART_OF,
    PLURAL,
    PRECEDES_NUMBER,
    THAT,
    THAT_UNIT,
    THIS,
    UNNUMBERED,
    WHOLE,
    WORD,
)

PLACE = re.compile(
    r"[\s,]*(?:to|in|under|im|i|w)\b|\s\(", re.IGNORECASE
)  # Of a place, and of nothing else? Not sure.
TITLE = re.compile(r"title\s(\d{1,2})(?!\w|\.\d)")  # Of the United States Code, by whoever writes it small.


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that was read, with its form and its whole target."""

    start: int
    end: int
    form: str
    target: Target
    is_range_end: bool = False


@dataclass(frozen=True, slots=True)
class Whole:
    """What stands behind a mention and says what it is a part of."""

    end: int
    target: Target = field(default_factory=Target)
    mentions: tuple[Mention, ...] = ()


def read_mention(
    text: str, match: re.Match[str], tags: dict[str, str], inner: frozenset[str] = frozenset()
) -> list[Mention]:
    """Return the places that are named from a word such as "Articles" on; none if no number follows.

    `inner` are the kinds that were read before and are part of it.
    """
    kind = kind_of(match["word"])
    first = read_first(text, match, kind) if kind else None
    if first is None:
        return []
    members = list(read_list(text, first, is_plural=bool(PLURAL.fullmatch(match["word"]))))
    whole = _read_whole(text, members[-1], inner | {first.steps[0].kind}, tags)
    if kind in words.INNER and not whole.target.steps and not inner and not _stands_alone(match):
        return []
    form = kind if kind != "regulation" or whole.target.document or whole.target.base else "rule"
    own = [
        Mention(one.start, one.end, form, _below(whole.target, one.steps), one.is_range_end)
        for one in members
    ]
    return [*own, *whole.mentions]


def _stands_alone(match: re.Match[str]) -> bool:
    """Tell "nach Satz 1" and "o n.º 1" from "No. 5 of 2004"."""
    if match.re is ORDINAL or ALONE.fullmatch(match["word"]):
        return match["word"][0].isupper()
    before = match.string[max(match.start() - 6, 0) : match.start()]
    return "." in match["word"] and match["word"][-1] in "º°" and PRECEDES_NUMBER.search(before) is not None


def read_listed(text: str, mention: Mention) -> list[Mention]:
    """Return a mention of a unit elsewhere with those that go on from it: "5 U.S.C. 552(b)(4) and (6)"."""
    if not mention.target.steps:
        return [mention]
    first = Member(mention.start, mention.end, mention.target.steps)
    return [
        Mention(one.start, one.end, mention.form, replace(mention.target, steps=one.steps), one.is_range_end)
        for one in read_list(text, first, is_plural=False)
    ]


def _below(whole: Target, steps: Steps) -> Target:
    return replace(whole, steps=(*whole.steps, *steps))


def _read_whole(text: str, last: Member, inner: frozenset[str], tags: dict[str, str]) -> Whole:
    """Read what a mention is a part of: a larger unit, the document itself, or another one."""
    if match := THIS.match(text, last.end):
        return Whole(match.end(), Target(base=kind_of(match["word"]) or "document"))
    kind = last.steps[0].kind
    if (match := THAT_UNIT.match(text, last.end)) and not WHOLE.fullmatch(match["word"]):
        return Whole(match.end(), Target(base=words.THAT + kind_of(match["word"])))
    if match := DEFINED.match(text, last.end):
        return _read_defined(text, match, inner, tags)
    of = PART_OF.match(text, last.end)
    if of and (whole := _read_whole_unit(text, of, kind, inner, tags)):
        return whole
    is_capital = text[last.start : last.end].isupper() and text[last.start].isalpha()
    if of and (whole := _read_document(text, of.end(), tags, is_capital=is_capital)):
        return whole
    return _read_other(text, last.end, kind, tags) or Whole(last.end)


def _read_defined(text: str, match: re.Match[str], inner: frozenset[str], tags: dict[str, str]) -> Whole:
    """Read the definition that holds a list, and what it is a part of itself."""
    step = Step(words.DEFINITION, " ".join((match["quoted"] or match["term"]).split()))
    whole = _read_whole(text, Member(match.start(), match.end(), (step,)), inner, tags)
    return replace(whole, target=_below(whole.target, (step,)))


def _read_other(text: str, position: int, kind: str, tags: dict[str, str]) -> Whole | None:
    """Read "of the Act", "to the regulation", the code in "§ 823 BGB", and an act in the genitive."""
    if match := OWN.match(text, position):
        return Whole(match.end(), Target(base="document"))
    if match := THAT.match(text, position):
        key = (words.THAT if match["that"] else "") + plain_key(match["name"])
        return Whole(match.end(), Target(document=key, is_external=True))
    if code := trailing_act(text, position, is_short=kind in {"section", "article"}):
        return Whole(*code)
    match = DOCUMENT.match(text, position + 1) if text[position : position + 1] == " " else None
    if match is None or match["eu_family"] is None or match["eu_family"][0].isupper():
        return None
    return _read_document(text, position + 1, tags, is_capital=True)


def _read_whole_unit(
    text: str, of: re.Match[str], kind: str, inner: frozenset[str], tags: dict[str, str]
) -> Whole | None:
    match = WORD.match(text, of.end()) or ORDINAL.match(text, of.end())
    around = kind_of(match["word"]) if match else ""
    if match is None or around in inner or not _holds(around, kind, is_sure=not PLACE.match(of[0])):
        return _read_unnumbered(text, of.end(), kind, inner, tags)
    mentions = read_mention(text, match, tags, inner)
    if not mentions:
        return None
    return Whole(mentions[-1].end, mentions[0].target, tuple(mentions))


def _holds(around: str, kind: str, *, is_sure: bool) -> bool:
    """Tell whether a kind can stand around another. Drafters differ: sections hold articles, or are held."""
    if not around:
        return False
    if words.RANK[around] < words.RANK[kind] or (kind in words.BESIDE and around in words.DIVISIONS):
        return True
    return is_sure and any(
        {around, kind} <= set(group) for group in (words.DIVISIONS, words.CITED, words.BELOW)
    )


def _read_unnumbered(
    text: str, position: int, kind: str, inner: frozenset[str], tags: dict[str, str]
) -> Whole | None:
    """Read "the appendix" of a document that has one."""
    match = UNNUMBERED.match(text, position)
    if match is None or kind in words.BESIDE:
        return None
    step = Step(kind_of(match["word"]), "")
    whole = _read_whole(text, Member(position, match.end(), (step,)), inner | {step.kind}, tags)
    return Whole(whole.end, _below(whole.target, (step,)))


def _read_document(text: str, position: int, tags: dict[str, str], *, is_capital: bool) -> Whole | None:
    match = DOCUMENT.match(text, position)
    if match and (target := target_of(match, tags)):
        mention = Mention(match.start(), match.end(), "document", target)
        return Whole(match.end(), replace(target, steps=()), (mention,) if match["tag"] else ())
    if title := TITLE.match(text, position):
        return Whole(title.end(), Target(document=f"usc {title[1]}", is_external=True))
    act = read_act(text, position, is_capital=is_capital)
    return Whole(*act) if act else None
