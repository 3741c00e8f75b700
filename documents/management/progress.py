"""Show how far a batch has come: a bar on a terminal, lines elsewhere, and a table of what failed."""

from __future__ import annotations

import shutil
import textwrap
import time

from django.core.management.base import OutputWrapper

from documents.convert.converted import clean_text

BAR = 24
SHORTEST_COLUMN = 20


class Progress:
    """Counts files and keeps what went wrong."""

    def __init__(self, out: OutputWrapper, *, total: int) -> None:
        self.out = out
        self.total = total
        self.done = 0
        self.failures: list[tuple[str, str]] = []
        self.begun = time.monotonic()

    def advance(self, name: str, outcome: str, problem: str) -> None:
        name = on_one_line(name)
        self.done += 1
        self.total = max(self.total, self.done)
        if problem:
            self.failures.append((name, problem))
        if self.out.isatty():
            self._draw(name)
        else:
            self.out.write(f"[{self.done}/{self.total}] {name}: {outcome or 'failed'}")
            self.out.flush()

    def finish(self) -> None:
        if self.out.isatty():
            self._draw("")
            self.out.write("")
        seconds = time.monotonic() - self.begun
        read = self.done - len(self.failures)
        self.out.write(f"{read} of {self.done} files read in {seconds:.1f} s.")
        if self.failures:
            self.out.write(
                "\n".join(failure_table(self.failures, shutil.get_terminal_size((110, 24)).columns))
            )

    def _draw(self, name: str) -> None:
        filled = BAR * self.done // max(1, self.total)
        bar = "█" * filled + "░" * (BAR - filled)
        width = shutil.get_terminal_size((80, 24)).columns
        line = f"{bar} {self.done}/{self.total} {len(self.failures)} failed  {name}"
        self.out.write(f"\r\x1b[K{line[: width - 1]}", ending="")
        self.out.flush()


def on_one_line(text: str) -> str:
    """Leave nothing that a terminal would obey: names and titles come from strangers."""
    return " ".join(clean_text(text).split())


def failure_table(failures: list[tuple[str, str]], width: int) -> list[str]:
    """Return the lines of a table of file, reason and cure."""
    rows = [(name, *reason_and_cure(problem)) for name, problem in failures]
    widest = max(len("File"), *(len(name) for name, _, _ in rows))
    first = min(widest, max(SHORTEST_COLUMN, width // 4))
    second = max(SHORTEST_COLUMN, (width - first - 4) // 2)
    widths = (first, second, max(SHORTEST_COLUMN, width - first - second - 4))
    lines = ["", *table_row(("File", "Reason", "Cure"), widths)]
    lines.append("  ".join("─" * column for column in widths))
    for row in rows:
        lines += table_row(row, widths)
    return lines


def table_row(cells: tuple[str, str, str], widths: tuple[int, int, int]) -> list[str]:
    columns = [textwrap.wrap(cell, width) or [""] for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, columns))
    padded = [column + [""] * (height - len(column)) for column in columns]
    return [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in zip(*padded, strict=True)
    ]


def reason_and_cure(problem: str) -> tuple[str, str]:
    """Part a message after its first sentence: errors name the reason first."""
    reason, _, cure = problem.partition(". ")
    return (f"{reason}.", cure) if cure else (problem, "")
