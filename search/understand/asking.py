"""How people ask what something means and what refers to it, language by language.

In a frame, `{x}` stands for what is asked about. A frame says nothing of documents: behind it, or inside what
it asks about, `under` names one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asking:
    """Frames are regular expressions for a query in small letters, with single blanks."""

    means: tuple[str, ...]  # It asks for a definition, and for nothing else.
    may_mean: tuple[str, ...]  # It may, if what is asked about is a defined term.
    under: str  # Between the term and the document whose meaning is asked for.
    term_words: str  # Before the term, and no part of it.
    cites: tuple[str, ...]  # It asks for what refers to something.


UNITS = (
    r"provisions?|sections?|articles?|paragraphs?|rules?|clauses?|regulations?|parts?|units?|passages?|places"
    r"|documents?|comments?"
)
ENGLISH = Asking(
    means=(
        r"what (?:does|do|did) {x} mean",
        r"what(?: is|'s|’s| are) meant by {x}",
        r"what(?: is|'s|’s| are) (?:the )?(?:legal |statutory )?(?:definitions?|meanings?) of {x}",
        r"(?:the )?(?:legal |statutory )?(?:definitions?|meanings?) (?:of|for) {x}",
        r"how (?:is|are|was|were) {x} (?:defined|to be understood)",
        r"how (?:does|do) {document} define {x}",
        r"what (?:does|do) {document} mean by {x}",
        r"(?:please )?define {x}",
        r"where (?:is|are) {x} defined",
        r"(?:which|what) (?:{units}) defines? {x}",
    ),
    may_mean=(
        r"what(?: is|'s|’s| are) (?:an? |the )?{x}",
        r"who (?:is|are) (?:an? |the )?{x}",
        r"what (?:counts as|qualifies as|constitutes) (?:an? |the )?{x}",
        r"(?:meaning|definition)[:,] {x}",
        r"{x}[:,]? (?:definitions?|meaning|defined)",
    ),
    under=r"under|in|within|according to|as used in|as defined (?:in|by)|for (?:the )?purposes? of"
    r"|pursuant to",
    term_words=r"(?:the )?(?:defined )?(?:term|word|expression|phrase)|an?|the",
    cites=(
        (
            r"(?:which|what)(?: other)? (?:{units}) (?:cross-?)?(?:refers? to|references?|cites?|mentions?"
            r"|points? to|links? to) {x}"
        ),
        r"(?:who|what)(?: else)? (?:refers to|references|cites|mentions|points to) {x}",
        r"where (?:is|are) {x} (?:cross-?referenced|cross-?referred|referenced|referred to|cited|mentioned)",
        (
            r"(?:all |other )?(?:{units}) (?:that |which )?(?:citing|referring to|referencing|mentioning"
            r"|refer to|reference|cite|mention) {x}"
        ),
        r"(?:all )?(?:cross-?)?(?:references|citations|mentions) (?:to|of) {x}",
    ),
)
GERMAN = Asking(
    means=(
        r"was (?:bedeutet|bedeuten|heißt|heissen|heißen|heisst|meint) {x}",
        r"was (?:ist|wird) mit {x} gemeint",
        r"was (?:versteht man|versteht das gesetz|ist zu verstehen) unter {x}",
        r"was (?:ist|sind) unter {x} zu verstehen",
        r"(?:die )?(?:legal)?(?:definition|bedeutung|begriffsbestimmung) (?:von|des|der|für) {x}",
        r"wie (?:ist|sind|wird|werden) {x} (?:definiert|bestimmt)",
        r"wie (?:definiert|bestimmt) {document} {x}",
        r"(?:definiere|bestimme) {x}",
        r"wo (?:ist|sind|wird|werden) {x} definiert",
    ),
    may_mean=(
        r"was (?:ist|sind) (?:eine? |der |die |das )?{x}",
        r"wer ist {x}",
        r"was gilt als {x}",
        r"{x}[:,]? (?:legaldefinition|definition|bedeutung|begriff)",
    ),
    under=r"im sinne (?:von|des|der)|in|im|nach|laut|gemäß|gemäss|unter",
    term_words=r"(?:(?:der|den|dem|des) )?(?:begriffs?|ausdrucks?|wort(?:es)?)|eine?[rsnm]?"
    r"|der|die|das|den|dem|des",
    cites=(
        (
            r"(?:was|wer|welche[rs]?(?: \w+)?) (?:verweist|verweisen|nimmt bezug|nehmen bezug|bezieht sich"
            r"|beziehen sich) auf {x}"
        ),
        r"welche[rs]? \w+ (?:nennt|nennen|zitiert|zitieren|erwähnt|erwähnen) {x}",
        r"wo wird auf {x} (?:verwiesen|bezug genommen)",
        r"wo (?:wird|werden|ist) {x} (?:erwähnt|zitiert|genannt|angeführt)",
        r"(?:querverweise|verweise|verweisungen|bezugnahmen) auf {x}",
    ),
)
FRENCH = Asking(
    means=(
        r"que (?:signifie|signifient|veut dire|veulent dire) {x}",
        r"qu['’]est-ce que (?:signifie|veut dire) {x}",
        r"qu['’]entend-on par {x}",
        r"que faut-il entendre par {x}",
        r"(?:quelle est )?(?:la )?(?:définition|signification) (?:de la |de l['’]|du |des |d['’]|de ){x}",
        r"comment (?:est|sont) (?:défini|définie|définis|définies) {x}",
        r"comment {document} (?:définit|définissent)(?:-ils?|-elles?)? {x}",
        r"(?:définir|définissez|définis) {x}",
        r"où (?:est|sont) (?:défini|définie|définis|définies) {x}",
    ),
    may_mean=(
        r"qu['’]est-ce (?:que |qu['’])(?:une? |le |la |l['’]|les )?{x}",
        r"{x}[:,]? (?:définition|signification)",
    ),
    under=r"(?:au sens|en vertu|aux fins) (?:de la|de l['’]|du|des|de)|dans|selon|d['’]après",
    term_words=r"(?:le |l['’])?(?:terme|mot|expression|notion de)|une?|le|la|les|l['’]",
    cites=(
        (
            r"(?:quels?|quelles?) \w+ (?:renvoient|renvoie|font référence|fait référence|se réfèrent)"
            r" (?:au|aux|à) {x}"
        ),
        r"(?:quels?|quelles?) \w+ (?:citent|cite|mentionnent|mentionne|visent|vise) {x}",
        r"(?:qui|qu['’]est-ce qui) (?:renvoie à|renvoie au|cite|mentionne|fait référence à) {x}",
        r"où (?:est|sont) (?:cité|citée|cités|citées|mentionné|mentionnée|visé|visée) {x}",
        r"où {x} (?:est|sont)(?:-ils?|-elles?)? (?:citée?s?|mentionnée?s?|visée?s?)",
        r"(?:les )?(?:renvois|références) (?:à la|à l['’]|à|au|aux) {x}",
    ),
)
SPANISH = Asking(
    means=(
        r"¿?qué (?:significa|significan|quiere decir|se entiende por) {x}",
        r"¿?que (?:significa|se entiende por) {x}",
        r"(?:¿?cuál es )?(?:la |el )?(?:definición|significado) (?:de la |de los |de las |del |de ){x}",
        r"¿?cómo (?:se define|se definen|está definido|está definida) {x}",
        r"¿?cómo define {document} {x}",
        r"(?:definir|defina) {x}",
        r"¿?dónde (?:se define|se definen|está definido|está definida) {x}",
    ),
    may_mean=(
        r"¿?qué (?:es|son) (?:una? |el |la |los |las )?{x}",
        r"{x}[:,]? (?:definición|significado)",
    ),
    under=r"según|en|bajo|conforme a|de acuerdo con|(?:a (?:los )?efectos|en virtud) (?:de la|del|de)",
    term_words=r"(?:el |la )?(?:término|palabra|expresión|concepto de)|una?|el|la|los|las",
    cites=(
        (
            r"¿?(?:qué|cuáles) \w+ (?:remiten|remite|hacen referencia|hace referencia|se refieren)"
            r" (?:al|a la|a los|a las|a) {x}"
        ),
        r"¿?(?:qué|cuáles) \w+ (?:citan|cita|mencionan|menciona) {x}",
        r"¿?(?:quién|qué) (?:remite a|remite al|cita|menciona|hace referencia a|hace referencia al) {x}",
        r"¿?dónde se (?:cita|citan|menciona|mencionan|hace referencia a) {x}",
        r"(?:las )?(?:referencias|remisiones) (?:a la|al|a los|a las|a) {x}",
    ),
)
ITALIAN = Asking(
    means=(
        r"(?:che )?cosa (?:significa|significano|vuol dire|si intende per|s['’]intende per) {x}",
        r"(?:qual è )?(?:la |il )?(?:definizione|significato) (?:dell[aoe] |dell['’]|de[li] |degli |di ){x}",
        r"come (?:è|sono|viene|vengono) (?:definito|definita|definiti|definite) {x}",
        r"come definisce {document} {x}",
        r"(?:definire|definisci) {x}",
        r"dove (?:è|sono|viene|vengono) (?:definito|definita|definiti|definite) {x}",
    ),
    may_mean=(
        r"(?:che )?cos(?:['’]è|a è|a sono) (?:un[ao]? |un['’]|il |lo |la |l['’]|i |gli |le )?{x}",
        r"{x}[:,]? (?:definizione|significato)",
    ),
    under=r"(?:ai sensi|a norma) (?:della|dello|dell['’]|del|di)|nell['’]|nella|nello|nel|in|secondo",
    term_words=r"(?:il |la |l['’])?(?:termine|parola|espressione|nozione di)|un[ao]?|un['’]|il|lo|la|l['’]"
    r"|i|gli|le",
    cites=(
        (
            r"qual[ie] \w+ (?:rinviano|rinvia|fanno riferimento|fa riferimento)"
            r" (?:all['’]|alla |allo |al |ai |alle |a ){x}"
        ),
        r"qual[ie] \w+ (?:richiamano|richiama|citano|cita|menzionano|menziona) {x}",
        r"(?:chi|cosa) (?:rinvia all['’]|rinvia al|rinvia a|richiama|cita|menziona|fa riferimento a) {x}",
        r"dove (?:è|sono|viene|vengono) (?:citat[oaie]|richiamat[oaie]|menzionat[oaie]) {x}",
        r"(?:i )?(?:riferimenti|rinvii|richiami) (?:alla |allo |all['’]|al |ai |alle |a ){x}",
    ),
)
DUTCH = Asking(
    means=(
        r"wat (?:betekent|betekenen) {x}",
        r"wat (?:wordt|is) (?:er )?bedoeld met {x}",
        r"wat (?:wordt|is|moet worden) (?:er )?verstaan onder {x}",
        r"wat verstaat men onder {x}",
        r"(?:de )?(?:definitie|betekenis|begripsbepaling) van {x}",
        r"hoe (?:is|zijn|wordt|worden) {x} (?:gedefinieerd|omschreven)",
        r"hoe definieert {document} {x}",
        r"definieer {x}",
        r"waar (?:is|zijn|wordt|worden) {x} gedefinieerd",
    ),
    may_mean=(
        r"wat (?:is|zijn) (?:een |de |het )?{x}",
        r"{x}[:,]? (?:definitie|betekenis)",
    ),
    under=r"in de zin van|in|onder|volgens|krachtens|op grond van",
    term_words=r"(?:de |het )?(?:term|begrip|woord|uitdrukking)|een|de|het",
    cites=(
        r"(?:wat|wie|welke \w+) (?:verwijst|verwijzen) naar {x}",
        r"welke \w+ (?:noemen|noemt|vermelden|vermeldt|citeren|citeert) {x}",
        r"waar wordt naar {x} verwezen",
        r"waar (?:wordt|worden) {x} (?:genoemd|aangehaald|vermeld|geciteerd)",
        r"(?:kruis)?verwijzingen naar {x}",
    ),
)
PORTUGUESE = Asking(
    means=(
        r"(?:o )?que (?:significa|significam|quer dizer|se entende por) {x}",
        r"(?:qual é )?(?:a |o )?(?:definição|definicao|significado) (?:da |do |das |dos |de ){x}",
        r"como (?:é|são|está|estão) (?:definid[oa]s?) {x}",
        r"como se define {x}",
        r"como define {document} {x}",
        r"(?:definir|defina) {x}",
        r"onde (?:é|são|está|estão) (?:definid[oa]s?) {x}",
    ),
    may_mean=(
        r"o que (?:é|são) (?:uma? |o |a |os |as )?{x}",
        r"{x}[:,]? (?:definição|significado)",
    ),
    under=r"(?:nos termos|para efeitos) (?:da|do|de)|segundo|conforme|de acordo com|no|na|nos|nas|em|sob",
    term_words=r"(?:o |a )?(?:termo|palavra|expressão|conceito de)|uma?|o|a|os|as",
    cites=(
        (
            r"(?:quais|que) \w+ (?:remetem para|remete para|fazem referência a|faz referência a|se referem a)"
            r"(?:o|os)? {x}"
        ),
        r"(?:quais|que) \w+ (?:citam|cita|mencionam|menciona) {x}",
        r"(?:quem|o que) (?:remete para|cita|menciona|faz referência a) {x}",
        r"onde (?:é|são) (?:citad[oa]s?|mencionad[oa]s?|referid[oa]s?) {x}",
        r"(?:as )?(?:referências|remissões) (?:à|ao|às|aos|a|para) {x}",
    ),
)

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, DUTCH, PORTUGUESE)
