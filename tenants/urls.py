from django.urls import include, path

from tenants import api, login, reference, views

account = [
    path("login/", login.LoginView.as_view(), name="login"),
    path("logout/", login.LogoutView.as_view(), name="logout"),
    path("password/", login.PasswordView.as_view(), name="password"),
]
tenant = [
    path("", views.overview, name="overview"),
    path("members/", views.members, name="members"),
    path("members/add/", views.add_member, name="add_member"),
    path("members/<uuid:pk>/role/", views.change_role, name="change_role"),
    path("members/<uuid:pk>/remove/", views.remove_member, name="remove_member"),
    path("keys/", views.keys, name="keys"),
    path("keys/create/", views.create_key, name="create_key"),
    path("keys/<uuid:pk>/revoke/", views.revoke_key, name="revoke_key"),
    path("activity/", views.activity, name="activity"),
]
urlpatterns = [
    path("", views.front, name="front"),
    path("account/", include(account)),
    path("t/<slug:slug>/", include(tenant)),
    path("api/v1/", reference.reference, name="api_reference"),
    path("api/v1/schema", reference.schema, name="api_schema"),
    path("api/v1/tenant", api.TenantView.as_view(), name="api_tenant"),
]
