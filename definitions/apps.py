from django.apps import AppConfig


class DefinitionsConfig(AppConfig):
    name = "definitions"
    default_auto_field = "django.db.models.BigAutoField"
