from django.urls import include, path

from documents import views

tenant = [
    path("documents/", views.documents, name="documents"),
    path("documents/<uuid:pk>/", views.document, name="document"),
    path("documents/<uuid:pk>/retry/", views.retry_document, name="retry_document"),
    path("documents/<uuid:pk>/delete/", views.delete_document, name="delete_document"),
    path("documents/<uuid:pk>/restore/", views.restore_document, name="restore_document"),
    path("collections/create/", views.create_collection, name="create_collection"),
    path("collections/<uuid:pk>/", views.collection, name="collection"),
    path("collections/<uuid:pk>/upload/", views.upload_documents, name="upload_documents"),
]
urlpatterns = [path("t/<slug:slug>/", include(tenant))]
