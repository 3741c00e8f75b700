"""The web application, for an ASGI server: `uvicorn config.asgi:application`."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application
from servestatic import ServeStaticASGI

from config.telemetry import configure_telemetry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
configure_telemetry("pandect-web")

# Static files are answered here, compressed and with far-future caching; Django never sees the request.
application = ServeStaticASGI(
    get_asgi_application(),
    root=settings.STATIC_ROOT,
    prefix=settings.STATIC_URL,
    allow_all_origins=False,
)
