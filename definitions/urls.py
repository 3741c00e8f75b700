from django.urls import include, path

from definitions.pages import glossary, references

tenant = [
    path("collections/<uuid:pk>/glossary/", glossary.glossary, name="glossary"),
    path("collections/<uuid:pk>/glossary/term/", glossary.glossary_term, name="glossary_term"),
    path("collections/<uuid:pk>/references/", references.reference_graph, name="reference_graph"),
]
urlpatterns = [path("t/<slug:slug>/", include(tenant))]
