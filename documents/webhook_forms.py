"""The form of a webhook."""

from __future__ import annotations

from uuid import uuid4

from django import forms
from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from documents.errors import BadAddress
from documents.models import WebhookEvent
from documents.webhooks.address import LONGEST, read_address


class WebhookForm(forms.Form):
    # Chosen with the form, so that sending it again, as a reload does, makes no second webhook.
    webhook_id = forms.UUIDField(required=False, initial=uuid4, widget=forms.HiddenInput)
    url = forms.CharField(
        max_length=LONGEST,
        label=_("Address"),
        widget=forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://example.org/pandect"}),
    )
    description = forms.CharField(
        max_length=200,
        required=False,
        label=_("Description"),
        help_text=_("What listens there."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": _("Contract register")}),
    )
    events = forms.MultipleChoiceField(
        choices=WebhookEvent.choices,
        initial=[WebhookEvent.VERSION_READY, WebhookEvent.VERSION_FAILED],
        widget=forms.CheckboxSelectMultiple,
        label=_("Is told when"),
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            read_address(url, is_private_allowed=settings.WEBHOOK_PRIVATE)
        except BadAddress as error:
            raise forms.ValidationError(gettext(str(error))) from error
        return url

    def clean_events(self) -> list[WebhookEvent]:
        return [WebhookEvent(event) for event in self.cleaned_data["events"]]
