"""Read citations from their words on: lists, ranges, what each is a part of, and the document by number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from definitions.extract.found import Step
from definitions.extract.references import signs, words
from definitions.extract.references.numbers import COUNTED, count, count_on, go_on, read_steps
from definitions.extract.references.patterns import ORDINAL, PLURAL, QUANTITY
from definitions.extract.references.read import Mention
from documents.parse.numbers import number_in_words
from documents.parse.words import BEHIND_NUMBER
from search.understand.cited_bare import read_bare, read_bound
from search.understand.cited_words import (
    DIRECT,
    DIVIDING,
    DIVISION,
    ENUM,
    LETTER,
    NUMBER,
    RANK,
    WORD,
    Steps,
    kind_of,
    read_number,
    read_short_german,
)
from search.understand.document_words import OF, read_document

OPENS = re.compile(r"\s*[(\[]\s*")
CLOSES = re.compile(r"\s*[)\]]")
DOWN = re.compile(r"\s*[,:;]?\s*(?:(?:the|der|le|la)\s)?")
LIST = re.compile(
    rf"\s*(?P<comma>[,;])\s*(?:(?:{words.AND})\s+)?|\s+(?:(?:{words.AND})|(?P<to>{words.TO}))\s+|\s*[&+]\s*"
    r"|\s?(?P<dash>-)\s?(?=[(\d])",
    re.IGNORECASE,
)
BEHIND_DOCUMENT = re.compile(r"[\s,:;-]*(?:\(\s*)?(?:at\s|in\s|under\s)?", re.IGNORECASE)
SUFFIX = re.compile(r"\s(?:bekezdés\w*|pont\w*|cikk\w*|fıkra\w*|bent\w*|maddesi\w*)(?!\w)", re.IGNORECASE)
TWO_WORDS = re.compile(
    r"(?P<word>official\s\w+|additional\sprovision|transitional\sprovision|final\sprovision|disp(?:osici[oó]n|\.)\s\w+"
    r"|d\.\s?[atf]\.)\s(?=[\d(\w])",
    re.IGNORECASE,
)
BEHIND = re.compile(
    rf"(?P<number>\d{{1,3}}(?:/[A-Z]|[a-z]|\s[a-z](?=\s§))?|[IVXLC]{{1,6}}(?=\.|\s))\.?\s?(?P<word>(?:{BEHIND_NUMBER}|kap)(?:e?s|n)?)(?![\w§])",
    re.IGNORECASE,
)
# A letter that would be something else elsewhere: the sentence of a German, the comma of an Italian article.
SHORT = re.compile(r"(?P<word>S\.|Z\.?|c\.|co\.)\s?(?P<number>\d{1,2}(?:-?(?:bis|ter))?)(?![\w(])")
# The parts of a French article: "II, 2°, b", and "b du 2° du II de l'article L. 111-2".
FRENCH_PART = re.compile(
    r"(?P<roman>I{1,3}|IV|VI{0,3}|V|IX|X{1,2})(?![\w.’'°])(?:[ ]?-(?=[ ]))?"
    r"|(?P<degree>\d{1,2}°(?:[ ](?:bis|ter|quater)\b)?)|(?P<letter>[a-z])\)?(?![\w’'])"
)
FRENCH = re.compile(
    rf"(?P<parts>(?:{signs.PART.pattern})(?:\sdu\s(?:{signs.PART.pattern}))*)\sde\sl['’](?=art)"
)
# "the First Schedule", "Second Annex".
IN_WORDS = re.compile(r"(?P<ordinal>[^\W\d_]{4,12})\s(?P<word>[^\W\d_]{4,12})(?!\w)")
ANNEX = re.compile(r"(?P<word>[^\W\d_]{3,14}\.?)(?![\w’'])")
NOTHING_BEFORE = re.compile(
    r"\W*(?:(?:what|does|do|is|says?|show|me|find|read|text|of|see|in|under|the|was|steht|siehe|im|voir|que|dit|ver"
    r"|die|der|la|l['’]|el|il|le)\s+)*",
    re.IGNORECASE,
)
NAMING = frozenset({"policy", "guideline"})  # Behind other words, the last word of a name.
NOTHING_BEHIND = re.compile(r"\W*$")
START = re.compile(r"(?<![\w§¶])(?=[\w§¶\[第제])")


@dataclass(frozen=True, slots=True)
class Member:
    """One place of a list."""

    start: int
    end: int
    steps: Steps
    through: Steps = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A citation with its list and its document, where it stands."""

    start: int
    end: int
    members: tuple[Member, ...] = ()
    document: str = ""
    is_bare: bool = False  # Without a word that says what the number is.
    is_bound: bool = False
    is_coded: bool = False


@dataclass(slots=True)
class _Reading:
    """What was read so far, from a place on."""

    text: str
    end: int
    members: list[Member] = field(default_factory=list)
    outer: Steps = ()
    document: str = ""

    def finish(self, start: int, *, is_bare: bool = False) -> Run:
        members = tuple(
            replace(one, steps=(*self.outer, *one.steps), through=one.through and (*self.outer, *one.through))
            for one in self.members
        )
        return Run(start, self.end, members, self.document, is_bare)


def find_runs(text: str) -> Iterator[Run]:
    """Yield citations in the order of the text; none overlap."""
    mentions = {mention.start: mention for mention in reversed(list(signs.find_signs(text)))}
    done, is_any = 0, False
    for place in START.finditer(text):
        if place.start() < done:
            continue
        run = _read_run(text, place.start(), mentions)
        if run is not None:
            done, is_any = run.end, True
            yield run
    if not is_any and (bound := read_bound(text)):
        member = Member(*bound, (Step("section", text[slice(*bound)]),))
        yield Run(member.start, member.end, (member,), is_bare=True, is_bound=True)


def _read_run(text: str, position: int, mentions: dict[int, Mention]) -> Run | None:
    if document := read_document(text, position):
        return _read_below_document(text, position, document.end, document.key, document.steps)
    if (french := _read_french(text, position)) is not None:
        return french
    if (sign := mentions.get(position)) is not None:
        return _read_sign(text, sign)
    if part := _read_part(text, position):
        reading = _Reading(text, part.end, [part])
        _go_on(reading)
        return reading.finish(position)
    return _read_bare(text, position) or _read_only_annex(text, position)


def _read_only_annex(text: str, position: int) -> Run | None:
    """Read an annex without a number where a query begins with it: "Schedule, para. 2", "the Annex"."""
    annex = _read_annex(text, position) if NOTHING_BEFORE.fullmatch(text, 0, position) else None
    if annex is None:
        return None
    reading = _Reading(text, annex.end, [annex])
    _go_on(reading)
    is_followed = NOTHING_BEHIND.match(text, reading.end) or OF.match(text, reading.end)
    return reading.finish(position) if reading.end > annex.end or is_followed else None


def _read_annex(text: str, position: int) -> Member | None:
    match = ANNEX.match(text, position)
    kind = kind_of(match["word"]) if match else ""
    return Member(position, match.end(), (Step(kind, ""),)) if match and kind in words.BESIDE else None


def _read_french(text: str, position: int) -> Run | None:
    """Read "b du 2° du II de l'article L. 111-2", from the inside out."""
    match = FRENCH.match(text, position)
    article = _read_part(text, match.end()) if match else None
    if match is None or article is None or article.steps[0].kind != "article":
        return None
    parts = [Step("point", part.replace("°", "")) for part in signs.PART.findall(match["parts"])]
    steps = (*article.steps, *reversed(parts))
    reading = _Reading(text, article.end, [Member(position, article.end, steps)])
    _go_on(reading)
    return reading.finish(position)


def _read_sign(text: str, mention: Mention) -> Run:
    steps = mention.target.steps
    end = mention.end
    if tail := ENUM.match(text, end + (text[end : end + 1] == " ")):
        below = read_steps(re.sub(r"\s", "", tail[0]))
        end, steps = tail.end(), (*steps, *(Step("", one) for one in below))
    member = Member(mention.start, end, steps)
    reading = _Reading(text, member.end, [member])
    _go_on(reading)
    return reading.finish(member.start)


def _read_below_document(text: str, start: int, end: int, key: str, steps: Steps) -> Run:
    """Read the unit behind its document: "RFC 7230, Section 3", "RFC7540 5.3.2"."""
    reading = _Reading(text, end, document=key)
    if steps:
        reading.members.append(Member(start, end, steps))
        _go_on(reading)
        return reading.finish(start)
    gap = BEHIND_DOCUMENT.match(text, end)
    position = gap.end() if gap else end
    part = _read_part(text, position)
    plain = _read_plain(text, position) if part is None and position > end else None
    part = part or plain
    if part is not None:
        reading.members.append(part)
        reading.end = part.end
        _go_on(reading)
        closing = CLOSES.match(text, reading.end) if gap and "(" in gap[0] else None
        reading.end = closing.end() if closing else reading.end
    return reading.finish(start, is_bare=plain is not None)


def _read_plain(text: str, position: int) -> Member | None:
    """Read a number that needs no word, because its document stands before it."""
    match = NUMBER.match(text, position) or LETTER.match(text, position)
    is_year = match is not None and re.fullmatch(r"(?:19|20)\d\d", match[0])
    if match is None or is_year or QUANTITY.match(text, match.end()):
        return None
    if match.re is LETTER and not re.match(r"\s*$", text[match.end() :]) and not match[0][0].isupper():
        return None
    if match.re is LETTER and len(match[0]) == 1 and not re.match(r"\s*[?.!]*$", text[match.end() :]):
        return None
    number = read_number(text, position, "section")
    return Member(position, number[0], number[1]) if number else None


def _read_part(text: str, position: int) -> Member | None:
    """Read a word with its number, "Art. 6(1)(f)", or an ordinal with its word, "second subparagraph"."""
    if match := ORDINAL.match(text, position):
        kind = kind_of(match["word"])
        return Member(position, match.end(), (Step(kind, count(match["ordinal"])),)) if kind else None
    if found := _read_behind(text, position) or _read_in_words(text, position):
        return found
    for pattern in (TWO_WORDS, WORD, ONE_WORD):
        match = pattern.match(text, position)
        kind = kind_of(match["word"]) if match else ""
        if match and kind in NAMING and re.search(r"\w\s$", text[:position]):
            return None  # "Information Security Policy 3.1"
        if match and kind and _is_word(match):
            number = read_number(text, match.end(), kind)
            if number and kind == "section" and DIVIDING.fullmatch(match["word"]):
                number = number[0], (replace(number[1][0], kind=DIVISION), *number[1][1:])
            part = _finish_part(text, position, kind, number) if number else None
            return _split_range(part) if part and PLURAL.fullmatch(match["word"]) else part
    return None


ONE_WORD = re.compile(r"(?P<word>§§?|¶¶?|[^\W\d_]{1,20}\.?)(?P<gap>\s*(?=[\d(\[])|\s(?=[^\W\d_]))")


def _read_behind(text: str, position: int) -> Member | None:
    """Read a number before its word: "1. Abschnitt", "2 kap.", "I. FEJEZET", "5. § (2)"."""
    match = BEHIND.match(text, position)
    kind = kind_of(match["word"]) if match else ""
    if match is None or not kind:
        return None
    kind = DIVISION if DIVIDING.fullmatch(match["word"]) else kind
    tail = ENUM.match(text, match.end() + (text[match.end() : match.end() + 1] == " "))
    below = read_steps(re.sub(r"\s", "", tail[0])) if tail else ()
    end = tail.end() if tail else match.end()
    return Member(position, end, (Step(kind, match["number"]), *(Step("", one) for one in below)))


def _read_in_words(text: str, position: int) -> Member | None:
    """Read an annex whose number is a word: "First Schedule"."""
    match = IN_WORDS.match(text, position)
    value = number_in_words(match["ordinal"]) if match else None
    kind = kind_of(match["word"]) if match and value else ""
    if match is None or kind not in words.BESIDE:
        return None
    return Member(position, match.end(), (Step(kind, str(value)),))


def _split_range(part: Member) -> Member:
    """Read "§§ 5-7" as a range; "§ 5-7" may be one number."""
    ends = re.fullmatch(r"(\d+)-(\d+)", part.steps[-1].number)
    if ends is None or int(ends[1]) >= int(ends[2]):
        return part
    first, last = (replace(part.steps[-1], number=number) for number in ends.groups())
    return replace(part, steps=(*part.steps[:-1], first), through=(*part.steps[:-1], last))


def _is_word(match: re.Match[str]) -> bool:
    """Tell "s 5" and "r. 3" from initials: such a word is small, and a digit follows."""
    letters = match["word"].rstrip(".")
    after = match.string[match.end() : match.end() + 1]
    is_joined = match.end() == match.end("word")
    if is_joined and after != "(" and not match["word"].endswith(".") and not DIRECT.fullmatch(match["word"]):
        return False
    if len(letters) > 1 or letters in "§¶":
        return True
    return letters.islower() and after.isdigit()


def _finish_part(text: str, start: int, kind: str, number: tuple[int, Steps]) -> Member:
    end, steps = number
    if kind in {"section", "article"} and len(steps) == 1 and (short := read_short_german(text, end)):
        end, steps = short[0], (*steps, *short[1])
    if suffix := SUFFIX.match(text, end):
        end = suffix.end()
    return Member(start, end, steps)


def _go_on(reading: _Reading) -> None:
    """Read what belongs to a citation behind it: what it is a part of, what goes further down, its list."""
    while (
        _read_document_around(reading) or _read_whole(reading) or _read_down(reading) or _read_next(reading)
    ):
        pass


def _read_document_around(reading: _Reading) -> bool:
    if reading.document:
        return False
    for pattern in (OF, OPENS, DOWN):
        gap = pattern.match(reading.text, reading.end)
        document = read_document(reading.text, gap.end()) if gap else None
        if gap and document and not document.steps and gap.end() > reading.end:
            reading.document = document.key
            closing = CLOSES.match(reading.text, document.end) if pattern is OPENS else None
            reading.end = closing.end() if closing else document.end
            return True
    return False


def _read_whole(reading: _Reading) -> bool:
    """Read the larger unit that is named behind: "(a) of Article 6", "comment 4 (Part 1003)"."""
    for pattern in (OF, OPENS):
        gap = pattern.match(reading.text, reading.end)
        part = _read_part(reading.text, gap.end()) if gap else None
        if gap and part is None and pattern is OF:
            part = _read_annex(reading.text, gap.end())
        closing = CLOSES.match(reading.text, part.end) if part and pattern is OPENS else None
        if part is None or (pattern is OPENS and closing is None):
            continue
        part = part if closing else _read_chain(reading.text, part)
        reading.outer = (*part.steps, *reading.outer)
        reading.end = closing.end() if closing else part.end
        return True
    return False


def _read_chain(text: str, part: Member) -> Member:
    """Read on down from what something is a part of: "of Article II, Section 1"."""
    gap = DOWN.match(text, part.end)
    below = _read_part(text, gap.end()) if gap and gap.end() > part.end else None
    if below is None or not _goes_below(below.steps, part.steps):
        return part
    return _read_chain(text, replace(part, end=below.end, steps=(*part.steps, *below.steps)))


def _goes_below(steps: Steps, above: Steps) -> bool:
    last = next(step.kind for step in reversed(above) if step.kind)
    return _rank(steps) > RANK.get(last, words.LOW) or (last, steps[0].kind) == ("article", "section")


def _read_down(reading: _Reading) -> bool:
    """Read a unit that follows with a comma or nothing between: mostly a smaller one."""
    gap = DOWN.match(reading.text, reading.end)
    last = reading.members[-1]
    if gap is None or gap.end() == reading.end:
        return False
    part = _read_short(reading, gap.end()) or _read_part(reading.text, gap.end())
    part = part or _read_french_part(reading, gap.end())
    if part is None:
        return False
    if _is_german_section(reading.text, last, part):
        last = replace(last, steps=(replace(last.steps[0], kind="section"),))
    rank, before = _rank(part.steps), [_rank((step,)) for step in last.steps if step.kind]
    is_listed = rank == before[-1] and not _goes_deeper(reading.text, last, part)
    if is_listed and not (last.steps[-1].kind == "article" and part.steps[0].kind == "section"):
        return False  # Another one of the same kind.
    is_outer = rank < before[0] and not (rank == 0 and last.steps[0].kind in words.DIVISIONS)
    if is_outer and len(reading.members) == 1:
        reading.outer = (*part.steps, *reading.outer)
    elif is_outer:
        return False
    else:
        reading.members[-1] = replace(last, end=part.end, steps=(*last.steps, *_as_below(part.steps, last)))
    reading.end = part.end
    return True


def _goes_deeper(text: str, last: Member, part: Member) -> bool:
    """Tell "II, 2°", and "onder b, onder 2°", from a list: the second is numbered in another way."""
    is_other = last.steps[-1].number[:1].isdigit() != part.steps[0].number[:1].isdigit()
    is_point = last.steps[-1].kind == part.steps[0].kind == "point"
    return FRENCH_PART.fullmatch(text, part.start, part.end) is not None or (is_point and is_other)


def _is_german_section(text: str, last: Member, part: Member) -> bool:
    """Tell "Paragraph 4 Absatz 2", whose first word means § in German."""
    return (
        len(last.steps) == 1
        and last.steps[0].kind == part.steps[0].kind == "paragraph"
        and text[part.start : part.start + 3].casefold() == "abs"
    )


def _read_short(reading: _Reading, position: int) -> Member | None:
    """Read "S. 2" behind "§ 4 Abs. 2", and "c. 2" behind "art. 1"."""
    match = SHORT.match(reading.text, position)
    kinds = {step.kind for step in reading.members[-1].steps}
    if match is None or not kinds & {"section", "article"}:
        return None
    if match["word"][0] in "SZ":
        is_sentence = match["word"][0] == "S"
        step = Step("sentence", match["number"] + COUNTED) if is_sentence else Step("number", match["number"])
        return Member(position, match.end(), (step,))
    step = Step("paragraph", match["number"])
    return Member(position, match.end(), (step,)) if "article" in kinds else None


def _read_french_part(reading: _Reading, position: int) -> Member | None:
    """Read one part of a French article behind it: "II", "2°", and "b" behind these."""
    match = FRENCH_PART.match(reading.text, position)
    last = reading.members[-1].steps[-1]
    kinds = {step.kind for step in reading.members[-1].steps}
    if match is None or "article" not in kinds:
        return None
    if match["letter"] and last.kind not in {"point", "item"}:
        return None
    return Member(position, match.end(), (Step("point", re.sub(r"[°)]|\s?-$", "", match[0])),))


def _as_below(steps: Steps, last: Member) -> Steps:
    """Read "§ 1" behind "Art. 2" as a paragraph of it, as in Belgium, Brazil and Poland."""
    if steps[0].kind == "section" and last.steps[-1].kind == "article" and not steps[0].number[:1].isupper():
        return (Step("section", steps[0].number), *steps[1:])
    return steps


def _rank(steps: Steps) -> float:
    return RANK.get(steps[0].kind, words.LOW)


def _read_next(reading: _Reading) -> bool:
    """Read the next member of a list: "(b) and (c)", "6 and 9", "5 to 7"."""
    gap = LIST.match(reading.text, reading.end)
    last = reading.members[-1]
    found = _read_elliptic(reading.text, gap, last) if gap else None
    if gap is None or found is None:
        return False
    end, steps = found
    if gap["comma"] and last.steps[0].kind in words.BESIDE and not _is_plural(reading.text, last):
        below = tuple(replace(step, kind="") for step in steps[len(last.steps) - 1 :])
        reading.members[-1] = replace(last, end=end, steps=(*last.steps, *below))
    elif gap["to"] or gap["dash"]:
        reading.members[-1] = replace(last, end=end, through=steps)
    else:
        reading.members.append(Member(gap.end(), end, steps))
    reading.end = end
    return True


def _is_plural(text: str, member: Member) -> bool:
    word = WORD.match(text, member.start)
    return word is not None and PLURAL.fullmatch(word["word"]) is not None


def _read_elliptic(text: str, gap: re.Match[str], last: Member) -> tuple[int, Steps] | None:
    position = gap.end()
    base = last.through or last.steps
    if match := ENUM.match(text, position):
        return match.end(), go_on(base, read_steps(re.sub(r"\s", "", match[0])))
    match = NUMBER.match(text, position)
    if match is None or QUANTITY.match(text, match.end()) or not any(step.kind for step in base):
        return None
    if match[0][:2].isalpha() and base[0].kind not in words.BESIDE:
        return None
    is_followed = re.match(
        rf"\s*(?:$|[,;.?!)]|(?:{words.AND}|{words.OF}|says?|means?)\b|[A-Z§])", text[match.end() :]
    )
    if gap["comma"] and not is_followed:
        return None
    number = read_number(text, position, next(step.kind for step in reversed(base) if step.kind))
    if number is None or re.fullmatch(r"(?:19|20)\d\d", match[0]):
        return None
    return number[0], count_on(base, tuple(step.number for step in number[1]))


def _read_bare(text: str, position: int) -> Run | None:
    """Read a number without a word, if it looks like one of a unit."""
    found = read_bare(text, position)
    if found is None:
        return None
    reading = _Reading(text, found.end, [Member(position, found.end, found.steps)])
    _go_on(reading)
    return replace(reading.finish(position, is_bare=True), is_coded=found.is_coded)
