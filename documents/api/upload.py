"""Files come in from programs: as a form, or one as the body of a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import IO, Any, ClassVar
from uuid import UUID

from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import DataAndFiles, FileUploadParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from documents import services
from documents.api.baseline import find_collection
from documents.api.repeat import repeatable
from documents.api.shared import actor_of
from documents.models import Collection, Document
from documents.names import MOST_CHARACTERS
from documents.services import Dates, Taken
from documents.services.upload import NOTHING_TAKEN
from documents.unpack import Incoming
from tenants.api import StrictSerializer, TenantAPIView
from tenants.models import Scope
from tenants.problems import MEDIA_TYPE, describe_problem
from tenants.schema import describe

FILES = "files"
NO_FILE = "Send at least one file: as a part of a form named `files`, or as the body with `?name=…`."
NO_NAME = "Say what the file is called: `?name=act.docx`."


class IntakeSerializer(StrictSerializer):
    """What may be said of files that come in: when they apply, and whose next version one of them is."""

    document = serializers.UUIDField(required=False, help_text="The document whose next version it is.")
    identity = serializers.CharField(max_length=300, required=False)
    effective_from = serializers.DateField(required=False, allow_null=True)
    effective_to = serializers.DateField(required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        begins, ends = attrs.get("effective_from"), attrs.get("effective_to")
        if begins and ends and ends < begins:
            raise ValidationError({"effective_to": ["The last day is before the first."]})
        if "document" in attrs and "identity" in attrs:
            raise ValidationError({"identity": ["A document has its identity. Send either."]})
        return attrs


class UploadSerializer(IntakeSerializer):
    """What stands in a form beside its files, or in the address of a request whose body is a file."""

    name = serializers.CharField(
        max_length=MOST_CHARACTERS, required=False, help_text="Of the file, where it is the body."
    )


class FormSerializer(UploadSerializer):
    """A form with files."""

    files = serializers.ListField(
        child=serializers.FileField(), allow_empty=False, help_text="Files, or zips of them."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTaken:
    """What became of a file, and where to see how far it is."""

    name: str
    outcome: str  # `added`, `replaced`, `unchanged`, `dated`, `retried` or `refused`.
    problem: str
    document_id: str | None
    version_id: str | None
    number: int | None
    watch: str | None  # The address that tells how far it is.


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesTaken:
    files: tuple[FileTaken, ...]


class BodyParser(FileUploadParser):
    """Takes the body of a request for a file, whatever it is said to be."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> DataAndFiles[Any, Any]:
        found = super().parse(stream, media_type, parser_context)
        files = MultiValueDict({FILES: list(found.files.values())})
        (parser_context or {})["request"]._request._files = files  # Django closes them with the request.
        return DataAndFiles(QueryDict(), files)

    def get_filename(self, *args: Any, **kwargs: Any) -> str:
        """The address names it, with its folders, which this name could not have."""
        return "body"


class UploadDocumentsView(TenantAPIView):
    """Add files to a collection; they are read afterwards, and `watch` tells how far each is.

    Send them as a form, or one file as the body, named in the address. What stands beside the files in a
    form can stand in the address too.
    """

    required_scope: ClassVar[Scope] = Scope.WRITE
    parser_classes = (MultiPartParser, BodyParser)

    @describe(
        "upload_documents",
        tag="collections",
        asks=UploadSerializer,
        takes={
            "multipart/form-data": FormSerializer,
            "application/octet-stream": {"type": "string", "format": "binary"},
        },
        answers=FilesTaken,
        status=202,
        refuses=[422],
    )
    @repeatable()
    def post(self, request: Request, pk: UUID) -> Response:
        collection = find_collection(request, pk)
        files = sent_files(request)
        asked = UploadSerializer(data={**request.query_params.dict(), **request.POST.dict()})
        asked.is_valid(raise_exception=True)
        name = asked.validated_data.get("name", "")
        if not name and is_body(request):
            raise ValidationError({"name": [NO_NAME]})
        added = services.add_files(
            collection=collection,
            files=incoming(files, name),
            actor=actor_of(request),
            **intake_of(collection, asked.validated_data),
        )
        return answer_taken([services.describe_added(one) for one in added])


def sent_files(request: Request) -> list[Any]:
    """Return the files of a form in the order of their names, lest two uploads wait for each other."""
    _ = request.data  # Until it is read, there are no files.
    if unknown := sorted(set(request.FILES) - {FILES}):
        raise ValidationError({name: ["Send files in parts that are named `files`."] for name in unknown})
    files = request.FILES.getlist(FILES)
    if not files:
        raise ValidationError({FILES: [NO_FILE]})
    return sorted(files, key=lambda file: str(file.name))


def is_body(request: Request) -> bool:
    return not request.content_type.startswith(MultiPartParser.media_type)


def incoming(files: Iterable[Any], name: str) -> Iterator[Incoming]:
    """Yield the files, those in zips too. Of a body that has a name, that is it, with its folders."""
    for file in files:
        yield from services.expand_upload(name or str(file.name), file)


def intake_of(collection: Collection, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the services are told of files that come in."""
    document = find_document(collection, told["document"]) if "document" in told else None
    return {
        "document": document,
        "identity": told.get("identity", ""),
        "dates": Dates(told.get("effective_from"), told.get("effective_to")),
    }


def find_document(collection: Collection, pk: UUID) -> Document:
    own = Document.objects.for_tenant(collection.tenant).present().filter(collection=collection)
    found = own.select_related("tenant", "collection").filter(pk=pk).first()
    if found is None:
        raise ValidationError({"document": ["There is no such document in this collection."]})
    return found


def answer_taken(taken: Iterable[Taken]) -> Response:
    shown = asdict(FilesTaken(files=tuple(map(describe_taken, taken))))
    if any(file["version_id"] for file in shown["files"]):
        return Response(shown, status=status.HTTP_202_ACCEPTED)
    problem = describe_problem(status.HTTP_422_UNPROCESSABLE_ENTITY, {"detail": NOTHING_TAKEN, **shown})
    return Response(problem, status=problem["status"], content_type=MEDIA_TYPE)


def describe_taken(taken: Taken) -> FileTaken:
    watch = reverse("api_version", args=[taken.version_id]) if taken.version_id else None
    return FileTaken(**asdict(taken), watch=watch)
