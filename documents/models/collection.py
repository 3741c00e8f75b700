"""One corpus with one configuration."""

from __future__ import annotations

import uuid
from typing import Any, Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import connection, models
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from documents.configuration import STORED
from documents.language import AUTO
from tenants.models import Tenant

NAME_PATTERN = r"^[A-Za-z0-9_-]+$"
SHARE = (MinValueValidator(0), MaxValueValidator(1))


class ChunkingStrategy(models.TextChoices):
    STRUCTURE = "structure", _("By structure")
    TOKEN = "token", _("By tokens alone")


class SearchMode(models.TextChoices):
    HYBRID = "hybrid", _("All ways together")
    SEMANTIC = "semantic", _("By meaning")
    KEYWORD = "keyword", _("By words")
    EXACT = "exact", _("Exactly")


class Fusion(models.TextChoices):
    SCORES = "scores", _("By what each way scores")
    RRF = "rrf", _("By the places that each way gives")


class CollectionQuerySet(models.QuerySet["Collection"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def with_counts(self) -> Self:
        """With the numbers of documents, and of those whose last version is being read or has failed."""
        from documents.models.document import Document, State, Version  # They know their collection.

        documents = Document.objects.present().filter(collection=models.OuterRef("pk"))
        newest = Version.objects.newest().filter(
            document__collection=models.OuterRef("pk"), document__deleted_at=None
        )
        return self.annotate(
            document_count=_count_of(documents),
            open_count=_count_of(newest.open()),
            failed_count=_count_of(newest.filter(state=State.FAILED)),
        )


def _count_of(rows: models.QuerySet[Any]) -> Coalesce:
    """Count the rows of a subquery on its own: joins would multiply them."""
    counted = rows.order_by().annotate(one=models.Value(1)).values("one").annotate(count=models.Count("*"))
    return Coalesce(models.Subquery(counted.values("count")), 0)


class Collection(models.Model):
    """One corpus with one configuration."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="collections")
    name = models.CharField(
        max_length=100, validators=[RegexValidator(NAME_PATTERN, _("Use letters, digits, “_” and “-”."))]
    )
    description = models.TextField(
        help_text=_("What it holds, for people and for agents that choose a collection.")
    )
    chunking_strategy = models.CharField(
        max_length=10, choices=ChunkingStrategy.choices, default=ChunkingStrategy.STRUCTURE
    )
    max_chunk_tokens = models.PositiveSmallIntegerField(
        default=800, validators=[MinValueValidator(100), MaxValueValidator(2000)]
    )
    chunk_overlap = models.PositiveSmallIntegerField(
        default=50,
        validators=[MaxValueValidator(200)],
        help_text="Tokens that a chunk repeats of the one before it, where flat text had to be cut.",
    )
    extract_definitions = models.BooleanField(default=True, help_text="Find the terms that are defined.")
    extract_cross_references = models.BooleanField(
        default=True, help_text="Find the places that are mentioned, here and in other documents."
    )
    language = models.CharField(
        max_length=63,
        default="english",
        validators=[RegexValidator(r"^[a-z_]+$", "Name a text-search configuration, such as “english”.")],
        help_text="The text-search configuration of PostgreSQL by which words are stemmed, or “auto”: "
        "that of the language which each document is in.",
    )
    contextual_embeddings = models.BooleanField(
        default=True, help_text="Index each chunk with a few words on where it stands."
    )
    context_max_tokens = models.PositiveSmallIntegerField(
        default=100, validators=[MinValueValidator(50), MaxValueValidator(200)]
    )
    context_concurrency = models.PositiveSmallIntegerField(
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
        help_text="Requests to a provider at the same time.",
    )
    search_mode = models.CharField(
        max_length=10,
        choices=SearchMode.choices,
        default=SearchMode.HYBRID,
        help_text="Unless asked otherwise.",
    )
    top_k = models.PositiveSmallIntegerField(
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="Results of a search, unless asked otherwise.",
    )
    min_score = models.FloatField(
        null=True,
        blank=True,
        validators=SHARE,
        help_text="Leave out results below this score, from 0 to 1.",
    )
    semantic_weight = models.FloatField(default=0.5, validators=SHARE)
    keyword_weight = models.FloatField(default=0.3, validators=SHARE)
    exact_weight = models.FloatField(default=0.2, validators=SHARE)
    fusion = models.CharField(
        max_length=10,
        choices=Fusion.choices,
        default=Fusion.SCORES,
        help_text="How the ways of looking are made one ranking.",
    )
    rrf_k = models.PositiveSmallIntegerField(
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="The smaller, the more the first places of each way count.",
    )
    enable_reranking = models.BooleanField(
        default=False, help_text="Have the best results put in order once more, by the declared reranker."
    )
    reranker_model = models.CharField(
        max_length=200, blank=True, help_text="The model of the declared reranker. Needed if it is enabled."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CollectionQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "name"],
                name="collection_name_is_unique",
                violation_error_message="There is a collection of this name.",
            ),
            models.UniqueConstraint(fields=["id", "tenant"], name="collection_of_a_tenant"),
            models.CheckConstraint(condition=Q(name__regex=NAME_PATTERN), name="collection_name_is_plain"),
            models.CheckConstraint(
                condition=Q(description__regex=r"\S"), name="collection_has_a_description"
            ),
            models.CheckConstraint(
                condition=Q(max_chunk_tokens__range=(100, 2000)), name="max_chunk_tokens_in_range"
            ),
            models.CheckConstraint(condition=Q(chunk_overlap__range=(0, 200)), name="chunk_overlap_in_range"),
            models.CheckConstraint(
                condition=Q(chunking_strategy__in=ChunkingStrategy.values), name="chunking_strategy_is_known"
            ),
            models.CheckConstraint(condition=Q(language__regex=r"^[a-z_]+$"), name="language_is_plain"),
            models.CheckConstraint(
                condition=Q(context_max_tokens__range=(50, 200)), name="context_max_tokens_in_range"
            ),
            models.CheckConstraint(
                condition=Q(context_concurrency__range=(1, 50)), name="context_concurrency_in_range"
            ),
            models.CheckConstraint(
                condition=Q(search_mode__in=SearchMode.values), name="search_mode_is_known"
            ),
            models.CheckConstraint(condition=Q(top_k__range=(1, 100)), name="top_k_in_range"),
            models.CheckConstraint(
                condition=Q(min_score=None) | Q(min_score__range=(0, 1)), name="min_score_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(
                    semantic_weight__range=(0, 1), keyword_weight__range=(0, 1), exact_weight__range=(0, 1)
                ),
                name="search_weights_are_shares",
            ),
            models.CheckConstraint(condition=Q(fusion__in=Fusion.values), name="fusion_is_known"),
            models.CheckConstraint(condition=Q(rrf_k__range=(1, 1000)), name="rrf_k_in_range"),
            models.CheckConstraint(
                condition=Q(enable_reranking=False) | ~Q(reranker_model=""),
                name="reranking_names_its_model",
                violation_error_message="Name the model of the reranker, or do not enable it.",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def configuration(self) -> dict[str, Any]:
        """What it was told, by the keys of a file."""
        return {name: getattr(self, name) for name in STORED}

    def clean(self) -> None:
        """Ask the database which languages it knows: an installation may have added some."""
        known = [AUTO, *text_search_configurations()]
        if self.language not in known:
            cure = f"PostgreSQL knows no “{self.language}” here. Choose one of {', '.join(known)}."
            raise ValidationError({"language": cure})


def text_search_configurations() -> list[str]:
    """Return the names of those that the database has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT cfgname::text FROM pg_ts_config ORDER BY 1")
        return [str(name) for (name,) in cursor.fetchall()]
