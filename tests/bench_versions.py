"""What old versions cost who reads the newest: `python -m tests.bench_versions --chunks 2000 20000`.

Two tenants have the same current texts; one has eleven older versions of each besides, of which each shares
60 % of its passages with the next. Both are asked the same questions in turn, several times, so that whatever
else the machine does meets both alike; of the times that a question took, the least counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import default_rng

from tests.corpus import Corpus, Law, to_unit

if TYPE_CHECKING:
    from tenants.models import Tenant

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = 12
SHARED = 0.6  # Of the passages of a version, those that the one before it says too.
REWORDED = 0.12  # Of the words of a passage that is amended.
MOVED = 0.25  # How far an amendment moves a passage's vector, in units of its length.
ASKED, WARMING = 150, 20
TIMES = 3
ONCE, OFTEN = "once", "often"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[2_000])
    parser.add_argument("--homes", type=Path, help="Where databases are kept and used again.")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure)
        return
    with tempfile.TemporaryDirectory(prefix="pandect-bench-") as scratch:
        for chunks in arguments.chunks:
            run_in_home((arguments.homes or Path(scratch)) / f"versions-{chunks}", chunks)


def run_in_home(home: Path, chunks: int) -> None:
    """Measure in a process of its own: settings are read once."""
    home.mkdir(parents=True, exist_ok=True)
    variables = {
        "PANDECT_HOME": str(home),
        "PANDECT_SCRATCH": "1",
        "DJANGO_SETTINGS_MODULE": "tests.bench_settings",
    }
    subprocess.run(
        [sys.executable, "-m", "tests.bench_versions", "--measure", str(chunks)],
        cwd=ROOT,
        env={**os.environ, **variables},
        check=True,
    )


def measure(chunks: int) -> None:
    import django

    django.setup()
    from config.warm import settle
    from tests.bench_search import percentiles, show

    show(f"{chunks:,} chunks at the head", f"load {os.getloadavg()[0]:.1f}")
    once, often, questions = prepare(chunks)
    settle()  # As a web process does.
    took = ask_in_turn(once, often, questions)
    for slug, times in took.items():
        show(f"search, in process, {slug}", percentiles(times["wall"]))
        stages = ((name, np.median(each)) for name, each in times.items() if name != "wall")
        show("  of which", ", ".join(f"{name} {median:.1f}" for name, median in stages))
    for percent in (50, 95):
        ratio = np.percentile(took[OFTEN]["wall"], percent) / np.percentile(took[ONCE]["wall"], percent)
        show(f"p{percent} with {VERSIONS} versions, of that with one", f"{ratio:.2f}")


def prepare(chunks: int) -> tuple[Tenant, Tenant, list[str]]:
    """Use what is there, or fill the database."""
    from django.conf import settings
    from django.core.management import call_command

    from tests.bench_fill import fill_tenant, keep_questions
    from tests.bench_subject import find_tenant

    call_command("migrate", verbosity=0)
    corpus = Corpus(1)
    once = find_tenant(ONCE) or fill_tenant(ONCE, corpus, chunks)
    often = find_tenant(OFTEN) or fill_tenant(OFTEN, corpus, chunks, history=Amender(corpus).history)
    laws = range(max(1, chunks // 100 * 9 // 10))
    questions = [corpus.question(number, laws) for number in range(ASKED + WARMING)]
    keep_questions(settings.HOME.path, questions)
    return once, often, [question.text for question in questions]


class Amender:
    """Makes up what laws said before they were amended."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def history(self, law: Law) -> Iterator[Law]:
        """Yield the versions of a law, the given one last."""
        versions = [law]
        for number in range(1, VERSIONS):
            versions.append(self.before(versions[-1], number))
        yield from reversed(versions)

    def before(self, law: Law, number: int) -> Law:
        chance = default_rng([self.corpus.seed, 3, law.number, number])
        changed = chance.random(len(law.passages)) >= SHARED
        moved = self.corpus.vectors(chance, len(law.passages))
        moved *= MOVED / np.linalg.norm(moved, axis=1, keepdims=True)
        vectors = np.where(changed[:, None], to_unit(law.vectors + moved), law.vectors)
        passages = [
            self.reword(chance, text) if is_changed else text
            for text, is_changed in zip(law.passages, changed, strict=True)
        ]
        return replace(law, passages=passages, vectors=vectors)

    def reword(self, chance: Any, text: str) -> str:
        words = np.array(text.split(), dtype=object)
        places = np.flatnonzero(chance.random(len(words)) < REWORDED)
        places = places if len(places) else np.array([0])
        words[places] = self.corpus.words[self.corpus.draw(chance, len(places))]
        return " ".join(words)


def ask_in_turn(once: Tenant, often: Tenant, questions: list[str]) -> dict[str, dict[str, list[float]]]:
    """Return what each question took at each tenant, as a whole and by stages, in milliseconds."""
    from documents.models import Version
    from search.pipeline import search
    from search.request import SearchRequest

    def ask(tenant: Tenant, text: str) -> dict[str, float]:
        began = time.perf_counter()
        head = Version.objects.for_tenant(tenant).head()
        answer = search(SearchRequest(query=text), head, tenant=tenant)
        wall = 1000 * (time.perf_counter() - began)
        assert len(answer.hits) == 10
        assert not answer.degraded, answer.degraded
        return {"wall": wall, **answer.took_ms}

    took: dict[str, dict[str, list[float]]] = {ONCE: {}, OFTEN: {}}
    for number, text in enumerate(questions):
        asked: dict[str, list[dict[str, float]]] = {ONCE: [], OFTEN: []}
        for time_ in range(TIMES):
            for tenant in (once, often) if (number + time_) % 2 else (often, once):
                asked[tenant.slug].append(ask(tenant, text))
        if number >= WARMING:
            for slug, times in asked.items():
                for name, least in min(times, key=lambda each: each["wall"]).items():
                    took[slug].setdefault(name, []).append(least)
    return took


if __name__ == "__main__":
    main()
