"""How numbers are printed: behind a word, before it, or alone."""

from __future__ import annotations

import re

from documents.parse.numbers import GREEK_NUMERALS, LATIN, NUMBER_WORDS, SIGNS
from documents.parse.words import (
    ANNEXES,
    BEHIND_NUMBER,
    BEHIND_WORD,
    IDEOGRAPHS,
    PREFIXES,
    UNNUMBERED,
    WORDS,
)

IDEOGRAPHIC = r"[〇零一二三四五六七八九十百千]"
TOKEN = (
    rf"\d{{1,3}}[-]?(?:{LATIN})|\d{{1,4}}[A-Za-z]{{0,2}}|\d{{1,3}}[.-]\d{{1,2}}|[A-Za-z]{{1,6}}"
    rf"|[A-Za-z]{{1,2}}[.-]\d{{1,2}}|[α-ω]{{1,2}}|[а-я]|[{SIGNS['가']}]|{IDEOGRAPHIC}{{1,4}}"
)
BEHIND = r"(?:\.?[º°ª])?"
ENDS = r"(?=[\s(—–*_]|$)"
LATIN_BEHIND = rf"(?:[ -]?(?:{LATIN})\b(?![ ]\d))?"  # In German, "3 bis 5" is a range.
HEADING_NUMBER = (
    r"(?:(?:LO|[A-Z])\.?\*{0,2}[ ]?)?"
    rf"\d+[A-Za-z]{{0,2}}(?:[.:/-]\d+[A-Za-z]{{0,2}}|[–‑]\d{{1,2}}[A-Za-z]?(?=\.))*"
    rf"(?:[ ][a-z](?=\.|$))?(?![A-Za-z])"
    rf"(?:\.?[º°ª]-[A-Z]{{1,2}}\b|{LATIN_BEHIND})"
    rf"|[A-Z]-\d{{1,2}}(?![\w.-])|[IVXLCDM]+(?:[A-Z]|er|re)?(?![A-Za-z]){LATIN_BEHIND}|[A-Z](?![A-Za-z])"
    rf"|(?:{'|'.join(GREEK_NUMERALS)})(?!\w)['΄]?"
)
NUMBER_WORD = rf"(?i:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})\b"
KEYWORD = re.compile(  # Some print SCHEDULE "A".
    rf"(?:\d+[ ](?:CFR|C\.F\.R\.|U\.S\.C\.)[ ])?(?P<word>(?i:{WORDS}))"
    rf"(?:(?<=§)\s*|\s+)(?:(?i:no\.?|nº|n°)\s*)?"
    rf"(?P<quote>[\"“”‘'])?(?P<number>{HEADING_NUMBER}|{NUMBER_WORD}){BEHIND}(?(quote)[\"”’'])"
)
RANGE = re.compile(
    r"[ ]?(?:-|–|—|to|through|bis|à|and|und|et)[ ]?(?:§[ ]?)?\d+[A-Za-z]{0,2}(?:[.-]\d+[A-Za-z]{0,2})*(?!\w)"
)
NUMBER_FIRST = re.compile(
    r"(?:(?i:the)[ ]+)?"
    r"(?P<number>\d{1,3}(?:[ ]?[a-z](?=[ ])|/[A-Z](?=\.))?|[IVXLC]{1,7}|[^\W\d_]{3,12})\.?[ ]+"
    rf"(?P<word>(?i:{BEHIND_NUMBER}|{BEHIND_WORD}))(?=[\s.:—–-]|$)"
)
# An annex that is the only one of its kind: "SCHEDULE", "Annex (to section 4)", "ANNEX: Tariff".
ALONE = re.compile(
    rf"(?:(?i:the)[ ]+)?(?P<word>(?i:{'|'.join(ANNEXES[kind] for kind in UNNUMBERED)}))"
    r"(?=[*_]{0,3}\s*(?:$|[:—–]|-[ ]|\((?![A-Za-z0-9]{1,4}\))))"
)
ONLY_BEHIND_WORD = re.compile(BEHIND_WORD, re.IGNORECASE)
IDEOGRAPHIC_KEYWORD = re.compile(
    rf"[第제][ ]?(?P<number>\d{{1,4}}|{IDEOGRAPHIC}{{1,7}})[ ]?(?P<word>[{''.join(IDEOGRAPHS)}])"
    rf"(?:[の之의][ ]?(?P<inserted>\d{{1,2}}|{IDEOGRAPHIC}{{1,3}}))?(?=[\s(（]|$)"
)
# What FIRST can begin with, if that is a letter: most lines are ruled out by this.
LETTERS_FIRST = re.compile(r"[^\W\d_]{1,6}(?:[.)．、\d\u3000-]|[ ]+[\d—–-])")
FIRST = re.compile(
    rf"[(（](?P<paren>{TOKEN})[)）]"
    rf"|(?P<decimal>(?:\d{{1,4}}|[A-Z])(?:\.\d{{1,4}}[A-Z]{{0,2}}){{1,8}})\.?{ENDS}"
    rf"|(?!\d{{4}}-\d\d-\d\d)(?P<compound>\d{{1,4}}[A-Z]?(?:[.-]\d{{1,4}}[A-Za-z]{{0,2}}){{1,3}})\.?{ENDS}"
    rf"|(?P<ordinal>\d{{1,3}}(?:\.?[º°ª]|[º°ª]\.)(?:[ ](?:{LATIN})\b)?)(?=\s)"
    rf"|(?P<closed>{TOKEN}){BEHIND}(?P<close>[.)．、])(?=[\s(—–*_]|$|(?<=[．、]))"
    rf"|(?P<hyphened>[A-Z]{{1,6}}-\d{{1,3}})(?=[\s(—–.:*_]|$)"
    rf"|(?P<coded>[A-Z]{{1,6}}(?:[ ]?\d{{1,4}}(?:\.\d{{1,4}}[A-Z]{{0,2}}){{1,5}}|\d{{1,3}}[A-Z]?))"
    rf"(?:[ ]?[RGED])?{ENDS}"
    rf"|(?P<dashed>\d{{1,3}}|[IVXLC]{{1,7}}|[A-Z])[ ]+[-–—][ ]"
    rf"|\.(?P<dotted>\d{{1,3}})(?=\s)"
    rf"|(?P<sign>{IDEOGRAPHIC}{{1,3}}|[イロハニホヘトチリヌルヲワカヨタレソ])(?=\u3000)"
    rf"|(?P<circled>[①-⑳])"
    rf"|(?P<bare>\d{{1,4}}(?:[A-Z]{{0,2}}|{LATIN})){ENDS}"
)
NEXT = re.compile(rf"\.?[*_]{{0,3}}(?P<gap>[ ]?[—–]?[ ]?)\((?P<token>{TOKEN})\)")
NEXT_SIGN = re.compile(
    r"\.?[ ](?:[–—-][ ])?§[ ]?1(?:er|º|°)?(?=\.|[ ])"
)  # "Art. 2. § 1er. Text", as in Belgium.
NEXT_CLOSED = re.compile(r"\.[ ](?P<token>1)\.(?=[ ][^\W\d_])")  # "Art. 2. 1. Text", as in Poland.
PREFIX = re.compile(rf"(?P<word>(?i:{PREFIXES}))\s+(?=[(\dA-Z])")
# A number that got before such a word, in a line that says no more: "1. Paragraph 4(a)(9)(ii)".
STRAY = re.compile(
    r"\d{1,2}\.[*_]{0,3}\s+[*_]{0,3}(?=(?i:paragraph|para\.)\s\d+[A-Za-z]?(?:\(\w{1,5}\)){1,6}\.?[*_]{0,3}\s*$)",
    re.MULTILINE,
)
DELIMITER = re.compile(r"[*_]{0,3}\s*(?:[.:—–]|-(?=\s))(?:[.:—–]|[ ][-—–](?=[ ]))?[*_]{0,3}\s*")
# "(a) In general.—(1) Each …": the first of the level below, in the same line.
CAPTION = re.compile(r"[^.;:()\n]{1,120}\.?[*_]{0,3}[ ]?[—–][*_]{0,3}[ ]?(?=\((?:1|a|i|A|I)\)\s?\S)")
SECTION_CAPTION = re.compile(r"[^.;:()\n]{1,100}\.[*_]{0,3}\s+(?=\((?:1|a)\)\s)")
CIRCLED = re.compile(r"(?:[(（][^)）\n]{1,60}[)）])?\s*(?P<one>①)")
DECORATION = re.compile(r"[*_]{1,3}")
