"""The words that open a numbered unit, by kind and language. A language is added here, not in code."""

from __future__ import annotations

import re

# The order of kinds is the usual nesting; a document that nests them otherwise is believed.
KINDS: dict[str, str] = {
    "book": r"book|livre|buch|libro|livro|boek|księga|kniha|книга|βιβλίο",
    "title": r"title|titre|titel|t[ií]tulo|titolo|titlul|tytuł|τίτλος",
    "subtitle": r"subtitle|sous-titre|untertitel|subt[ií]tulo",
    "part": r"part|partie|teil|parte|partea|deel|część|část|časť|dio|часть|частина|част|avdelning|avdeling"
    r"|osa|rész|kısım|μ[έε]ρος|phần",
    "chapter": r"chapter|chap\.|chapitre|kapitel|kap\.|cap[ií]tulo|capo|capitolul|hoofdstuk|kapittel|rozdział"
    r"|hlava|hauptstück|poglavlje|глава|luku|fejezet|bölüm|peatükk|skyrius|κεφ[άα]λαιο|chương|bab",
    "subchapter": r"subchapter|sous-chapitre|unterkapitel|oddział",
    "subpart": r"subpart|sous-partie|subparte",
    "order": r"order",
    "division": r"division|abteilung|afdeling|dział|díl|diel|раздел|розділ",
    "subdivision": r"subdivision|unterabschnitt|paragraaf|pododdíl",
    "section": r"section|sect?\.|abschnitt|secci[oó]n|se[cç][aã]o|sezione|sec[tțţ]iunea|oddíl|oddiel|afsnit"
    r"|avsnitt|odjeljak|jagu|τμ[ήη]μα|mục",
    "subsection": r"subsection|sous-section|subsecci[oó]n|subse[cç][aã]o",
    "article": r"article|art\.|artikel|art[ií]culo|artigo|articolo|articolul|artykuł|článek|článok|čl\."
    r"|članak|član|člen|статья|стаття|член|чл\.|madde|[άα]ρθρο|điều|pasal|straipsnis|مادة|المادة",
    "rule": r"rule|regulation|regel|regla|regra|regola",
    "sign": r"§§?|par[aá]grafo",
    "clause": r"clause|cl\.|klausel|cl[aá]usula|clausola",
    "recital": r"recital|consid[eé]rant|erw[aä]gungsgrund|considerando",
    "requirement": r"requirement|anforderung|exigence|requisito",
    "policy": r"policy",
    "principle": r"principle|grundsatz|principe|principio",
    "guideline": r"guideline",
    "item": r"item",
}
# These stand beside the body, and whatever numbering they have inside starts anew.
ANNEXES: dict[str, str] = {
    "schedule": r"schedule",
    "annex": r"annexe?|anhang|anlage|anexo|anexa|allegato|bijlage|bilaga|bilag|vedlegg|liite|załącznik"
    r"|příloha|príloha|prilog|приложение|додаток|παρ[άα]ρτημα|phụ lục|lampiran|melléklet",
    "appendix": r"appendix|appendice|ap[eé]ndice|ap[eê]ndice",
    "supplement": r"supplement",
    "exhibit": r"exhibit",
    "attachment": r"attachment",
    "addendum": r"addendum",
    "amendment": r"amendment",
    "additional_provision": r"disposición adicional",
    "transitional_provision": r"disposición transitoria",
    "repealing_provision": r"disposición derogatoria",
    "final_provision": r"disposición final",
}
# Of these a document may have one that bears no number.
UNNUMBERED = ("schedule", "annex", "appendix", "exhibit", "attachment", "addendum")
# These only introduce a number of the levels below: "Paragraph 2(c)(1)".
PREFIXES = r"paragraph|para\.|paragraphe|absatz|abs\.|stk\.|p[aá]rrafo|point|punkt|form"

# Words that stand behind their number: "2 kap.", "1. Abschnitt", "3 §".
BEHIND_NUMBER = (
    r"§|kap\.|kapitel|abschnitt|unterabschnitt|hauptstück|teil|buch|luku|osa|fejezet|rész|bölüm|kısım"
    r"|člen|straipsnis|skyrius|peatükk|jagu|afdeling|titel(?=:)"
)
# And those that do so behind a number in words: "First Part", "Première partie".
BEHIND_WORD = (
    r"part|chapter|title|book|section|partie|titre|titel|livre|sección|parte|libro|schedule|appendix|annex"
)

# What stands in 第一条 and 제1조 behind the number.
IDEOGRAPHS = {
    "编": "book", "編": "book", "편": "book", "部": "part", "章": "chapter", "장": "chapter",
    "节": "section", "節": "section", "절": "section", "款": "subsection", "관": "subsection",
    "条": "article", "條": "article", "조": "article",
}  # fmt: skip

UNDIVIDED = frozenset({
    "article", "rule", "sign", "clause", "recital", "section", "requirement", "policy", "principle",
    "guideline", "item",
})  # fmt: skip
DIVISIONS = frozenset(KINDS) - UNDIVIDED
USUAL_ORDER = {kind: rank for rank, kind in enumerate(KINDS)}

_ALL = KINDS | ANNEXES
KIND_OF = re.compile("|".join(f"(?P<{kind}>{words})" for kind, words in _ALL.items()), re.IGNORECASE)


def kind_of(word: str) -> str:
    """Return the kind that a word names; the word comes from `WORDS`, so there is one."""
    if kind := IDEOGRAPHS.get(word):
        return kind
    match = KIND_OF.fullmatch(word)
    if match is None or match.lastgroup is None:
        raise ValueError(f"{word!r} opens no unit.")
    return match.lastgroup


def _starts(word: str) -> set[str]:
    """Return how a word can begin, in two letters."""
    first, second = (atom.strip("[]") for atom in re.findall(r"\[[^\]]+\]|.", word)[:2])
    return {one + other for one in first for other in second}


WORDS = "|".join(f"(?:{words})" for words in _ALL.values())
STARTS = frozenset(
    start for words in _ALL.values() for word in words.split("|") if word[0] != "§" for start in _starts(word)
)
