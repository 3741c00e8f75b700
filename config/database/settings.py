"""Build `DATABASES` from the environment."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from config.embedded import postgres
from config.embedded.home import Home
from config.environment import Environment

STOCK = "django.db.backends.postgresql"
EMBEDDED = "config.database"
# Connections of web threads and workers; each is asked whether it lives before it is used again.
SECONDS_KEPT = 600
# Names that Django has keys of its own for.
KEYS = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}


def databases(env: Environment, home: Home, *, is_production: bool) -> dict[str, dict[str, Any]]:
    """Return `default`, the application's role, and `owner`, which migrations run as.

    Production processes that only serve need not know the owner: the alias exists where its URL is set.
    """
    url = env.text("DATABASE_URL")
    if not url and not is_production:
        default = _embedded(postgres.connection_parameters(home, postgres.APPLICATION))
        owner = _embedded(postgres.connection_parameters(home, postgres.OWNER))
    else:
        default = parse_url(
            "DATABASE_URL",
            env.required("DATABASE_URL", "Example: `postgresql://pandect_web:…@db/pandect`."),
        )
        owner_url = env.text("DATABASE_OWNER_URL")
        owner = parse_url("DATABASE_OWNER_URL", owner_url) if owner_url else {}
    # The owner creates test databases; the application then connects to them as itself.
    default["TEST"] = {"MIRROR": "owner"}
    return {"default": default, "owner": owner} if owner else {"default": default}


def parse_url(name: str, url: str) -> dict[str, Any]:
    try:
        parameters = conninfo_to_dict(url)
    except ProgrammingError as error:
        raise ImproperlyConfigured(f"{name}: {str(error).strip()}.") from error
    if not parameters.get("dbname"):
        raise ImproperlyConfigured(
            f"{name} names no database. Example: `postgresql://user:password@host/database`."
        )
    return _django(STOCK, parameters)


def _embedded(parameters: dict[str, str]) -> dict[str, Any]:
    return _django(EMBEDDED, parameters)


def _django(engine: str, parameters: dict[str, Any]) -> dict[str, Any]:
    known = {KEYS[name]: value for name, value in parameters.items() if name in KEYS}
    options = {name: value for name, value in parameters.items() if name not in KEYS}
    kept = {"CONN_MAX_AGE": SECONDS_KEPT, "CONN_HEALTH_CHECKS": True}
    return {"ENGINE": engine, "OPTIONS": options, **kept, **known}
