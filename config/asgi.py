"""The web application, for an ASGI server: `uvicorn config.asgi:application --lifespan on`."""

import os

import django
from django.conf import settings
from servestatic import ServeStaticASGI

from config.telemetry import configure_telemetry
from config.threads import ThreadedHandler
from config.warm import Warmed, settle

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
configure_telemetry("pandect-web")
django.setup(set_prefix=False)

# Static files are answered here, compressed and with far-future caching; Django never sees the request.
pages = ServeStaticASGI(
    ThreadedHandler(settings.WEB_THREADS),
    root=settings.STATIC_ROOT,
    prefix=settings.STATIC_URL,
    allow_all_origins=False,
)

from search.mcp.http import McpDoor  # noqa: E402  Its models need the applications to be loaded.
from search.warm import load_models  # noqa: E402


def begin() -> None:
    load_models()
    settle()


application = Warmed(McpDoor(pages), begin)
