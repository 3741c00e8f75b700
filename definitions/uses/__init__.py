"""Where defined terms are used, so that a reader can show a definition in place."""

from definitions.uses.find import Term, TermMatcher, TermUse, find_uses
from definitions.uses.headings import heading_spans

__all__ = ["Term", "TermMatcher", "TermUse", "find_uses", "heading_spans"]
