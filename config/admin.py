"""The administration: staff work across all tenants, so its pages run as the platform role."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from tenants.access import rendered
from tenants.login import LogoutView
from tenants.scope import platform_scope


class PlatformAdminSite(AdminSite):
    site_header = "Pandect administration"
    site_title = "Pandect"
    index_title = "Across all tenants"
    enable_nav_sidebar = True

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Let a view of staff see every tenant. Whoever is not staff never gets that far."""

        @wraps(view)
        def across_tenants(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            with platform_scope():
                return rendered(view(request, *args, **kwargs))

        return super().admin_view(across_tenants, cacheable)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Everybody logs in by the same door, with its limit on guessing; they come here afterwards."""
        if self.has_permission(request):
            return redirect("admin:index")
        raise PermissionDenied("The administration is for staff.")

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return LogoutView.as_view()(request)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return redirect("password")
