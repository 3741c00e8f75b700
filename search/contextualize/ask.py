"""Ask for contexts one by one, many at once, and keep each as soon as it is there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from search.backends.contextualizers.base import Contextualizer, ContextualizerError, Excerpt, Outcome
from search.backends.payment import BUDGET_USED_UP
from search.budget import TenantPurse
from search.contextualize.batch import ROLE
from search.contextualize.keep import keep_context
from search.contextualize.work import Work
from search.models import Context

logger = logging.getLogger(__name__)

EMPTY = "The provider answered with nothing."
LATE = "The provider did not answer in time."


@dataclass(slots=True)
class Answers:
    """What came of asking: how many contexts, which are kept, and the failures by their keys."""

    written: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    is_early: bool = False  # Time was up before all were asked for.

    @property
    def are_final(self) -> bool:
        """Tell whether there is no use in asking again: all was answered, or hardly anything but failures.

        Time that brought no context at all will not bring one next time either.
        """
        return not self.is_early or not self.written or len(self.failures) > self.written


def ask_singly(
    work: Work,
    contextualizer: Contextualizer,
    missing: Mapping[str, Excerpt],
    *,
    deadline: float,
    on_answer: Callable[[str], None],
) -> Answers:
    """Ask until all is answered or time is up; then wait for what is under way, for it is paid."""
    keys, answers = list(missing), Answers()
    try:
        with (
            paid(work, contextualizer, deadline) as purse,
            closing(asked(work, contextualizer, missing, purse)) as outcomes,
        ):
            for outcome in outcomes:
                if purse.is_late and outcome.failure == BUDGET_USED_UP:
                    answers.is_early = True  # It was not asked for.
                    continue
                take(work, contextualizer, keys[outcome.position], outcome, answers)
                on_answer(keys[outcome.position])
    except ContextualizerError as error:
        logger.warning("Version %s: %s", work.version_id, error)
        return Answers(answers.written, dict.fromkeys(keys, str(error)) | answers.failures)
    if answers.are_final and answers.is_early:
        reason = next(iter(answers.failures.values()), LATE)
        answers.failures = dict.fromkeys(keys, reason) | answers.failures
    return answers


@contextmanager
def paid(work: Work, contextualizer: Contextualizer, deadline: float) -> Iterator[TenantPurse]:
    """Settle at the end, however it comes, what was set aside and not settled."""
    purse = TenantPurse(
        work.tenant_id,
        work.version_id,
        contextualizer.name,
        ROLE,
        prices=contextualizer.prices,
        deadline=deadline,
    )
    try:
        yield purse
    finally:
        purse.close()


def asked(
    work: Work, contextualizer: Contextualizer, missing: Mapping[str, Excerpt], purse: TenantPurse
) -> Generator[Outcome, None, None]:
    """Yield what the contextualizer does; closed, it ends that as well."""
    yield from contextualizer.contextualize(
        work.manuscript,
        list(missing.values()),
        max_tokens=work.max_tokens,
        concurrency=work.concurrency,
        purse=purse,
    )


def take(work: Work, contextualizer: Contextualizer, key: str, outcome: Outcome, answers: Answers) -> None:
    if not outcome.context.strip():
        answers.failures[key] = outcome.failure or EMPTY
        return
    keep_context(
        Context(
            tenant_id=work.tenant_id,
            version_id=work.version_id,
            key=key,
            contextualizer=contextualizer.name,
            text=outcome.context,
            is_oversized=outcome.is_oversized,
        )
    )
    answers.written += 1
