"""Find every mention of a place in a text: of its own units, of other documents, of law elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from definitions.extract.found import FoundReference, Step, Target
from definitions.extract.innermost import innermost_unit
from definitions.extract.references import acts, documents, words
from definitions.extract.references.bare import find_bare
from definitions.extract.references.members import kind_of
from definitions.extract.references.patterns import ORDINAL, QUOTED_LIST, QUOTED_NUMBER, WORD
from definitions.extract.references.read import Mention, read_listed, read_mention
from definitions.extract.references.signs import find_signs
from documents.parse import Unit

# As in "[RFC7230], Section 3" and "the Treaty, and in particular Article 16 thereof".
BETWEEN = re.compile(
    r",?\s?\(?|,?\s(?:and,?\s)?in\sparticular,?\s|,?\set\snotamment\s(?:son|ses|l['’])\s?|,?\sinsbesondere\sauf\s"
    r"|,?\s(?:y,?\s)?en\sparticular,?\s(?:su|sus|el)\s|,?\sin\sparticolare\s(?:l['’]|gli\s)"
)
LONGEST_HEAD = 60  # "Art. 2. § 1er.": units that begin in one place.
LONGEST_TITLE = 300
MOST_BEFORE, FURTHEST_BEFORE = 8, 600  # Mentions, and characters, between "that section" and the section.
NOTHING = Target()
CLAUSE = re.compile(r",\s(?P<number>\d{1,2}(?:\.\d{1,3}){1,5})(?![\w.]*\w)")  # "ISO 9001, 4.3.2"
GRAMMAR = re.compile(r"<[^<>\n]{1,100}>")  # A placeholder, or markup: no prose.
OWN_TAG = re.compile(r"\s?\[[A-Za-z][\w.:+-]{1,30}\]")  # "RFC 2109 [RFC2109]" is one mention.
DECORATION = re.compile(r"[#*_>\s-]*")
SENTENCE_ENDS = (".", ";", ":", ",", "。", "；", "：")
DOTTED_NUMBER = re.compile(r"(\d{2,5})\.\d+[A-Za-z]?")


def extract_references(text: str, units: Sequence[Unit]) -> tuple[FoundReference, ...]:
    """Return the mentions in the order of the text; none of them overlap."""
    starts = [unit.start for unit in units]
    parts = _Parts(text, units)
    found: list[FoundReference] = []
    for mention in _drop_headings(text, units, _read_unquoted(text, units)):
        target = parts.complete(_follow_that(mention, found))
        if mention.is_range_end and found:
            found[-1] = replace(found[-1], through=target)
        unit = innermost_unit(units, starts, mention.start)
        found.append(FoundReference(mention.start, mention.end, unit, mention.form, target))
    return tuple(found)


def _follow_that(mention: Mention, found: Sequence[FoundReference]) -> Target:
    """Return the target of "paragraph (b) of that section": in the section that was mentioned last."""
    kind = mention.target.base.removeprefix(words.THAT)
    if kind == mention.target.base:
        return mention.target
    for before in reversed(found[-MOST_BEFORE:]):
        place = next((index for index, step in enumerate(before.target.steps) if step.kind == kind), None)
        if place is not None and mention.start - before.end <= FURTHEST_BEFORE:
            steps = (*before.target.steps[: place + 1], *mention.target.steps)
            return replace(before.target, steps=steps)
    return replace(mention.target, base=kind)


def _read_unquoted(text: str, units: Sequence[Unit]) -> Iterator[Mention]:
    """Read numbers as if they stood in no quotation marks; what is mentioned is printed with them."""
    plain = QUOTED_LIST.sub(_unquote, text) if QUOTED_NUMBER.search(text) else text
    for mention in _read_mentions(plain, units):
        start, end = mention.start, mention.end
        start -= start > 0 and plain[start - 1] != text[start - 1]
        end += end < len(text) and plain[end] != text[end]
        yield replace(mention, start=start, end=end)


def _unquote(match: re.Match[str]) -> str:
    """Put blanks in the place of quotation marks, so that everything stands where it stood."""
    return QUOTED_NUMBER.sub(lambda number: f" {number[0][1:-1]} ", match[0])


def _read_mentions(text: str, units: Sequence[Unit]) -> Iterator[Mention]:
    tags, entries = documents.read_bibliography(text)
    done = 0
    before: Mention | None = None
    grammar = (match.span() for match in GRAMMAR.finditer(text))
    skipped = sorted([*entries, *grammar], reverse=True)
    for start, match in _anchors(text, units):
        while skipped and skipped[-1][0] <= start:
            done = max(done, skipped.pop()[1])
        if start < done:
            continue
        mentions = [match] if isinstance(match, Mention) else _read_anchor(text, match, tags)
        mentions = _adopt(text, before, mentions)
        yield from (mention for mention in mentions if mention.target != NOTHING)
        done = max([done, *(mention.end for mention in mentions)])
        before = mentions[0] if mentions and mentions[0].form == "document" else None


def _anchors(text: str, units: Sequence[Unit]) -> list[tuple[int, re.Match[str] | Mention]]:
    """Return every place where a mention may begin; of two that begin alike, the more exact one is first."""
    named = (Mention(start, end, "document", target) for start, end, target in acts.find_named(text))
    read = ((mention.start, mention) for mention in (*find_signs(text), *find_bare(text, units), *named))
    worded = (match for match in WORD.finditer(text) if kind_of(match["word"]))
    matches = (*documents.DOCUMENT.finditer(text), *_ordinals(text), *worded)
    found = ((match.start(), match) for match in matches)
    return sorted([*read, *found], key=lambda anchor: anchor[0])


def _ordinals(text: str) -> Iterator[re.Match[str]]:
    """Yield "second subparagraph" and its like; to search word by word is faster than for all at once."""
    rows = words.ORDINALS_BEHIND.items()
    spelled = " ".join(row for behind, row in rows if any(word in text for word in behind)).replace(";", " ")
    for word in dict.fromkeys(spelled.split()):
        place = text.find(word[1:])
        while place > 0:
            if match := ORDINAL.match(text, place - 1):
                yield match
            place = text.find(word[1:], place + 1)


def _read_anchor(text: str, match: re.Match[str], tags: dict[str, str]) -> list[Mention]:
    if match.re is not documents.DOCUMENT:
        return read_mention(text, match, tags)
    target = documents.target_of(match, tags)
    if target is None:
        return []
    again = OWN_TAG.match(text, match.end())
    is_again = again is not None and tags.get(again[0].strip(" []").casefold()) == target.document
    end = again.end() if again and is_again else match.end()
    mention = Mention(match.start(), end, "document", target)
    clause = CLAUSE.match(text, end) if match["form_standard"] is not None else None
    if clause is None:
        return read_listed(text, mention)
    below = replace(target, steps=(Step("section", clause["number"]),))
    return [mention, Mention(clause.start("number"), clause.end(), "section", below)]


def _adopt(text: str, before: Mention | None, mentions: list[Mention]) -> list[Mention]:
    """Let units that stand right behind a document be units of it: "RFC 7230, Section 3"."""
    if not mentions or words.RANK.get(mentions[0].form, words.LOW) >= words.LOW:
        return mentions
    if (
        before is not None
        and not before.target.steps
        and BETWEEN.fullmatch(text, before.end, mentions[0].start)
    ):
        document: Target | None = before.target
    else:
        document = acts.preceding_act(text, mentions[0].start)
    return [_put_into(document, one) for one in mentions] if document else mentions


def _put_into(document: Target, mention: Mention) -> Mention:
    if mention.target.document or mention.target.base:
        return mention
    return replace(mention, target=replace(mention.target, document=document.document, is_external=True))


def _drop_headings(text: str, units: Sequence[Unit], mentions: Iterator[Mention]) -> Iterator[Mention]:
    """Leave out the number with which a unit itself begins, and whatever stands in a heading with it."""
    heads = {match.end() for unit in units if (match := DECORATION.match(text, unit.start))}
    heads |= {text.find(unit.marker, unit.start, unit.start + LONGEST_HEAD) for unit in units if unit.marker}
    body = next((unit.start for unit in units if unit.marker), 0)
    ends = -1
    for mention in mentions:
        if mention.start in heads:
            ends = _heading_end(text, mention)
            if mention.start < body and ends == mention.end:  # The document begins with a sentence.
                ends = mention.start
        if mention.start >= ends and not (mention.start < body and _is_title(text, mention)):
            yield mention


def _is_title(text: str, mention: Mention) -> bool:
    """Tell whether a line before the first unit says what the document is: "REGULATION (EU) 2031/44 OF …"."""
    before = text[max(mention.start - LONGEST_TITLE, 0) : mention.start].rpartition("\n")[2]
    after = text[mention.end : mention.end + LONGEST_TITLE].partition("\n")[0]
    line = (before + text[mention.start : mention.end] + after).strip("#*_ ")
    is_whole = mention.form == "document" and before.strip("#*_ ") in {"", "The"}
    return line.isupper() or (is_whole and not line.endswith((".", ";", ",")))


def _heading_end(text: str, mention: Mention) -> int:
    """Return where a heading ends: with its line, unless a sentence begins in it."""
    end = text.find("\n", mention.end)
    line = text[mention.end : end if end >= 0 else len(text)].rstrip("*_ ")
    goes_on = text[end + 1 : end + 2].islower()
    return mention.end if goes_on or line.endswith(SENTENCE_ENDS) else mention.end + len(line)


class _Parts:
    """A code is published in parts, one a document: "§ 1026.2" in part 1003 is a section of another part."""

    def __init__(self, text: str, units: Sequence[Unit]) -> None:
        counts = Counter(match[1] for unit in units if (match := DOTTED_NUMBER.search(unit.marker)))
        total = sum(counts.values())
        part, count = counts.most_common(1)[0] if counts else ("", 0)
        self.part = part if count > total / 2 else ""
        head = documents.DOCUMENT.search(text[:1000])
        self.code = head["cfr_title"] if head else None

    def complete(self, target: Target) -> Target:
        """Name the part that a section is in, if it is not this one."""
        if target.document == f"cfr {self.code} {self.part}":
            return replace(target, document="", is_external=False)
        if target.document or target.base or not self.part or self.code is None or not target.steps:
            return target
        match = DOTTED_NUMBER.fullmatch(target.steps[0].number)
        if match is None or match[1] == self.part or target.steps[0].kind not in words.CITED:
            return target
        return replace(target, document=f"cfr {self.code} {match[1]}", is_external=True)
