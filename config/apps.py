from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class PandectConfig(AppConfig):
    """Commands that concern the installation as a whole."""

    name = "config"
    default = True


class AdminConfig(admin_apps.AdminConfig):
    default_site = "config.admin.PlatformAdminSite"
    default = False
