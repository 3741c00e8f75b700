"""What a language says when it defines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """Alternatives of a regular expression each. What a language does not say is an empty string."""

    means: str  # Behind a term, marked or not: it is a definition.
    bare_means: str  # Where the term is only in the heading above.
    includes: str  # Behind a marked term, or in a section of definitions.
    given: str  # The meaning is given elsewhere.
    states: str  # Behind a term in quotation marks: prose that says what it is.
    called: str  # Before a term: "is called a".
    term_words: str  # "the term", "the expression".
    articles: str
    joins: str  # Between two terms that share a meaning.
    qualifiers: str  # Opens what stands between term and verb: "in relation to a ship".
    bracket: str  # All that may stand between a bracket and the term that it introduces.
    lead_in: str  # Ends the words before a list of definitions: "on entend par".
    scope: str  # Before "this Act": "for the purposes of".
    this: str
    document: str  # What is the whole document: "Act", "Agreement".
    titles: str  # Of a section of definitions.
    excludes: str
    no_term: str  # The first word of what looks like a term and is none.
    adjectives: str = ""  # Before "means" as a noun: "by electronic means".
    not_alone: str = ""  # The whole of what looks like a term and is none: "electronic means".
    not_after: str = ""  # Behind "means" as a noun: "means of transport".
