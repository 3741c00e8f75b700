"""The form of a collection's settings, made of the keys that YAML files have too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from documents.configuration import STORED, Configuration, Kind
from documents.configuration.compare import AT_ONCE, MEANING, SEARCHED
from documents.configuration.keys import BY_NAME, Key, Value
from documents.models import Collection
from documents.services.configuration import check_installation

GROUPS = (
    (_("What it is"), ("name", "description", "language")),
    (
        _("How documents are read"),
        (
            "chunking_strategy",
            "max_chunk_tokens",
            "chunk_overlap",
            "extract_definitions",
            "extract_cross_references",
        ),
    ),
    (_("Contexts"), ("contextual_embeddings", "context_max_tokens", "context_concurrency")),
    (_("How is searched"), ("search_mode", "top_k", "min_score")),
    (
        _("How results are ranked"),
        ("semantic_weight", "keyword_weight", "exact_weight", "fusion", "rrf_k"),
    ),
    (_("Reranking"), ("enable_reranking", "reranker_model")),
)


class ConfigurationForm(forms.Form):
    """A field for each key that a collection keeps; a test holds the groups to the keys."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in STORED:
            self.fields[name] = field_of(BY_NAME[name])

    def groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """Return fields with a title, and with when another value holds if that is the same for all."""
        return [
            (str(title), common_meaning(names), [self[name] for name in names]) for title, names in GROUPS
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("enable_reranking") and not cleaned.get("reranker_model"):
            self.add_error("reranker_model", _("Name the model of the reranker, or do not enable it."))
        if not self.errors:
            self.check_what_is_here()
        return cleaned

    def check_what_is_here(self) -> None:
        """Refuse what this installation does not have: a language, or a reranker."""
        for problem in check_installation(Configuration(dict.fromkeys(BY_NAME) | self.cleaned_data)):
            name, _colon, reason = problem.message.partition(": ")
            self.add_error(name.strip("`"), reason)

    def configuration(self) -> Configuration:
        return Configuration(self.cleaned_data)


def field_of(key: Key) -> forms.Field:
    """Return the field that takes what may stand behind a key in a file."""
    common: dict[str, Any] = {
        "label": gettext(key.title),
        "help_text": help_of(key),
        "required": key.kind != Kind.FLAG and not key.is_optional,
    }
    match key.kind:
        case Kind.FLAG:
            return forms.BooleanField(**common)
        case Kind.CHOICE:
            return forms.ChoiceField(choices=choices_of(key), **common)
        case Kind.WHOLE:
            return forms.IntegerField(min_value=_whole(key.least), max_value=_whole(key.most), **common)
        case Kind.NUMBER:
            return forms.FloatField(min_value=key.least, max_value=key.most, step_size=0.01, **common)
    pattern = [RegexValidator(key.pattern, gettext(key.cure))] if key.pattern else []
    widget = forms.TextInput if key.longest else forms.Textarea(attrs={"rows": 2})
    return forms.CharField(max_length=key.longest, validators=pattern, widget=widget, **common)


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def choices_of(key: Key) -> list[tuple[str, str]]:
    column: Any = Collection._meta.get_field(key.name)
    named: Mapping[Any, Any] = dict(column.flatchoices)
    return [(choice, str(named.get(choice, choice))) for choice in key.choices]


def help_of(key: Key) -> str:
    """Say what a setting does, what it may be, and from when on another value holds."""
    limits = default = ""
    if key.least is not None and key.most is not None:
        limits = gettext("From %(least)g to %(most)g.") % {"least": key.least, "most": key.most}
    if key.default not in (None, ""):
        default = gettext("Usually %(value)s.") % {"value": shown(key.default)}
    names = next(names for _title, names in GROUPS if key.name in names)
    holds = "" if common_meaning(names) else gettext("Holds %(when)s.") % {"when": meaning_of(key.name)}
    return " ".join(filter(None, [gettext(key.description), limits, default, holds])).replace("`", "")


def common_meaning(names: Sequence[str]) -> str:
    """Return from when on any of some settings holds; nothing if that differs."""
    meanings = {meaning_of(name) for name in names}
    return gettext("Holds %(when)s.") % {"when": meanings.pop()} if len(meanings) == 1 else ""


def meaning_of(name: str) -> str:
    return gettext(AT_ONCE if name == "name" else MEANING.get(name, SEARCHED)).replace("`", "")


def shown(value: Value) -> str:
    if isinstance(value, bool):
        return gettext("on") if value else gettext("off")
    return str(value)
