"""What a program tells a collection: the keys of a file of configuration, with its defaults and limits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from documents.configuration import KEYS, STORED, Configuration, Kind, Place, Spot
from documents.configuration.keys import Key
from documents.services.configuration import check_installation
from tenants.api import StrictSerializer

# Whoever applies a file reads its source; a program uploads files.
TOLD = tuple(key for key in KEYS if key.place != Place.COMMAND)
SPOTS = {key.name: Spot(line) for line, key in enumerate(KEYS)}
NAMES = {spot: name for name, spot in SPOTS.items()}
RERANKER_MISSING = "Reranking is enabled without a model. Name it as `reranker_model`, or do not enable it."


class KeysSerializer(StrictSerializer):
    """Fields as a table of keys has them."""

    keys: tuple[Key, ...] = ()

    def get_fields(self) -> dict[str, Any]:
        return {key.name: field_of(key) for key in self.keys}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return what was told; where nothing was told of a key that may be empty, its default."""
        given = super().to_internal_value(data)
        return {key.name: fill(key, given[key.name]) for key in self.keys if key.name in given}


class CollectionSerializer(KeysSerializer):
    """The configuration of a collection, as in YAML but for `source`: upload files instead."""

    keys = TOLD


class CollectionChangeSerializer(CollectionSerializer):
    """What is to be changed; what is left out stays."""

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for field in fields.values():
            field.required = False
        return fields


class PartsSerializer(KeysSerializer):
    """Keys below a key. Where one of them is meant by a bare text, that will do."""

    short = ""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if self.short and isinstance(data, str):
            data = {self.short: data}
        defaults = {key.name: key.default for key in self.keys}
        return defaults | super().to_internal_value(data)


def fill(key: Key, value: Any) -> Any:
    return key.default if value is None else value


def field_of(key: Key) -> serializers.Field[Any, Any, Any, Any]:
    options: dict[str, Any] = {
        "required": key.is_required,
        "help_text": key.description,
        "allow_null": key.is_optional,
    }
    match key.kind:
        case Kind.PARTS:
            return parts_of(key)(**options)
        case Kind.CHOICE:
            return serializers.ChoiceField(list(key.choices), **options)
        case Kind.WHOLE:
            return serializers.IntegerField(min_value=whole(key.least), max_value=whole(key.most), **options)
        case Kind.NUMBER:
            return serializers.FloatField(min_value=key.least, max_value=key.most, **options)
        case Kind.FLAG:
            return serializers.BooleanField(**options)
    return text_field(key, options | {"max_length": key.longest, "allow_blank": key.is_optional})


def text_field(key: Key, options: dict[str, Any]) -> serializers.CharField:
    if not key.pattern:
        return serializers.CharField(**options)
    return serializers.RegexField(key.pattern, error_messages={"invalid": key.cure}, **options)


@cache
def parts_of(key: Key) -> type[PartsSerializer]:
    name = "".join(word.title() for word in key.name.split("_"))
    return type(f"{name}Serializer", (PartsSerializer,), {"keys": key.parts, "short": key.short})


def whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def configure(told: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return all settings that a collection keeps: as told, as before, or by default. Refuse what cannot be
    here: a language, or a backend."""
    defaults = {key.name: None if key.parts else key.default for key in KEYS}
    configuration = Configuration({**defaults, **(before or {}), **told}, SPOTS)
    if configuration.values["enable_reranking"] and not configuration.values["reranker_model"]:
        raise ValidationError({"reranker_model": [RERANKER_MISSING]})
    problems = {NAMES[one.spot]: one.message for one in check_installation(configuration)}
    if wrong := {name: [message] for name, message in problems.items() if name in told}:
        raise ValidationError(wrong)
    return {name: configuration.values[name] for name in STORED}
