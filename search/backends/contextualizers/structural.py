"""Situate a chunk by what its document's structure says, without asking anybody.

A context is read before the text by both legs of a search, so it may say only what questions ask for and the
chunk does not say itself: of which document it is, around source code the declarations, and for a chunk that
begins amid a sentence its heading. Headings before every chunk, whole paths, their numbers and defined terms
were measured too: they draw the chunks of a section together, and away from the question on one of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile

from documents.tokens import count_tokens
from search.backends.contextualizers.answer import in_one_line
from search.backends.contextualizers.base import Contextualizer, Excerpt, Manuscript, Outcome
from search.backends.payment import Purse

BETWEEN = " › "
CHARACTERS_PER_TOKEN = 8  # More than any language has: what is longer need not be counted.
OPENING = 1_000  # Characters that can repeat a step.
WORD = re.compile(r"[^\W_]+")
# "1.2", "(a)", "IV.", "§": the same in every document, so they tell nothing apart.
NUMBER = re.compile(r"[§#*_>|-]*(?:(?:\(\w{1,5}\))+|\w{1,4}[.)]|\d(?:[\d.\-–/]|\(\w{1,5}\))*\w?[.)]?)?[*_:]*")


class StructuralContextualizer(Contextualizer):
    """Costs nothing and never fails: what stands in for the others when they do."""

    name = "structural"
    is_local = True

    def contextualize(
        self,
        manuscript: Manuscript,
        excerpts: Sequence[Excerpt],
        *,
        max_tokens: int = 100,
        concurrency: int = 10,
        purse: Purse,
    ) -> Iterator[Outcome]:
        for position, excerpt in enumerate(excerpts):
            yield Outcome(position, situate(manuscript.title, excerpt, max_tokens))


def situate(manuscript_title: str, excerpt: Excerpt, max_tokens: int = 100) -> str:
    """Return what the chunk does not say itself in at most so many tokens; nothing, if that is unknown."""
    steps = [_shown(step) for step in (manuscript_title, *_steps(excerpt))]
    opening = _words(excerpt.text[:OPENING])
    new = [step for step in dict.fromkeys(steps) if step and not opening.startswith(_words(step))]
    return _fit(new, max_tokens)


@lru_cache(maxsize=1_000)  # Chunks of a document share their title, and many their heading.
def _shown(step: str) -> str:
    return in_one_line(step)


def _steps(excerpt: Excerpt) -> Sequence[str]:
    """Return the lines around source code, which is of no unit; of prose, the heading of a fragment."""
    if not excerpt.heading:
        return excerpt.path
    titles = [_without_number(step) for step in (*excerpt.path, excerpt.heading)]
    named = [title for title in titles if title]
    return named[-1:] if _is_fragment(excerpt.text) else ()


def _is_fragment(text: str) -> bool:
    """Tell "(a) the register of berths; and" from "(a) The master keeps a register"."""
    first = next(filter(str.isalpha, _without_number(text[:OPENING])), "")
    return first.islower()


def _without_number(step: str) -> str:
    return " ".join(dropwhile(NUMBER.fullmatch, step.split()))


def _words(text: str) -> str:
    """Return the words behind a number, or else the number, each with a blank behind it to compare them."""
    return "".join(f"{word} " for word in WORD.findall((_without_number(text) or text).lower()))


def _fit(steps: Sequence[str], max_tokens: int) -> str:
    """Join steps; if they are too long, each says as much of its beginning as there is room for."""
    left, parts = max_tokens, list[str]()
    for index, step in enumerate(steps):
        part = _cut(step, left // (len(steps) - index), BETWEEN if parts else "")
        if part:
            left -= count_tokens(part)
            parts.append(part)
    return "".join(parts)


def _cut(step: str, limit: int, before: str) -> str:
    """Return a step behind what parts it from the one before, cut at a word with an ellipsis."""
    start = step[: limit * CHARACTERS_PER_TOKEN]
    if start == step and count_tokens(before + step) <= limit:
        return before + step
    length = bisect_right(range(len(start)), limit, key=lambda end: count_tokens(f"{before}{start[:end]}…"))
    kept = start[: max(length - 1, 0)]
    kept = kept.rpartition(" ")[0] or kept
    return f"{before}{kept}…" if kept else ""
