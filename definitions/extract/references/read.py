"""Read one mention with all that belongs to it: its list, and the whole that it is a part of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from definitions.extract.found import Step, Target
from definitions.extract.references import words
from definitions.extract.references.documents import (
    DOCUMENT,
    NAME,
    named_key,
    plain_key,
    target_of,
    trailing_document,
)
from definitions.extract.references.members import Member, Steps, kind_of, read_first, read_list
from definitions.extract.references.patterns import (
    ORDINAL,
    OWN,
    PART_OF,
    PLURAL,
    THAT,
    THIS,
    UNNUMBERED,
    WORD,
)


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


def read_mention(text: str, match: re.Match[str], tags: dict[str, str]) -> list[Mention]:
    """Return the places that are named from a word such as "Articles" on; none if no number follows."""
    kind = kind_of(match["word"])
    first = read_first(text, match, kind) if kind else None
    if first is None:
        return []
    members = list(read_list(text, first, is_plural=bool(PLURAL.fullmatch(match["word"]))))
    whole = _read_whole(text, members[-1], kind, tags)
    if kind in words.INNER and not whole.target.steps:
        return []
    form = kind if kind != "regulation" or whole.target.document or whole.target.base else "rule"
    own = [
        Mention(one.start, one.end, form, _below(whole.target, one.steps), one.is_range_end)
        for one in members
    ]
    return [*own, *whole.mentions]


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


def _read_whole(text: str, last: Member, kind: str, tags: dict[str, str]) -> Whole:
    """Read what a mention is a part of: a larger unit, the document itself, or another one."""
    if match := THIS.match(text, last.end):
        return Whole(match.end(), Target(base=kind_of(match["word"]) or "document"))
    of = PART_OF.match(text, last.end)
    if of and (whole := _read_whole_unit(text, of.end(), words.RANK[last.steps[0].kind], tags)):
        return whole
    if of and (whole := _read_document(text, of.end(), tags)):
        return whole
    return _read_other(text, last.end, kind) or Whole(last.end)


def _read_other(text: str, position: int, kind: str) -> Whole | None:
    """Read "of the Act", "to the regulation", and the code in "§ 823 BGB"."""
    if match := OWN.match(text, position):
        return Whole(match.end(), Target(base="document"))
    if match := THAT.match(text, position):
        return Whole(match.end(), Target(document=plain_key(match["name"]), is_external=True))
    code = trailing_document(text, position) if kind in {"section", "article"} else None
    return Whole(*code) if code else None


def _read_whole_unit(text: str, position: int, rank: int, tags: dict[str, str]) -> Whole | None:
    match = WORD.match(text, position) or ORDINAL.match(text, position)
    if match is None or not _holds(kind_of(match["word"]), rank):
        return _read_unnumbered(text, position, rank, tags)
    mentions = read_mention(text, match, tags)
    if not mentions:
        return None
    return Whole(mentions[-1].end, mentions[0].target, tuple(mentions))


def _holds(kind: str, rank: int) -> bool:
    """Tell whether a kind can stand around another; parts and chapters have appendices too."""
    return bool(kind) and (words.RANK[kind] < rank or (rank == 0 and kind in words.DIVISIONS))


def _read_unnumbered(text: str, position: int, rank: int, tags: dict[str, str]) -> Whole | None:
    """Read "the appendix" of a document that has one."""
    match = UNNUMBERED.match(text, position)
    if match is None or rank == 0:
        return None
    step = Step(kind_of(match["word"]), "")
    whole = _read_whole(text, Member(position, match.end(), (step,)), step.kind, tags)
    return Whole(whole.end, _below(whole.target, (step,)))


def _read_document(text: str, position: int, tags: dict[str, str]) -> Whole | None:
    match = DOCUMENT.match(text, position)
    if match and (target := target_of(match, tags)):
        mention = Mention(match.start(), match.end(), "document", target)
        return Whole(match.end(), replace(target, steps=()), (mention,) if match["tag"] else ())
    if name := NAME.match(text, position):
        return Whole(name.end(), Target(document=named_key(name["name"]), is_external=True))
    return None
