"""Canonical labels: where a unit is, told by printed numbers alone, so that they survive edits elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from documents.parse.marks import DECIMAL, HEADING, HYPHENED, LETTERED
from documents.parse.tree import Draft
from documents.parse.words import ANNEXES, DIVISIONS, UNDIVIDED

# Kinds that people cite by their number alone, if a document numbers them through.
CITED_ALONE = UNDIVIDED
MOST_REPEATED = 0.2
LONGEST_TITLE = 60


def label_drafts(drafts: Sequence[Draft]) -> list[str]:
    """Return a label for each unit; the first is the document itself."""
    numbered_through = _numbered_through(drafts)
    counted_on = _counted_on(drafts)
    outermost = _outermost(drafts)
    labels = [drafts[0].label or _own_name(drafts[0]) or "Document"]
    taken = Counter(labels)
    for index, draft in enumerate(drafts[1:], start=1):
        if draft.label:
            label = draft.label
        elif index in outermost:
            label = _own_name(draft)
        elif draft.style in counted_on and _is_held(draft, drafts):
            label = _cite_alone(draft, drafts, labels)
        else:
            label = _label(draft, drafts, labels, numbered_through)
        taken[label] += 1
        while taken[label] > 1 and f"{label}~{taken[label]}" in taken:
            taken[label] += 1
        if taken[label] > 1:
            label = f"{label}~{taken[label]}"
            taken[label] += 1
        labels.append(label)
    return labels


def _label(draft: Draft, drafts: Sequence[Draft], labels: Sequence[str], numbered_through: set[str]) -> str:
    scope = _scope(draft, drafts)
    parent = draft.parent or 0
    name = _own_name(draft)
    is_below_cited = drafts[parent].style[1:] in CITED_ALONE
    if draft.style in numbered_through and not is_below_cited:
        return _cite_alone(draft, drafts, labels)
    if draft.style in {DECIMAL, LETTERED, HYPHENED} or (draft.style == "1" and not is_below_cited):
        return _cite_alone(draft, drafts, labels)
    if parent == 0 and not is_below_cited:
        return name
    if draft.style[:1] == "@" and is_below_cited:
        return f"{labels[parent]} {name}"
    if draft.style[:1] == "@" or HEADING in {draft.style, drafts[parent].style} or parent == scope != 0:
        return f"{labels[parent]}/{name}"
    return labels[parent] + _step(draft, drafts[parent])


def _cite_alone(draft: Draft, drafts: Sequence[Draft], labels: Sequence[str]) -> str:
    scope = _scope(draft, drafts)
    name = _own_name(draft)
    return f"{labels[scope]}/{name}" if scope else name


def _scope(draft: Draft, drafts: Sequence[Draft]) -> int:
    """Return the nearest annex around a unit, whose numbering is its own; 0 is the document.

    An annex that nothing numbered precedes is the document itself: "S.O. 2004, c. 3, Sched. A".
    """
    parent = draft.parent
    while parent:
        if drafts[parent].style[1:] in ANNEXES:
            return parent if any(one.style not in {HEADING, ""} for one in drafts[1:parent]) else 0
        parent = drafts[parent].parent
    return 0


def _numbered_through(drafts: Sequence[Draft]) -> set[str]:
    """Return the styles whose numbers name one unit each; two versions side by side do no harm."""
    counts = Counter(
        (draft.style, draft.value, _scope(draft, drafts)) for draft in drafts if draft.style[:1] == "@"
    )
    total = Counter(style for style, _, _ in counts)
    repeated = Counter(style for (style, _, _), count in counts.items() if count > 1)
    return {f"@{kind}" for kind in CITED_ALONE if repeated[f"@{kind}"] <= MOST_REPEATED * total[f"@{kind}"]}


def _outermost(drafts: Sequence[Draft]) -> set[int]:
    """Return the units below nothing but headings whose number is not used again there: "Schedule 1"."""
    headed = [True]
    for draft in drafts[1:]:
        parent = draft.parent or 0
        headed.append(headed[parent] and (parent == 0 or drafts[parent].style == HEADING))
    found = [
        (index, (draft.style, draft.value))
        for index, draft in enumerate(drafts)
        if index and headed[index] and draft.style[:1] == "@"
    ]
    counts = Counter(name for _, name in found)
    return {index for index, name in found if counts[name] == 1}


def _counted_on(drafts: Sequence[Draft]) -> set[str]:
    """Return the styles that go on counting from one division to the next: those in "Part 2" begin with 7."""
    last: dict[str, Draft] = {}
    found: set[str] = set()
    restarted: set[str] = set()
    for draft in drafts[1:]:
        if not _is_held(draft, drafts) or _scope(draft, drafts):
            continue
        before = last.get(draft.style)
        if before is not None and before.parent != draft.parent:
            found.add(draft.style)
        if (before is not None and before.value >= draft.value) or _repeats_parent(draft, drafts):
            restarted.add(draft.style)
        last[draft.style] = draft
    return found - restarted


def _is_held(draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Tell whether a unit of the kind that is cited stands below a division, or what is used as one."""
    above = drafts[draft.parent or 0].style
    if draft.style == "1.":
        return above[1:] in DIVISIONS or above in {HEADING, ""}
    return draft.style[1:] in CITED_ALONE and (above[1:] in DIVISIONS | CITED_ALONE or above in {HEADING, ""})


def _repeats_parent(draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Section 2.01 of Article II begins with the number of its article."""
    above = drafts[draft.parent or 0]
    return above.style[1:] in CITED_ALONE and len(draft.value) > 1 and draft.value[:1] == above.value


def _own_name(draft: Draft) -> str:
    if draft.style[:1] == "@":
        number = draft.number
        if draft.style == "@sign":
            return f"§ {number}"
        return f"{draft.kind.capitalize()} {number}".strip()
    if draft.style in {HEADING, ""}:
        return _shorten(draft.title) or draft.kind.capitalize()
    return draft.number


def _step(draft: Draft, parent: Draft) -> str:
    """Write "(a)" below a section, "-1" below "(a)" and ".i" below "-1", as comments are cited."""
    if draft.style[-1:] != "." or parent.style[:1] == "@" or parent.style in {DECIMAL, "1", HYPHENED}:
        return f"({draft.number})"
    if draft.style == parent.style:  # "1." below the heading "5."
        return f"({draft.number})"
    return f".{draft.number}" if parent.style[-1:] == "." else f"-{draft.number}"


def _shorten(title: str) -> str:
    words = re.sub(r"\s+", " ", title).strip(" .:—–-")
    if len(words) <= LONGEST_TITLE:
        return words
    return words[:LONGEST_TITLE].rsplit(" ", 1)[0]
