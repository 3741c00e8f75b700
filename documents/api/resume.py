"""Large files come in part by part, by the protocol tus 1.0 (tus.io): creation, expiration, termination.

`POST` announces a file, `PATCH` sends what follows from `Upload-Offset` on, `HEAD` tells where to go on, and
`DELETE` gives up. With the last part the file comes in; `GET` tells what became of it.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import IO, Any, ClassVar
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.http import http_date
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from documents import services
from documents.api.baseline import find_collection
from documents.api.repeat import repeatable
from documents.api.shared import Conflict, actor_of
from documents.api.upload import FileTaken, IntakeSerializer, describe_taken, intake_of
from documents.errors import BadName, DocumentError, TooLarge, WrongOffset
from documents.models import HASH_PATTERN, Upload, UploadState
from documents.names import MOST_CHARACTERS
from documents.services.intake import largest_file
from documents.services.upload import MOST_PART, Taken
from documents.unpack import MEGABYTE
from tenants.api import PlainJSONParser, TenantAPIView, acting_program
from tenants.models import Scope
from tenants.problems import MEDIA_TYPE, describe_problem
from tenants.schema import describe, header

VERSION = "1.0.0"
EXTENSIONS = "creation,expiration,termination"
PART = "part"
PART_TYPE = "application/offset+octet-stream"
FILE_NAME = "filename"  # As clients of tus call it.
WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)


BYTES = {"pattern": "^[0-9]{1,18}$"}
PROTOCOL = header(
    "Tus-Resumable", "The version of the protocol, from clients of tus.", shape={"enum": [VERSION]}
)
LENGTH = header(
    "Upload-Length", "The size of the file, from clients of tus: there is no body then.", shape=BYTES
)
METADATA = header("Upload-Metadata", "The name of the file and what else is said of it, from clients of tus.")
OFFSET = header("Upload-Offset", "Where the part begins.", is_required=True, shape=BYTES)


class AnnounceSerializer(IntakeSerializer):
    """A file that will come in parts."""

    name = serializers.CharField(max_length=MOST_CHARACTERS)
    size = serializers.IntegerField(min_value=1, max_value=2**60, help_text="In bytes.")
    sha256 = serializers.RegexField(
        HASH_PATTERN, required=False, error_messages={"invalid": "A SHA-256 has 64 digits, 0–9 and a–f."}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadRead:
    """How far an upload is; once it is done, what became of each file in it."""

    id: UUID
    collection_id: UUID
    name: str
    size: int
    offset: int  # How many bytes have come.
    state: str
    problem: str
    files: tuple[FileTaken, ...]
    largest_part: int  # In bytes.
    created_at: datetime
    expires_at: datetime


class PartTooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = f"A part has {MOST_PART / MEGABYTE:g} MB at most. Send smaller ones."
    default_code = "part_too_large"


class OtherProtocol(APIException):
    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_detail = f"This speaks tus {VERSION}: send it as Tus-Resumable, or leave that out."
    default_code = "other_protocol"


class PartParser(BaseParser):
    """Reads one part, and no more than a part may have."""

    media_type = PART_TYPE

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Mapping[str, bytes]:
        content = bytes(stream.read(MOST_PART + 1))
        if len(content) > MOST_PART:
            raise PartTooLarge
        return {PART: content}


class TusView(TenantAPIView):
    required_scope: ClassVar[Scope] = Scope.WRITE

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Tell anybody what of the protocol is spoken here: clients of tus ask for that without a key."""
        if request.method == "OPTIONS":
            return tell_protocol()
        return super().dispatch(request, *args, **kwargs)

    def handle_exception(self, exc: Exception) -> Response:
        match exc:
            case WrongOffset():
                return tell_offset(exc)
            case TooLarge():
                exc = ValidationError({"size": [str(exc)]})
            case BadName():
                exc = ValidationError({"name": [str(exc)]})
            case DocumentError():
                exc = Conflict(str(exc))
        return super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        response["Tus-Resumable"] = VERSION
        return super().finalize_response(request, response, *args, **kwargs)


class UploadsView(TusView):
    """Announce a file that comes in parts: in JSON, or in headers as clients of tus do."""

    parser_classes = (PlainJSONParser,)

    @describe(
        "begin_upload",
        tag="uploads",
        takes=AnnounceSerializer,
        answers=UploadRead,
        status=201,
        refuses=[412],
        headers=[PROTOCOL, LENGTH, METADATA],
        example={"name": "harbour-act.pdf", "size": 48_000_000},
    )
    @repeatable()
    def post(self, request: Request, pk: UUID) -> Response:
        collection = find_collection(request, pk)
        require_protocol(request)
        asked = AnnounceSerializer(data=announced(request))
        asked.is_valid(raise_exception=True)
        told = dict(asked.validated_data)
        upload = services.begin_upload(
            collection=collection,
            name=told["name"],
            size=told["size"],
            digest=told.get("sha256", ""),
            **intake_of(collection, told),
        )
        headers = {"Location": reverse("api_upload", args=[upload.pk]), **state_of(upload)}
        return Response(describe_upload(upload), status=status.HTTP_201_CREATED, headers=headers)


class UploadView(TusView):
    parser_classes = (PartParser,)

    @describe("read_upload", tag="uploads", answers=UploadRead)
    def get(self, request: Request, pk: UUID) -> Response:
        """Tell how far an upload is, and in the end what became of it."""
        upload = find_upload(request, pk)
        return Response(describe_upload(upload), headers=state_of(upload))

    @describe("read_upload_offset", tag="uploads")
    def head(self, request: Request, pk: UUID) -> Response:
        """Tell where to go on: `Upload-Offset` is how many bytes have arrived, of `Upload-Length`."""
        return Response(headers=state_of(find_upload(request, pk)))

    @describe(
        "append_part",
        tag="uploads",
        takes={PART_TYPE: {"type": "string", "format": "binary"}},
        status=204,
        refuses=[409, 412, 422],
        headers=[PROTOCOL, OFFSET],
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        """Send the part of a file that begins at `Upload-Offset`."""
        upload = find_upload(request, pk)
        require_protocol(request)
        offset = read_whole(request, "Upload-Offset")
        content = dict(request.data).get(PART, b"")
        upload = services.append_part(upload=upload, offset=offset, content=content, actor=actor_of(request))
        if upload.state == UploadState.FAILED:  # It stays so: sending the same again would not mend it.
            facts = {
                "detail": upload.problem,
                **({"files": list(map(asdict, files_of(upload)))} if upload.files else {}),
            }
            return tell_problem(422, facts, state_of(upload))
        return Response(status=status.HTTP_204_NO_CONTENT, headers=state_of(upload))

    @describe("cancel_upload", tag="uploads", status=204, refuses=[409])
    def delete(self, request: Request, pk: UUID) -> Response:
        """Give an upload up."""
        services.cancel_upload(upload=find_upload(request, pk))
        return Response(status=status.HTTP_204_NO_CONTENT)


def tell_protocol() -> HttpResponse:
    facts = {
        "Tus-Resumable": VERSION,
        "Tus-Version": VERSION,
        "Tus-Extension": EXTENSIONS,
        "Tus-Max-Size": str(largest_file()),
    }
    return HttpResponse(status=status.HTTP_204_NO_CONTENT, headers=facts)


def find_upload(request: Request, pk: UUID) -> Upload:
    own = Upload.objects.for_tenant(acting_program(request).tenant).kept(timezone.now())
    return get_object_or_404(own.select_related("collection", "document"), pk=pk)


def require_protocol(request: Request) -> None:
    if request.headers.get("Tus-Resumable", VERSION) != VERSION:
        raise OtherProtocol


def announced(request: Request) -> Any:
    """Return what is said of a file in the body, or in `Upload-Length` and `Upload-Metadata`."""
    if "Upload-Length" not in request.headers:
        return request.data
    told = read_metadata(request.headers.get("Upload-Metadata", ""))
    if FILE_NAME in told:
        told["name"] = told.pop(FILE_NAME)
    known = AnnounceSerializer().fields  # Clients send more by themselves: `filetype`, `relativePath`, …
    ours = {name: value for name, value in told.items() if name in known}
    return {**ours, "size": read_whole(request, "Upload-Length")}


def read_metadata(header: str) -> dict[str, str]:
    """Read pairs parted by commas: a word, and its value in base64."""
    pairs = [pair.split() for pair in header.split(",") if pair.strip()]
    try:
        return {pair[0]: b64decode("".join(pair[1:]), validate=True).decode() for pair in pairs}
    except ValueError as error:
        raise ValidationError({"Upload-Metadata": ["Write each value in base64, of UTF-8."]}) from error


def read_whole(request: Request, name: str) -> int:
    given = request.headers.get(name, "")
    if not WHOLE.fullmatch(given):
        raise ValidationError({name: ["Send a number of bytes."]})
    return int(given)


def describe_upload(upload: Upload) -> dict[str, Any]:
    return asdict(
        UploadRead(
            id=upload.pk,
            collection_id=upload.collection_id,
            name=upload.name,
            size=upload.size,
            offset=upload.offset,
            state=upload.state,
            problem=upload.problem,
            files=tuple(files_of(upload)),
            largest_part=MOST_PART,
            created_at=upload.created_at,
            expires_at=upload.expires_at,
        )
    )


def files_of(upload: Upload) -> list[FileTaken]:
    return [describe_taken(Taken(**file)) for file in upload.files]


def state_of(upload: Upload) -> dict[str, str]:
    return {
        "Upload-Offset": str(upload.offset),
        "Upload-Length": str(upload.size),
        "Upload-Expires": http_date(upload.expires_at.timestamp()),
        "Cache-Control": "no-store",
    }


def tell_offset(error: WrongOffset) -> Response:
    facts = {"detail": str(error), "offset": error.offset}
    return tell_problem(409, facts, {"Upload-Offset": str(error.offset)})


def tell_problem(code: int, facts: dict[str, Any], headers: dict[str, str]) -> Response:
    return Response(describe_problem(code, facts), status=code, headers=headers, content_type=MEDIA_TYPE)
