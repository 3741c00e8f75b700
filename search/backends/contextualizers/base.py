"""What every contextualizer does: say in few words where a piece of a document stands, and what it is on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from search.backends.payment import Prices, Purse, Usage


class ContextualizerError(Exception):
    """A contextualizer that cannot work as it is configured. Its message names the place and the cure."""


class ProviderFailed(ContextualizerError):
    """A provider that did not do what was asked of it, even when asked again. Later it may."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A chunk, and what is known of its place without asking anybody."""

    text: str
    path: tuple[str, ...] = ()  # Marker and title of each unit above it, the outermost first.
    heading: str = ""  # Marker and title of its own unit.
    label: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A document, for whoever reads all of it to situate its excerpts."""

    title: str
    text: str
    outline: tuple[str, ...] = ()  # A line per unit that has a heading, indented by its depth.


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one excerpt: a context, or why there is none."""

    position: int  # Among the excerpts that were asked for.
    context: str = ""
    failure: str = ""
    usage: Usage = field(default_factory=Usage)
    is_oversized: bool = False  # Situated by outline and neighbours: the document is longer than the window.


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a provider is with a batch."""

    is_ended: bool
    done: int = 0
    total: int = 0


class Contextualizer(ABC):
    """Contexts are kept apart by `name`. Constructing one connects to nothing."""

    name: str  # "structural", "anthropic/claude-haiku-4-5": whose contexts these are.
    is_local = False  # It answers at once and by itself, so nobody has to wait for it.
    is_paid = False
    prices = Prices()
    batch_from: int | None = None  # From how many excerpts of one document on a batch is worth waiting for.

    @abstractmethod
    def contextualize(
        self,
        manuscript: Manuscript,
        excerpts: Sequence[Excerpt],
        *,
        max_tokens: int = 100,
        concurrency: int = 10,
        purse: Purse,
    ) -> Iterator[Outcome]:
        """Yield an outcome per excerpt, each as soon as it is there, in any order."""

    def most_cost(self, manuscript: Manuscript, excerpts: Sequence[Excerpt], *, max_tokens: int) -> Decimal:
        """Return what the excerpts can cost at most; nothing for what runs here."""
        return Decimal(0)

    def likely_cost(self, manuscript: Manuscript, excerpts: Sequence[Excerpt], *, max_tokens: int) -> Decimal:
        """Return what the excerpts are expected to cost."""
        return Decimal(0)

    def submit_batch(self, manuscript: Manuscript, excerpts: Sequence[Excerpt], *, max_tokens: int) -> str:
        """Hand in all excerpts and return the batch's id at the provider: several, with commas, if long."""
        raise NotImplementedError

    def poll_batch(self, batch_id: str) -> BatchState:
        raise NotImplementedError

    def collect_batch(self, batch_id: str) -> Iterator[Outcome]:
        """Yield an outcome for each excerpt of a batch that has ended."""
        raise NotImplementedError

    def cancel_batch(self, batch_id: str) -> None:
        raise NotImplementedError
