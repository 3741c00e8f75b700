from django.urls import include, path, register_converter

from search import api, api_context, api_index, api_lists, api_read
from search.citations import api as citations
from search.citations import views
from search.dashboards import views as dashboards
from search.pages import ask, saved, search
from search.permalink import DigestConverter
from search.reader import views as reader

register_converter(DigestConverter, "digest")

tenant = [
    path("search/", search.search, name="search"),
    path("ask/", ask.ask, name="ask"),
    path("searches/", saved.saved_searches, name="saved_searches"),
    path("searches/save/", saved.create_saved_search, name="create_saved_search"),
    path("searches/<uuid:pk>/change/", saved.change_saved_search, name="change_saved_search"),
    path("searches/<uuid:pk>/delete/", saved.delete_saved_search, name="delete_saved_search"),
    path("cite/<uuid:pk>/<int:start>-<int:end>/<digest:digest>/", views.citation, name="citation"),
    path("documents/<uuid:pk>/read/", reader.reader, name="reader"),
    path("documents/<uuid:pk>/read/part/", reader.part, name="reader_part"),
    path("documents/<uuid:pk>/read/outline/", reader.outline, name="reader_outline"),
    path("documents/<uuid:pk>/read/preview/", reader.preview, name="reader_preview"),
    path("documents/<uuid:pk>/read/mentions/", reader.mentions, name="reader_mentions"),
    path("documents/<uuid:pk>/read/cite/", reader.cite, name="reader_cite"),
    path("health/", dashboards.index_health, name="index_health"),
    path("queries/", dashboards.queries, name="queries"),
    path("evaluations/", dashboards.evaluations, name="evaluations"),
    path("evaluations/<uuid:pk>/", dashboards.evaluation, name="evaluation"),
]
programs = [
    path("search", api.SearchView.as_view(), name="api_search"),
    path("context", api_context.ContextView.as_view(), name="api_context"),
    path("documents", api_read.DocumentsView.as_view(), name="api_documents"),
    path("documents/<uuid:pk>", api_read.DocumentView.as_view(), name="api_document"),
    path("documents/<uuid:pk>/outline", api_read.OutlineView.as_view(), name="api_outline"),
    path("documents/<uuid:pk>/versions", api_lists.VersionsView.as_view(), name="api_versions"),
    path("bin", api_lists.BinView.as_view(), name="api_bin"),
    path("versions/<uuid:pk>/chunks", api_lists.ChunksView.as_view(), name="api_chunks"),
    path("chunks/<uuid:pk>", api_lists.ChunkView.as_view(), name="api_chunk"),
    path("jobs", api_lists.JobsView.as_view(), name="api_jobs"),
    path("jobs/<uuid:pk>", api_lists.JobView.as_view(), name="api_job"),
    path("index", api_lists.IndexView.as_view(), name="api_index"),
    path("index/rebuild", api_index.RebuildIndexView.as_view(), name="api_rebuild_index"),
    path("evaluations", api_lists.EvaluationsView.as_view(), name="api_evaluations"),
    path("evaluations/<uuid:pk>", api_lists.EvaluationView.as_view(), name="api_evaluation"),
    path("sections", api_read.SectionView.as_view(), name="api_sections"),
    path("definitions", api_read.DefinitionsView.as_view(), name="api_definitions"),
    path("references", api_read.ReferencesView.as_view(), name="api_references"),
    path("citations/verify", citations.VerifyCitationView.as_view(), name="api_verify_citation"),
    path("citations/check", citations.CheckCitationsView.as_view(), name="api_check_citations"),
]
urlpatterns = [path("t/<slug:slug>/", include(tenant)), path("api/v1/", include(programs))]
