"""Words of the API's description, as pages show them."""

from __future__ import annotations

import re

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()
CODE = re.compile(r"`([^`]+)`")


@register.filter
def prose(words: str) -> SafeString:
    """Set what stands between backticks as code, and leave everything else as text."""
    pieces = CODE.split(words)  # Text and code by turns.
    forms = ("{}", "<code>{}</code>")
    shown = ((format_html(forms[place % 2], piece),) for place, piece in enumerate(pieces))
    return format_html_join("", "{}", shown)
