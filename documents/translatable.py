"""Mark words that a page translates, where Django is not known."""

from __future__ import annotations


def gettext_noop(text: str) -> str:
    """Return a text as it is. `makemessages` finds it by this name, and a page asks a catalogue for it."""
    return text
