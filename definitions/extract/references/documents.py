"""Mentions of documents as a whole: by number, or by a tag of the bibliography.

Each row of `FORMS` says how one family of documents is cited; its key is the form in which documents are
compared, the family first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from definitions.extract.found import Step, Target
from definitions.extract.references.numbers import TAIL, read_steps

SIGN = r"(?:§§?\s?|[Ss]ections?\s|[Ss]ec\.\s?)?"
# The words of European acts; the first of each row is the one in keys.
_EUROPEAN = {
    "regulation": r"Regulation|Règlement|Verordnung|Reglamento|Regolamento|Regulamento|Verordening|Forordning"
    r"|Förordning|Rozporządzeni[aeu]|Nařízení|Regulamentul(?:ui)?",
    "directive": r"Directive|Richtlinie|Directiva|Diretiva|Direttiva|Richtlijn|Direktiv|Dyrektyw[aęy]"
    r"|Směrnic[ei]",
    "decision": r"Decision|Décision|Beschluss(?:es)?|Decisión|Decisione|Decisão|Besluit|Afgørelse|Beslut"
    r"|Decyzj[ai]|Rozhodnutí",
    "recommendation": r"Recommendation",
}
_UNION = r"EU|EC|EEC|EG|EWG|UE|CE|CEE|WE|ES|EF|Euratom|EURATOM"
_NUMBER_SIGN = r"(?:No|Nr|N|n|č)[.°ºo]{0,2}\s?"
# Laws that are cited by the number that they have in their year.
_NATIONAL = (
    r"(?:loi(?:\sorganique)?|décret(?:-loi)?|ordonnance)\sn[°ºo]\s?(?P<law_fr>\d{2,4}-\d+)"
    r"|(?:Ley(?:\sOrgánica)?|Real\sDecreto(?:-ley|\sLegislativo)?|Decreto-ley)\s(?P<law_es>\d{1,4}/\d{4})"
    r"|(?:legge|decreto\slegislativo|decreto-legge)\s(?:\d{1,2}º?\s\w+\s(?P<law_year>\d{4}),\s)?n\.\s(?P<law_it>\d{1,4})"
    r"(?:/(?P<law_slash>\d{4}))?"
    r"|(?:Lei(?:\sComplementar|\sOrgânica)?|Decreto(?:-Lei)?|Portaria|Medida\sProvisória)\s"
    r"(?:n\.?[º°o]\s?|(?=\d{1,2}\.\d{3}(?!\d)|\d{1,5}/\d{4}(?!\d)))(?P<law_pt>\d[\d.]*\d(?:-[A-Z])?(?:/\d{2,4})?)"
    r"|zákona?\sč\.\s(?P<law_cz>\d{1,4}/\d{4})(?:\sSb\.)?"
    r"|Act\sNo\.\s?(?P<law_act>\d{1,4}\sof\s\d{4})"
    r"|BGBl\.\s(?:I{1,3}\s)?Nr\.\s(?P<law_at>\d{1,4}/\d{4})"
)


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
    Form(
        "title",
        r"[Tt]itle\s(?P<us_title>\d{1,2})(?:,\s(?:of\sthe\s)?|\sof\sthe\s)United\sStates\sCode",
        "usc {us_title}",
    ),
    Form("national", _NATIONAL, "{law_family} {law_number}"),
    Form("stat", r"(?P<stat_volume>\d+)\sStat\.\s(?P<stat_page>\d[\d,]*)", "stat {stat_volume} {stat_page}"),
    Form(
        "register",
        r"(?P<fr_volume>\d+)\s(?:FR|Fed\.\s?Reg\.)\s(?P<fr_page>\d[\d,]*)",
        "fr {fr_volume} {fr_page}",
    ),
    Form("rfc", r"(?<!\[)RFC[ -]?(?P<rfc>\d{1,5})(?!\d)", "rfc {rfc}"),
    Form(
        "european",
        rf"(?P<eu_family>(?i:{'|'.join(_EUROPEAN.values())}))\s(?:\((?:{_UNION})[^)\n]{{0,20}}\)\s?)?"
        rf"(?:{_NUMBER_SIGN})?(?P<eu_number>\d{{1,4}}/\d{{1,4}})(?:/[A-Z]{{2,7}})?",
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
        r"(?P<ca_body>SOR|SI|DORS|TR|[A-Z]\.\s?(?:[A-Z]\.\s?)?Reg\.|Ontario\sRegulation)[/ ]"
        r"(?P<ca_number>\d{1,4}[-/]\d{1,4})",
        "{ca_body} {ca_number}",
    ),
    Form(
        "instrument",
        r"S\.?\s?[IR]\.?\s(?:No\.\s?)?(?P<si_year>\d{4})(?:/|\sNo\.?\s)(?P<si_number>\d{1,5})",
        "si {si_year}/{si_number}",
    ),
    Form(
        "numbered",
        r"(?P<act_year>(?:19|20)\d{2})\sNo\.\s(?P<act_number>\d{1,4})(?!\d)",
        "act {act_number} of {act_year}",
    ),
    Form(
        "lettered",
        r"Regulation\s(?P<reg_letter>[A-Z]{1,2}(?:-[A-Z]{1,2})?)(?![\w’'(-]|\.\w)",
        "regulation {reg_letter}",
    ),
)
TAG = r"\[(?P<tag>[A-Za-z][\w.:+-]{1,30})\]"
# What each form can begin with is looked at first: most places are ruled out by it.
_ALL = "|".join([*(f"(?P<form_{form.name}>{form.pattern})" for form in FORMS), TAG])
DOCUMENT = re.compile(
    rf"(?<!\w)(?=[\d\[A-Z]|r[eèio]|d[eéiy]|v[e]|b[e]|fo|fö|na|sm|l[oe]|or|ti|zá|af)(?:{_ALL})"
)
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
    groups["eu_family"] = _family_of(groups["eu_family"])
    groups["fr_page"] = groups["fr_page"].replace(",", "")
    groups["ca_body"] = groups["ca_body"].replace("Ontario Regulation", "O. Reg.")
    groups["law_family"], groups["law_number"] = _national_key(groups)
    return " ".join(form.key.format(**groups).casefold().split())


def _family_of(word: str) -> str:
    return next(
        (family for family, words in _EUROPEAN.items() if re.fullmatch(words, word, re.IGNORECASE)), word
    )


def _national_key(groups: dict[str, str]) -> tuple[str, str]:
    """Return the family and the number of a law: legge and 241/1990 for "legge 7 agosto 1990, n. 241"."""
    words = re.match(r"[^\d]+?(?=\s(?:n\.|n[°ºo]|n\.[º°o]|č\.|No\.|Nr\.|\d|I))", groups["form_national"])
    year = groups["law_year"] or groups["law_slash"]
    numbers = (groups[f"law_{country}"] for country in ("fr", "es", "it", "pt", "cz", "act", "at"))
    number = next((number for number in numbers if number), "")
    return (words[0] if words else ""), (f"{number}/{year}" if year else number)


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
