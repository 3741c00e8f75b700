"""How fast documents are read: `make bench`. Figures are of one core, for comparison within one run."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random

from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate

from definitions.extract import FoundDefinition, extract_definitions, extract_references
from definitions.uses import Term, TermMatcher, heading_spans
from documents.chunk import chunk_outline
from documents.convert import convert_file
from documents.parse import Outline, Unit, parse_outline
from documents.tokens import count_tokens
from tests.hostile import DEFINING, REFERRING, repeat

PAGE = 3000  # Characters.
PAGES = 300
WORDS = (
    "the authority may grant a licence to any master who shall report each vessel at its berth and must not "
    "leave before notice is given in writing under this section unless the harbour is closed by order"
)


NOUNS = ("vessel", "berth", "pilot", "mooring", "quay", "cargo", "tug", "fairway", "buoy", "ferry")
QUALITIES = (
    "coastal",
    "licensed",
    "foreign",
    "laden",
    "private",
    "floating",
    "inland",
    "heavy",
    "tidal",
    "idle",
)
TERMS = [f"{quality} {noun}" for quality in QUALITIES for noun in NOUNS]
REFERRED = 0.3  # Shares of sentences; codes of regulations have about as many.
USED = 0.7


def sentence(random: Random) -> str:
    words = random.choices(WORDS.split(), k=random.randint(12, 40))
    return " ".join(words).capitalize() + "."


def provision(random: Random, number: int) -> str:
    """Write a sentence as laws have them: with terms, and with mentions of other places."""
    words = sentence(random)[:-1]
    if random.random() < USED:
        words += f" for a {random.choice(TERMS)}"
    if random.random() < REFERRED:
        words += f" as provided in {mention(random, number)}"
    return f"{words}."


def mention(random: Random, number: int) -> str:
    other = random.randint(1, max(1, number))
    return random.choice([
        f"§ {other}(a)", f"§ {other}", f"§§ {other}(a)(1) and {other + 1}", "paragraph (a) of this section",
        f"§ {other}(a) through (c)", "12 CFR 1026.2(a)(1)", "15 U.S.C. 1601", "the Harbour Dues Act of 1986",
    ])  # fmt: skip


def terms_section(random: Random) -> Iterator[str]:
    """Define a hundred terms, as one section of a law."""
    yield "§ 1 Definitions"
    yield "In this part:"
    for position, term in enumerate(TERMS):
        what = f"a {term.split()[1]} that {sentence(random).lower()}"
        yield f"({position + 1}) {term.capitalize()} means {what}"


def statute(random: Random, pages: int) -> str:
    """Draft a law that defines its terms, with three levels below its sections."""
    lines = list(terms_section(random))
    size = sum(len(line) + 2 for line in lines)
    number = 1
    while size < pages * PAGE:
        number += 1
        section = [f"§ {number} Of matter {number}", *paragraphs(random, number, ["({a})", "({n})", "({i})"])]
        size += sum(len(line) + 2 for line in section)
        lines.extend(section)
    return "\n\n".join(lines)


def paragraphs(random: Random, number: int, styles: list[str]) -> Iterator[str]:
    for position in range(random.randint(2, 9)):
        roman = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"][position]
        marker = styles[0].format(a="abcdefghi"[position], n=position + 1, i=roman)
        yield f"{marker} {provision(random, number)}"
        if len(styles) > 1 and random.random() < 0.3:
            yield from paragraphs(random, number, styles[1:])


def flat(random: Random, pages: int) -> str:
    text: list[str] = []
    while sum(map(len, text)) < pages * PAGE:
        text.append(" ".join(sentence(random) for _ in range(8)))
    return "\n\n".join(text)


def pdf(random: Random, pages: int) -> bytes:
    style = getSampleStyleSheet()
    story = []
    for number in range(1, pages * 3 + 1):
        story.append(Paragraph(f"{number}. Of matter {number}", style["Heading2"]))
        story.extend(
            Paragraph(" ".join(sentence(random) for _ in range(4)), style["Normal"]) for _ in range(2)
        )
    file = io.BytesIO()
    SimpleDocTemplate(file).build(story)
    return file.getvalue()


def seconds(work: Callable[[], object]) -> float:
    """Return the least of three times: others on the machine can only add to it."""
    return min(_seconds_once(work) for _ in range(3))


def _seconds_once(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure_text(name: str, text: str) -> None:
    outline = parse_outline(text, is_markdown=False)
    parsing = seconds(lambda: parse_outline(text, is_markdown=False))
    chunking = seconds(lambda: chunk_outline(text, outline))
    pages = len(text) / PAGE
    show(f"{name}: parse", pages / parsing, "pages/s")
    show(f"{name}: chunk", pages / chunking, "pages/s")
    show(f"{name}: parse and chunk", pages / (parsing + chunking), "pages/s")
    measure_extraction(name, text, outline, parsing)


def measure_extraction(name: str, text: str, outline: Outline, parsing: float) -> None:
    """Compare extraction with parsing, which it must not outlast where there is something to parse."""
    units = outline.units
    definitions = extract_definitions(text, units)
    references = extract_references(text, units)
    defining = seconds(lambda: extract_definitions(text, units))
    referring = seconds(lambda: extract_references(text, units))
    show(f"{name}: definitions", len(definitions), density(definitions, text))
    show(f"{name}: references", len(references), density(references, text))
    show(f"{name}: extract", len(text) / PAGE / (defining + referring), "pages/s")
    if len(units) > 1:
        show(f"{name}: definitions / parsing", defining / parsing, "")
        show(f"{name}: references / parsing", referring / parsing, "")
        show(f"{name}: extraction / parsing", (defining + referring) / parsing, "(at most 1)")
        measure_uses(name, text, outline, definitions)


def density(found: Sequence[object], text: str) -> str:
    return f"found, {len(found) * 1000 / len(text):.2f} in 1,000 characters"


def measure_uses(name: str, text: str, outline: Outline, definitions: Sequence[FoundDefinition]) -> None:
    units = outline.units
    terms = [
        Term(
            (one.term, *one.variants),
            one.start,
            one.end,
            one.body,
            (units[one.scope].start, units[one.scope].end),
        )
        for one in definitions
    ]
    matcher = TermMatcher(text, terms, skip=heading_spans(text, units))
    matcher.find(0, 1)
    found = matcher.find()
    took = seconds(matcher.find)
    show(f"{name}: uses of {len(terms)} terms", len(found), "found")
    show(f"{name}: uses of terms", len(text) / took / 1e6, "MB/s")


def measure_hostile() -> None:
    """Show how much longer four times the text takes at most, of text that repeats one piece without end."""
    growth = {
        f"{extract.__name__} of {piece!r}": _growth(extract, piece)
        for extract, pieces in ((extract_definitions, DEFINING), (extract_references, REFERRING))
        for piece in pieces
    }
    worst = max(growth, key=lambda one: growth[one])
    show("hostile text, four times as long", growth[worst], f"times as slow at most: {worst}")


def _growth(extract: Callable[[str, Sequence[Unit]], object], piece: str) -> float:
    long, short = (repeat(piece, length) for length in (80_000, 20_000))
    return _seconds_once(lambda: extract(*long)) / seconds(lambda: extract(*short))


def measure_pdf(content: bytes) -> None:
    converted = convert_file(content, "bench.pdf")
    took = seconds(lambda: convert_file(content, "bench.pdf"))
    show(f"PDF of {len(converted.pages)} pages", took, "s")
    show("PDF, a hundred pages", took * 100 / len(converted.pages), "s")


def show(what: str, value: float, unit: str) -> None:
    sys.stdout.write(f"{what:<32} {value:8.2f} {unit}\n")


def main() -> None:
    random = Random(1)
    count_tokens("Load the tables first.")
    measure_text("law", statute(random, PAGES))
    measure_text("flat text", flat(random, PAGES))
    measure_hostile()
    measure_pdf(pdf(random, 100))


if __name__ == "__main__":
    main()
