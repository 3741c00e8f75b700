"""The words and numbers of citations as people type them: any case, any abbreviation, any bracket."""

from __future__ import annotations

import re
from functools import lru_cache

from definitions.extract.found import Step
from definitions.extract.references import words
from definitions.extract.references.numbers import COUNTED, LATIN, read_steps
from definitions.extract.references.patterns import QUANTITY
from documents.parse import words as printed
from documents.parse.numbers import number_in_words

# What people type besides the words of texts. Kinds that only outlines know are looked for by their own name.
TYPED = {
    "section": r"sectn\.?|sct\.|paragraf|pykälä|par[aá]grafo\s[úu]nico",
    "article": r"artic\.|a(?:rt)?\.\s?n\.",
    "regulation": r"regs?",
    "clause": r"cls?",
    "recital": r"rec\.|erwgr?\.|eg\s(?=\d)|cons\.|whereas",
    "comment": r"(?:official\s)?(?:interpretations?|interps?\.?|commentary|comments?|cmts?\.?)",
    "schedule": r"schs?",
    "supplement": r"supplements?|supps?\.?",
    "appendix": r"apps?\.?|append\.",
    "annex": r"anns?\.|anx\.?|anl\.|anh\.",
    "chapter": r"chs?\.?|kap|cap\.",
    "part": r"pts?\.?",
    "division": r"divs?\.?",
    "subdivision": r"sub-?divs?\.?",
    "exhibit": r"exhs?\.?|exs?\.",
    "item": r"entry|entries",
    "subsection": r"subsecs?\.?|sub-?s\.",
    "paragraph": r"¶¶?|para?s?|par|abs|al[ií]nea|ayat|bekezdés|fıkra|ч\.|част[ьи]|παρ\.|παράγραφος|khoản"
    r"|ods\.",
    "point": r"huruf|pont|bent|п\.|пункт[ау]?|пп\.|подпункт[ау]?|περ\.|điểm|pkt|lit|let\.|písm"
    r"|pism\.|ltr\.|point|punt[oi]|bst\.?|sub",
    "additional_provision": r"additional\sprovisions?|disp(?:osici[oó]n|\.)\sadic(?:ional|\.)|d\.\s?a\.",
    "transitional_provision": r"transitional\sprovisions?|disp(?:osici[oó]n|\.)\strans(?:itoria|\.)"
    r"|d\.\s?t\.",
    "final_provision": r"final\sprovisions?|disp(?:osici[oó]n|\.)\sfinal|d\.\s?f\.",
    "sentence": r"s\.\s(?=\d\b(?!\())|sent\.|фраз[аы]",
    "number": r"nr|no|n\.|num\.|numbers?|ziff|εδ\.",
}
_ORDER = ("comment", *words.BESIDE, *words.DIVISIONS, *words.CITED, *words.BELOW)
_PRINTED = {"section": printed.KINDS["sign"]} | {
    kind: spelled for kind, spelled in (printed.KINDS | printed.ANNEXES).items() if kind != "sign"
}


def _spell(kind: str) -> str:
    spelled = (words.UNITS.get(kind, ""), _PRINTED.get(kind, ""), TYPED.get(kind, ""))
    return "|".join(filter(None, spelled))


KINDS = {kind: _spell(kind) for kind in dict.fromkeys((*_ORDER, *_PRINTED))}
KIND = re.compile("|".join(f"(?P<{kind}>{spelled})" for kind, spelled in KINDS.items()), re.IGNORECASE)
# A word before what may be a number. Which kind it names is looked up.
WORD = re.compile(
    r"(?<![\w§¶])(?P<word>§§?|¶¶?|[^\W\d_]{1,20}(?:[ -][^\W\d_]{2,14})?\.?)"
    r"(?P<gap>\s?(?=[\d(\[])|\s{1,2}(?=[^\W\d_]))"
)
_ENUM = (
    r"\(\s?(?:\d{1,4}(?:\.\d{1,2}|[a-z]{0,2}|[ -]?(?:bis|ter|quater|quinquies|sexies))"
    r"|[a-zа-яα-ω]{1,3}(?:\.\d{1,2})?|[ivxlc]{1,7}|bis|ter|[ァ-ヺ가-힣]"
    r"|[〇一二三四五六七八九十]{1,3})\s?\)"
)
_CLOSED = r"(?:\d{1,3}|[a-z]{1,2})\)(?![\w(])"  # "16(4)a)"
_CODE = r"(?:(?:LO|[LRDA])[.*]{0,2}\s?|(?-i:[A-Z]{1,5}[.-]?\s?)|[A-Z]{1,3}[.-]|[A-Z](?=\d))?"
_NUMBER = (
    rf"{_CODE}\d{{1,5}}(?:[.:/-]\d{{1,4}}(?!\d))*(?:/[A-Z](?!\w))?(?:[A-Za-z]{{1,2}}(?![A-Za-z]))?"
    rf"(?:[.-]\d{{1,3}}[A-Za-z]{{0,2}}(?![A-Za-z\d]))*{LATIN}(?:\.?[º°ª])?(?:er\b)?"
)
# What goes on from a number: "(1)(f)", "(4)a)", "-7.i", ".iii.A".
_TAIL = (
    rf"(?:\s?{_ENUM}|\s{{0,2}}{_CLOSED}|\.?\s?\d{{1,2}}\.?[º°ª](?:\s(?:bis|ter)\b)?"
    r"|[.-](?:h?\d{1,2}|[ivxlc]{1,6}|[A-Za-z가-힣])(?!\w)\)?)*"
)
NUMBER = re.compile(rf"(?:{_NUMBER}){_TAIL}(?!\w)", re.IGNORECASE)
ENUM = re.compile(rf"(?:{_ENUM}|{_CLOSED}){_TAIL}", re.IGNORECASE)
ROMAN = re.compile(
    rf"(?=[ivxlcdm])m{{0,3}}(?:cm|cd|d?c{{0,3}})(?:xc|xl|l?x{{0,3}})(?:ix|iv|v?i{{0,3}})"
    rf"(?:-?[A-H]|er)?(?![\w’'.-])(?:\s?{_ENUM})*|[ivx]{{1,6}}(?:\.[A-Z])?(?:\.\d{{1,2}}){{0,2}}(?![\w’'])",
    re.IGNORECASE,
)
LETTER = re.compile(rf"[A-Z](?:\.\d{{1,3}})*(?![\w’']){_TAIL}", re.IGNORECASE)
SPELLED = re.compile(r"[^\W\d_]{2,14}(?!\w)")  # "Title PRELIMINAR", "Article premier"
# "§ 3 a stk. 2": of a Nordic section, the letter stands apart.
APART = re.compile(
    r"\s(?P<letter>[a-z])(?=\s*(?:$|[,;.?)]|stk|mom|abs|och|og|ja|says?\b)|\s§"
    r"|\s(?:(?:i|af|av)\s)?(?:[^\W\d_]*(?:loven|lagen|lova)|lov|lag|forskrift|bekendtgørelse)\b)",
    re.IGNORECASE,
)
SMALL = re.compile(r"[a-zа-яα-ω]{1,2}(?![\w’'])\)?(?:\s?[a-z]{1,2}\))*", re.IGNORECASE)
HEADED = re.compile(r"(?:\d{1,5}-)?(?P<heading>h\d{1,2})(?:[.-](?P<below>[\w.]{1,12}))?(?!\w)", re.IGNORECASE)
YEAR = re.compile(r"(?:19|20)\d\d")
RULES = re.compile(r"[^\W\d_]\s+rules\s+$", re.IGNORECASE)
# What may follow a letter that is a number: "appendix a to part 1010", and not "in part a result".
ENDS = re.compile(
    rf"\s*(?:$|[^\W\d_]{{1,15}}\.?\s?[\d(§]|[,;:.?!)\]/]|\((?!s\))|(?:{words.AND}|{words.TO}|{words.OF}|say|says|does|is|and)\b|[A-Z])"
)
LETTERED = words.LETTERED | {"recital", "exhibit", "subtitle", "subdivision", "subchapter", "title"}
# Kinds whose words are sure to cite something wherever they stand.
SURE = frozenset({"section", "article", "rule", "clause", "recital"})
DIRECT = re.compile(
    r"(?:art(?:icle)?|sec(?:tion)?|rule|app(?:endix)?|annex|recital|clause|§+|¶+)\.?", re.IGNORECASE
)
# Words for a division where what is cited bears the sign §.
DIVIDING = re.compile(
    r"abschnitt\w*|odd[íi]el|oddíl|sezion[ei]|secci[oó]n|se[cç][aã]o|jagu|τμ[ήη]μα|mục|avsnitt|afsnit|odjeljak",
    re.IGNORECASE,
)
DIVISION = "section of a division"
RANK: dict[str, float] = {
    DIVISION: 15,
    "policy": 20,
    "principle": 20,
    "guideline": 20,
    "amendment": 0,
    "additional provision": 0,
    "transitional provision": 0,
    "repealing provision": 0,
    "final provision": 0,
    "subtitle": 2.5,
} | words.RANK
# A German lawyer's "§ 823 I 1" is Absatz 1 Satz 1.
SHORT_GERMAN = re.compile(r"\s(?P<paragraph>I{1,3}|IV|VI{0,3}|V|IX|X)(?:\s(?P<sentence>\d))?(?![\w(.°])")
ROMAN_VALUES = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9, "X": 10}

Steps = tuple[Step, ...]


@lru_cache(maxsize=20_000)
def kind_of(word: str) -> str:
    """Return the kind that a word names, "section" for "§"; nothing for other words."""
    match = KIND.fullmatch(" ".join(word.split()))
    return (match.lastgroup or "").replace("_", " ") if match else ""


def read_number(text: str, position: int, kind: str) -> tuple[int, Steps] | None:
    """Return the end and the steps of a number behind the word of a kind."""
    if kind == "comment" and (match := HEADED.match(text, position)):
        below = re.split(r"[.-]", match["below"]) if match["below"] else []
        return match.end(), (Step(kind, match["heading"].lower()), *(Step("", one) for one in below))
    for pattern in (NUMBER, ENUM, ROMAN, LETTER, SMALL):
        match = pattern.match(text, position)
        if match and match.end() > position and _is_number(match, kind):
            return _finish(match, kind)
    return _read_spelled(text, position, kind)


def _finish(match: re.Match[str], kind: str) -> tuple[int, Steps]:
    steps = _steps(kind, match)
    apart = APART.match(match.string, match.end()) if kind == "section" and match[0].isdigit() else None
    if apart:
        return apart.end(), (Step(kind, f"{match[0]} {apart['letter']}"), *steps[1:])
    return match.end(), steps


def _read_spelled(text: str, position: int, kind: str) -> tuple[int, Steps] | None:
    """Read a number in words: "Part One", "TITRE PREMIER", "Title PRELIMINAR"."""
    match = SPELLED.match(text, position)
    value = number_in_words(match[0]) if match else None
    if match is None or value is None or RANK.get(kind, words.LOW) >= words.LOW:
        return None
    return match.end(), (Step(kind, str(value) if value else match[0]),)


def _is_number(match: re.Match[str], kind: str) -> bool:
    text, end = match.string, match.end()
    if QUANTITY.match(text, end) and match.re is NUMBER and "(" not in match[0]:
        return False
    if match.re is NUMBER:
        return not _is_year(match, kind) and (kind != "form" or "-" in match[0])
    if match.re is ENUM:
        return not (kind == "regulation" and match[0][1:2].isupper())  # "Regulation (EU) 2016/679"
    if match.re is SMALL:
        return (
            kind in {"point", "subpoint", "item", "paragraph", "subparagraph"}
            and ENDS.match(text, end) is not None
        )
    is_named_so = kind in LETTERED or RANK.get(kind, 0) == 0
    if match.re is ROMAN:
        inserted = "[a-h]?" if RANK.get(kind, 99) < RANK["section"] else ""
        is_plain = re.fullmatch(rf"[ivx]+(?:er|{inserted})", match[0], re.IGNORECASE) is not None
        is_large = match[0].isupper() or (is_plain and ENDS.match(text, end) is not None)
        return is_large and (is_named_so or RANK.get(kind, 99) < words.LOW)
    return is_named_so and (match[0][0].isupper() or ENDS.match(text, end) is not None)


def _is_year(match: re.Match[str], kind: str) -> bool:
    """Tell the year of "the Pilotage Regulations 2010" and "Storage Rules 2018" from "Rule 2004"."""
    if YEAR.fullmatch(match[0]) is None:
        return False
    return kind == "regulation" or RULES.search(match.string, 0, match.start()) is not None


def _steps(kind: str, match: re.Match[str]) -> Steps:
    number = re.sub(r"\(\s?(\S+?)\s?\)", r"(\1)", match[0])
    number = re.sub(r"^([ivxlc]+)er\b", r"\1", number, flags=re.IGNORECASE)
    number = re.sub(r"^[a-z](?=[.\d-])", lambda letter: letter[0].upper(), number)
    found = split_steps(_bracket_all(number))
    if kind == "comment" and (parts := re.fullmatch(r"(\d+)(-\d+)(?:\.(\w+))?", found[0])):
        found = (parts[1], parts[2], *filter(None, [parts[3]]), *found[1:])
    if number.startswith("(") or match.re is ENUM:
        kind = words.BRACKETED.get(kind, kind)
    return (Step(kind, found[0]), *(Step("", one) for one in found[1:]))


def _bracket_all(number: str) -> str:
    """Write what stands below a number in brackets: "2.b).2.º" and "5 b)" as "2.b(2)" and "5(b)"."""
    number = number.replace("ª", "º")
    number = re.sub(r"(?<=[\w)])[ .]\s?(\d{1,2})\.?[º°](?:\s(bis|ter)\b)?", r"(\1\2)", number)
    number = re.sub(r"(\([^()]*\))|\s+(\w{1,3})\)", lambda match: match[1] or f"({match[2]})", number)
    number = re.sub(r"(\([^()]*\))|(?<=[.-]\w)\)", lambda match: match[1] or "", number)
    return re.sub(r"\s+(?=\()", "", number)


def split_steps(number: str) -> tuple[str, ...]:
    """Return the steps of a number; "(1-bis)" and "(1.5)" are one each."""
    number = re.sub(r"(?i)(bis|ter|quater|quinquies|sexies)\b", lambda suffix: suffix[0].lower(), number)
    number = re.sub(r"\((\d+)[ -]?(bis|ter|quater|quinquies|sexies)\)", r"(\1\2)", number)
    number = re.sub(r"\((\w+)\.(\d+)\)", r"(\1_\2)", number)
    if slashed := re.match(r"(\d+/[A-Za-z])(?!\w)", number):
        return (slashed[1], *(read_steps(number[slashed.end() :]) if number[slashed.end() :] else ()))
    return tuple(one.replace("_", ".") for one in read_steps(number))


def read_short_german(text: str, position: int) -> tuple[int, Steps] | None:
    """Read what stands behind "§ 823" in "§ 823 I 1 BGB"."""
    match = SHORT_GERMAN.match(text, position)
    if match is None:
        return None
    own = Step("paragraph", str(ROMAN_VALUES[match["paragraph"]]))
    below = (Step("sentence", match["sentence"] + COUNTED),) if match["sentence"] else ()
    return match.end(), (own, *below)
