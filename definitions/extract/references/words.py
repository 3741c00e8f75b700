"""The words of references, by kind and in any language. A language is added here, not in code."""

from __future__ import annotations

from documents.parse.words import ANNEXES

# Kinds that stand above what people cite, the outermost first.
DIVISIONS = {
    "book": r"books?|livres?|buch(?:es|s)?|libros?|livros?|libri|boek",
    "title": r"titles?|titres?|titels?|t[ií]tulos?|titoli|titolo",
    "part": r"parts?|pts?\.?|parties?|teile?n?s?|partes?|parti|deel",
    "chapter": r"chapters?|chaps?\.?|ch\.|chapitres?|kapiteln?s?|kap\.|cap[ií]tulos?|capi|capo"
    r"|hoofdstuk(?:ken)?|kapittel|rozdział(?:u|y|ów)?|hlav[aěy]",
    "subchapter": r"subchapters?",
    "subpart": r"subparts?",
    "division": r"divisions?",
    "order": r"orders?",
}
# What people cite by its number.
CITED = {
    "section": r"§§?|sections?|sects?\.?|secs?\.?|ss?\.?|abschnitte?n?s?|secci(?:[oó]n|ones)|sezion[ei]"
    r"|se[cç](?:[aã]o|[oõ]es)|paragraphen|paragraf(?:en|er)?",
    "article": r"articles?|arts?\.?|artikeln?s?|artikelen|artiklen|art[ií]culos?|artigos?|articol[oi]|artt\."
    r"|čl\.|člana?k?a?|člán(?:ek|ku|ky|ků)|articolul(?:ui)?|artyku[lł](?:u|y|ów)?|artikla(?:n|ssa|t)?"
    r"|статьи|статья|статьей|ст\.|άρθρ(?:ο|ου|α|ων)",
    "rule": r"rules?|rr?\.",
    "regulation": r"regulations?|regs?\.?",
    "clause": r"clauses?|cls?\.?|klauseln?|cl[aá]usulas?|clausol[ae]",
    "requirement": r"requirements?|anforderung(?:en)?|exigences?",
    "recital": r"recitals?|consid[eé]rants?|erw[aä]gungsgr(?:und|ünde|ünden|undes)|considerandos?"
    r"|overweging(?:en)?|motyw(?:u|y|ów)?|betragtning|skäl",
    "comment": r"comments?",
    "form": r"forms?|model",
}
# What stands below that, the outermost first.
BELOW = {
    "subsection": r"sub-?sections?|subss?\.",
    "subdivision": r"sub-?divisions?",
    "paragraph": r"paragraphs?|paras?\.?|pars?\.|¶¶?|paragraphes?|paragraf[oi]|abs[aä]tze?[ns]?|absatzes"
    r"|abs\.|apartados?|p[aá]rrafos?|comm[ai]|leden|lid|ledd|stykke|stk\.|mom\.|stycket|ust\.|ustęp(?:u|ie|y)?"
    r"|odst\.|odstav(?:ec|ce|ci|ců)|n[uú]meros?",
    "subclause": r"sub-?clauses?",
    "subparagraph": r"sub-?paragraphs?|sub-?paras?\.?|sottoparagraf[oi]|unterabs[aä]tze?[ns]?|unterabs\."
    r"|uabs\.|alin[eé]as?|al\.|akapit(?:u|y)?|afsnit|pododstav(?:ec|ce)",
    "sentence": r"sentences?|s[aä]tze?[ns]?|satzes|phrases?|frases?|zdani[ae]|vět[aěy]|punktum",
    "number": r"nummern?|nrn?\.|nos?\.|n\.?[°º]s?\.?|ziffern?|ziff\.|z\.?",
    "item": r"items?|incisos?",
    "point": r"points?|letters?|lits?\.?|litt(?:era)?\.?|litra|liter[ay]?|buchstaben?s?|buchst\.|letter[ae]"
    r"|letras?|lett\.|pkt\.?|punkte?[ns]?|onder|písm\.|písmen[oeaué]?|alíneas?|bokstav",
    "subpoint": r"sub-?points?|doppelbuchstaben?|doppelbuchst\.",
    "indent": r"indents?|tirets?|(?:spiegel|gedanken)strich(?:e|s|es)?|guiones|gui[oó]n",
}
# What stands beside the body.
BESIDE = {
    "schedule": r"schedules?|scheds?\.?|schs?\.?",
    "annex": r"annex(?:es)?|annexes?|anh[aä]nge?[ns]?|anhangs|anlagen?|anexos?|allegat[oi]|bijlagen?|bilagor"
    r"|bilaga|bilag|vedlegg|liite|liitteen|liitteessä|załącznik(?:a|u|i)?|příloh[ay]|príloh[ay]",
    "appendix": r"appendi(?:x|xes|ces)|app\.|appendices?|ap[eéê]ndices?",
    "supplement": ANNEXES["supplement"],
    "exhibit": r"exhibits?",
    "attachment": r"attachments?",
    "addendum": ANNEXES["addendum"],
}
THAT = "that "  # Before the key of a document, or the kind of a unit, that was named before.
DEFINITION = "definition"  # Not a unit of an outline: the list of a term that is defined.
UNITS = BESIDE | DIVISIONS | CITED | BELOW

LOW = 30  # The rank from which on a unit is seldom named without another.
RANK = (
    dict.fromkeys(BESIDE, 0)
    | {kind: rank for rank, kind in enumerate(DIVISIONS, start=1)}
    | dict.fromkeys(CITED, 20)
    | {kind: rank for rank, kind in enumerate(BELOW, start=LOW)}
    | {DEFINITION: 99}
)
# Kinds that a single capital can name: "Appendix A", "section E". "At this point A" names nothing.
LETTERED = frozenset(BESIDE) | frozenset(DIVISIONS) - {"title", "order", "book"} | {"section", "paragraph"}
# Kinds that are named by codes such as "B-4" alone: "form 10" is none of the document's.
CODED = frozenset({"form"})
# Kinds whose word means something else in small letters: "in order 5".
CAPITALIZED = frozenset({"order", "title", "book"})
# Kinds that only go on from another: "Satz 2" behind "§ 3 Abs. 1", "second indent".
INNER = frozenset({"sentence", "number", "indent"})
# Words of a small unit behind which its whole number may stand: "paragraph 6(2)(b)", as in Australia.
WHOLE_NUMBERED = frozenset({"subsection", "paragraph", "subclause", "subparagraph"})
# But these words do so alone: "Satz 1 gilt nicht", "Nummer 3".
ALONE = r"s[aä]tze?[ns]?|satzes|nummern?"
# Words of blocks that are counted and bear no number, however they are cited: "alinéa 2", "Unterabsatz 2".
COUNTED = r"alin[eé]as?|al\.|unterabs[aä]tze?[ns]?|unterabs\.|uabs\.|akapit(?:u|y)?|afsnit|pododstav(?:ec|ce)"
# Words of points whose letter needs no bracket: "Buchstabe a", but not "at this point a".
BARE_POINTS = (
    r"buchstaben?s?|buchst\.|lits?\.?|litt(?:era)?\.?|litra|liter[ay]?|letter[ae]|lett\.|letras?|incisos?|onder|písm\."
    r"|pkt\.?|alíneas?|bokstav"
)
# Words that are the same for one and for several: "Abs. 1 und 3", "art. 5 i 6".
INVARIABLE = r"arts?\.|abs\.|nr\.|ziff\.|z|lit\.|ust\.|odst\.|pkt\.?|písm\.|stk\.|artikel|absatz"
# What a number in brackets makes of a word: "clause (b)" stands in a list, "Clause 4" does not.
BRACKETED = {"clause": "point", "rule": "paragraph", "section": "paragraph", "article": "paragraph"}

# Behind words that a text of the language has if it counts anything.
ORDINALS_BEHIND = {
    ("paragraph", "indent", "sentence"): "first second third fourth fifth sixth seventh eighth ninth tenth",
    (
        "alinéa",
        "paragraphe",
        "tiret",
        "phrase",
    ): "premier deuxième troisième quatrième cinquième sixième septième"
    " huitième neuvième dixième; première seconde",
    (
        "Absatz",
        "Satz",
        "strich",
        "absatz",
    ): "ersten zweiten dritten vierten fünften sechsten siebten achten neunten"
    " zehnten; erster zweiter dritter vierter fünfter; erste zweite dritte vierte fünfte",
    ("párrafo", "apartado", "guion"): "primer segundo tercer cuarto quinto; primero segundo tercero",
    ("comma", "paragrafo", "alinea"): "primo secondo terzo quarto",
    ("parágrafo", "número", "frase"): "primeiro segundo terceiro quarto",
    ("lid", "alinea"): "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende",
    ("ledd", "punktum", "stykke", "afsnit"): "første annet tredje fjerde femte; første andet; første andre",
    ("stycket",): "första andra tredje fjärde femte",
}
ORDINALS = {
    word: str(value)
    for rows in ORDINALS_BEHIND.values()
    for row in rows.split(";")
    for value, word in enumerate(row.split(), start=1)
}

# Between the members of a list, and between the ends of a range.
AND = r"and/or|and of|or of|as well as|and|or|und|oder|sowie|et|ou|y|e|o|ed|en|i|oraz|lub|og|och|eller|nebo"
TO = r"through|to|thru|bis|à|a|al|t/m|tot|till|until|til|do|až"
# Between a part and the whole that it is a part of.
OF = (
    r"of|to|in|under|des|der|dem|den|im|von|zu[rm]?|du|de\s+l['’]|de\s+la|de\s+los|de\s+las|de|del|della|dello"
    r"|dell['’]|degli|dei|delle|do|da|dos|das|van\s+(?:de|het)|van|af|av|i|w"
)
THE = r"(?:the\s+said|the|that|said|same|der|die|das|dem|den|des|la|le|les|l['’]|el|los|las|il|lo|gli|de|het)"
# Before a word for the unit or the document that the mention itself stands in.
THIS = (
    r"this|these|(?:the\s+)?present|dieses|dieser|diesem|diese|vorliegenden?|ce|cet|cette"
    r"|pr[ée]sente?s?|est[ea]s?|quest[oa]|dit|deze|denne|dette|denna|detta"
)
# Such words that say "of" themselves.
OF_THIS = (
    r"dieses|dieser|des\s+vorliegenden|der\s+vorliegenden|du\s+pr[ée]sent|de\s+la\s+pr[ée]sente|des\s+pr[ée]sent(?:e?s)"
    r"|del(?:la)?\s+presente|d[ao]\s+presente|dest[ea]s?|tohoto|této|niniejsze(?:j|go)"
)
# Words for a document as a whole.
WHOLES = (
    r"acts?|regulations?|directive|decision|code|law|statute|ordinance|constitution|treaty|convention|agreement"
    r"|contract|charter|protocol|policy|standard|specification|document|rules|order|instrument|measure|rulebook"
    r"|guidelines?|gesetz(?:es|buch(?:es|s)?)?|verordnung|richtlinie|vertrag(?:s|es)?|satzung|ordnung"
    r"|übereinkommens?|abkommens?|loi|règlement|décret|ordonnance|arrêté|traité|accord|contrat|ley|reglamento"
    r"|directiva|real\s+decreto|tratado|contrato|legge|regolamento|direttiva|trattato|lei|decreto|wet|besluit"
    r"|bundesgesetz(?:es)?|lov|lag|zákona?|ustaw[ay]|regulamento|by-?laws"
)
# Such words with nothing but an article before them: those that mean another document, and this one.
OTHERS = r"act|code|law|treaty|convention|ordinance|directive|gesetzes|gesetzbuchs|loi|ley|legge"
OWN = r"regulation|agreement|policy|specification|document|standard|contract"
# What is counted, and is therefore no number of a unit.
QUANTITIES = (
    r"percent|per\s?cent|days?|weeks?|months?|years?|hours?|minutes?|business|calendar|times|pages?|items|persons?"
    r"|members|units|Jahren?|Tagen?|Monaten?|Wochen|jours?|ans|mois|semaines?|días|años|meses|giorni|anni|mesi"
    r"|dagen|jaar|dias|anos|dage[rn]?|dagar|dni|dní|dnů|million|billion|Uhr"
)
