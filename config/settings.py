"""Settings, all of them from the environment. `docs/settings.md` lists the variables.

Nothing set: everything embedded, for this machine only. `PANDECT_ENV=production`: nothing embedded,
nothing guessed; what is missing is an error that names the variable.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from kombu import Exchange, Queue

from config.api import API_DESCRIPTION
from config.backends import monthly_budget, search_backends, to_dollars
from config.database.settings import databases
from config.embedded.home import Home
from config.embedded.redis import socket_path
from config.environment import Environment
from config.languages import ENGLISH, find_languages
from config.secret import local_secret_key

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()

IS_PRODUCTION = env.choice("PANDECT_ENV", ["local", "production"], "local") == "production"
HOME = Home(Path(env.text("PANDECT_HOME", str(BASE_DIR / "var"))).expanduser().absolute())

# Security

DEBUG = env.flag("PANDECT_DEBUG") and not IS_PRODUCTION
if IS_PRODUCTION:
    SECRET_KEY = env.required(
        "PANDECT_SECRET_KEY",
        "Make one with `python3 -c 'import secrets; print(secrets.token_urlsafe(50))'`.",
    )
    env.required("PANDECT_HOSTS", "Name the hosts that people type, such as `search.example.org`.")
    ALLOWED_HOSTS = env.words("PANDECT_HOSTS")
    if "*" in ALLOWED_HOSTS:
        raise ImproperlyConfigured("PANDECT_HOSTS=*: name the hosts, or anybody can pose as this site.")
else:
    SECRET_KEY = env.text("PANDECT_SECRET_KEY") or local_secret_key(HOME)
    ALLOWED_HOSTS = env.words("PANDECT_HOSTS", ["localhost", "127.0.0.1", "[::1]"])

CSRF_TRUSTED_ORIGINS = env.words("PANDECT_ORIGINS")
IS_HTTPS = env.flag("PANDECT_HTTPS", default=IS_PRODUCTION)
SECURE_SSL_REDIRECT = IS_HTTPS
SESSION_COOKIE_SECURE = IS_HTTPS
CSRF_COOKIE_SECURE = IS_HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_HTTPS
SECURE_HSTS_PRELOAD = IS_HTTPS
if env.flag("PANDECT_TRUST_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
# Shaped as Django 6 expects it, so that its own middleware can take over.
SECURE_CSP = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "manifest-src": ["'self'"],
    "form-action": ["'self'"],
    "base-uri": ["'none'"],
    "frame-ancestors": ["'none'"],
}

# Applications

INSTALLED_APPS = [
    "config",
    "tenants",
    "documents",
    "definitions",
    "search",
    "config.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.forms",
    "rest_framework",
    "drf_spectacular",
    "django_opentelemetry",
]
MIDDLEWARE = [
    "config.health.health_middleware",
    "config.middleware.charset_middleware",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.content_security_policy_middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.languages.language_middleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
FORM_RENDERER = "config.forms.FormRenderer"

# Data

DATABASES = databases(env, HOME, is_production=IS_PRODUCTION)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

SESSION_ENGINE = "config.sessions"

# Documents

MAX_FILE_MB = env.number("PANDECT_MAX_FILE_MB", 100, least=1)
if MAX_FILE_MB > 1000:  # noqa: PLR2004
    raise ImproperlyConfigured(
        f"PANDECT_MAX_FILE_MB={MAX_FILE_MB}: PostgreSQL keeps 1000 at most in one row."
    )
MAX_BODY_MB = env.number("PANDECT_MAX_BODY_MB", 10 * MAX_FILE_MB, least=1)
if MAX_BODY_MB <= MAX_FILE_MB:
    raise ImproperlyConfigured(
        f"PANDECT_MAX_BODY_MB={MAX_BODY_MB}: a form that brings a file of PANDECT_MAX_FILE_MB={MAX_FILE_MB} "
        "is larger. Set more."
    )
MAX_BODY = MAX_BODY_MB * 1_000_000  # Bytes of a request. It lies in /tmp before anybody knows whose it is.
DATA_UPLOAD_MAX_NUMBER_FILES = 10_000  # Of one form: a folder.
# Of JSON, or of a form without its files: 100,000 ids of versions that a baseline may name, however indented.
DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000_000
OPEN_UPLOADS = env.number("PANDECT_OPEN_UPLOADS", 20, least=1)  # Of a tenant, in parts.
# US dollars; an upload whose contexts may cost more waits for a yes.
ASK_ABOVE = to_dollars("PANDECT_ASK_ABOVE", env.text("PANDECT_ASK_ABOVE", "0"))

# Webhooks

WEBHOOK_PRIVATE = env.flag("PANDECT_WEBHOOK_PRIVATE")  # May lead into private networks.

# Search

SEARCH_BACKENDS = search_backends(env)
SEARCH_MONTHLY_BUDGET = monthly_budget(env)  # US dollars, for each tenant that has no budget of its own.
QUERY_DAYS = env.number("PANDECT_QUERY_DAYS", 30, least=0)  # That searches are written down for; 0: none is.
KEEP_QUERIES = env.flag("PANDECT_KEEP_QUERIES")  # With the words of slow and unanswered ones.
SLOW_MS = env.number("PANDECT_SLOW_MS", 1000, least=1)
SEARCH_HNSW_FROM = 10_000  # Vectors of a tenant; below this a scan is as fast, and misses none.

# People

AUTH_USER_MODEL = "tenants.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "front"
LOGOUT_REDIRECT_URL = "front"

# Background work

EMBEDDED_REDIS = not env.text("REDIS_URL") and not IS_PRODUCTION
if EMBEDDED_REDIS:
    CELERY_BROKER_URL = f"redis+socket://{socket_path(HOME)}"
else:
    CELERY_BROKER_URL = env.required("REDIS_URL", "Example: `redis://redis:6379/0`.")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A worker that is told of no queue reads them all.
CELERY_TASK_QUEUES = [
    Queue(name, Exchange(name), routing_key=name)
    for name in ("celery", "convert", "contextualize", "embed", "deliver")
]
CELERY_TASK_ROUTES = {
    "documents.tasks.read_next": {"queue": "convert"},
    "documents.tasks.contextualize_next": {"queue": "contextualize"},
    "documents.tasks.follow_batches": {"queue": "contextualize"},
    "documents.tasks.cancel_batches": {"queue": "contextualize"},
    "documents.tasks.embed_next": {"queue": "embed"},
    "documents.tasks.reindex_next": {"queue": "embed"},
    "search.tasks.fill_spaces": {"queue": "embed"},
    "documents.tasks.deliver_next": {"queue": "deliver"},
}
# A version counts as forsaken after so long without a sign of life of the worker that has it in hand.
STUCK_SECONDS = env.number("PANDECT_STUCK_SECONDS", 60, least=1)
CELERY_BEAT_SCHEDULE_FILENAME = str(HOME.path / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "clear-expired-sessions": {
        "task": "tenants.tasks.clear_expired_sessions",
        "schedule": 24 * 3600,
    },
    "sweep-expired-keys": {"task": "tenants.tasks.sweep_expired_keys", "schedule": 15 * 60},
    "reconcile-versions": {"task": "documents.tasks.reconcile_versions", "schedule": 60},
    "fill-spaces": {"task": "search.tasks.fill_spaces", "schedule": 60},
    "prune-versions": {"task": "documents.tasks.prune_versions", "schedule": 24 * 3600},
    "sweep-index": {"task": "documents.tasks.sweep_index", "schedule": 24 * 3600},
    "find-deliveries": {"task": "documents.tasks.find_deliveries", "schedule": 60},
    "sweep-deliveries": {"task": "documents.tasks.sweep_deliveries", "schedule": 24 * 3600},
}

# Interfaces

WEB_PROCESSES = env.number("WEB_CONCURRENCY", 1, least=1)  # By the name that uvicorn reads.
WEB_THREADS = env.number("PANDECT_WEB_THREADS", 8, least=1)  # Of each.
API_RATE = env.number("PANDECT_API_RATE", 1200, least=0)  # Requests of a key in a minute; 0: any number.
MCP_API_KEY = env.text("PANDECT_API_KEY")  # Whose `manage.py mcp` acts as, if it is told of no tenant.
API_RATE_REDIS_URL = f"unix://{socket_path(HOME)}" if EMBEDDED_REDIS else CELERY_BROKER_URL
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "tenants.authentication.ApiKeyAuthentication",
        "tenants.authentication.MemberAuthentication",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["tenants.throttle.ProgramThrottle"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "tenants.problems.answer_problem",
    "DEFAULT_SCHEMA_CLASS": "tenants.schema.ApiSchema",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = API_DESCRIPTION
API_EXAMPLES = BASE_DIR / "config" / "api_examples.json"  # Answers of a running product, one of each kind.
STATIC_URL = "static/"
STATIC_ROOT = HOME.path / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "servestatic.storage.CompressedManifestStaticFilesStorage"},
}
LANGUAGE_CODE = ENGLISH
USE_I18N = True
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGES = find_languages(LOCALE_PATHS[0])
TIME_ZONE = "UTC"
USE_TZ = True

# Watching

OTEL_EXTRA_MODELS = {
    "tenants.Tenant": "tenant",
    "tenants.Membership": "membership",
    "tenants.ApiKey": "api_key",
    "tenants.AuditEvent": "audit_event",
    "documents.Collection": "collection",
    "documents.Document": "document",
    "documents.Version": "version",
    "documents.OutlineCorrection": "outline_correction",
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
    },
    "filters": {
        # Refusals are answers, not faults: 403 and 404 of people, 503 of a readiness probe.
        "faults": {
            "()": "django.utils.log.CallbackFilter",
            "callback": lambda record: getattr(record, "status_code", 500) == 500,  # noqa: PLR2004
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.text("PANDECT_LOG_LEVEL", "INFO")},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.request": {"filters": ["faults"]},
        "django.security.RequestDataTooBig": {"filters": ["faults"]},
        "httpx2": {"level": "WARNING"},  # A line for each request to a provider is too much.
        "mcp": {"level": "WARNING"},  # And so is one for each of an agent.
    },
}
