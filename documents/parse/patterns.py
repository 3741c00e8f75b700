"""How numbers are printed: behind a word, before it, or alone."""

from __future__ import annotations

import re

from documents.parse.numbers import LATIN, NUMBER_WORDS
from documents.parse.words import BEHIND_NUMBER, BEHIND_WORD, IDEOGRAPHS, PREFIXES, WORDS

IDEOGRAPHIC = r"[〇零一二三四五六七八九十百千]"
TOKEN = (
    rf"\d{{1,3}}[-]?(?:{LATIN})|\d{{1,4}}[A-Za-z]{{0,2}}|\d{{1,3}}[.-]\d{{1,2}}|[A-Za-z]{{1,6}}"
    rf"|[A-Za-z]{{1,2}}[.-]\d{{1,2}}|[α-ω]|[а-я]|{IDEOGRAPHIC}{{1,4}}"
)
BEHIND = r"(?:\.?[º°ª])?"
ENDS = r"(?=[\s(—–*_]|$)"
LATIN_BEHIND = rf"(?:[ -]?(?:{LATIN})\b(?![ ]\d))?"  # In German, "3 bis 5" is a range.
HEADING_NUMBER = (
    rf"(?:[A-Z]\.?[ ]?)?\d+[A-Za-z]{{0,2}}(?:[.:-]\d+[A-Za-z]{{0,2}})*(?![A-Za-z])"
    rf"(?:{LATIN_BEHIND}|\.?[º°ª]-[A-Z]{{1,2}}\b)"
    rf"|[IVXLCDM]+(?:[A-Z]|er|re)?(?![A-Za-z]){LATIN_BEHIND}|[A-Z](?![A-Za-z])"
)
NUMBER_WORD = rf"(?i:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})\b"
RANGE = r"(?:[ ]?(?:-|–|—|to|through|thru|bis|à|and|und|et)[ ]?\d+[A-Za-z]{0,2}(?:[.-]\d+[A-Za-z]{0,2})*\b)?"
KEYWORD = re.compile(
    rf"(?:\d+[ ](?:CFR|C\.F\.R\.|U\.S\.C\.)[ ])?(?P<word>(?i:{WORDS}))"
    rf"(?:(?<=§)\s*|\s+)(?:(?i:no\.?|nº|n°)\s*)?(?P<number>{HEADING_NUMBER}|{NUMBER_WORD}){BEHIND}"
)
RANGE = re.compile(
    r"[ ]?(?:-|–|—|to|through|bis|à|and|und|et)[ ]?(?:§[ ]?)?\d+[A-Za-z]{0,2}(?:[.-]\d+[A-Za-z]{0,2})*(?!\w)"
)
NUMBER_FIRST = re.compile(
    rf"(?P<number>\d{{1,3}}(?:[ ]?[a-z](?=[ ]))?|[IVXLC]{{1,7}}|{NUMBER_WORD})\.?[ ]+"
    rf"(?P<word>(?i:{BEHIND_NUMBER}))(?=[\s.:—–-]|$)"
    rf"|(?P<number_word>{NUMBER_WORD})[ ]+(?P<word_behind>(?i:{BEHIND_WORD}))(?=[\s.:—–-]|$)"
)
IDEOGRAPHIC_KEYWORD = re.compile(
    rf"[第제][ ]?(?P<number>\d{{1,4}}|{IDEOGRAPHIC}{{1,7}})[ ]?(?P<word>[{''.join(IDEOGRAPHS)}])"
    rf"(?:[の之의][ ]?(?P<inserted>\d{{1,2}}|{IDEOGRAPHIC}{{1,3}}))?(?=[\s(（]|$)"
)
FIRST = re.compile(
    rf"[(（](?P<paren>{TOKEN})[)）]"
    rf"|(?P<decimal>(?:\d{{1,4}}|[A-Z])(?:\.\d{{1,4}}[A-Z]{{0,2}}){{1,8}})\.?{ENDS}"
    rf"|(?!\d{{4}}-\d\d-\d\d)(?P<compound>\d{{1,4}}[A-Z]?(?:[.-]\d{{1,4}}[A-Za-z]{{0,2}}){{1,3}})\.?{ENDS}"
    rf"|(?P<closed>{TOKEN}){BEHIND}(?P<close>[.)．、])(?=[\s(—–*_]|$|(?<=[．、]))"
    rf"|(?P<hyphened>[A-Z]{{1,6}}-\d{{1,3}})(?=[\s(—–.:*_]|$)"
    rf"|(?P<coded>[A-Z]{{1,6}}(?:[ ]?\d{{1,4}}(?:\.\d{{1,4}}[A-Z]{{0,2}}){{1,5}}|\d{{1,3}}[A-Z]?))"
    rf"(?:[ ]?[RGED])?{ENDS}"
    rf"|(?P<dashed>\d{{1,3}}|[IVXLC]{{1,7}}|[A-Z])[ ]+[-–—][ ]"
    rf"|(?P<ordinal>\d{{1,3}})[º°ª]\.?(?=\s)"
    rf"|\.(?P<dotted>\d{{1,3}})(?=\s)"
    rf"|(?P<sign>{IDEOGRAPHIC}{{1,3}}|[イロハニホヘトチリヌルヲワカヨタレソ])(?=\u3000)"
    rf"|(?P<circled>[①-⑳])"
    rf"|(?P<bare>\d{{1,4}}[A-Z]{{0,2}}){ENDS}"
)
NEXT = re.compile(rf"\.?[ ]?[—–]?[ ]?\((?P<token>{TOKEN})\)")
NEXT_CLOSED = re.compile(r"\.[ ](?P<token>1)\.(?=[ ][^\W\d_])")  # "Art. 2. 1. Text", as in Poland.
PREFIX = re.compile(rf"(?P<word>(?i:{PREFIXES}))\s+(?=[(\dA-Z])")
DELIMITER = re.compile(r"[*_]{0,3}\s*(?:[.:—–]|-(?=\s))[.:—–]?[*_]{0,3}\s*")
# "(a) In general.—(1) Each …": the first of the level below, in the same line.
CAPTION = re.compile(r"[^.;:()\n]{1,120}(?:\.[ ]?[—–]|[ ]?[—–])[ ]?(?=\((?:1|a|i|A|I)\)\s?\S)")
SECTION_CAPTION = re.compile(r"[^.;:()\n]{1,100}\.\s+(?=\((?:1|a)\)\s)")
DECORATION = re.compile(r"[*_]{1,3}")
