"""Mentions of documents as a whole: by number, by the name of an act, or by a tag of the bibliography.

Each row of `FORMS` says how one family of documents is cited; its key is the form in which documents are
compared, the family first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from definitions.extract.found import Step, Target
from definitions.extract.references.numbers import TAIL, read_steps
from definitions.extract.references.words import WHOLES

SIGN = r"(?:§§?\s?|[Ss]ections?\s|[Ss]ec\.\s?)?"
_EUROPEAN = (
    r"Regulation|Directive|Decision|Recommendation|Règlement|Directive|Décision|Verordnung|Richtlinie|Beschluss(?:es)?"
    r"|Reglamento|Directiva|Decisión|Regolamento|Direttiva|Decisione|Regulamento|Decisão|Verordening|Richtlijn|Besluit"
)
FAMILY = {
    "règlement": "regulation", "verordnung": "regulation", "reglamento": "regulation",
    "regolamento": "regulation", "regulamento": "regulation", "verordening": "regulation",
    "richtlinie": "directive", "directiva": "directive", "direttiva": "directive", "richtlijn": "directive",
    "décision": "decision", "beschluss": "decision", "beschlusses": "decision", "decisión": "decision",
    "decisione": "decision", "decisão": "decision", "besluit": "decision",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """How the documents of one family are cited."""

    name: str
    pattern: str
    key: str
    is_external: bool = True


FORMS = (
    Form(
        "cfr",
        rf"(?P<cfr_title>\d{{1,2}})\s(?:CFR|C\.\s?F\.\s?R\.)\s(?:[Pp]arts?\s(?P<cfr_part>\d+)"
        rf"|{SIGN}(?P<cfr_number>\d+)(?:\.(?P<cfr_section>\d+[A-Za-z]{{0,2}}(?:-\d+[A-Za-z]?)?){TAIL})?)",
        "cfr {cfr_title} {cfr_part}{cfr_number}",
    ),
    Form(
        "usc",
        rf"(?P<usc_title>\d{{1,2}})\s?(?:U\.\s?S\.\s?C\.(?:\s?A\.)?|USC)\s?{SIGN}"
        rf"(?P<usc_section>\d+[a-z]{{0,2}}(?:-\d+[a-z]?)?{TAIL})(?:\s?et\sseq\.)?",
        "usc {usc_title}",
    ),
    Form("public_law", r"(?:Public\sLaw|Pub\.\s?L\.)\s(?:No\.\s?)?(?P<law>\d+[-–‑]\d+)", "public law {law}"),
    Form("stat", r"(?P<stat_volume>\d+)\sStat\.\s(?P<stat_page>\d[\d,]*)", "stat {stat_volume} {stat_page}"),
    Form(
        "register",
        r"(?P<fr_volume>\d+)\s(?:FR|Fed\.\s?Reg\.)\s(?P<fr_page>\d[\d,]*)",
        "fr {fr_volume} {fr_page}",
    ),
    Form("rfc", r"(?<!\[)RFC[ -]?(?P<rfc>\d{1,5})(?!\d)", "rfc {rfc}"),
    Form(
        "european",
        rf"(?P<eu_family>(?i:{_EUROPEAN}))\s(?:\((?:EU|EC|EEC|EG|EWG|UE|CE|CEE|Euratom|EURATOM)[^)\n]{{0,20}}\)\s?)?"
        r"(?:(?:No|Nr|N|n)[.°ºo]{0,2}\s?)?(?P<eu_number>\d{1,4}/\d{1,4})(?:/[A-Z]{2,7})?",
        "{eu_family} {eu_number}",
    ),
    Form(
        "standard",
        r"(?P<std_body>(?:ISO|IEC|IEEE|EN|DIN|NIST|ANSI|BS|ETSI|ITU-T|CEN|OIML|ASTM)"
        r"(?:[/ ](?:ISO|IEC|IEEE|EN|TS|TR|SP|CEN))*)"
        r"[ -](?P<std_number>[A-Z]{0,2}\d{2,6}(?:[-.]\d{1,4})*)(?::\d{4})?(?!\w)",
        "{std_body} {std_number}",
    ),
    Form(
        "canadian",
        r"(?P<ca_body>SOR|SI|DORS|TR|[A-Z]\.\s?(?:[A-Z]\.\s?)?Reg\.)[/ ](?P<ca_number>\d{1,4}[-/]\d{1,4})",
        "{ca_body} {ca_number}",
    ),
    Form("instrument", r"S\.?\s?I\.?\s(?:No\.\s?)?(?P<si_number>\d{4}/\d{1,5})", "si {si_number}"),
    Form(
        "lettered",
        r"Regulation\s(?P<reg_letter>[A-Z]{1,2}(?:-[A-Z]{1,2})?)(?![\w’'(-]|\.\w)",
        "regulation {reg_letter}",
    ),
)
# Read backwards from its last word, which is rare: a name may begin at every capital.
_SMALL_WORDS = r"of|and|for|to|in|on|the|de|des|du|la|et|und|der|zur?|über|&"
WHOLE = re.compile(
    r"(?<=\s)(?:(?:Act|Treaty|Convention)(?:,?\s(?:of\s)?(?P<year>\d{4}))?|(?:Code|Order|Regulations|Rules|Law|Ordinance|Decree),?\s(?:of\s)?(?P<dated>\d{4}))(?![\w’'-])"
)
NAMED = re.compile(
    rf"(?:[A-ZÀ-Ý][\w’'./-]*(?:\s\([^()\n]{{2,40}}\))?,?\s(?:(?:{_SMALL_WORDS})\s){{0,3}}){{1,9}}$"
)
LONGEST_NAME = 160
TAG = r"\[(?P<tag>[A-Za-z][\w.:+-]{1,30})\]"
# What each form can begin with is looked at first: most places are ruled out by it.
_ALL = "|".join([*(f"(?P<form_{form.name}>{form.pattern})" for form in FORMS), TAG])
DOCUMENT = re.compile(rf"(?<!\w)(?=[\d\[A-Zrdvb])(?:{_ALL})")
# Codes that stand behind a number: "§ 823 BGB", "Article 6 GDPR".
ABBREVIATION = re.compile(
    r",?\s(?P<abbreviation>[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,9}[A-ZÄÖÜ](?:\s(?:I{1,3}|IV|V|VI{0,3}|IX|X{1,2}))?)(?![\w’'-])"
)
NO_CODE = frozenset(
    {"AND", "OR", "OF", "THE", "TO", "IN", "BY", "AS", "II", "III", "IV", "VI", "VII", "MUST", "NOT"}
)
NAME = re.compile(
    rf"(?:the\s|der\s|des\s|du\s|de\s|la\s|le\s|l['’])?(?P<name>[A-ZÀ-Ý0-9][^.;:\n§]{{2,80}}?\s(?i:{WHOLES})"
    rf"(?:,?\s\(?(?:of\s)?\d{{4}}\)?)?)(?![\w’'-])(?!\s(?:Act|Code|Order|Regulations|Rules)(?!\w))"
)
PRECEDING = re.compile(
    r"(?P<name>(?:[A-ZÀ-Ý][\w’'&.-]*\s){1,6}(?:Act|Code|Laws?|Rules|Regulations|Statutes?|Constitution|Ordinance)"
    r"(?:,?\s(?:of\s)?\d{4})?),?\s$"
)
PRECEDING_CODE = re.compile(r"(?<![\w.’'-])(?P<code>[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,7}[A-ZÄÖÜ]|RFC[ -]?\d{1,5})\s$")
ENTRY = re.compile(
    r"^[ \t>*-]*\[(?P<tag>[A-Za-z][\w.:+-]{1,30})\][ \t:]+(?P<words>\S[^\n]{5,600})", re.MULTILINE
)
_BY_NAME = {form.name: form for form in FORMS}


def document_key(name: str) -> str:
    """Return a name in the form in which names are compared: by family and number if it has them."""
    match = DOCUMENT.search(name)
    if match and (key := key_of(match)):
        return key
    return plain_key(name)


def plain_key(name: str) -> str:
    """Return a name in small letters, without its article and with single blanks."""
    words = re.sub(r"[^\w/&.-]+", " ", name.casefold().replace("’", "'")).strip()
    return re.sub(r"^(?:the|der|die|das|la|le|les)\s", "", words)[:200]


def key_of(match: re.Match[str]) -> str:
    """Return the key of a document that `DOCUMENT` has found; nothing for a tag."""
    form = form_of(match)
    if form is None:
        return ""
    groups = {
        name: (value or "").replace("–", "-").replace("‑", "-") for name, value in match.groupdict().items()
    }
    groups["eu_family"] = FAMILY.get(groups["eu_family"].casefold(), groups["eu_family"])
    groups["fr_page"] = groups["fr_page"].replace(",", "")
    return " ".join(form.key.format(**groups).casefold().split())


def form_of(match: re.Match[str]) -> Form | None:
    return next((form for name, form in _BY_NAME.items() if match[f"form_{name}"] is not None), None)


def target_of(match: re.Match[str], tags: dict[str, str]) -> Target | None:
    """Return what a mention of a document points to; a tag points to what its entry says."""
    if match["tag"] is not None:
        key = tags.get(match["tag"].casefold()) or _key_of_tag(match["tag"])
        return Target(document=key, is_external=True) if key else None
    return Target(_steps_of(match), document=key_of(match), is_external=True)


def _steps_of(match: re.Match[str]) -> tuple[Step, ...]:
    if match["cfr_section"] is not None:
        start = match.start("cfr_number")
        return _read(match.string[start : match.end("form_cfr")])
    return _read(match["usc_section"]) if match["usc_section"] is not None else ()


def _read(number: str) -> tuple[Step, ...]:
    first, *others = read_steps(number.strip())
    return (Step("section", first), *(Step("", other) for other in others))


def read_bibliography(text: str) -> tuple[dict[str, str], list[tuple[int, int]]]:
    """Return what each tag stands for, and where the entries are: "[TLS12] … Version 1.2. RFC 5246"."""
    tags: dict[str, str] = {}
    places: list[tuple[int, int]] = []
    for entry in ENTRY.finditer(text):
        tags.setdefault(entry["tag"].casefold(), _key_of_entry(entry["tag"], entry["words"]))
        places.append(entry.span())
    return tags, places


def _key_of_tag(tag: str) -> str:
    """Return the key of a tag that says itself what it stands for: "[RFC2119]"."""
    own = re.fullmatch(r"RFC-?0*(\d{1,5})", tag)
    return f"rfc {own[1]}" if own else ""


def _key_of_entry(tag: str, words: str) -> str:
    """Return the key of the last document that an entry names by number; else its tag."""
    if own := _key_of_tag(tag):
        return own
    found = [match for match in DOCUMENT.finditer(words) if match["tag"] is None]
    return key_of(found[-1]) if found else tag.casefold()


def find_named(text: str) -> Iterator[tuple[int, int, Target]]:
    """Yield acts that are named in full: "the Companies Act 2006", "the Federal Reserve Act"."""
    for whole in WHOLE.finditer(text):
        start = max(text.rfind("\n", 0, whole.start()) + 1, whole.start() - LONGEST_NAME)
        name = NAMED.search(text[start : whole.start()])
        words = (
            re.sub(rf"^(?:(?:The|This|That|An?|Under|In|Any|Each|Such|See|{_SMALL_WORDS})\s)+", "", name[0])
            if name
            else ""
        )
        if len(words.split()) > 1 or (words and (whole["year"] or whole["dated"])):
            begin = whole.start() - len(words)
            yield begin, whole.end(), Target(document=named_key(text[begin : whole.end()]), is_external=True)


def preceding_document(text: str, position: int) -> Target | None:
    """Return the document right before a unit: "Tax Law section 255", "GDPR Article 6"."""
    before = text[max(text.rfind("\n", 0, position) + 1, position - LONGEST_NAME) : position]
    if match := PRECEDING.search(before):
        return Target(document=named_key(match["name"]), is_external=True)
    match = PRECEDING_CODE.search(before)
    if match is None or match["code"] in NO_CODE or text[position : position + 4].isupper():
        return None
    return Target(document=document_key(match["code"]), is_external=True)


def named_key(name: str) -> str:
    """Return the key of an act's name; "Act of 1974" is "Act 1974"."""
    return plain_key(re.sub(r"\sof\s(?=\d{4}$)", " ", name))


def trailing_document(text: str, position: int) -> tuple[int, Target] | None:
    """Return the code behind a number, as in "§ 823 BGB", if there is one."""
    match = ABBREVIATION.match(text, position)
    if match is None:
        return None
    code = match["abbreviation"]
    is_last = match.end() == len(text) or text[match.end()] in ",;.)\n"
    if code in NO_CODE and not (code == "OR" and is_last):  # The Swiss code of obligations.
        return None
    return match.end(), Target(document=plain_key(code), is_external=True)
