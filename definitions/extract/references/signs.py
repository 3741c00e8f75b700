"""References whose number stands before, inside or without a word: "2 kap. 3 §", 第5条第2項, "au 2° du I"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from definitions.extract.found import Step, Target
from definitions.extract.references.numbers import COUNTED, read_steps
from definitions.extract.references.read import Mention
from documents.parse.numbers import ideographic_value
from documents.parse.words import IDEOGRAPHS

_NUMBER = r"[（(]?(?:\d{1,4}|[〇零一二三四五六七八九十百千]{1,7})[)）]?"
# What stands below an article; which sign is which differs, the order does not.
_BELOW = {"項": "paragraph", "项": "point", "항": "paragraph", "号": "point", "號": "point", "호": "point"}
_KINDS = IDEOGRAPHS | _BELOW
# Behind an article these are paragraphs; those of a Chinese law bear no number.
_COUNTED = {"項": "paragraph", "항": "paragraph", "款": "subparagraph"}
_ONE = rf"[第제][ ]?{_NUMBER}[ ]?[{''.join(_KINDS)}](?:[の之의][ ]?{_NUMBER})?"
CHAIN = re.compile(rf"(?P<to>(?<=[\w）)])(?:から|至|到|부터\s?|[~～–-]))?(?P<chain>{_ONE}(?:[ ]?{_ONE})*)")
LINK = re.compile(
    rf"[第제][ ]?(?P<number>{_NUMBER})[ ]?(?P<sign>[{''.join(_KINDS)}])"
    rf"(?:[の之의][ ]?(?P<inserted>{_NUMBER}))?"
)
_SECTION = r"\d{1,3}(?:[ ]?[a-z])?"
NORDIC = re.compile(
    rf"(?<![\w.§–-])(?:(?P<chapter>\d{{1,3}}(?:[ ][a-z])?)[ ]kap\.?[ ])?"
    rf"(?P<section>{_SECTION})(?:(?P<to>[–-]|[ ](?:och|ja|og|tai|eller)[ ])(?P<last>{_SECTION}))?"
    r"[ ]§§?(?::[a-zåäö]{1,5})?(?:[ ](?P<part>\d{1,2})[ ](?:mom\.|moment\w*|st\.))?"
    r"(?:[ ](?P<point>\d{1,2})[ ](?:p\.|koh\w+))?(?![ ]?\d|§)"
)
# Of a French article, whose parts are I, 2° and a.
_PART = (
    r"(?:\d{1,2}°|(?:I{1,3}|IV|VI{0,3}|V|IX|X{1,2})(?![\w.’'])|[a-z](?=\s(?:du|de\s)))"
    r"(?:[ ](?:bis|ter|quater)\b)?"
)
FRENCH = re.compile(
    rf"\b(?:[aA]u|[dD]u|[lL]e)\s(?P<parts>{_PART}(?:\sdu\s{_PART})*)"
    r"(?:\s(?:de\sl['’](?P<article>article\s)|(?P<this>du\sprésent\sarticle)))?"
)
FRENCH_NUMBER = re.compile(r"(?:(?:LO|[LRDA])[.*]{0,2}[ ]?)?\d+(?:-\d+)*(?:er)?(?:[ ](?:bis|ter|quater)\b)?")
PART = re.compile(_PART)


def find_signs(text: str) -> Iterator[Mention]:
    """Yield the mentions whose words the number does not simply follow."""
    if "第" in text or "제" in text:
        for match in CHAIN.finditer(text):
            steps = tuple(map(_read_link, LINK.finditer(match["chain"])))
            yield Mention(match.start("chain"), match.end(), steps[0].kind, Target(steps), bool(match["to"]))
    if " §" in text:
        for match in NORDIC.finditer(text):
            yield from _read_nordic(match)
    if " du " in text:
        for match in FRENCH.finditer(text):
            yield from _read_french(match)


def _read_link(match: re.Match[str]) -> Step:
    count, inserted = (
        ideographic_value((match[group] or "0").strip("（()）")) for group in ("number", "inserted")
    )
    if match["sign"] in _COUNTED and match.start():
        return Step(_COUNTED[match["sign"]], f"{count}{COUNTED}")
    return Step(_KINDS[match["sign"]], f"{count}-{inserted}" if inserted else str(count))


def _read_nordic(match: re.Match[str]) -> Iterator[Mention]:
    """Yield one section, or both ends of "3–5 §§"; what stands behind belongs to the last."""
    above = (Step("chapter", match["chapter"]),) if match["chapter"] else ()
    part = match["part"] and match["part"] + COUNTED
    steps = tuple(Step(kind, one) for kind, one in (("paragraph", part), ("point", match["point"])) if one)
    start = match.start()
    if match["last"]:
        yield Mention(
            start, match.end("section"), "section", Target((*above, Step("section", match["section"])))
        )
        start = match.start("last")
    number = match["last"] or match["section"]
    is_range_end = bool(match["last"]) and not match["to"].strip().isalpha()
    target = Target((*above, Step("section", number), *steps))
    yield Mention(start, match.end(), "section", target, is_range_end)


def _read_french(match: re.Match[str]) -> Iterator[Mention]:
    """Yield "2° du I de l'article 5" with its article, if there is one."""
    parts = [Step("point", part.strip("°")) for part in PART.findall(match["parts"])]
    article = FRENCH_NUMBER.match(match.string, match.end()) if match["article"] else None
    own = (Step("article", read_steps(article[0])[0]),) if article else ()
    target = Target((*own, *reversed(parts)), base="article" if match["this"] else "")
    yield Mention(match.start("parts"), match.end("parts"), "point", target)
