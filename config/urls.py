from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("tenants.urls")),
    path("", include("documents.urls")),
    path("", include("definitions.urls")),
    path("", include("search.urls")),
]
handler400 = "tenants.problems.bad_request"
handler404 = "tenants.problems.not_found"
handler500 = "tenants.problems.fault"
