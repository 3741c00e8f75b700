"""Which units are sections of definitions, by their title or by the words before their list."""

from __future__ import annotations

import re
from functools import cached_property

from definitions.extract.definitions.page import Page
from definitions.extract.definitions.words import either
from documents.parse import Unit
from documents.parse.words import ANNEXES

LONGEST_LEAD_IN = 600
TITLE = re.compile(rf"(?:[\w().§ -]{{0,16}}[—–:-] ?)?{either('titles')}\W*", re.IGNORECASE)
LEAD_IN = re.compile(rf"\b{either('lead_in')}[^.\n]{{0,60}}[:—–-]+\W*(?:\n|$)", re.IGNORECASE)
# "In this Act:" alone before a list says enough.
SCOPE_LINE = re.compile(
    rf"(?:^|[\n.])\W*(?:[\w().§-]{{1,12}}\s+){{0,3}}(?:{either('scope')})\s+{either('this')}\s+[\w-]+"
    r"(?: [\dIVX]+)?"
    r"(?:,[^.\n:]{0,90})?\s*[:—–-]+\W*$",
    re.IGNORECASE,
)
COLON = re.compile(r"[:—–-][ \t]*(?:\n|$)")
COMMENTARY = re.compile(
    r"\b(?:interpretations?|commentary|commentaires?|explanatory|erläuterung(?:en)?)\b", re.IGNORECASE
)
ANNOUNCED = re.compile(
    r"\bfollowing (?:definitions|terms|expressions|words|meanings)\b|\bdefinitions (?:shall )?apply\b"
    r"|définitions (?:suivantes|qui suivent)\b"
)


class Sections:
    """Answers for each unit whether it stands among definitions."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._first_child: dict[int, int] = {}
        for index, unit in enumerate(page.units):
            if unit.parent is not None:
                self._first_child.setdefault(unit.parent, index)

    def lead_in(self, unit: int) -> tuple[int, int]:
        """Return the words of a unit before the first unit below it."""
        start, end = self.page.units[unit].start, self.page.units[unit].end
        child = self._first_child.get(unit)
        end = end if child is None else self.page.units[child].start
        return start, min(end, start + LONGEST_LEAD_IN)

    @cached_property
    def _titled(self) -> list[int | None]:
        """Of each unit, the outermost section of definitions that it stands in."""
        roots: list[int | None] = []
        last: int | None = None
        for index, unit in enumerate(self.page.units):
            above = roots[unit.parent] if unit.parent is not None else None
            if above is None and last is not None and self._is_numbered_below(unit, last):
                above = last
            roots.append(above if above is not None else index if self._opens(index) else None)
            last = index if roots[-1] == index else last
        return roots

    def _is_numbered_below(self, unit: Unit, root: int) -> bool:
        """Return whether a unit is "3.1" to a section "3" beside which the outline puts it."""
        number = self.page.units[root].marker.rstrip(".")
        return bool(number) and number[-1].isdigit() and unit.marker.startswith(f"{number}.")

    def _opens(self, index: int) -> bool:
        unit = self.page.units[index]
        is_titled = bool(unit.title and TITLE.fullmatch(unit.title.strip()))
        return is_titled or (index > 0 and self.announces(index))

    def announces(self, index: int) -> bool:
        """Return whether the words before the list of a unit say that definitions follow."""
        start, end = self.lead_in(index)
        lead_in = self.page.text[start:end]
        return self._opens_list(lead_in) or ANNOUNCED.search(lead_in) is not None

    def _opens_list(self, lead_in: str) -> bool:
        colon = COLON.search(lead_in)
        if colon is None:
            return False
        words = lead_in[max(0, colon.start() - 140) : colon.end()]
        return LEAD_IN.search(words) is not None or SCOPE_LINE.search(words) is not None

    def root(self, unit: int) -> int | None:
        """Return the section of definitions around a unit, if it stands in one."""
        return self._titled[unit]

    def is_titled(self, root: int) -> bool:
        """Return whether a section says by its title that it defines."""
        return TITLE.fullmatch(self.page.units[root].title.strip()) is not None

    @cached_property
    def _comments(self) -> list[bool]:
        """Of each unit, whether it is in an annex that comments on terms that are defined elsewhere."""
        comments: list[bool] = []
        for unit in self.page.units:
            above = unit.parent is not None and comments[unit.parent]
            comments.append(above or (unit.kind in ANNEXES and COMMENTARY.search(unit.title) is not None))
        return comments

    def is_commentary(self, unit: int) -> bool:
        return self._comments[unit]

    def in_annex(self, unit: int) -> int | None:
        """Return the annex around a unit, if any."""
        return next(
            (each for each in self.page.ancestors(unit) if self.page.units[each].kind in ANNEXES), None
        )
