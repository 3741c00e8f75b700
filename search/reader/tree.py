"""Write entries of an outline. By hand: a template takes a tenth of a second for what a long list has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from search.reader.opened import Address
from search.reader.outline import OutlineEntry

DEEPEST = 8
LONGEST = 80


def write_tree(entries: Sequence[OutlineEntry], address: Address) -> SafeString:
    """Return units as items of a list; those with others below them have a button that a script shows."""
    below = gettext("Below %(label)s")
    return mark_safe("".join(_items(entries, address, below)))  # noqa: S308


def write_found(entries: Sequence[OutlineEntry], address: Address) -> SafeString:
    """Return units that were found, each on its own."""
    if not entries:
        words = escape(gettext("No unit has these words in its number or title."))
        return mark_safe(f'<li class="faint small">{words}</li>')  # noqa: S308
    return mark_safe("".join(_items(entries, address, "")))  # noqa: S308


def _items(entries: Sequence[OutlineEntry], address: Address, below: str) -> Iterator[str]:
    for one in entries:
        label = escape(one.label)
        yield f'<li class="depth-{min(one.level, DEEPEST)}" data-level="{one.level}" data-label="{label}">'
        if below and one.has_children:
            name = escape(below % {"label": one.label})
            yield (
                f'<button type="button" class="twist" aria-expanded="{str(one.is_open).lower()}" hidden>'
                f'<span class="visually-hidden">{name}</span></button>'
            )
        current = ' aria-current="location"' if one.is_current else ""
        words = f' <span class="faint">{escape(_short(one.words))}</span>' if one.words else ""
        yield f'<a href="{escape(address.unit(one.label))}"{current}>{label}{words}</a></li>'


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rstrip()}…"
