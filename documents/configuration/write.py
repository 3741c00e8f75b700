"""Settings of a collection as the file that would make it."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from documents.configuration.keys import KEYS, Value, Values


def write_configuration(values: Mapping[str, Value | Values]) -> str:
    """Return the text of a file; what is none is left out. `read_configuration` reads the same again."""
    said = {key.name: values[key.name] for key in KEYS if values.get(key.name) not in (None, "")}
    written = yaml.dump(said, Dumper=Writer, sort_keys=False, allow_unicode=True, width=100)
    return str(written)


class Writer(yaml.SafeDumper):
    """Writes lines as lines, and what cannot be shown as escapes: elsewhere YAML folds rare line ends."""


def _represent_text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_shown = all(line.isprintable() for line in text.split("\n"))
    style = ("|" if "\n" in text else None) if is_shown else '"'
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Writer.add_representer(str, _represent_text)
