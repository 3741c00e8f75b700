"""Every message that a catalogue can have, and a catalogue of them that nobody can mistake for English."""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path

import django
from django.conf import settings
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

APPLICATIONS = ("config", "tenants", "documents", "definitions", "search")
TEMPLATES = settings.BASE_DIR / "templates"
SINGLE = {"_", "gettext", "gettext_lazy", "gettext_noop"}
PLURAL = {"ngettext", "ngettext_lazy"}
# Whose words stand on our pages: of dates and sizes, of forms that are refused, of passwords.
DJANGO = [Path(django.__file__).parent / place for place in ("conf", "contrib/auth")]
OPENING, CLOSING = "⟦", "⟧"

Message = tuple[str, ...]  # Of one thing, or of one and of many.


def messages_of_templates() -> Iterator[Message]:
    for path in sorted(TEMPLATES.rglob("*.html")):
        template = get_template(str(path.relative_to(TEMPLATES))).template  # type: ignore[attr-defined]
        for node in template.nodelist.get_nodes_by_type(TranslateNode):
            text = node.filter_expression.var.literal
            assert text is not None, f"{path.name} translates what no catalogue can know."
            yield (str(text).replace("%", "%%"),)
        for node in template.nodelist.get_nodes_by_type(BlockTranslateNode):
            yield tuple(node.render_token_list(part)[0] for part in (node.singular, node.plural) if part)


def messages_of_code() -> Iterator[Message]:
    for application in APPLICATIONS:
        for path in sorted((settings.BASE_DIR / application).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield from _messages_of_call(node.func.id, node, path)


def _messages_of_call(name: str, call: ast.Call, path: Path) -> Iterator[Message]:
    count = 2 if name in PLURAL else 1 if name in SINGLE else 0
    texts = [one.value for one in call.args[:count] if isinstance(one, ast.Constant)]
    if count and len(texts) == count:
        yield tuple(str(text) for text in texts)


def messages_of_django() -> Iterator[Message]:
    """Read them from a translation: Django's own catalogue of English is empty."""
    for place in DJANGO:
        with (place / "locale" / "de" / "LC_MESSAGES" / "django.mo").open("rb") as file:
            for message in GNUTranslations(file)._catalog:  # type: ignore[attr-defined]
                if message:
                    yield (message,) if isinstance(message, str) else (message[0], message[0])


def write_catalogue(folder: Path, language: str) -> None:
    """Write each message in brackets as its translation, in the format that `compilemessages` makes."""
    found = {*messages_of_django(), *messages_of_templates(), *messages_of_code()}
    entries = {"": "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"}
    for message in sorted(found, key=len):
        entries["\0".join(message)] = "\0".join(bracketed(text) for text in message)
    path = folder / language / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(compiled(entries))


def bracketed(text: str) -> str:
    """Put a translation in brackets, inside of the context that Django gives to some."""
    return f"{OPENING}{text.rpartition(chr(4))[2]}{CLOSING}"


def compiled(entries: dict[str, str]) -> bytes:
    """Lay out a catalogue: a head, a table of the originals, one of the translations, and the texts."""
    pairs = sorted((original.encode(), text.encode()) for original, text in entries.items())
    start, table = 28, 8 * len(pairs)
    texts, places = b"", ([], [])  # type: tuple[bytes, tuple[list[int], list[int]]]
    for column in (0, 1):
        for pair in pairs:
            places[column].extend((len(pair[column]), start + 2 * table + len(texts)))
            texts += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), start, start + table, 0, start + 2 * table)
    return head + struct.pack(f"<{4 * len(pairs)}I", *places[0], *places[1]) + texts
