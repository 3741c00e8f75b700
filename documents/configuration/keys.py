"""What a collection can be told: each key with its default, its limits and what it does.

The one table behind YAML files, the JSON schema of editors and the columns of `Collection`; a test holds the
last to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from documents.translatable import gettext_noop as _

Value = str | int | float | bool | None
Values = dict[str, "Value | Values"]

NAME_PATTERN = r"^[A-Za-z0-9_-]+$"
LANGUAGE_PATTERN = r"^[a-z_]+$"


class Kind(StrEnum):
    """What a value has to be."""

    TEXT = "text"
    CHOICE = "choice"
    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "flag"
    PARTS = "parts"  # Keys below the key.


class Place(StrEnum):
    """Where a value goes."""

    COLLECTION = "collection"  # A column.
    COMMAND = "command"  # Whoever applies the file does it.
    INSTALLATION = "installation"  # Declared once for all in SEARCH_BACKENDS; checked, and kept nowhere.


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, and what may stand behind it."""

    name: str
    kind: Kind
    title: str
    description: str
    default: Value = None
    is_required: bool = False
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    pattern: str = ""
    cure: str = ""  # For a text that the pattern refuses.
    choices: tuple[str, ...] = ()
    parts: tuple[Key, ...] = ()
    short: str = ""  # The part that is meant by a bare text.
    place: Place = Place.COLLECTION

    @property
    def is_optional(self) -> bool:
        """Whether nothing is a value: its default is none."""
        return not self.is_required and self.default in (None, "")


def _share(name: str, title: str, description: str, default: float | None) -> Key:
    return Key(
        name=name,
        kind=Kind.NUMBER,
        title=title,
        description=description,
        default=default,
        least=0,
        most=1,
    )


def _whole(name: str, title: str, description: str, *, default: int, least: int, most: int) -> Key:
    return Key(
        name=name,
        kind=Kind.WHOLE,
        title=title,
        description=description,
        default=default,
        least=least,
        most=most,
    )


def _flag(name: str, title: str, description: str, *, default: bool) -> Key:
    return Key(name=name, kind=Kind.FLAG, title=title, description=description, default=default)


def _choice(name: str, title: str, description: str, *choices: str) -> Key:
    """The first choice is the default."""
    return Key(
        name=name,
        kind=Kind.CHOICE,
        title=title,
        description=description,
        default=choices[0],
        choices=choices,
    )


KEYS: tuple[Key, ...] = (
    Key(
        name="name",
        kind=Kind.TEXT,
        title=_("Name"),
        description=_("By which the collection is known: a second file of the same name changes it."),
        is_required=True,
        longest=100,
        pattern=NAME_PATTERN,
        cure=_("Use letters, digits, “_” and “-”."),
    ),
    Key(
        name="description",
        kind=Kind.TEXT,
        title=_("Description"),
        description=_("What it holds, for people and for agents that choose a collection."),
        is_required=True,
    ),
    Key(
        name="source",
        kind=Kind.TEXT,
        title=_("Source"),
        description=_("A file, a folder or a zip to read, from the folder of this file on."),
        place=Place.COMMAND,
    ),
    _choice(
        "chunking_strategy",
        _("Chunking"),
        _("Whether chunks follow the structure or are cut by tokens alone."),
        *("structure", "token"),
    ),
    _whole(
        "max_chunk_tokens",
        _("Largest chunk"),
        _("The most tokens that a chunk has."),
        default=800,
        least=100,
        most=2000,
    ),
    _whole(
        "chunk_overlap",
        _("Overlap"),
        _("Tokens that a chunk repeats of the one before it, where flat text had to be cut."),
        default=50,
        least=0,
        most=200,
    ),
    _choice(
        "search_mode",
        _("Search mode"),
        _("How is searched, unless asked otherwise."),
        *("hybrid", "semantic", "keyword", "exact"),
    ),
    _whole(
        "top_k",
        _("Results"),
        _("Results of a search, unless asked otherwise."),
        default=10,
        least=1,
        most=100,
    ),
    _share("min_score", _("Least score"), _("Leave out results below this score."), None),
    _share("semantic_weight", _("Weight of meaning"), _("What likeness of meaning counts."), 0.5),
    _share("keyword_weight", _("Weight of words"), _("What common words count."), 0.3),
    _share("exact_weight", _("Weight of exact matches"), _("What identifiers and phrases count."), 0.2),
    _choice(
        "fusion",
        _("Fusion"),
        _("Whether ways of looking are made one ranking by their scores or by reciprocal ranks."),
        *("scores", "rrf"),
    ),
    _whole(
        "rrf_k",
        _("k of reciprocal ranks"),
        _("With `fusion: rrf`: the smaller, the more the first places of each way count."),
        default=60,
        least=1,
        most=1000,
    ),
    Key(
        name="embedding_model",
        kind=Kind.TEXT,
        title=_("Embedding model"),
        description=_("The model of an embedder that the installation declares. Left out: the one in use."),
        place=Place.INSTALLATION,
    ),
    Key(
        name="embedding_dimensions",
        kind=Kind.WHOLE,
        title=_("Dimensions"),
        description=_("The dimensions of its vectors. Left out: those of the embedder in use."),
        least=1,
        most=16_000,
        place=Place.INSTALLATION,
    ),
    _flag(
        "contextual_embeddings",
        _("Contexts"),
        _("Index each chunk with a few words on where it stands."),
        default=True,
    ),
    Key(
        name="context_model",
        kind=Kind.PARTS,
        title=_("Context model"),
        description=_("Who writes contexts, as the installation declares. Left out: the declared one."),
        parts=(
            Key(
                name="provider",
                kind=Kind.TEXT,
                title=_("Provider"),
                description=_("structural, anthropic or openai."),
                is_required=True,
            ),
            Key(name="name", kind=Kind.TEXT, title=_("Model"), description=_("The name of its model.")),
            Key(
                name="temperature",
                kind=Kind.NUMBER,
                title=_("Temperature"),
                description=_("Providers are asked without one: leave it out."),
                least=0,
                most=2,
            ),
        ),
        place=Place.INSTALLATION,
    ),
    _whole(
        "context_max_tokens",
        _("Longest context"),
        _("The most tokens of the context of a chunk."),
        default=100,
        least=50,
        most=200,
    ),
    _whole(
        "context_concurrency",
        _("Requests at a time"),
        _("Requests to a provider of contexts at the same time."),
        default=10,
        least=1,
        most=50,
    ),
    _flag("extract_definitions", _("Definitions"), _("Find the terms that are defined."), default=True),
    _flag(
        "extract_cross_references",
        _("References"),
        _("Find the places that are mentioned, here and in other documents."),
        default=True,
    ),
    _flag(
        "enable_reranking",
        _("Reranking"),
        _("Have the best results put in order once more, by the declared reranker."),
        default=False,
    ),
    Key(
        name="reranker_model",
        kind=Kind.TEXT,
        title=_("Reranker"),
        description=_("The model of the declared reranker. Needed if reranking is enabled."),
        default="",
        longest=200,
    ),
    Key(
        name="keyword_index",
        kind=Kind.PARTS,
        title=_("Keyword index"),
        description=_("Where words are looked up, as the installation declares. Left out: the declared one."),
        short="provider",
        parts=(
            Key(
                name="provider",
                kind=Kind.CHOICE,
                title=_("Provider"),
                description=_("Which index it is."),
                is_required=True,
                choices=("postgres", "opensearch", "in-memory"),
            ),
            Key(name="endpoint", kind=Kind.TEXT, title=_("Address"), description=_("Of OpenSearch.")),
            Key(name="index_name", kind=Kind.TEXT, title=_("Index"), description=_("Of OpenSearch.")),
            Key(name="username", kind=Kind.TEXT, title=_("User"), description=_("Of OpenSearch.")),
            Key(name="password", kind=Kind.TEXT, title=_("Password"), description=_("Of OpenSearch.")),
            Key(name="api_key", kind=Kind.TEXT, title=_("API key"), description=_("Of OpenSearch.")),
            Key(
                name="verify_certs",
                kind=Kind.FLAG,
                title=_("Verify certificates"),
                description=_("Of OpenSearch."),
                default=True,
            ),
            Key(
                name="timeout_seconds",
                kind=Kind.WHOLE,
                title=_("Timeout"),
                description=_("Seconds that OpenSearch may take."),
                default=10,
                least=1,
                most=120,
            ),
        ),
        place=Place.INSTALLATION,
    ),
    Key(
        name="language",
        kind=Kind.TEXT,
        title=_("Language"),
        description=_(
            "The text-search configuration of PostgreSQL by which words are stemmed, or “auto”: that "
            "of the language which each document is in."
        ),
        default="english",
        longest=63,
        pattern=LANGUAGE_PATTERN,
        cure=_("Name a text-search configuration, such as “english”, or “auto”."),
    ),
)
BY_NAME = {key.name: key for key in KEYS}
STORED = tuple(key.name for key in KEYS if key.place == Place.COLLECTION)
WEIGHTS = ("semantic_weight", "keyword_weight", "exact_weight")
