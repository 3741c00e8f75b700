from django.forms.renderers import TemplatesSetting


class FormRenderer(TemplatesSetting):
    """Forms look the same everywhere: each field with its help and its errors under it."""

    form_template_name = "forms/form.html"
    field_template_name = "forms/field.html"
