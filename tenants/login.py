"""Logging in and out: limited against guessing, and on the record."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tenants.audit import Actor, address_of, record
from tenants.models import AuditEvent, User
from tenants.scope import platform_scope

WINDOW = timedelta(minutes=15)
FAILURES_PER_PERSON = 5
FAILURES_PER_ADDRESS = 50
FAILED = "login.failed"
TOO_MANY = gettext_lazy(
    "Too many failed attempts. Wait 15 minutes, or ask an administrator for a new password."
)


class LoginForm(AuthenticationForm):
    """Refuse to check a password after too many wrong ones from the same place."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": gettext_lazy("This email address and this password do not belong together."),
    }

    def clean(self) -> dict[str, Any]:
        email = User.objects.normalize_email(self.cleaned_data.get("username"))
        address = address_of(self.request) if self.request else None
        with platform_scope():
            lock_attempts(email, address)
            if is_guessing(email, address):
                raise ValidationError(TOO_MANY, code="too_many")
            try:
                return super().clean()
            except ValidationError as error:
                refusal = error
            actor = Actor("anonymous", address=address)
            record(tenant=None, actor=actor, action=FAILED, target=email)
        raise refusal


def lock_attempts(email: str, address: str | None) -> None:
    """Take attempts one after the other, until the transaction ends, so that many at once count too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{email} {address}"])


def is_guessing(email: str, address: str | None) -> bool:
    failures = AuditEvent.objects.filter(action=FAILED, address=address, at__gt=timezone.now() - WINDOW)
    return (
        failures.filter(target=email).count() >= FAILURES_PER_PERSON
        or failures.count() >= FAILURES_PER_ADDRESS
    )


class LoginView(views.LoginView):
    form_class = LoginForm
    template_name = "tenants/login.html"
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        record_session_event(self.request, "login")
        return response


class LogoutView(views.LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            record_session_event(request, "logout")
        return super().post(request, *args, **kwargs)


class PasswordView(views.PasswordChangeView):
    template_name = "tenants/password.html"
    success_url = reverse_lazy("front")

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        record_session_event(self.request, "password.changed")
        messages.success(self.request, _("Your password is changed."))
        return response


def record_session_event(request: HttpRequest, action: str) -> None:
    with platform_scope():
        record(tenant=None, actor=Actor.of_request(request), action=action)
