"""Forms of the tenant pages."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import uuid4

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tenants.models import Membership, Role, Scope, Tenant, User

NO_ACCOUNT = _(
    "Nobody with this address has an account yet. Ask whoever runs this installation to create one."
)
IS_MEMBER = _("This person is a member already.")
LIFETIMES = {"30": _("30 days"), "90": _("90 days"), "365": _("One year"), "": _("Never")}


class AddMemberForm(forms.Form):
    email = forms.EmailField(
        label=_("Email address"),
        widget=forms.EmailInput(attrs={"autocomplete": "off", "placeholder": "name@example.org"}),
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.READER, label=_("Role"))

    def __init__(self, *args: object, tenant: Tenant, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.tenant = tenant

    def clean_email(self) -> User:
        """Turn the address into the person. Accounts come from staff only: nobody may claim another's."""
        email = User.objects.normalize_email(self.cleaned_data["email"])
        user = User.objects.filter(email=email, is_active=True).first()
        if user is None:
            raise forms.ValidationError(NO_ACCOUNT, code="no_account")
        if Membership.objects.for_tenant(self.tenant).filter(user=user).exists():
            raise forms.ValidationError(IS_MEMBER, code="is_member")
        return user

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class ApiKeyForm(forms.Form):
    # Chosen with the form, so that sending it again, as a reload does, makes no second key.
    key_id = forms.UUIDField(required=False, initial=uuid4, widget=forms.HiddenInput)
    name = forms.CharField(
        max_length=100,
        label=_("Name"),
        help_text=_("What will use it, so that you know later which one to revoke."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": _("Nightly import")}),
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
        label=_("May"),
    )
    lifetime = forms.ChoiceField(
        choices=list(LIFETIMES.items()), initial="90", required=False, label=_("Expires after")
    )

    def clean_scopes(self) -> list[Scope]:
        return [Scope(scope) for scope in self.cleaned_data["scopes"]]

    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["lifetime"]
        return timezone.now() + timedelta(days=int(days)) if days else None
