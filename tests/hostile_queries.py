"""Queries that nobody should send, and somebody will."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

PIECES = (
    "'; DROP TABLE search_passage; --",
    "' OR 1=1 --",
    "1; SELECT pg_sleep(10)",
    "$$ $1 %s %(tenant)s {0} %%",
    "a & b | !c <-> d:*A",
    "!!(((a|b)&c)",
    "'a' <2147483647> 'b'",
    ":* & | ! <->",
    "\\",
    "\\\\'\\\"",
    '"',
    '"" "',
    '"not closed',
    '"" AND "x" OR NOT (y',
    "“ ” „ “ « » »x«",
    "\0",
    "a\0b",
    "\x1f\x01\x7f\u0085",
    "\u202eevil\u202c",
    "\u200b\u200d\ufeff",
    "مرحبا بالعالم",
    "שלום עולם",
    "第十三条 個人情報",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "Z̴̡̛a̷l̶g̵o̸",
    "ﷺ",
    "İıſßẞ",
    "<script>alert(1)</script>",
    "{{ 7*7 }} ${7*7} <%= 7*7 %>",
    "../../../../etc/passwd",
    "file:///etc/passwd",
    "§§§((((",
    "§ 1(a)(1)(i)(A)(1)(i)(A)(1)(i)(A)",
    "§ 99999999999999999999999999999999",
    "Article 6(1)(f)" * 20,
    "§ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 16",
    "sections 1 to 999999999",
    "Article MMMMMMMMCMXCIX",
    "(((((((((((((((((((((((((((((((((((((((",
    "))))]]]]}}}}>>>>",
    "what does " + "x" * 500 + " mean?",
    'definition of """"',
    "who refers to § § §?",
    "-" * 300,
    "a" * 5000,
    "a b " * 2000,
    "e.g. U.S.C. " * 100,
    "1e309 NaN Infinity -0",
    "null None undefined true",
    "\n\r\t\v\f",
    "user@example.org http://a.b/c?d=e#f",
    "C:\\Windows\\System32",
    "camelCase snake_case::path.to[0]->x",
    "\ud800",
    "\udfff tail",
    "\uffff\ufffe",
    "\U0010ffff",
)


def hostile_queries(count: int) -> list[str]:
    """Return so many, the same each time: the pieces, pairs of them, pieces cut and repeated, and noise."""
    return list(islice(_queries(Random(6)), count))


def _queries(random: Random) -> Iterator[str]:
    yield from PIECES
    while True:
        first, second = random.choices(PIECES, k=2)
        yield from (
            f"{first}{second}",
            f"{first} harbour {second}",
            f'"{first[:40]}" {second[:40]}',
            first[: random.randint(1, 30)] * random.randint(1, 50),
            "".join(chr(random.randrange(1, 0x3000)) for _ in range(random.randint(1, 60))),
            "".join(random.choices("'\"\\()[]{}<>|&!:*§.,;-_ \t\n0a", k=random.randint(1, 80))),
        )
