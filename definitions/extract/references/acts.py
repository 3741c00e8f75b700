"""Documents that are named in words: "the Companies Act 2006", "§ 823 BGB", "Tax Law § 255"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from definitions.extract.found import Target
from definitions.extract.references.documents import document_key, plain_key
from definitions.extract.references.words import UNITS, WHOLES

LONGEST_NAME = 160
_SMALL_WORDS = r"of|and|for|to|in|on|the|de|des|du|la|et|und|der|zur?|über|&"
_PROPER = r"[A-ZÀ-Ý][\w’'./-]*"
_REST = r"[\w’'/&()-]*(?:\.\w[\w’'/&()-]*)*"
# Behind the word: "Convention on the Law of Treaties", "Code of Civil Procedure".
_LED = (
    rf"\s(?:of|on|for|against|concerning)\s(?:the\s)?{_PROPER}"
    rf"(?:,?\s(?:(?:{_SMALL_WORDS})\s){{0,3}}[A-ZÀ-Ý][\w’'/-]*){{0,8}}"
)
# Read backwards from its last word, which is rare: a name may begin at every capital.
WHOLE = re.compile(
    rf"(?<!\S)(?:(?P<led>(?:Treaty|Convention|Charter|Covenant){_LED})"
    r"|(?:Act|Treaty|Convention)(?:,?\s(?:of\s)?(?P<year>\d{4}))?"
    r"|(?:Code|Order|Regulations|Rules|Law|Ordinance|Decree),?\s(?:of\s)?(?P<dated>\d{4}))(?![\w’'-])"
)
NAMED = re.compile(
    rf"(?:{_PROPER}(?:\s\([^()\n]{{2,40}}\))?(?:,\s|\s(?:(?:{_SMALL_WORDS})\s){{0,3}})){{1,9}}$"
)
_LEADING = re.compile(rf"(?:(?:The|This|That|An?|Under|In|Any|Each|Such|See|Recalling|{_SMALL_WORDS})\s)+")
_ANOTHER = re.compile(
    r"\S+\s(?:and|or)\s(?:in|of|under|to|on)\s"
)  # "the Charter and in the European Convention"
_UNIT = "|".join(UNITS.values())
LEADING_UNIT = re.compile(rf"(?<!\w)(?i:{_UNIT})\s(?:[IVXLC]+[A-Z]?|[A-Z]|\d\S*)\s(?:of|to|in)\s(?:the\s)?")
# "may be cited as the Kites Act 2021" gives a name, and mentions nothing.
CALLED = re.compile(r"(?:cited|called|known)(?:\s\S+){0,4}\sas\s(?:the\s)?$|\s(?:called|is)\sthe\s$")
NAME = re.compile(
    rf"(?:the\s|der\s|des\s|du\s|de\s|la\s|le\s|l['’])?(?P<name>(?!(?i:{WHOLES})(?!\w))[A-ZÀ-Ý0-9]{_REST}"
    rf"(?:(?:,\s|\s(?:(?:{_SMALL_WORDS})\s){{0,3}})[A-ZÀ-Ý0-9(]{_REST}){{0,10}}?\s(?i:{WHOLES})"
    rf"(?:,?\s\(?(?:of\s)?\d{{4}}\)?)?)(?![\w’'-])(?!\s(?:Act|Code|Order|Regulations|Rules)(?!\w))"
)
# Names that begin with the word, and those that are one word.
CODE = re.compile(
    rf"(?P<name>(?:[A-ZÀ-Ý]\w+\s)?(?:Code|Treaty|Convention|Charter|Covenant|Statute|Constitution|Law|Ley){_LED}"
    r"|(?i:code\s(?:civil|pénal|rural|(?:de\s(?:la\s|l['’])?|du\s|des\s|d['’]|général\sdes\s|monétaire\set\s)\w+"
    r"(?:\s(?:civile|pénale|publique|sociale|intellectuelle|administrative))?)"
    r"|codice\s(?:civile|penale|(?:di|della|del|dei|degli)\s\w+(?:\s(?:civile|penale))?)"
    r"|c[óo]digo\s(?:civil|penal|(?:de|del|do|da)\s\w+(?:\s(?:civil|penal))?)"
    r"|constitui[çc][ãa]o(?:\sfederal|\sda\srepública)?|constituci[óo]n(?:\sespañola)?"
    r"|burgerlijk\swetboek|wetboek\svan\s\w+|kodeksu?\s\w+)"
    r"|[A-ZÄÖÜ][\w-]{3,40}(?:gesetz(?:es|buch(?:e?s)?)?|ordnung)"
    r"|(?:Act|Law|Ordinance)\sof\s\d{4})(?![\w’'-])"
)
PRECEDING = re.compile(
    r"(?P<name>(?:[A-ZÀ-Ý][\w’'&.-]*\s(?:(?:and|of)\s)?){1,6}(?:Act|Code|Laws?|Rules|Regulations|Statutes?|Constitution|Ordinance)"
    r"(?:,?\s(?:of\s)?\d{4})?),?\s$"
)
PRECEDING_CODE = re.compile(r"(?<![\w.’'-])(?P<code>[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,7}[A-ZÄÖÜ]|RFC[ -]?\d{1,5})\s$")
# Codes that stand behind a number: "§ 823 BGB", "Article 6 GDPR"; "Section 36.001, Water Code".
ABBREVIATION = re.compile(
    r",?\s(?P<abbreviation>[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,9}[A-ZÄÖÜ](?:\s(?:I{1,3}|IV|V|VI{0,3}|IX|X{1,2}))?)(?![\w’'-])"
)
TRAILING = re.compile(r",\s(?P<name>(?:[A-Z][a-z]+\s(?:and\s)?){1,4}Code)(?!\w)")
SHORT = re.compile(r"(?P<name>[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,7}[A-ZÄÖÜ]{1,3})(?![\w’'-])")
NO_CODE = frozenset({
    "AND", "OR", "OF", "THE", "TO", "IN", "BY", "AS", "II", "III", "IV", "VI", "VII", "VIII", "IX", "XI",
    "XII", "MUST", "NOT", "SHALL", "MAY", "EU", "UK", "US", "UN",
})  # fmt: skip


def find_named(text: str) -> Iterator[tuple[int, int, Target]]:
    """Yield acts that are named in full: "the Companies Act 2006", "the Federal Reserve Act".

    An act that gets its name there has no target.
    """
    for whole in WHOLE.finditer(text):
        name = NAMED.search(_line_before(text, whole.start()))
        words = _own_words(name[0]) if name else ""
        is_sure = whole["year"] or whole["dated"]
        begin = whole.start() - len(words)
        if len(words.split()) < (1 if is_sure else 2) and not whole["led"]:
            continue
        is_called = CALLED.search(text[max(begin - 60, 0) : begin])
        yield begin, whole.end(), Target() if is_called else _external(text[begin : whole.end()])


def _line_before(text: str, position: int) -> str:
    return text[max(position - LONGEST_NAME, 0) : position].rpartition("\n")[2]


def _own_words(name: str) -> str:
    """Leave out what stands before a name and is capital too: "Under Part IV of the Harbours"."""
    for unit in LEADING_UNIT.finditer(name):
        name = unit.string[unit.end() :]
    while lead := (_LEADING.match(name) or _ANOTHER.match(name)):
        name = name[lead.end() :]
    return name


def read_act(text: str, position: int, *, is_capital: bool) -> tuple[int, Target] | None:
    """Return the end and the key of an act that is named at a place, behind "of" or its like."""
    unit = LEADING_UNIT.match(text, position)
    for pattern in (CODE, NAME):
        if unit is None and (match := pattern.match(text, position)):
            return match.end(), _external(match["name"])
    short = SHORT.match(text, position)
    if short is None or is_capital or short["name"] in NO_CODE:
        return None
    return short.end(), _external(short["name"])


def preceding_act(text: str, position: int) -> Target | None:
    """Return the document right before a unit: "Tax Law section 255", "GDPR Article 6"."""
    before = _line_before(text, position)
    if match := PRECEDING.search(before):
        return _external(match["name"])
    match = PRECEDING_CODE.search(before)
    if match is None or match["code"] in NO_CODE or text[position : position + 4].isupper():
        return None
    return Target(document=document_key(match["code"]), is_external=True)


def trailing_act(text: str, position: int, *, is_short: bool) -> tuple[int, Target] | None:
    """Return the code behind a number, as in "§ 823 BGB", if there is one."""
    if match := TRAILING.match(text, position):
        return match.end(), _external(match["name"])
    match = ABBREVIATION.match(text, position) if is_short else None
    if match is None:
        return None
    code = match["abbreviation"]
    is_last = match.end() == len(text) or text[match.end()] in ",;.)\n"
    if code in NO_CODE and not (code == "OR" and is_last):  # The Swiss code of obligations.
        return None
    return match.end(), _external(code)


def _external(name: str) -> Target:
    return Target(document=named_key(name), is_external=True)


def named_key(name: str) -> str:
    """Return the key of an act's name; "Act of 1974" is "Act 1974", and a German genitive is no other act."""
    name = re.sub(r"\sof\s(?=\d{4}$)", " ", name)
    return plain_key(re.sub(r"(?<=[a-zäöü](?:gesetz))es$|(?<=gesetzbuch)(?:e?s)$", "", name))
