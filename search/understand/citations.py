"""Find what a query cites: "12 CFR 1002.5(c)", "Article 6(1)(f) GDPR", "Sec. 203, para. (a)(1)"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from definitions.extract.found import Span, Target
from definitions.extract.references import words
from search.understand.cited_runs import Run, find_runs
from search.understand.cited_words import RANK, SURE, Steps
from search.understand.document_words import (
    NameGuess,
    guess_names,
    is_generic,
    read_beside,
    read_named,
)

LONGEST = 10_000  # Characters of a query; nobody types more.
MOST_CITED = 50
# Of the same length, so that places in the query stay the same.
PLAIN = str.maketrans({
    "\u00a0": " ", "\u2007": " ", "\u202f": " ", "\t": " ", "\n": " ", "\r": " ", "\u200e": " ",
    "\u200f": " ", "\ufeff": " ", "\u200b": " ", "（": "(", "）": ")", "［": "[", "］": "]", "‐": "-",
    "‑": "-", "–": "-", "—": "-", "−": "-", "\x00": " ",
    **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
    **{chr(0x245F + digit): str(digit) for digit in range(1, 10)},
})  # fmt: skip
ADDRESS = re.compile(r"#section-(?=[\dA-Z])", re.IGNORECASE)  # "rfc7230#section-3.1"
QUOTED = re.compile(r"[\"“”„«»'‘’]([A-Za-z\d])[\"“”„«»'‘’]")  # alínea "b", Schedule "A"
FILLER = re.compile(
    r"(?<!\w)(?:what|which|where|does|do|did|is|are|was|the|a|an|of|in|under|to|at|on|from|for|by|per|and|or|see|also|cf|please"
    r"|say|says|said|mean|means|provide|provides|state|states|require|requires|read|reads|show|me|find|get|give|open"
    r"|go|look|up|lookup|tell|about|text|full|wording|content|contents|provision|cite|citation|quote|section|entitled"
    r"|i|need|want|its|it|this|that|provisos?|explanations?|controls?|enhancements?|"
    r"was|steht|sagt|regelt|siehe|nach|gemäß|gem|laut|im|der|die|das|des|dem|den|und|oder|von|vom|zu|zum|zur|wortlaut"
    r"|que|dit|quoi|texte|voir|selon|le|la|les|l|du|de|d|et|ou|au|aux|"
    r"qué|dice|el|los|las|del|según|ver|cosa|dice|il|lo|gli|della|dello|"
    r"wat|zegt|het|van|vad|säger|enligt|hvad|siger)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """One place that a query cites.

    Without `is_sure` it counts only if somebody holds it: "3.2" may be a version of some software. `is_bound`
    counts only in a document that is named beside it: "GDPR 17".
    """

    text: str  # As typed, where it stands in the query.
    start: int
    end: int
    target: Target
    through: Target | None = None  # The end of a range that begins here.
    names: tuple[NameGuess, ...] = ()
    is_sure: bool = True
    is_bound: bool = False
    is_alone: bool = False  # Whether the query says nothing else.


def find_citations(query: str) -> tuple[CitedPlace, ...]:
    """Return the places in the order of the query; of a list each member, of a range its beginning."""
    text = ADDRESS.sub(" section ", query[:LONGEST].translate(PLAIN))
    text = QUOTED.sub(r" \1 ", text)
    runs = list(find_runs(text))[:MOST_CITED]
    spans = [(run.start, run.end) for run in runs]
    is_whole = not _rest(text, spans)
    named = _apart(_name(text, run, is_whole=is_whole) for run in runs)
    named = _share_documents(text, named)
    spans = [(run.start, run.end) for run in named]
    is_whole = not _rest(text, spans)
    return tuple(
        place
        for run, span in zip(named, _groups(text, spans), strict=True)
        for place in _places(query, text, run, spans, span, is_whole=is_whole)
    )


def without_citations(query: str, cited: Sequence[CitedPlace], names: Sequence[Span] = ()) -> str:
    """Return the free text that is left; nothing if there are only citations and words like "see".

    `names` are places in the query that turned out to be names of documents.
    """
    return _rest(query, [*((place.start, place.end) for place in cited), *names])


def _rest(text: str, spans: Sequence[Span]) -> str:
    kept, done = [], 0
    for start, end in sorted(spans):
        kept.append(text[done : max(start, done)])
        done = max(done, end)
    rest = " ".join(" ".join([*kept, text[done:]]).split())
    return rest if re.search(r"\w", FILLER.sub(" ", rest)) else ""


def _apart(runs: Iterable[Run]) -> list[Run]:
    """Leave out what is part of a name: "Regulations 2010" in "the Pilotage Regulations 2010"."""
    kept: list[Run] = []
    for run in runs:
        if not kept or run.start >= kept[-1].end:
            kept.append(run)
    return kept


def _share_documents(text: str, runs: Sequence[Run]) -> list[Run]:
    """Give the document of one citation to those that it is listed with: "Article 6 and Recital 47 of …"."""
    shared = list(runs)
    for place in range(len(shared) - 2, -1, -1):
        following = shared[place + 1]
        if not shared[place].document and following.document and _is_listed(text, shared[place], following):
            shared[place] = replace(shared[place], document=following.document)
    for place in range(1, len(shared)):
        before = shared[place - 1]
        if not shared[place].document and before.document and _is_listed(text, before, shared[place]):
            shared[place] = replace(shared[place], document=before.document)
    return shared


LONG_WORD = re.compile(r"[^a-z]|[a-z]{2}")  # "s 5" may be anything, "§ 5" and "ss 5" may not.
LISTED = re.compile(
    rf"\s*(?:[,;&+/]|(?:{words.AND}|{words.TO}|vs\.?|with))?\s*(?:{words.AND})?\s*", re.IGNORECASE
)


def _is_listed(text: str, run: Run, following: Run) -> bool:
    return LISTED.fullmatch(text, run.end, following.start) is not None


def _groups(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return for each citation the list that it is a member of, beside which its document may be named."""
    groups: list[Span] = []
    for start, end in spans:
        is_listed = bool(groups) and LISTED.fullmatch(text, groups[-1][1], start)
        if is_listed:
            first = groups[-1][0]
            groups = [(first, end) if group[0] == first else group for group in groups]
        groups.append((groups[-1][0] if is_listed else start, end))
    return groups


def _name(text: str, run: Run, *, is_whole: bool) -> Run:
    """Add the act that is named in words behind a citation or, if there is nothing else, beside it."""
    if run.document or run.is_bare:
        return run
    named = read_named(text, run.end)
    if named and not is_generic(named[1]) and (is_whole or _is_certain(text, run, named)):
        return replace(run, end=named[0], document=named[1])
    beside = read_beside(text, run.start, run.end)
    if beside is None or is_generic(beside[1]):
        return run
    (start, end), key = beside
    around = [(min(start, run.start), max(end, run.end))]
    if is_whole or not _rest(text, around):
        return replace(run, start=around[0][0], end=around[0][1], document=key)
    return run


def _is_certain(text: str, run: Run, named: tuple[int, str]) -> bool:
    """Tell the name of a document from an abbreviation in a question, which may be anything."""
    return " " in named[1] or not _rest(text, [(run.start, named[0])])


def _places(
    query: str, text: str, run: Run, spans: Sequence[Span], group: Span, *, is_whole: bool
) -> Iterator[CitedPlace]:
    names = () if run.document else guess_names(text, spans, group)
    is_sure = not run.is_coded and (is_whole or _is_sure(text, run))
    if not run.members:
        if is_whole:
            yield CitedPlace(
                query[run.start : run.end], run.start, run.end, _target(run, ()), names=names, is_alone=True
            )
        return
    if not is_whole and _is_relative(run) and (not run.document or _is_inner(run)):
        return
    is_bound = run.is_bound or not (is_whole or run.document or LONG_WORD.match(text, run.start))
    is_only_annex = all(step.number == "" for member in run.members for step in member.steps)
    if is_only_annex and not is_whole:
        return  # "the schedule of the ferry"
    is_sure = is_sure and not is_bound and not is_only_annex
    for member in run.members:
        start = run.start if member is run.members[0] else member.start
        end = run.end if member is run.members[-1] else member.end
        through = _target(run, member.through) if member.through else None
        yield CitedPlace(
            query[start:end],
            start,
            end,
            _target(run, member.steps),
            through,
            names,
            is_sure,
            is_bound,
            is_whole,
        )


def _target(run: Run, steps: Steps) -> Target:
    """Return the target of a member; a number without a word may be of any kind."""
    if run.is_bare and len(steps) and steps[0].kind == "section":
        steps = (replace(steps[0], kind=""), *steps[1:])
    return Target(steps=steps, document=run.document, is_external=bool(run.document))


def _is_relative(run: Run) -> bool:
    """Tell "paragraph (b)", which means one near its reader, from "Article 6"."""
    kinds = {step.kind for member in run.members for step in member.steps if step.kind}
    return not run.is_bare and all(RANK.get(kind, 0) >= words.LOW for kind in kinds)


def _is_inner(run: Run) -> bool:
    """Tell what only goes on from something else: "No. (74)"."""
    return all(step.kind in words.INNER for member in run.members for step in member.steps if step.kind)


def _is_sure(text: str, run: Run) -> bool:
    """Tell what must be meant as a citation, even in the middle of a question."""
    if run.document:
        return True
    if run.is_bare:
        return False
    kinds = [step.kind for step in run.members[0].steps if step.kind] if run.members else []
    return any(kind in SURE for kind in kinds) or len(kinds) > 1
