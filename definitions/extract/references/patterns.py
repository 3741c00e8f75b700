"""How references are printed around their numbers: lists, ranges, and the whole that a place is a part of."""

from __future__ import annotations

import re

from definitions.extract.references import words

GAP = r"(?:[ \u00a0\t]|\n(?![ \t]*\n))"  # A blank, or the end of a line inside a paragraph.
ANY = "|".join(f"(?:{spelled})" for spelled in words.UNITS.values())
_BELOW = "|".join(words.BELOW.values())
_BESIDE = "|".join(words.BESIDE.values())

KIND = re.compile("|".join(f"(?P<{kind}>{spelled})" for kind, spelled in words.UNITS.items()), re.IGNORECASE)
# Any word before what may be a number. Whether it is one of ours is looked up: to search for all is slow.
WORD = re.compile(
    r"(?<![\w§¶.-])(?P<word>§§?|¶¶?|[Nn]\.?[°º]s?\.?|[^\W\d_]{1,16}(?:-[^\W\d_]{2,10})?\.?)"
    r"(?:(?<=[§¶.°º])|[ \u00a0]|\n(?!\n))[ \u00a0]*"
    r"(?=[\d(]|[A-Z]{1,7}(?![^\W_])|[A-Z]{1,3}[.-]?[ ]?\d|(?:[a-z]|[ivxlc]{2,5})(?![^\W_]))"
)
# Numbers between quotation marks, as in Canada: Schedule "A", Exhibits “B” and “C”.
_QUOTED = r"[\"“”‘'](?:[A-Z]{1,2}(?:-?\d{1,2})?|[IVX]{1,5}|\d{1,3}[A-Z]?)[\"”’'](?!\w)"
QUOTED_LIST = re.compile(
    rf"(?<!\w)(?i:{_BESIDE}|parts?)[ \u00a0]{_QUOTED}(?:(?:,|,?{GAP}(?:and|or|to)){GAP}{_QUOTED})*"
)
QUOTED_NUMBER = re.compile(_QUOTED)
ORDINAL = re.compile(
    rf"(?<!\w)(?P<ordinal>(?i:{'|'.join(sorted(words.ORDINALS, key=len, reverse=True))})){GAP}"
    rf"(?P<word>(?i:{_BELOW}))(?!\w)(?!\s[\d(])"
)
LIST = re.compile(
    rf"{GAP}*[,;]{GAP}*(?:(?P<and>{words.AND}){GAP}+)?|{GAP}+(?:(?P<also>{words.AND})|(?P<to>{words.TO})){GAP}+"
    r"|[ ]?(?P<dash>[-–—])[ ]?(?=\()|[ ]?(?P<en>[–—])[ ]?(?=\d)"
)
# What may stand behind a number that is one: "Section 5 and 10 days" has one section.
FOLLOWED = re.compile(
    rf"{GAP}*(?:[,;.:)\]”\"]|$|\n|[–—])"
    rf"|{GAP}+(?:{words.AND}|{words.TO}|{words.OF}|above|below|hereof|is|are|shall|may|must|does|applies|apply)\b"
)
QUANTITY = re.compile(rf"{GAP}*(?:%|(?:{words.QUANTITIES})(?!\w))|,\d{{3}}", re.IGNORECASE)
INNER = re.compile(rf",?{GAP}+(?:(?:the|der|le|la)\s)?")
# What a place is about may stand behind its number: "section 2 (definitions) of the Act".
GLOSS = rf"(?:{GAP}\((?:commencing{GAP}with{GAP}[^()\n]{{1,80}}|[^()\d\n]{{4,80}})\))?"
PART_OF = re.compile(
    rf"{GLOSS},?{GAP}+(?:{words.OF})(?:(?<=['’])|{GAP}+)(?:{words.THE}(?:(?<=['’])|{GAP}+))?", re.IGNORECASE
)
THIS = re.compile(
    rf"{GLOSS},?{GAP}+(?:(?:{words.OF}){GAP}+(?:{words.THIS})|{words.OF_THIS}){GAP}+"
    rf"(?P<word>{ANY}|{words.WHOLES})(?!\w)(?!{GAP}*[(\d])",
    re.IGNORECASE,
)
# "paragraph (b) of that section": of the section that was mentioned last.
THAT_UNIT = re.compile(
    rf"{GAP}+(?:of|in|under){GAP}+(?:that|such|the{GAP}said){GAP}+(?P<word>{ANY})(?!\w)(?!{GAP}*[(\d])",
    re.IGNORECASE,
)
# "section 5 of the Act" is of another document, "appendix B to the regulation" of this one.
THAT = re.compile(
    rf"{GLOSS}{GAP}+(?:of|to|under|in|des|der|du|de){GAP}+"
    rf"(?:(?:the|la|le){GAP}+|(?P<that>that|such|said|the{GAP}said){GAP}+|l['’])?"
    rf"(?P<name>(?i:{words.OTHERS})|Regulations?|Rules|Agreement)(?![\w’'])"
)
OWN = re.compile(rf"{GLOSS}{GAP}+(?:of|under|in|to){GAP}+the{GAP}+(?:{words.OWN})(?![\w’'])")
WHOLE = re.compile(words.WHOLES, re.IGNORECASE)
# A list that has no number: "paragraph (a) of the definition of “vessel” in section 1".
DEFINED = re.compile(
    rf"{GAP}+(?:of|in|under){GAP}+(?:the{GAP}+|that{GAP}+)?definitions?{GAP}+(?:of{GAP}+)?"
    r"(?:[“\"'‘*]{1,3}(?P<quoted>[^“”\"'’*\n]{2,60})[”\"'’*]{1,3}"
    rf"|(?P<term>[\w-]+(?:{GAP}[\w-]+){{0,5}}?)(?={GAP}+(?:in|under){GAP}|[,.;)]))",
    re.IGNORECASE,
)
UNNUMBERED = re.compile(rf"(?P<word>(?i:{_BESIDE}))(?!\w)(?!\s[\dA-Z]\b)")
COMMENTS_ON = re.compile(r"\bcomment(?:s|ary)?\s(?:to|on|under)\s$", re.IGNORECASE)
# "point a)", "Buchstabe a".
SMALL = re.compile(r"[a-z]{1,2}\)|[a-z](?![\w’'])")
BARE_POINT = re.compile(words.BARE_POINTS, re.IGNORECASE)
PLURAL = re.compile(
    rf"§§|¶¶|{words.INVARIABLE}|(?!s\.?$|§|¶).*(?:s|ces|li|eln|[aä]tzen?|en|nrn|ni|oni|gi|des|ere)\.?",
    re.IGNORECASE,
)
COUNTED = re.compile(words.COUNTED, re.IGNORECASE)
ALONE = re.compile(words.ALONE, re.IGNORECASE)
# "O n.º 1 não se aplica": of a law, and not of an issue.
PRECEDES_NUMBER = re.compile(r"\b(?:o|os|no|nos|do|dos|ao|aos|pelo|pelos)\s$", re.IGNORECASE)
# "article 2, § 1er, 2°"
DEGREE = re.compile(r"(?P<number>\d{1,2})°(?:[ ](?:bis|ter))?(?!\w)")
