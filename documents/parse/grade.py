"""How far a structure can be trusted: what it cost to believe in it, and what it leaves out."""

from __future__ import annotations

from documents.parse.solve import Solution

FEWEST_UNITS = 3
LONGEST_UNIT = 20_000  # Characters without any unit inside, in a text that has structure.
HIGH = 0.5
MEDIUM = 1.2


def grade_solution(text: str, solution: Solution) -> str:
    """Return high, medium, low or none."""
    if not solution.units:
        return "none"
    if len(solution.units) < FEWEST_UNITS or len(text) > LONGEST_UNIT * (len(solution.units) + 1):
        return "low"
    strain = solution.cost / len(solution.units)
    if strain <= HIGH:
        return "high"
    return "medium" if strain <= MEDIUM else "low"
