"""The words that open a numbered unit, by kind and language. A language is added here, not in code."""

from __future__ import annotations

import re

# The order of kinds is the usual nesting; a document that nests them otherwise is believed.
KINDS: dict[str, str] = {
    "book": r"book|livre|buch|libro|livro",
    "title": r"title|titre|titel|t[ií]tulo|titolo",
    "subtitle": r"subtitle|sous-titre|untertitel|subt[ií]tulo",
    "part": r"part|partie|teil|parte",
    "chapter": r"chapter|chap\.|chapitre|kapitel|cap[ií]tulo|capo",
    "subchapter": r"subchapter|sous-chapitre|unterkapitel",
    "subpart": r"subpart|sous-partie|subparte",
    "division": r"division|abteilung",
    "subdivision": r"subdivision|unterabschnitt",
    "section": r"section|sect?\.|abschnitt|secci[oó]n|se[cç][aã]o|sezione",
    "subsection": r"subsection|sous-section|subsecci[oó]n|subse[cç][aã]o",
    "article": r"article|art\.|artikel|art[ií]culo|artigo|articolo",
    "rule": r"rule|regulation|regel|regla|regra|regola",
    "sign": r"§§?|par[aá]grafo",
    "clause": r"clause|cl\.|klausel|cl[aá]usula|clausola",
    "recital": r"recital|consid[eé]rant|erw[aä]gungsgrund|considerando",
}
# These stand beside the body, and whatever numbering they have inside starts anew.
ANNEXES: dict[str, str] = {
    "schedule": r"schedule",
    "annex": r"annexe?|anhang|anlage|anexo|allegato|bijlage",
    "appendix": r"appendix|appendice|ap[eé]ndice|ap[eê]ndice",
    "supplement": r"supplement",
    "exhibit": r"exhibit",
    "attachment": r"attachment",
    "addendum": r"addendum",
}
# These only introduce a number of the levels below: "Paragraph 2(c)(1)".
PREFIXES = r"paragraph|para\.|paragraphe|absatz|abs\.|p[aá]rrafo|point|punkt|form"

DIVISIONS = frozenset(KINDS) - {"article", "rule", "sign", "clause", "recital", "section"}
USUAL_ORDER = {kind: rank for rank, kind in enumerate(KINDS)}

_ALL = KINDS | ANNEXES
KIND_OF = re.compile("|".join(f"(?P<{kind}>{words})" for kind, words in _ALL.items()), re.IGNORECASE)


def kind_of(word: str) -> str:
    """Return the kind that a word names; the word comes from `WORDS`, so there is one."""
    match = KIND_OF.fullmatch(word)
    if match is None or match.lastgroup is None:
        raise ValueError(f"{word!r} opens no unit.")
    return match.lastgroup


WORDS = "|".join(f"(?:{words})" for words in _ALL.values())
