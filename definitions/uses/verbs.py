"""Tell a verb from the noun that is written alike: "must state the rate", "the law of the state"."""

from __future__ import annotations

from definitions.uses.words import Match, Words

# English only: other languages tell verbs from nouns by their endings or capitals.
MODALS = frozenset({
    "must", "shall", "may", "might", "can", "cannot", "could", "would", "should", "will", "need", "do",
    "does", "did",
})  # fmt: skip
ADVERBS = frozenset({"also", "not", "only", "simply", "never", "then", "either", "both", "clearly"})
RELATIVES = frozenset({"that", "which", "who", "it"})
OBJECTS = frozenset({
    "the", "a", "an", "any", "all", "each", "how", "whether", "certain", "its", "their", "this", "these",
})  # fmt: skip


def is_verb(words: Words, match: Match) -> bool:
    """Judge a single word by those around it."""
    if match.first != match.last or words.is_capital(match.first):
        return False
    index = match.first
    while (before := words.before(index).lower()) in ADVERBS:
        index -= 1
    if before == "to" or before in RELATIVES:
        return words.behind(match.last).lower() in OBJECTS
    return before in MODALS
