"""Settings from the environment: safe by default, strict in production, clear when wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from config.database.settings import databases, parse_url
from config.embedded.home import Home
from config.environment import FALSE, TRUE, Environment
from tests.processes import manage

PRODUCTION = {
    "PANDECT_ENV": "production",
    "PANDECT_SECRET_KEY": "an-excellent-Secret_key-0123456789-of-fifty-or-more-characters",
    "PANDECT_HOSTS": "search.example.org",
    "DATABASE_URL": "postgresql://pandect_web:secret@db.example.org/pandect",
    "REDIS_URL": "redis://redis.example.org:6379/0",
}
SHOW = (
    "import json; from django.conf import settings as s; print(json.dumps({n: getattr(s, n) for n in"
    " ['DEBUG', 'ALLOWED_HOSTS', 'SECURE_SSL_REDIRECT', 'SESSION_COOKIE_SECURE', 'CSRF_COOKIE_SECURE',"
    " 'SECURE_HSTS_SECONDS', 'CELERY_BROKER_URL', 'EMBEDDED_REDIS']}))"
)


def settings(home: Path, **variables: str) -> dict[str, Any]:
    finished = manage(home, "shell", "--no-imports", "-v0", "-c", SHOW, **variables)
    assert finished.returncode == 0, finished.stderr
    return dict(json.loads(finished.stdout))


class TestProduction:
    def test_passes_the_deployment_check(self, tmp_path: Path) -> None:
        finished = manage(tmp_path, "check", "--deploy", "--fail-level", "INFO", **PRODUCTION)
        assert (finished.returncode, finished.stderr) == (0, "")
        assert "no issues (0 silenced)" in finished.stdout
        assert list(tmp_path.iterdir()) == []  # Nothing embedded was touched.

    @pytest.mark.parametrize("name", ["PANDECT_SECRET_KEY", "PANDECT_HOSTS", "DATABASE_URL", "REDIS_URL"])
    def test_needs_each_of_its_settings(self, tmp_path: Path, name: str) -> None:
        finished = manage(tmp_path, "check", **(PRODUCTION | {name: ""}))
        assert finished.returncode != 0
        assert f"{name} is not set." in finished.stderr

    def test_never_debugs(self, tmp_path: Path) -> None:
        assert settings(tmp_path, PANDECT_DEBUG="1", **PRODUCTION) == {
            "DEBUG": False,
            "ALLOWED_HOSTS": ["search.example.org"],
            "SECURE_SSL_REDIRECT": True,
            "SESSION_COOKIE_SECURE": True,
            "CSRF_COOKIE_SECURE": True,
            "SECURE_HSTS_SECONDS": 31536000,
            "CELERY_BROKER_URL": "redis://redis.example.org:6379/0",
            "EMBEDDED_REDIS": False,
        }

    def test_refuses_a_wildcard_host(self, tmp_path: Path) -> None:
        finished = manage(tmp_path, "check", **(PRODUCTION | {"PANDECT_HOSTS": "*"}))
        assert finished.returncode != 0
        assert "PANDECT_HOSTS" in finished.stderr

    def test_does_not_migrate_as_the_application(self, tmp_path: Path) -> None:
        finished = manage(tmp_path, "migrate", **PRODUCTION)
        assert finished.returncode == 1
        assert "DATABASE_OWNER_URL is not set." in finished.stderr

    def test_reads_secrets_from_files(self, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("file-secret-" * 6 + "\n")
        variables = PRODUCTION | {"PANDECT_SECRET_KEY": "", "PANDECT_SECRET_KEY_FILE": str(secret)}
        code = "from django.conf import settings; print(settings.SECRET_KEY)"
        finished = manage(tmp_path, "shell", "--no-imports", "-v0", "-c", code, **variables)
        assert finished.stdout.strip() == "file-secret-" * 6


class TestLocal:
    def test_is_for_this_machine_only(self, tmp_path: Path) -> None:
        found = settings(tmp_path)
        assert found["DEBUG"] is False
        assert found["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
        assert found["EMBEDDED_REDIS"] is True
        assert found["CELERY_BROKER_URL"].startswith("redis+socket:///")

    def test_debugs_when_told_to(self, tmp_path: Path) -> None:
        assert settings(tmp_path, PANDECT_DEBUG="1")["DEBUG"] is True

    def test_an_unknown_environment_is_an_error(self, tmp_path: Path) -> None:
        finished = manage(tmp_path, "check", PANDECT_ENV="prod")
        assert finished.returncode != 0
        assert "PANDECT_ENV=prod: expected one of local, production." in finished.stderr


class TestDatabases:
    def test_are_embedded_by_default_each_with_its_role(self, tmp_path: Path) -> None:
        found = databases(Environment({}), Home(tmp_path), is_production=False)
        assert {alias: (db["ENGINE"], db["USER"]) for alias, db in found.items()} == {
            "default": ("config.database", "pandect_web"),
            "owner": ("config.database", "pandect_owner"),
        }

    def test_are_those_of_the_url_when_there_is_one(self, tmp_path: Path) -> None:
        env = Environment(
            {
                "DATABASE_URL": "postgresql://web:p%40ss@db:5433/pandect?sslmode=require",
                "DATABASE_OWNER_URL": "postgresql://owner@db/pandect",
            }
        )
        found = databases(env, Home(tmp_path), is_production=False)
        assert found["default"] == {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "pandect",
            "USER": "web",
            "PASSWORD": "p@ss",
            "HOST": "db",
            "PORT": "5433",
            "OPTIONS": {"sslmode": "require"},
            "TEST": {"MIRROR": "owner"},
        }
        assert found["owner"]["USER"] == "owner"
        assert found["owner"]["OPTIONS"] == {}

    def test_have_no_owner_where_none_is_given(self, tmp_path: Path) -> None:
        env = Environment({"DATABASE_URL": "postgresql://web@db/pandect"})
        assert list(databases(env, Home(tmp_path), is_production=True)) == ["default"]

    @pytest.mark.parametrize("url", ["mysql://x", "postgresql://db", "postgresql://db/x?nonsense=1", "x"])
    def test_are_refused_with_the_name_of_the_variable(self, url: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=r"^DATABASE_URL"):
            parse_url("DATABASE_URL", url)


class TestEnvironment:
    @given(st.sampled_from(sorted(TRUE)), st.booleans())
    def test_reads_flags(self, value: str, default: bool) -> None:
        assert Environment({"X": value.upper()}).flag("X", default=default) is True

    @given(st.sampled_from(sorted(FALSE - {""})), st.booleans())
    def test_reads_flags_that_are_off(self, value: str, default: bool) -> None:
        assert Environment({"X": value}).flag("X", default=default) is False

    @given(st.booleans())
    def test_empty_is_not_set(self, default: bool) -> None:
        assert Environment({"X": " "}).flag("X", default=default) is default

    @given(st.integers(0, 10**9))
    def test_reads_numbers(self, number: int) -> None:
        assert Environment({"X": f" {number} "}).number("X", 5) == number

    @pytest.mark.parametrize("value", ["-1", "1.5", "ten", "٣", "1e3"])
    def test_refuses_what_is_no_number(self, value: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=f"X={value}: expected a whole number"):
            Environment({"X": value}).number("X", 5)

    @pytest.mark.parametrize(("value", "accepted"), [("2", False), ("3", True)])
    def test_knows_the_least_number(self, value: str, accepted: bool) -> None:
        env = Environment({"X": value})
        if accepted:
            assert env.number("X", 5, least=3) == 3
        else:
            with pytest.raises(ImproperlyConfigured, match="at least 3"):
                env.number("X", 5, least=3)

    def test_refuses_a_flag_that_is_neither(self) -> None:
        with pytest.raises(ImproperlyConfigured, match="X=maybe: expected 1 or 0"):
            Environment({"X": "maybe"}).flag("X")

    def test_reads_words(self) -> None:
        assert Environment({"X": "a, b  c"}).words("X") == ["a", "b", "c"]
        assert Environment({}).words("X", ["d"]) == ["d"]

    def test_names_a_file_that_cannot_be_read(self) -> None:
        with pytest.raises(ImproperlyConfigured, match="X_FILE: cannot read /nowhere"):
            Environment({"X_FILE": "/nowhere"}).text("X")
