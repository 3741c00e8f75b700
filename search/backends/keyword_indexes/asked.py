"""Questions in the language of PostgreSQL's full-text search."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from search.lexemes import own_lexeme, quote_lexeme

Tree = dict[str, "Tree"]


def any_word(tenant_id: UUID, lexemes: Sequence[str]) -> str:
    return any_group(tenant_id, [[lexeme] for lexeme in lexemes])


def any_group(tenant_id: UUID, groups: Sequence[Sequence[str]]) -> str:
    """Ask for all words of one of several groups: 'a' & ('b' | 'c') | 'd'."""
    tree: Tree = {}
    for group in groups:
        below = tree
        for lexeme in group:
            below = below.setdefault(quote_lexeme(own_lexeme(tenant_id, lexeme)), {})
    return _spell(tree)


def _spell(tree: Tree) -> str:
    return " | ".join(f"{word} & ({_spell(below)})" if below else word for word, below in tree.items())
