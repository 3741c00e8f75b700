"""The words of the other languages. A language is added here and in `words.py`, not in code."""

from __future__ import annotations

from definitions.extract.definitions.language import Language

FRENCH = Language(
    bare_means=r"désigne\b|s[\'’]entend\b",
    means=r"(?:désigne(?:nt)?|signifie(?:nt)?|s['’]entend(?:ent)?|vise(?:nt)? "
    r"|est défini(?:e)?(?:s)? comme|sont défini(?:e)?s comme"
    r"|doit s['’]entendre|veut dire|doivent s['’]entendre)\b",
    includes=r"comprend(?:|nent)\b|inclu(?:t|ent)\b|est assimilé",
    given=r"(?:a|ont|revêt) (?:le|la|les) (?:même )?(?:sens|signification)s?\b|est défini(?:e)? (?:à|au"
    r"|par|dans)\b",
    states=r"(?:est|sont) (?:une?|le|la|les|l['’]|toute?|des)",
    called=r"appelée?s?|dénommée?s?|désignée?s? (?:comme|par)|ci-après|dite?s?|on entend par"
    r"|(?:il faut )?entendre par"
    r"|est réputée?|qualifiée?s? de",
    term_words=r"(?:le|les) (?:termes?|mots?)|l['’]expression|les expressions|la notion de|(?:le )?terme",
    articles=r"les?|la|l['’]|une?|des|du|de la",
    joins=r"et|ou|et/ou",
    qualifiers=r"à l['’]égard|s['’]agissant|en ce qui concerne|relativement|dans le cas|au sens|selon"
    r"|d['’]un|d['’]une|de la|du|de",
    bracket=r"le|la|les|l['’]|une?|ci-après|et|ou|ensemble|dénommée?s?|désignée?s?|appelée?s?"
    r"|collectivement|individuellement|chacune?"
    r"|par|comme|parties?|conjointement|sous|terme|d['’]une|part|d['’]autre|après|aux|fins|des|présentes",
    lead_in=r"on entend par|il faut entendre par|s['’]entend(?:ent)? (?:de|par)|définitions (?:suivantes"
    r"|qui suivent)"
    r"|suivants? (?:désignent|s['’]entendent)",
    scope=r"aux fins (?:de l['’]application )?(?:de|du|des)|au sens (?:de|du|des)|dans"
    r"|pour l['’]application (?:de|du|des)|en vertu (?:de|du)",
    this=r"la présente|le présent|présente?s?|cette?|ce|les présentes",
    document=r"loi|règlement|directive|décision|convention|contrat|accord|code|décret|ordonnance|traité"
    r"|norme|texte|arrêté|document",
    titles=r"définitions?(?: .{0,60})?|glossaire|terminologie|interprétation|termes et définitions|lexique",
    excludes=r"ne compren(?:d|nent) pas|n['’]inclu(?:t|ent) pas|à l['’]exclusion|à l['’]exception"
    r"|exclu(?:t|ent)\b|ne vise(?:nt)? pas",
    no_term=r"ce|cela|ceci|qui|il|elle|ils|elles|on|celui|celle|dans|par|pour|si|lorsque|y",
)
GERMAN = Language(
    bare_means=r"bezeichnet\b|bedeutet\b",
    means=r"(?:bezeichnet|bezeichnen|bedeutet|bedeuten|meint|meinen|heißt|heißen|umschreibt)\b"
    r"|(?:im|in dem) sinne (?:dieses|dieser|des|der) [\wäöüß .§]{2,40}? (?:ist|sind|bedeutet|bezeichnet)\b"
    r"|(?:ist|sind) definiert als\b|(?:wird|werden) definiert als\b",
    includes=r"umfass(?:t|en)\b|schließ(?:t|en) .{0,30} ein\b|gilt als|gelten als|(?:ist|sind) (?:alle?"
    r"|jede[rs]?|ein|eine|einer|der|die|das)\b",
    given=r"(?:hat|haben) die (?:gleiche |selbe |in )?(?:bedeutung)\b|(?:ist|sind|wird"
    r"|werden) in .{1,40} (?:definiert|bestimmt)\b",
    states=r"(?:ist|sind|war) (?:eine?r?|der|die|das|jede[rs]?|alle?|solche|wer)\b|besteh(?:t|en) aus\b",
    called=r"genannt|bezeichnet als|sogenannte[rsn]?|im folgenden|nachfolgend|heißt|heißen"
    r"|versteh(?:t man|en wir) unter",
    term_words=r"(?:der|die|den) (?:ausdruck|ausdrücke|begriffe?|bezeichnung(?:en)?|wörter)|das wort",
    articles=r"der|das|eine?[rsnm]?",
    joins=r"und|oder|bzw\.|sowie",
    qualifiers=r"im sinne|in bezug auf|bei|hinsichtlich|im zusammenhang|einer?s?|der|des|von",
    bracket=r"der|die|das|den|eine?r?|im|folgenden|nachfolgend|nachstehend|und|oder|jeweils|gemeinsam"
    r"|zusammen|kurz|genannt|als"
    r"|bezeichnet|auch|einzeln|in|diesem|vertrag|je|weiteren|sogenannte[rsn]?|parteien?|beide|–|künftig",
    lead_in=r"bezeichnet der (?:ausdruck|begriff)|bezeichnen die (?:ausdrücke|begriffe)"
    r"|gelten (?:die )?folgende[n]? begriffsbestimmungen"
    r"|bedeute[tn]|(?:ist|sind|bezeichnet|gelten als|gilt als)\s*(?::|$)|folgende begriffsbestimmungen"
    r"|bezeichnet|versteht man unter",
    scope=r"(?:im|in dem) sinne|für (?:die )?zwecke|in|für",
    this=r"dieses|dieser|diesem|diese|des vorliegenden",
    document=r"gesetz(?:es|buch(?:e?s)?)?|verordnung|richtlinie|vertrag(?:es|s)?|vereinbarung|abkommens?"
    r"|beschlusses|satzung|norm|ordnung|rahmenvertrags",
    titles=r"begriffsbestimmung(?:en)?(?: .{0,60})?|begriffe(?: und .{0,40})?"
    r"|definition(?:en)?(?: .{0,40})?|glossar|begriffserklärungen"
    r"|legaldefinitionen|begriffsdefinitionen",
    excludes=r"umfass(?:t|en) nicht|nicht (?:erfasst|umfasst)|ausgenommen|mit ausnahme|gilt nicht als"
    r"|gelten nicht als|außer\b",
    no_term=r"dies|diese[rs]?|es|er|sie|das|was|wer|wenn|soweit|hierbei|dabei|damit|im|in|bei|nach|für|als",
)
SPANISH = Language(
    bare_means=r"significa\b",
    means=r"(?:significa(?:n|rá|rán)?|se entender[áa]n? como|se refieren? a|designa(?:n)?"
    r"|se define(?:n)? como)\b",
    includes=r"comprende(?:n|rá)?\b|incluye(?:n)?\b",
    given=r"(?:tiene|tienen|tendrá|tendrán) (?:el|los) (?:mismo )?significados?\b|se define(?:n)? en\b",
    states=r"(?:es|son) (?:una?|el|la|los|las|toda?)\b",
    called=r"denominad[oa]s?|llamad[oa]s?|conocid[oa]s? como|en adelante,?|se entiende por|se entenderá por",
    term_words=r"(?:el|los) términos?|la expresión|las expresiones|la palabra",
    articles=r"el|la|los|las|una?|unos|unas",
    joins=r"y|o|e|u|y/o",
    qualifiers=r"en relación con|respecto de|a efectos|del?",
    bracket=r"el|la|los|las|en|adelante|lo|sucesivo|y|o|conjuntamente|denominad[oa]s?|partes?|cada|una?"
    r"|individualmente|indistintamente",
    lead_in=r"se entender[áa]n? por|se entiende por|siguientes definiciones|se entiende",
    scope=r"a (?:los )?efectos de|a (?:los )?efectos del|en|para los (?:efectos|fines) de",
    this=r"la presente|el presente|presente|esta|este",
    document=r"ley|reglamento|directiva|contrato|acuerdo|código|decreto|convenio|tratado|norma|decisión",
    titles=r"definiciones(?: .{0,60})?|glosario|términos y definiciones|terminología",
    excludes=r"no incluye(?:n)?|no comprende(?:n)?|excepto\b|con excepción|con exclusión|excluye(?:n)?",
    no_term=r"esto|eso|lo|que|este|esta|ello|si|cuando|en|por|para",
)
ITALIAN = Language(
    bare_means=r"indica\b",
    means=r"(?:significa|significano|si intend(?:e|ono)(?: per)?|s['’]intend(?:e|ono)(?: per)?|indica"
    r"|indicano|designa)\b",
    includes=r"comprend(?:e|ono)\b|include\b|includono\b",
    given=r"(?:ha|hanno|avrà|avranno) il (?:medesimo )?significato\b|(?:è|sono) definit[oaie] (?:all|nel"
    r"|dal)",
    states=r"(?:è|sono) (?:una?|uno|il|lo|la|i|gli|le|ogni|qualsiasi)\b",
    called=r"denominat[oaie]|chiamat[oaie]|di seguito,?|cosiddett[oaie]|si intende per|s['’]intende per",
    term_words=r"(?:il|i) termin[ei]|l['’]espressione|le espressioni|la parola",
    articles=r"il|lo|la|i|gli|le|l['’]|una?|uno",
    joins=r"e|o|ed|od|e/o",
    qualifiers=r"in relazione a|con riferimento a|ai fini|dell['’]|della|del|di",
    bracket=r"il|lo|la|i|gli|le|l['’]|di|seguito|e|o|congiuntamente|denominat[oaie]|anche|per|brevità"
    r"|part[ei]|ciascuna|nel|singolarmente",
    lead_in=r"si intend(?:e|ono) per|s['’]intend(?:e|ono) per|seguenti definizioni|si intende|s['’]intende",
    scope=r"ai (?:fini|sensi) (?:del|della|dell['’]|di)|nel|nella|agli effetti (?:del|della)",
    this=r"la presente|il presente|presente|questo|questa",
    document=r"legge|regolamento|direttiva|contratto|accordo|codice|decreto|convenzione|trattato|norma"
    r"|decisione",
    titles=r"definizioni(?: .{0,60})?|glossario|termini e definizioni|terminologia",
    excludes=r"non (?:comprend(?:e|ono)|include|includono)|ad eccezione|ad esclusione|esclus[oaie]\b|salvo\b",
    no_term=r"ciò|che|questo|questa|esso|essa|se|quando|in|per",
)
PORTUGUESE = Language(
    bare_means=r"significa\b",
    means=r"(?:significa(?:m|rá|rão)?|entende-se por|designa(?:m)?|refere(?:m)?-se a|define(?:m)?-se como"
    r"|considera-se)\b",
    includes=r"compreende(?:m)?\b|inclui\b|incluem\b|abrange(?:m)?\b",
    given=r"(?:tem|têm|terá|terão) o (?:mesmo )?significado\b|é definid[oa] n[oa]\b",
    states=r"(?:é|são) (?:uma?|o|a|os|as|tod[oa])\b",
    called=r"denominad[oa]s?|chamad[oa]s?|designad[oa]s?(?: por)?|doravante,?|entende-se por",
    term_words=r"(?:o|os) termos?|a expressão|as expressões|a palavra",
    articles=r"o|a|os|as|uma?",
    joins=r"e|ou|e/ou",
    qualifiers=r"em relação a|relativamente a|para efeitos|d[oae]s?",
    bracket=r"o|a|os|as|doravante|e|ou|conjuntamente|denominad[oa]s?|designad[oa]s?|partes?|cada|uma?"
    r"|simplesmente|por|adiante",
    lead_in=r"entende-se por|entendem-se por|considera-se|seguintes definições|considera(?:m)?-se",
    scope=r"para (?:os )?(?:efeitos|fins)(?: d[oae]s?)?|n[oa]|nos termos d[oa]",
    this=r"presente|est[ea]|dest[ea]|nest[ea]",
    document=r"lei|regulamento|directiva|diretiva|contrato|acordo|código|decreto|convenção|tratado|norma"
    r"|decisão",
    titles=r"definições(?: .{0,60})?|glossário|termos e definições|terminologia",
    excludes=r"não (?:inclui|incluem|compreende|abrange)|exceto\b|com exceção|exclui\b",
    no_term=r"isto|isso|que|este|esta|ele|ela|se|quando|em|por|para",
)
DUTCH = Language(
    bare_means=r"betekent\b",
    means=r"(?:betekent|betekenen|wordt verstaan(?: onder)?|verwijst naar|verwijzen naar|duidt op)\b",
    includes=r"omvat(?:ten)?\b",
    given=r"(?:heeft|hebben) de(?:zelfde)? betekenis\b|(?:is|zijn|wordt) gedefinieerd in\b",
    states=r"(?:is|zijn) (?:een|de|het|elke?|iedere?)\b",
    called=r"genoemd|hierna|aangeduid als|zogenaamde?|wordt verstaan onder",
    term_words=r"de (?:termen|term|begrippen|uitdrukking)|het begrip|het woord",
    articles=r"de|het|een",
    joins=r"en|en/of",
    qualifiers=r"met betrekking tot|ten aanzien van|van een|van de|van het|van",
    bracket=r"de|het|een|hierna|te|noemen|en|of|gezamenlijk|genoemd|ook|elk|afzonderlijk|partijen?|tezamen",
    lead_in=r"wordt verstaan onder|wordt onder .{1,60} verstaan|volgende definities|verstaan onder|verstaan",
    scope=r"voor de toepassing van|in|in de zin van",
    this=r"deze|dit",
    document=r"wet|verordening|richtlijn|overeenkomst|contract|besluit|wetboek|verdrag|norm|regeling",
    titles=r"definities(?: .{0,60})?|begripsbepaling(?:en)?|begripsomschrijving(?:en)?"
    r"|begrippen(?:lijst)?|woordenlijst",
    excludes=r"omvat niet|met uitzondering|behalve\b|uitgezonderd|niet begrepen",
    no_term=r"dit|dat|deze|die|het|hij|zij|als|wanneer|in|bij|voor",
)
