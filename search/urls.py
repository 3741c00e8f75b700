from django.urls import include, path

from search import api

programs = [path("search", api.SearchView.as_view(), name="api_search")]
urlpatterns = [path("api/v1/", include(programs))]
