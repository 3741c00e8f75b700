"""Situate a chunk by what its document's structure says. (First form; being measured.)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from search.backends.contextualizers.base import Contextualizer, Excerpt, Manuscript, Outcome, Purse


def situate(title: str, excerpt: Excerpt, max_tokens: int = 100) -> str:
    steps = [title, *excerpt.path, excerpt.heading]
    return " > ".join(step for step in steps if step)[: 4 * max_tokens]


class StructuralContextualizer(Contextualizer):
    name = "structural"

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
