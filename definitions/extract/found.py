"""What is found in a text before anything is stored: definitions, and mentions of other places."""

from __future__ import annotations

from dataclasses import dataclass, field

Span = tuple[int, int]  # Characters of the text, half open.


@dataclass(frozen=True, slots=True)
class FoundDefinition:
    """A term, where it is defined and where the definition holds."""

    term: str  # As printed, without quotation marks, emphasis and articles.
    start: int
    end: int
    body: Span  # What says the meaning: the sentence, or the whole paragraph with the units below it.
    unit: int  # Index of the innermost unit that it stands in.
    scope: int  # Index of the unit inside which it holds; 0 is the whole document.
    style: str  # The rule that found it.
    confidence: float  # From 0 to 1.
    variants: tuple[str, ...] = ()  # Other forms of the term: "Banks", "the Bank".
    exclusions: tuple[Span, ...] = ()  # Sentences that say what it does not include.
    given_in: Span | None = None  # The words that say where the meaning is given instead: "§ 1026.2(a)".


@dataclass(frozen=True, slots=True)
class Step:
    """One unit on the way to a target; without a kind if only a number is printed."""

    kind: str
    number: str  # Without brackets: "1013.2", "e", "IV".


@dataclass(frozen=True, slots=True)
class Target:
    """Where a mention points, as far as its own words tell.

    `base` names the unit around the mention from which the steps go down: "section" for "paragraph (b) of
    this section", "document" for "of this Act". Without one, a first step such as "Article 6" is looked for
    in the whole document, and a bare "(b)" near the mention.
    """

    steps: tuple[Step, ...] = ()  # The outermost first. None for a document as a whole.
    base: str = ""
    document: str = ""  # Key of another document, such as "12 cfr 1026"; nothing for its own.
    is_external: bool = False  # Whether the document is law by its form, whoever holds it: "15 U.S.C. 1601".


@dataclass(frozen=True, slots=True)
class FoundReference:
    """A mention of one place. Of a list, each member is one; of a range, both ends are."""

    start: int
    end: int
    unit: int  # Index of the innermost unit that it stands in.
    form: str  # "section", "paragraph", "article", "appendix", "comment", "document", …
    target: Target
    through: Target | None = field(default=None)  # The end of a range that begins here.
