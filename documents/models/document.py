"""Documents, the files they came as, and what they said at one time or another."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime
from typing import Any, Self

from django.contrib.postgres.fields import ArrayField, DateTimeRangeField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Length, TruncDate
from django.db.models.lookups import IsNull
from django.db.models.sql.where import AND
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from documents.models.collection import Collection
from documents.read_context import Basis, ReadContext, Selector
from tenants.models import Tenant

HASH_PATTERN = r"^[0-9a-f]{64}$"


class Source(models.Model):
    """A file as it came in, kept once per tenant however often it is uploaded. Nobody may change it.

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
            models.CheckConstraint(condition=Q(size=Length("content")), name="source_size_is_right"),
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

    def named(self, words: str) -> Self:
        """Those whose name has each of some words in it."""
        return self.filter(*(Q(name__icontains=word) for word in words.split()))

    def sorted_by(self, order: str) -> Self:
        """By name, or by what their last versions are: `-name`, `newest` and `largest` are the others."""
        if order not in {"newest", "largest"}:
            return self.order_by("-name" if order == "-name" else "name", "pk")
        last = Version.objects.filter(document=models.OuterRef("pk")).order_by("-number")
        value = last.values("queued_at" if order == "newest" else "source__size")[:1]
        return self.annotate(sorted_by=models.Subquery(value)).order_by(
            F("sorted_by").desc(nulls_last=True), "name", "pk"
        )

    def with_newest(self) -> Self:
        """With `newest`, a list of the last version, without its text."""
        versions = Version.objects.newest().without_text().select_related("source").defer("source__content")
        return self.prefetch_related(models.Prefetch("versions", versions, to_attr="newest"))


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
    identity = models.CharField(
        max_length=300,
        blank=True,
        help_text="What it is known by whatever its files are called, such as a number: 12 CFR 1003.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    absences = ArrayField(
        DateTimeRangeField(),
        default=list,
        blank=True,
        editable=False,
        help_text="When it was in the bin before, for whoever reads as of then.",
    )

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
            models.UniqueConstraint(
                fields=["collection", "identity"],
                condition=Q(deleted_at=None) & ~Q(identity=""),
                name="document_identity_is_unique",
                violation_error_message="There is a document of this identity in the collection.",
            ),
            models.UniqueConstraint(fields=["id", "tenant"], name="document_of_a_tenant"),
            models.CheckConstraint(condition=Q(name__regex=r"\S"), name="document_has_a_name"),
        )

    def __str__(self) -> str:
        return self.name


class State(models.TextChoices):
    """How far a version has come. Only what is ready can be read."""

    QUEUED = "queued", _("Waiting")
    CONVERTING = "converting", _("Converting")
    PARSING = "parsing", _("Reading its structure")
    CONTEXTUALIZING = "contextualizing", _("Being put in context")
    EMBEDDING = "embedding", _("Being indexed")
    READY = "ready", _("Ready")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")

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

    HIGH = "high", _("High")
    MEDIUM = "medium", _("Medium")
    LOW = "low", _("Low")
    NONE = "none", _("No structure")


class Outcome(models.TextChoices):
    """What became of a file that came in."""

    ADDED = "added", _("Added")
    REPLACED = "replaced", _("New version")
    UNCHANGED = "unchanged", _("Unchanged")
    DATED = "dated", _("Other dates")
    RETRIED = "retried", _("Tried again")


class IsDuring(models.Func):
    """Tell whether a moment lies in one of several periods."""

    template = "(%(expressions)s))"
    arg_joiner = " <@ ANY("
    output_field = models.BooleanField()


class VersionQuerySet(models.QuerySet["Version"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def readable(self) -> Self:
        return self.filter(state=State.READY)

    def head(self) -> Self:
        """The newest ready version of each document that is not in the bin."""
        return self.readable().filter(superseded_at=None, document__deleted_at=None)

    @property
    def is_head(self) -> bool:
        """Whether one of the conditions that all of them meet is that nothing has superseded them."""
        where = self.query.where
        return (
            where.connector == AND
            and not where.negated
            and any(
                isinstance(one, IsNull) and one.rhs and one.lhs.target.name == "superseded_at"
                for one in where.children
            )
        )

    def superseded(self) -> Self:
        return self.readable().exclude(superseded_at=None)

    def at(self, context: ReadContext) -> Self:
        """Those that a read context shows: at most one of each document, or of each in a baseline."""
        match context.selector:
            case Selector.PUBLISHED:
                return self.readable().filter(baselines__baseline__in=published_baselines())
            case Selector.BASELINE:
                return self.readable().filter(baselines__baseline=context.baseline_id)
            case Selector.AS_OF if context.basis == Basis.EFFECTIVE:
                return self.in_force(context.day, known_at=context.known_at)
            case Selector.AS_OF:
                return self.recorded_by(context.moment)
        return self.head()

    def recorded_by(self, moment: datetime) -> Self:
        """What was the head at some time."""
        was_current = Q(superseded_at=None) | Q(superseded_at__gt=moment)
        return self.readable().filter(was_current, recorded_at__lte=moment).of_present(moment)

    def in_force(self, day: date, *, known_at: datetime | None = None) -> Self:
        """What applied on a day: of several the one that applies from the latest day, then the last."""
        candidates = self.applying(day, known_at)
        own = Version.objects.applying(day, known_at).filter(document=models.OuterRef("document"))
        begins, number = models.OuterRef("begins"), models.OuterRef("number")
        later = own.filter(Q(begins__gt=begins) | Q(begins=begins, number__gt=number))
        return candidates.exclude(models.Exists(later))

    def applying(self, day: date, known_at: datetime | None) -> Self:
        begins = Coalesce("effective_from", TruncDate("recorded_at", tzinfo=UTC))
        rows = self.readable().annotate(begins=begins)
        rows = rows.filter(Q(effective_to=None) | Q(effective_to__gte=day), begins__lte=day)
        if known_at is None:
            return rows.filter(withdrawn_at=None, document__deleted_at=None)
        kept = Q(withdrawn_at=None) | Q(withdrawn_at__gt=known_at)
        return rows.filter(kept, recorded_at__lte=known_at).of_present(known_at)

    def of_present(self, moment: datetime) -> Self:
        """Those of documents that were not in the bin at some time."""
        was_there = Q(document__deleted_at=None) | Q(document__deleted_at__gt=moment)
        return self.filter(was_there).exclude(IsDuring(models.Value(moment), "document__absences"))

    def ended(self) -> Self:
        """Those that were not read to their end, and can be read again."""
        return self.filter(state__in=(State.FAILED, State.CANCELLED))

    def open(self) -> Self:
        return self.filter(state__in=[state for state in State if state.is_open])

    def cancel(self, now: datetime) -> int:
        """Stop those that are being read; return how many."""
        return self.open().update(state=State.CANCELLED, claim=None, failure="", touched_at=now)

    def newest(self) -> Self:
        """The last version of each document, ready or not."""
        later = Version.objects.filter(
            document=models.OuterRef("document"), number__gt=models.OuterRef("number")
        )
        return self.exclude(models.Exists(later))

    def without_text(self) -> Self:
        """Leave out the text, which lists do not show and which can be long."""
        return self.defer("text", "pages")


def published_baselines() -> models.QuerySet[Any]:
    """Return the ids of the baselines to which the pointers of collections point."""
    from documents.models.baseline import Publication  # Baselines know their versions.

    return Publication.objects.in_force().exclude(baseline=None).values("baseline")


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
    superseded_at = models.DateTimeField(
        null=True, blank=True, help_text="When another took its place, or it was withdrawn."
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="When somebody took it back.")
    effective_from = models.DateField(
        null=True,
        blank=True,
        help_text="The first day on which it applies. If empty: when it was recorded.",
    )
    effective_to = models.DateField(null=True, blank=True, help_text="The last day on which it applies.")

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
                condition=Q(withdrawn_at=None) | Q(superseded_at__isnull=False),
                name="withdrawn_version_is_not_current",
            ),
            models.CheckConstraint(
                condition=Q(effective_from=None)
                | Q(effective_to=None)
                | Q(effective_from__lte=F("effective_to")),
                name="effective_dates_are_forward",
                violation_error_message="The last day on which it applies is before the first.",
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
