from django.urls import include, path

from documents import api, views

tenant = [
    path("documents/", views.documents, name="documents"),
    path("documents/<uuid:pk>/", views.document, name="document"),
    path("documents/<uuid:pk>/cancel/", views.cancel_document, name="cancel_document"),
    path("documents/<uuid:pk>/retry/", views.retry_document, name="retry_document"),
    path("documents/<uuid:pk>/delete/", views.delete_document, name="delete_document"),
    path("documents/<uuid:pk>/restore/", views.restore_document, name="restore_document"),
    path("collections/create/", views.create_collection, name="create_collection"),
    path("collections/<uuid:pk>/", views.collection, name="collection"),
    path("collections/<uuid:pk>/upload/", views.upload_documents, name="upload_documents"),
    path("usage/", views.usage, name="usage"),
]
programs = [
    path("versions/<uuid:pk>", api.VersionView.as_view(), name="api_version"),
    path("versions/<uuid:pk>/cancel", api.CancelVersionView.as_view(), name="api_cancel_version"),
    path("versions/<uuid:pk>/retry", api.RetryVersionView.as_view(), name="api_retry_version"),
    path("collections/<uuid:pk>/estimate", api.EstimateView.as_view(), name="api_estimate"),
    path("usage", api.UsageView.as_view(), name="api_usage"),
]
urlpatterns = [path("t/<slug:slug>/", include(tenant)), path("api/v1/", include(programs))]
