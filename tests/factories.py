"""Rows to test with, one factory for each model that belongs to a tenant."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from itertools import count
from uuid import uuid4

from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import Value
from django.utils import timezone
from pgvector import SparseVector

from definitions.models import (
    CrossReference,
    Definition,
    DefinitionCorrection,
    DocumentName,
    ReferenceCorrection,
    ReferenceKind,
    TermForm,
)
from documents.models import (
    AnsweredRequest,
    Baseline,
    BaselineVersion,
    Chunk,
    Collection,
    Document,
    Grade,
    OutlineCorrection,
    Publication,
    Section,
    Source,
    State,
    Upload,
    UploadPart,
    Version,
    Webhook,
    WebhookDelivery,
    WebhookEvent,
)
from documents.services import (
    append_part,
    begin_upload,
    create_baseline,
    create_webhook,
    keep_answer,
    publish_baseline,
    send_test,
)
from search.models import (
    Budget,
    Call,
    Context,
    ContextBatch,
    Door,
    Embedding,
    EmbeddingSpace,
    EvaluationRun,
    Passage,
    Placement,
    QueryRecord,
    SavedSearch,
    SpaceState,
    TermStatistics,
)
from search.models.passage import DIMENSIONS
from tenants.audit import Actor, record
from tenants.keys import Token
from tenants.models import ApiKey, AuditEvent, Membership, Role, Scope, Tenant, User
from tenants.scope import tenant_scope
from tenants.services import add_member, create_api_key, create_tenant

PASSWORD = "correct horse battery"
ACTOR = Actor("tests")
numbers = count(1)


def user(name: str = "person") -> User:
    return User.objects.create_user(f"{name}{next(numbers)}@example.org", PASSWORD)


def tenant(slug: str) -> Tenant:
    return create_tenant(name=slug.title(), slug=slug, actor=ACTOR)


def membership(tenant: Tenant, role: Role = Role.READER) -> Membership:
    return add_member(tenant=tenant, user=user(role.value), role=role, actor=ACTOR)


def api_key(tenant: Tenant, *scopes: Scope) -> tuple[ApiKey, Token]:
    return create_api_key(
        tenant=tenant, name=f"key {next(numbers)}", scopes=scopes or (Scope.READ,), actor=ACTOR
    )


def audit_event(tenant: Tenant) -> AuditEvent:
    with tenant_scope(tenant.pk):
        record(tenant=tenant, actor=ACTOR, action="test.happened", target="something")
        return AuditEvent.objects.for_tenant(tenant).filter(action="test.happened")[0]


def collection(tenant: Tenant, name: str = "") -> Collection:
    with tenant_scope(tenant.pk):
        return Collection.objects.create(
            tenant=tenant, name=name or f"collection-{next(numbers)}", description="For tests."
        )


def baseline(tenant: Tenant) -> Baseline:
    """A baseline with one version."""
    return create_baseline(
        collection=version(tenant).document.collection, name=f"baseline {next(numbers)}", actor=ACTOR
    )


def baseline_version(tenant: Tenant) -> BaselineVersion:
    made = baseline(tenant)
    with tenant_scope(tenant.pk):
        return BaselineVersion.objects.get(baseline=made)


def publication(tenant: Tenant) -> Publication:
    return publish_baseline(baseline=baseline(tenant), actor=ACTOR)


def webhook(tenant: Tenant, *events: WebhookEvent, url: str = "https://example.org/hook") -> Webhook:
    """A webhook with its secret, for all events unless some are named."""
    return create_webhook(tenant=tenant, url=url, events=events or list(WebhookEvent), actor=ACTOR)


def webhook_delivery(tenant: Tenant) -> WebhookDelivery:
    return send_test(webhook=webhook(tenant), actor=ACTOR)


def upload(tenant: Tenant, *, size: int = 100) -> Upload:
    """An upload of which four bytes have arrived."""
    begun = begin_upload(collection=collection(tenant), name=f"act{next(numbers)}.md", size=size)
    return append_part(upload=begun, offset=0, content=b"# Ac", actor=ACTOR)


def upload_part(tenant: Tenant) -> UploadPart:
    begun = upload(tenant)
    with tenant_scope(tenant.pk):
        return UploadPart.objects.get(upload=begun)


def answered_request(tenant: Tenant) -> AnsweredRequest:
    key = f"key {next(numbers)}"
    keep_answer(
        tenant=tenant,
        program_id=uuid4(),
        key=key,
        request_hash="0" * 64,
        status=201,
        headers={},
        body="{}",
    )
    with tenant_scope(tenant.pk):
        return AnsweredRequest.objects.get(key=key)


def source(tenant: Tenant) -> Source:
    content = f"# Rules {next(numbers)}\n\nKeep clear.\n".encode()
    with tenant_scope(tenant.pk):
        return Source.objects.create(
            tenant=tenant, digest=sha256(content).hexdigest(), size=len(content), content=content
        )


def document(tenant: Tenant, *, place: Collection | None = None, name: str = "") -> Document:
    """A document without a version."""
    place = place or collection(tenant)
    with tenant_scope(tenant.pk):
        return Document.objects.create(
            tenant=tenant, collection=place, name=name or f"rules{next(numbers)}.md"
        )


def version(
    tenant: Tenant, *, of: Document | None = None, state: State = State.READY, number: int = 1
) -> Version:
    """A version as the pipeline leaves it, without sections."""
    kept = source(tenant)
    parent = of or document(tenant)
    with tenant_scope(tenant.pk):
        return Version.objects.create(
            tenant=tenant,
            document=parent,
            number=number,
            source=kept,
            file_name=parent.name,
            state=state,
            failure="It is broken. Mend it." if state == State.FAILED else "",
            text=bytes(kept.content).decode() if state == State.READY else "",
            grade=Grade.HIGH,
            recorded_at=timezone.now() if state == State.READY else None,
        )


def section(tenant: Tenant, *, of: Version | None = None) -> Section:
    parent = of or version(tenant)
    with tenant_scope(tenant.pk):
        return Section.objects.create(
            tenant=tenant,
            version=parent,
            position=0,
            kind="document",
            label="",
            level=0,
            path=[],
            start=0,
            end=len(parent.text),
        )


def chunk(tenant: Tenant, *, of: Section | None = None) -> Chunk:
    place = of or section(tenant)
    with tenant_scope(tenant.pk):
        return Chunk.objects.create(
            tenant=tenant,
            version=place.version,
            section=place,
            position=0,
            start=0,
            end=place.end,
            lead_start=0,
            token_count=5,
            digest=sha256(place.version.text.encode()).hexdigest(),
        )


def outline_correction(tenant: Tenant) -> OutlineCorrection:
    place = document(tenant)
    with tenant_scope(tenant.pk):
        return OutlineCorrection.objects.create(tenant=tenant, document=place, opening="Rules", level=1)


def definition(tenant: Tenant, *, place: Section | None = None, term: str = "Port") -> Definition:
    place = place or section(tenant)
    with tenant_scope(tenant.pk):
        made = Definition.objects.create(
            tenant=tenant,
            version=place.version,
            section=place,
            scope=place,
            position=Definition.objects.filter(version=place.version).count(),
            term=term,
            key=term.casefold(),
            start=2,
            end=7,
            text_start=2,
            text_end=place.end,
            style="means",
            confidence=0.9,
        )
        TermForm.objects.create(tenant=tenant, definition=made, key=made.key)
    return made


def term_form(tenant: Tenant) -> TermForm:
    made = definition(tenant)
    with tenant_scope(tenant.pk):
        return TermForm.objects.get(definition=made)


def cross_reference(
    tenant: Tenant, *, place: Section | None = None, target: Document | None = None
) -> CrossReference:
    place = place or section(tenant)
    target = target or document(tenant)
    with tenant_scope(tenant.pk):
        return CrossReference.objects.create(
            tenant=tenant,
            version=place.version,
            section=place,
            position=CrossReference.objects.filter(version=place.version).count(),
            start=2,
            end=7,
            text="Rules",
            form="document",
            kind=ReferenceKind.DOCUMENT,
            document_key="rules",
            target_document=target,
        )


def document_name(tenant: Tenant) -> DocumentName:
    named = document(tenant)
    with tenant_scope(tenant.pk):
        return DocumentName.objects.create(
            tenant=tenant, document=named, name="Rules", key="rules", is_given=True
        )


def definition_correction(tenant: Tenant) -> DefinitionCorrection:
    place = document(tenant)
    with tenant_scope(tenant.pk):
        return DefinitionCorrection.objects.create(
            tenant=tenant, document=place, key="port", is_rejected=True
        )


def reference_correction(tenant: Tenant) -> ReferenceCorrection:
    place, target = document(tenant), document(tenant)
    with tenant_scope(tenant.pk):
        return ReferenceCorrection.objects.create(
            tenant=tenant, document=place, text="Rules", target_document=target
        )


def context(tenant: Tenant) -> Context:
    place = version(tenant)
    with tenant_scope(tenant.pk):
        return Context.objects.create(
            tenant=tenant,
            key=sha256(f"context {next(numbers)}".encode()).hexdigest(),
            version=place,
            contextualizer="tests",
            text="From the rules of the harbour.",
        )


def context_batch(tenant: Tenant) -> ContextBatch:
    place = version(tenant)
    with tenant_scope(tenant.pk):
        return ContextBatch.objects.create(
            tenant=tenant, version=place, contextualizer="tests", keys={}, reserved=0
        )


def passage(tenant: Tenant, text: str = "Keep clear.") -> Passage:
    """A passage that no index knows of, with a written context."""
    written = context(tenant)
    with tenant_scope(tenant.pk):
        return Passage.objects.create(
            tenant=tenant,
            digest=sha256(f"{text} {next(numbers)}".encode()).hexdigest(),
            language="english",
            text=text,
            written_context=written,
            full_text=SearchVector(Value(text), config="english"),
            exact=SearchVector(Value(text), config="simple"),
            weights=SparseVector({1: 1.0}, DIMENSIONS),
        )


def placement(tenant: Tenant, *, fallback: str = "") -> Placement:
    said, place = passage(tenant), version(tenant)
    with tenant_scope(tenant.pk):
        return Placement.objects.create(
            tenant=tenant, version=place, position=0, passage=said, fallback=fallback
        )


def term_statistics(tenant: Tenant) -> TermStatistics:
    with tenant_scope(tenant.pk):
        return TermStatistics.objects.create(
            tenant=tenant, language="english", term=f"term{next(numbers)}", passage_count=1
        )


def embedding_space(tenant: Tenant) -> EmbeddingSpace:
    with tenant_scope(tenant.pk):
        return EmbeddingSpace.objects.create(
            tenant=tenant, provider="embedded", model="three", dimensions=3, state=SpaceState.RETIRED
        )


def embedding(tenant: Tenant) -> Embedding:
    said, space = passage(tenant), embedding_space(tenant)
    with tenant_scope(tenant.pk):
        return Embedding.objects.create(tenant=tenant, space=space, passage=said, vector=[0.0, 0.6, 0.8])


def budget(tenant: Tenant) -> Budget:
    with tenant_scope(tenant.pk):
        return Budget.objects.get_or_create(tenant=tenant, defaults={"month": timezone.now().date()})[0]


def call(tenant: Tenant) -> Call:
    place = version(tenant)
    with tenant_scope(tenant.pk):
        return Call.objects.create(tenant=tenant, version=place, role="embedder", backend="tests")


def evaluation_run(tenant: Tenant) -> EvaluationRun:
    with tenant_scope(tenant.pk):
        return EvaluationRun.objects.create(
            tenant=tenant,
            name="small",
            collection="acts",
            question_count=2,
            measures=[{"way": "hybrid", "figures": {"ndcg_at_10": 0.5}}],
            latency={"total": {"p50": 4.0, "p95": 9.0}},
            settings={"top_k": 20},
            code="abc",
        )


def saved_search(
    tenant: Tenant, *, owner: User | None = None, name: str = "", is_shared: bool = True
) -> SavedSearch:
    owner = owner or membership(tenant).user
    with tenant_scope(tenant.pk):
        return SavedSearch.objects.create(
            tenant=tenant,
            owner=owner,
            name=name or f"search {next(numbers)}",
            query="q=vessel",
            is_shared=is_shared,
        )


def query_record(tenant: Tenant) -> QueryRecord:
    with tenant_scope(tenant.pk):
        return QueryRecord.objects.create(
            tenant=tenant,
            at=timezone.now(),
            took_ms=12.5,
            result_count=0,
            confidence="none",
            mode="hybrid",
            door=Door.API,
            length=5,
            digest=sha256(b"pilot").hexdigest(),
        )


# The walls are tested on a row of each model that has a tenant: a new model needs a line here.
ROW_OF: dict[type[models.Model], Callable[[Tenant], models.Model]] = {
    Tenant: lambda tenant: tenant,
    Membership: membership,
    ApiKey: lambda tenant: api_key(tenant)[0],
    AuditEvent: audit_event,
    Collection: collection,
    Source: source,
    Document: document,
    Version: version,
    Section: section,
    Chunk: chunk,
    OutlineCorrection: outline_correction,
    Baseline: baseline,
    BaselineVersion: baseline_version,
    Publication: publication,
    Webhook: webhook,
    WebhookDelivery: webhook_delivery,
    Upload: upload,
    UploadPart: upload_part,
    AnsweredRequest: answered_request,
    Definition: definition,
    TermForm: term_form,
    CrossReference: cross_reference,
    DocumentName: document_name,
    DefinitionCorrection: definition_correction,
    ReferenceCorrection: reference_correction,
    Context: context,
    ContextBatch: context_batch,
    Passage: passage,
    Placement: placement,
    TermStatistics: term_statistics,
    EmbeddingSpace: embedding_space,
    Embedding: embedding,
    Budget: budget,
    Call: call,
    EvaluationRun: evaluation_run,
    SavedSearch: saved_search,
    QueryRecord: query_record,
}


def row_of(model: type[models.Model], tenant: Tenant) -> models.Model:
    assert model in ROW_OF, f"Add a factory for {model._meta.label} to tests/factories.py."
    return ROW_OF[model](tenant)


def one_of_each(tenant: Tenant) -> list[models.Model]:
    return [row_of(model, tenant) for model in ROW_OF]
