"""The REST API of how things are: versions, the bin, chunks, jobs, the index and measurements."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.compare import read_query
from documents.api.page import PageSerializer
from search.api_asked import LONGEST_NAME, refusals
from search.health import IndexHealth, read_health
from search.read import chunks, evaluations, jobs, versions
from search.read.jobs import JobsAsked
from tenants.api import TenantAPIView, acting_program
from tenants.conditional import answer_once
from tenants.schema import describe


class JobsSerializer(PageSerializer):
    state = serializers.ChoiceField([str(one) for one in JobsAsked], required=False)


class EvaluationsSerializer(PageSerializer):
    name = serializers.CharField(max_length=LONGEST_NAME, required=False)
    collection = serializers.CharField(max_length=100, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=evaluations.MOST, required=False)


class VersionsView(TenantAPIView):
    """List the versions of a document, the newest first, ready or not."""

    @describe("list_versions", tag="versions", asks=PageSerializer, answers=versions.VersionsRead)
    def get(self, request: Request, pk: UUID) -> Response:
        asked = read_query(request, PageSerializer)
        with refusals():
            found = versions.list_versions(tenant=acting_program(request).tenant, document=pk, **asked)
        return Response(asdict(found))


class BinView(TenantAPIView):
    """List the documents in the bin, by name."""

    @describe("list_bin", tag="documents", asks=PageSerializer, answers=versions.BinRead)
    def get(self, request: Request) -> Response:
        asked = read_query(request, PageSerializer)
        with refusals():
            found = versions.list_bin(tenant=acting_program(request).tenant, **asked)
        return Response(asdict(found))


class ChunksView(TenantAPIView):
    """List the chunks of a version, in their order."""

    @describe("list_chunks", tag="versions", asks=PageSerializer, answers=chunks.ChunksRead, refuses=[304])
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        asked = read_query(request, PageSerializer)
        with refusals():
            found = chunks.list_chunks(tenant=acting_program(request).tenant, version=pk, **asked)
        return answer_once(request, asdict(found))


class ChunkView(TenantAPIView):
    """Read one chunk."""

    @describe("read_chunk", tag="versions", answers=chunks.ChunkRead, refuses=[304])
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        with refusals():
            found = chunks.read_chunk(tenant=acting_program(request).tenant, chunk=pk)
        return answer_once(request, asdict(found))


class JobsView(TenantAPIView):
    """List what is being worked on and what waits, or what has failed."""

    @describe("list_jobs", tag="index", asks=JobsSerializer, answers=jobs.JobsRead)
    def get(self, request: Request) -> Response:
        asked = read_query(request, JobsSerializer)
        with refusals():
            found = jobs.list_jobs(tenant=acting_program(request).tenant, **asked)
        return Response(asdict(found))


class JobView(TenantAPIView):
    """Tell how far one job is; its id is that of the version, or of the space."""

    @describe("read_job", tag="index", answers=jobs.Job)
    def get(self, request: Request, pk: UUID) -> Response:
        with refusals():
            found = jobs.read_job(tenant=acting_program(request).tenant, job=pk)
        return Response(asdict(found))


class IndexView(TenantAPIView):
    """Tell how the index is: what waits, what failed, and how much of what can be read can be found."""

    @describe("read_index", tag="index", answers=IndexHealth)
    def get(self, request: Request) -> Response:
        return Response(asdict(read_health(tenant=acting_program(request).tenant)))


class EvaluationsView(TenantAPIView):
    """List measurements of the search, the newest first."""

    @describe(
        "list_evaluations", tag="index", asks=EvaluationsSerializer, answers=evaluations.EvaluationsRead
    )
    def get(self, request: Request) -> Response:
        asked = read_query(request, EvaluationsSerializer)
        with refusals():
            found = evaluations.list_evaluations(tenant=acting_program(request).tenant, **asked)
        return Response(asdict(found))


class EvaluationView(TenantAPIView):
    """Read what one measurement said."""

    @describe("read_evaluation", tag="index", answers=evaluations.EvaluationRead)
    def get(self, request: Request, pk: UUID) -> Response:
        with refusals():
            found = evaluations.read_evaluation(tenant=acting_program(request).tenant, run=pk)
        return Response(asdict(found))
