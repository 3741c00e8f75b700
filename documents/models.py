"""A corpus: collections of documents, their versions, and what each version says and where.

Below a collection the database deletes what belongs to a deleted row, and holds each key to its own tenant:
`TieToTenant` in the migrations makes the constraints of the keys that say `db_constraint=False`. Django's
cascade would load every row first, and there can be millions.
"""

from __future__ import annotations

import uuid
from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import connection, models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from documents.language import AUTO
from tenants.models import Tenant

NAME_PATTERN = r"^[A-Za-z0-9_-]+$"
HASH_PATTERN = r"^[0-9a-f]{64}$"
SHARE = (MinValueValidator(0), MaxValueValidator(1))


class ChunkingStrategy(models.TextChoices):
    STRUCTURE = "structure", "By structure"
    TOKEN = "token", "By tokens alone"


class SearchMode(models.TextChoices):
    HYBRID = "hybrid", "All ways together"
    SEMANTIC = "semantic", "By meaning"
    KEYWORD = "keyword", "By words"
    EXACT = "exact", "Exactly"


class Fusion(models.TextChoices):
    SCORES = "scores", "By what each way scores"
    RRF = "rrf", "By the places that each way gives"


class CollectionQuerySet(models.QuerySet["Collection"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def with_counts(self) -> Self:
        """With the numbers of documents, and of those whose last version is being read or has failed."""
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
        max_length=100, validators=[RegexValidator(NAME_PATTERN, "Use letters, digits, “_” and “-”.")]
    )
    description = models.TextField(
        help_text="What it holds, for people and for agents that choose a collection."
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


class Source(models.Model):
    """A file as it came in, kept once per tenant however often it is uploaded.

    In the database rather than on a disk: the tenant's wall holds for it too, it comes and goes with the
    version that needs it, and workers on other machines reach it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="sources"
    )
    digest = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the content.")
    size = models.PositiveBigIntegerField(editable=False)
    content = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="source_of_a_tenant"),
            models.UniqueConstraint(fields=["tenant", "digest"], name="source_is_kept_once"),
            models.CheckConstraint(condition=Q(digest__regex=HASH_PATTERN), name="source_digest_is_sha256"),
        )

    def __str__(self) -> str:
        return self.digest[:12]


class DocumentQuerySet(models.QuerySet["Document"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def present(self) -> Self:
        """Those that are not in the bin."""
        return self.filter(deleted_at=None)

    def in_state(self, *states: State) -> Self:
        """Those whose last version is in one of the states."""
        newest = Version.objects.newest().filter(document=models.OuterRef("pk"), state__in=states)
        return self.filter(models.Exists(newest))


class Document(models.Model):
    """A work that stays the same work while its text changes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="documents"
    )
    collection = models.ForeignKey(
        Collection, on_delete=models.DO_NOTHING, db_constraint=False, related_name="documents"
    )
    name = models.CharField(
        max_length=300, help_text="Its path inside what was uploaded, such as acts/harbour.docx."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ("name", "id")
        constraints = (
            models.UniqueConstraint(
                fields=["collection", "name"],
                condition=Q(deleted_at=None),
                name="document_name_is_unique",
                violation_error_message="There is a document of this name in the collection.",
            ),
            models.UniqueConstraint(fields=["id", "tenant"], name="document_of_a_tenant"),
            models.CheckConstraint(condition=Q(name__regex=r"\S"), name="document_has_a_name"),
        )

    def __str__(self) -> str:
        return self.name


class State(models.TextChoices):
    """How far a version has come. Only what is ready can be read."""

    QUEUED = "queued", "Waiting"
    CONVERTING = "converting", "Converting"
    PARSING = "parsing", "Reading its structure"
    CONTEXTUALIZING = "contextualizing", "Being put in context"
    EMBEDDING = "embedding", "Being indexed"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"

    @property
    def is_open(self) -> bool:
        return self not in {State.READY, State.FAILED, State.CANCELLED}

    @property
    def share(self) -> tuple[int, int]:
        """Between which percentages of the whole it lies; what has ended will not get further."""
        shares = {
            State.QUEUED: (0, 0),
            State.CONVERTING: (2, 10),
            State.PARSING: (10, 15),
            State.CONTEXTUALIZING: (15, 40),
            State.EMBEDDING: (40, 99),
        }
        return shares.get(self, (100, 100))


class Grade(models.TextChoices):
    """How far the structure that was found can be trusted."""

    HIGH = "high", "High"
    MEDIUM = "medium", "Medium"
    LOW = "low", "Low"
    NONE = "none", "No structure"


class Outcome(models.TextChoices):
    """What became of a file that came in."""

    ADDED = "added", "Added"
    REPLACED = "replaced", "New version"
    UNCHANGED = "unchanged", "Unchanged"
    RETRIED = "retried", "Tried again"


class VersionQuerySet(models.QuerySet["Version"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def readable(self) -> Self:
        return self.filter(state=State.READY)

    def head(self) -> Self:
        """The newest ready version of each document that is not in the bin."""
        return self.readable().filter(superseded_at=None, document__deleted_at=None)

    def open(self) -> Self:
        return self.filter(state__in=[state for state in State if state.is_open])

    def newest(self) -> Self:
        """The last version of each document, ready or not."""
        later = Version.objects.filter(
            document=models.OuterRef("document"), number__gt=models.OuterRef("number")
        )
        return self.exclude(models.Exists(later))

    def without_text(self) -> Self:
        """Leave out the text, which lists do not show and which can be long."""
        return self.defer("text", "pages")


class Version(models.Model):
    """What a document said at one time. Once it is ready, it does not change."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="versions"
    )
    document = models.ForeignKey(
        Document, on_delete=models.DO_NOTHING, db_constraint=False, related_name="versions"
    )
    number = models.PositiveIntegerField()
    source = models.ForeignKey(
        Source, on_delete=models.DO_NOTHING, db_constraint=False, related_name="versions"
    )
    file_name = models.CharField(max_length=300)
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    failure = models.TextField(blank=True, help_text="The reason and the cure, in words for its owner.")
    attempts = models.PositiveSmallIntegerField(default=0)
    claim = models.UUIDField(null=True, editable=False, help_text="Of the worker that has it in hand.")
    touched_at = models.DateTimeField(default=timezone.now, help_text="When a worker last had it in hand.")
    queued_at = models.DateTimeField(default=timezone.now, editable=False, help_text="When it began to wait.")
    step_done = models.PositiveIntegerField(default=0, help_text="Chunks that are through its present step.")
    step_total = models.PositiveIntegerField(default=0)
    step_began_at = models.DateTimeField(default=timezone.now, editable=False)
    title = models.CharField(max_length=500, blank=True)
    text = models.TextField(blank=True)
    is_markdown = models.BooleanField(default=True)
    pages = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    warnings = ArrayField(models.TextField(), default=list, blank=True)
    language = models.CharField(
        max_length=63, blank=True, help_text="The text-search configuration by which it is indexed."
    )
    grade = models.CharField(max_length=6, choices=Grade.choices, default=Grade.NONE)
    recorded_at = models.DateTimeField(null=True, blank=True, help_text="When it became ready.")
    superseded_at = models.DateTimeField(null=True, blank=True)

    objects = VersionQuerySet.as_manager()
    outcome = Outcome.ADDED  # Of a file that has just come in, for whoever brought it. No field.

    class Meta:
        ordering = ("document_id", "-number")
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="version_of_a_tenant"),
            models.UniqueConstraint(fields=["document", "number"], name="version_number_is_unique"),
            models.UniqueConstraint(
                fields=["document"],
                condition=Q(state="ready", superseded_at=None),
                name="one_current_version_per_document",
            ),
            models.CheckConstraint(condition=Q(state__in=State.values), name="version_state_is_known"),
            models.CheckConstraint(condition=Q(grade__in=Grade.values), name="version_grade_is_known"),
            models.CheckConstraint(
                condition=~Q(state="ready") | Q(recorded_at__isnull=False) & Q(text__regex=r"\S"),
                name="ready_version_has_text",
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | Q(failure__regex=r"\S"), name="failed_version_says_why"
            ),
        )
        indexes = (
            models.Index(
                fields=["touched_at"],
                name="open_versions",
                condition=~Q(state__in=["ready", "failed", "cancelled"]),
            ),
            models.Index(fields=["document"], name="failed_versions", condition=Q(state="failed")),
            models.Index(
                fields=["tenant", "-touched_at"], name="versions_served", condition=~Q(state="queued")
            ),
        )

    def __str__(self) -> str:
        return f"{self.document} v{self.number}"

    @property
    def is_current(self) -> bool:
        return self.state == State.READY and self.superseded_at is None

    @property
    def is_open(self) -> bool:
        return State(self.state).is_open

    @property
    def progress(self) -> int:
        """How much is done, in percent, to the chunk."""
        first, last = State(self.state).share
        return first + (last - first) * min(self.step_done, self.step_total) // max(1, self.step_total)

    @property
    def reason(self) -> str:
        """Why it failed, without the name of the file, for where that stands beside it."""
        return self.failure.removeprefix(f"{self.file_name}: ")


class Section(models.Model):
    """A unit that can be cited: from a part down to a point, or a heading without a number."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="sections"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="sections"
    )
    parent = models.ForeignKey(
        "self", on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="children"
    )
    position = models.PositiveIntegerField(
        help_text="Its place in the order of the document; 0 is the whole."
    )
    kind = models.CharField(max_length=20)
    label = models.CharField(max_length=300, help_text="Where it is, in canonical words: “Article 6(1)(f)”.")
    marker = models.CharField(max_length=100, blank=True, help_text="Its number as printed: “(f)”.")
    title = models.CharField(max_length=500, blank=True)
    opening = models.CharField(max_length=120, blank=True, help_text="Its first words, behind its number.")
    level = models.PositiveSmallIntegerField()
    path = ArrayField(models.CharField(max_length=600), help_text="Marker and title of each unit above it.")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    first_page = models.PositiveIntegerField(null=True)
    last_page = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ("version_id", "position")
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="section_of_a_tenant"),
            models.UniqueConstraint(fields=["version", "position"], name="section_position_is_unique"),
            models.UniqueConstraint(fields=["version", "label"], name="section_label_is_unique"),
            models.CheckConstraint(condition=Q(start__lte=F("end")), name="section_span_is_forward"),
        )
        indexes = (models.Index(fields=["tenant", "label"], name="sections_by_label"),)

    def __str__(self) -> str:
        return self.label


class ChunkType(models.TextChoices):
    CONTENT = "content", "Content"
    DEFINITION = "definition", "Definition"
    REQUIREMENT = "requirement", "Requirement"
    REFERENCE = "reference", "Reference"
    HEADER = "header", "Header"


class Chunk(models.Model):
    """A piece of a version's text, small enough to be found and read on its own.

    The spans from `start` to `end` of a version's chunks tile its text. What a chunk repeats for its reader,
    from `lead_start` on and of a table's header, is no part of that span.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="chunks"
    )
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="chunks"
    )
    section = models.ForeignKey(
        Section, on_delete=models.DO_NOTHING, db_constraint=False, related_name="chunks"
    )
    position = models.PositiveIntegerField()
    type = models.CharField(max_length=12, choices=ChunkType.choices, default=ChunkType.CONTENT)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    lead_start = models.PositiveIntegerField(help_text="Where the overlap with the chunk before it begins.")
    header_start = models.PositiveIntegerField(null=True)
    header_end = models.PositiveIntegerField(null=True)
    token_count = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of its text.")

    class Meta:
        ordering = ("version_id", "position")
        constraints = (
            models.UniqueConstraint(fields=["version", "position"], name="chunk_position_is_unique"),
            models.CheckConstraint(
                condition=Q(start__lt=F("end")) & Q(lead_start__lte=F("start")), name="chunk_span_is_forward"
            ),
            models.CheckConstraint(condition=Q(type__in=ChunkType.values), name="chunk_type_is_known"),
            models.CheckConstraint(condition=Q(digest__regex=HASH_PATTERN), name="chunk_digest_is_sha256"),
        )
        indexes = (models.Index(fields=["version", "start"], name="chunks_by_start"),)

    def __str__(self) -> str:
        return f"{self.position} of {self.version_id}"


class OutlineCorrection(models.Model):
    """What a person said about one unit of a document's outline. It holds for versions to come.

    The unit is known by its opening words, and by its label where several open alike.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="outline_corrections",
    )
    document = models.ForeignKey(
        Document, on_delete=models.DO_NOTHING, db_constraint=False, related_name="outline_corrections"
    )
    opening = models.CharField(max_length=200, help_text="The words with which the unit begins.")
    label = models.CharField(max_length=300, blank=True, help_text="Its label before the correction.")
    is_unit = models.BooleanField(default=True, help_text="Clear this where no unit begins.")
    level = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="How deep it is: 1 stands directly below the document."
    )
    new_label = models.CharField(max_length=300, blank=True)
    new_title = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("document_id", "created_at")
        constraints = (
            models.UniqueConstraint(fields=["document", "opening", "label"], name="one_correction_per_unit"),
            models.CheckConstraint(condition=Q(opening__regex=r"\S"), name="correction_names_its_unit"),
        )

    def __str__(self) -> str:
        return self.opening
