"""How fast documents are read: `make bench`. Figures are of one core, for comparison within one run."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator
from random import Random

from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate

from documents.chunk import chunk_outline
from documents.convert import convert_file
from documents.parse import parse_outline
from documents.tokens import count_tokens

PAGE = 3000  # Characters.
PAGES = 300
WORDS = (
    "the authority may grant a licence to any master who shall report each vessel at its berth and must not "
    "leave before notice is given in writing under this section unless the harbour is closed by order"
)


def sentence(random: Random) -> str:
    words = random.choices(WORDS.split(), k=random.randint(12, 40))
    return " ".join(words).capitalize() + "."


def statute(random: Random, pages: int) -> str:
    """Draft a law with four levels below its sections."""
    lines: list[str] = []
    size = 0
    number = 0
    while size < pages * PAGE:
        number += 1
        section = [f"§ {number} Of matter {number}", *paragraphs(random, ["({a})", "({n})", "({i})"])]
        size += sum(len(line) + 2 for line in section)
        lines.extend(section)
    return "\n\n".join(lines)


def paragraphs(random: Random, styles: list[str]) -> Iterator[str]:
    for position in range(random.randint(2, 9)):
        roman = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"][position]
        yield f"{styles[0].format(a='abcdefghi'[position], n=position + 1, i=roman)} {sentence(random)}"
        if len(styles) > 1 and random.random() < 0.3:
            yield from paragraphs(random, styles[1:])


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


def measure_pdf(content: bytes) -> None:
    converted = convert_file(content, "bench.pdf")
    took = seconds(lambda: convert_file(content, "bench.pdf"))
    show(f"PDF of {len(converted.pages)} pages", took, "s")
    show("PDF, a hundred pages", took * 100 / len(converted.pages), "s")


def show(what: str, value: float, unit: str) -> None:
    sys.stdout.write(f"{what:<32} {value:8.1f} {unit}\n")


def main() -> None:
    random = Random(1)  # noqa: S311
    count_tokens("Load the tables first.")
    measure_text("law", statute(random, PAGES))
    measure_text("flat text", flat(random, PAGES))
    measure_pdf(pdf(random, 100))


if __name__ == "__main__":
    main()
