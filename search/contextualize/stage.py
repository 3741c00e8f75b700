"""Contextualize the chunks of a version: what is kept is taken, the rest is asked for and kept at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from search import backends
from search.backends.contextualizers.base import Contextualizer, Excerpt
from search.contextualize.ask import Answers, ask_singly
from search.contextualize.batch import follow_batch, hand_in, keys_of_past_batches, open_batch
from search.contextualize.keep import kept_contexts
from search.contextualize.situate import situate_one, situate_structurally
from search.contextualize.turn import end_turn, take_turn
from search.contextualize.work import Work, keys_of
from search.models import ContextBatch
from search.place import Situated

NOT_ASKED = "Nobody was asked for it."

Progress = Callable[[int, int], None]


def quietly(done: int, total: int) -> None:
    """Tell nobody how far it is."""


def contextualize_work(
    work: Work,
    *,
    on_progress: Progress = quietly,
    most_seconds: float = 120,
    is_alone: bool = True,
    is_asking: bool = True,
) -> list[Situated] | None:
    """Return each chunk with its context, in order; nothing if there is more to ask for, or to wait for.

    Whoever called comes again then, and that ends: time that was up too early counts only if it brought at
    least as many contexts as failures, and so left fewer to ask for; batches are given up after a day, and
    what others ask for after less. Say if you are not alone with the version, by a claim to it, and if
    nobody is to be asked.
    """
    contextualizer = backends.contextualizer()
    if contextualizer.is_local:
        return situate_structurally(work.manuscript, work.excerpts, work.max_tokens)
    asking = Asking(work, contextualizer, on_progress, is_alone=is_alone)
    if not is_asking:
        return asking.take_kept()
    return None if asking.is_batch_awaited() else asking.run(time.monotonic() + most_seconds)


class Asking:
    """A turn with one version."""

    def __init__(
        self, work: Work, contextualizer: Contextualizer, on_progress: Progress, *, is_alone: bool
    ) -> None:
        self._work = work
        self._contextualizer = contextualizer
        self._on_progress = on_progress
        self._is_alone = is_alone
        self._keys = keys_of(work, contextualizer.name)
        self._counts = Counter(self._keys)
        self._done = 0

    def is_batch_awaited(self) -> bool:
        """Tell whether a batch is under way; if it has just ended, its contexts are kept."""
        batch = open_batch(self._work.tenant_id, self._work.version_id)
        state = batch and follow_batch(batch, self._contextualizer)
        if not state:
            return False
        self._missing()
        self._tell(state.done)
        return True

    def take_kept(self) -> list[Situated]:
        return self._situated(dict.fromkeys(self._missing(), NOT_ASKED))

    def run(self, deadline: float) -> list[Situated] | None:
        missing = self._missing()
        if not missing:
            return self._situated({})
        with self._turn(list(missing)) as turn:
            if turn is None:
                return None
            missing = self._missing()  # Somebody may have ended just before.
            if self._hand_in(turn, missing):
                return None
            answers = self._ask(missing, deadline)
        return self._situated(answers.failures) if answers.are_final else None

    def _missing(self) -> dict[str, Excerpt]:
        """Return what is to be asked for, each once. Nobody is asked about a blank."""
        kept = kept_contexts(self._work.tenant_id, self._counts)
        self._done = sum(self._counts[key] for key in kept)
        pairs = zip(self._keys, self._work.excerpts, strict=True)
        return {key: excerpt for key, excerpt in pairs if key not in kept and excerpt.text.strip()}

    @contextmanager
    def _turn(self, keys: list[str]) -> Iterator[ContextBatch | None]:
        turn = take_turn(
            tenant_id=self._work.tenant_id,
            version_id=self._work.version_id,
            contextualizer=self._contextualizer.name,
            keys=keys,
            is_alone=self._is_alone,
        )
        try:
            yield turn
        finally:
            if turn is not None:
                end_turn(turn)

    def _hand_in(self, turn: ContextBatch, missing: dict[str, Excerpt]) -> bool:
        """Tell whether a batch was tried. What was in one before is asked for singly."""
        least = self._contextualizer.batch_from
        if least is None or len(missing) < least:
            return False
        past = keys_of_past_batches(self._work.tenant_id, self._work.version_id)
        wanted = {key: excerpt for key, excerpt in missing.items() if key not in past}
        if len(wanted) < least:
            return False
        manuscript, most = self._work.manuscript, self._work.max_tokens
        return hand_in(turn, self._contextualizer, manuscript, wanted, max_tokens=most)

    def _ask(self, missing: dict[str, Excerpt], deadline: float) -> Answers:
        def tell(key: str) -> None:
            self._tell(self._counts[key])

        return ask_singly(self._work, self._contextualizer, missing, deadline=deadline, on_answer=tell)

    def _tell(self, more: int) -> None:
        self._done = min(self._done + more, len(self._keys))
        self._on_progress(self._done, len(self._keys))

    def _situated(self, failures: dict[str, str]) -> list[Situated]:
        """Return all chunks in order: with what is kept, else with what their structure says, and why."""
        work, kept = self._work, kept_contexts(self._work.tenant_id, self._counts)
        return [
            Situated(excerpt.text, kept[key][1], written=kept[key][0])
            if key in kept
            else situate_one(work.manuscript, excerpt, work.max_tokens, failures.get(key, ""))
            for key, excerpt in zip(self._keys, work.excerpts, strict=True)
        ]
