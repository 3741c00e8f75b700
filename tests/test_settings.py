"""Settings from the environment: safe by default, strict in production, clear when wrong."""

from __future__ import annotations

import json
import pprint
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from config.backends import Secret, monthly_budget, search_backends
from config.database.settings import databases, parse_url
from config.embedded.home import Home
from config.environment import FALSE, TRUE, Environment
from tests.processes import ROOT, manage

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
            "CONN_MAX_AGE": 600,
            "CONN_HEALTH_CHECKS": True,
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


KEY = "sk-ant-very-secret"
ANTHROPIC = {"PANDECT_CONTEXTUALIZER": "anthropic", "ANTHROPIC_API_KEY": KEY}
OPENAI = {
    "PANDECT_CONTEXTUALIZER": "openai",
    "OPENAI_API_KEY": KEY,
    "PANDECT_CONTEXT_MODEL": "small",
    "PANDECT_CONTEXT_PRICES": "input=0.4 output=1.6",
}
EMBEDDER = {"PANDECT_EMBEDDER": "openai", "OPENAI_API_KEY": KEY}

SERVICE = {"PANDECT_RERANKER": "http", "PANDECT_RERANKER_URL": "https://rank.example.org/v2/rerank"}
CHAT = {
    "PANDECT_RERANKER": "openai",
    "OPENAI_API_KEY": KEY,
    "PANDECT_RERANKER_MODEL": "small",
    "PANDECT_RERANKER_PRICES": "input=0.4 output=1.6",
}


class TestBackends:
    def declared(self, **variables: str) -> dict[str, Any]:
        return search_backends(Environment(variables))

    def refusal(self, **variables: str) -> str:
        with pytest.raises(ImproperlyConfigured) as refused:
            search_backends(Environment(variables))
        assert KEY not in str(refused.value)
        return str(refused.value)

    def test_run_on_this_machine_and_cost_nothing_unless_told_otherwise(self) -> None:
        assert self.declared() == {
            "contextualizer": {
                "BACKEND": "search.backends.contextualizers.structural.StructuralContextualizer"
            },
            "embedder": {"BACKEND": "search.backends.embedders.granite.GraniteEmbedder"},
            "keyword_index": {"BACKEND": "search.backends.keyword_indexes.postgres.PostgresKeywordIndex"},
        }

    def test_take_what_is_set_and_leave_the_rest_to_the_backend(self) -> None:
        assert self.declared(**ANTHROPIC)["contextualizer"]["OPTIONS"] == {"api_key": KEY}
        full = ANTHROPIC | {
            "PANDECT_CONTEXT_MODEL": "claude-x",
            "PANDECT_CONTEXT_URL": "https://gate.example.org",
            "PANDECT_CONTEXT_PRICES": "input=1 cache_write=1.25 cache_read=0.1 output=5 batch=0.5",
            "PANDECT_CONTEXT_BATCH_FROM": "200",
        }
        assert self.declared(**full)["contextualizer"] == {
            "BACKEND": "search.backends.contextualizers.anthropic.AnthropicContextualizer",
            "OPTIONS": {
                "model": "claude-x",
                "base_url": "https://gate.example.org",
                "api_key": KEY,
                "prices": {
                    "input": Decimal(1),
                    "cache_write": Decimal("1.25"),
                    "cache_read": Decimal("0.1"),
                    "output": Decimal(5),
                    "batch": Decimal("0.5"),
                },
                "batch_from": 200,
            },
        }

    def test_ask_openai_for_contexts(self) -> None:
        assert self.declared(**OPENAI)["contextualizer"] == {
            "BACKEND": "search.backends.contextualizers.openai.OpenAIContextualizer",
            "OPTIONS": {
                "model": "small",
                "api_key": KEY,
                "prices": {"input": Decimal("0.4"), "output": Decimal("1.6")},
            },
        }

    def test_ask_a_server_of_ones_own_without_key_and_prices(self) -> None:
        own = {
            "PANDECT_CONTEXTUALIZER": "openai",
            "PANDECT_CONTEXT_MODEL": "small",
            "PANDECT_CONTEXT_URL": "http://127.0.0.1:11434/v1",
            "PANDECT_EMBEDDER": "openai",
            "PANDECT_EMBEDDING_URL": "http://127.0.0.1:11434/v1",
            "PANDECT_EMBEDDING_PRICE": "0",
        }
        found = self.declared(**own)
        assert found["contextualizer"]["OPTIONS"] == {
            "model": "small",
            "base_url": "http://127.0.0.1:11434/v1",
        }
        assert found["embedder"]["OPTIONS"] == {
            "base_url": "http://127.0.0.1:11434/v1",
            "price": Decimal(0),
        }

    def test_embed_by_one_model_while_another_is_prepared(self) -> None:
        found = self.declared(
            **EMBEDDER,
            PANDECT_EMBEDDING_MODEL="text-embedding-3-small",
            PANDECT_EMBEDDING_DIMENSIONS="512",
            PANDECT_EMBEDDING_MAX_TOKENS="8000",
            PANDECT_NEXT_EMBEDDER="embedded",
        )
        assert found["embedder"] == {
            "BACKEND": "search.backends.embedders.openai.OpenAIEmbedder",
            "OPTIONS": {
                "model": "text-embedding-3-small",
                "dimensions": 512,
                "api_key": KEY,
                "max_tokens": 8000,
            },
        }
        assert found["next_embedder"] == {"BACKEND": "search.backends.embedders.granite.GraniteEmbedder"}

    def test_of_the_next_embedder_have_variables_of_their_own(self) -> None:
        found = self.declared(
            PANDECT_NEXT_EMBEDDER="openai",
            OPENAI_API_KEY=KEY,
            PANDECT_NEXT_EMBEDDING_MODEL="large",
            PANDECT_NEXT_EMBEDDING_PRICE="0.13",
        )
        assert found["next_embedder"]["OPTIONS"] == {
            "model": "large",
            "api_key": KEY,
            "price": Decimal("0.13"),
        }
        assert found["embedder"] == {"BACKEND": "search.backends.embedders.granite.GraniteEmbedder"}

    @pytest.mark.parametrize(
        ("variables", "name"),
        [
            (ANTHROPIC, "ANTHROPIC_API_KEY"),
            (OPENAI, "OPENAI_API_KEY"),
            (EMBEDDER, "OPENAI_API_KEY"),
            (ANTHROPIC | {"PANDECT_CONTEXT_URL": "https://gate.example.org"}, "ANTHROPIC_API_KEY"),
        ],
    )
    def test_that_need_a_key_say_where_it_comes_from(self, variables: dict[str, str], name: str) -> None:
        message = self.refusal(**(variables | {name: ""}))
        assert message.startswith(f"{name} is not set. Make a key at https://")
        assert message.endswith(f"or a file with it as {name}_FILE.")

    def test_take_a_key_from_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "key").write_text(f"{KEY}\n")
        variables = ANTHROPIC | {"ANTHROPIC_API_KEY": "", "ANTHROPIC_API_KEY_FILE": str(tmp_path / "key")}
        assert self.declared(**variables)["contextualizer"]["OPTIONS"] == {"api_key": KEY}

    @pytest.mark.parametrize("key", [f"{KEY} x", f"{KEY}\nx", f"{KEY}…", f"{KEY}\x00"])
    def test_refuse_a_key_that_is_none_without_showing_it(self, key: str) -> None:
        assert self.refusal(**(ANTHROPIC | {"ANTHROPIC_API_KEY": key})) == (
            "ANTHROPIC_API_KEY holds a character that no key has. Copy the key again."
        )

    def test_never_show_a_key(self) -> None:
        found = self.declared(**(ANTHROPIC | EMBEDDER))
        assert KEY not in repr(found) + str(found) + pprint.pformat(found)
        assert Secret("") == ""

    @pytest.mark.parametrize(
        ("variables", "message"),
        [
            ({"PANDECT_CONTEXTUALIZER": "claude"}, "expected one of structural, anthropic, openai."),
            ({"PANDECT_EMBEDDER": "granite"}, "PANDECT_EMBEDDER=granite: expected one of embedded, openai."),
            ({"PANDECT_NEXT_EMBEDDER": "x"}, "PANDECT_NEXT_EMBEDDER=x: expected one of embedded, openai."),
            (
                {"PANDECT_CONTEXT_MODEL": "x"},
                "to anthropic or openai, or leave PANDECT_CONTEXT_MODEL out.",
            ),
            (
                {"PANDECT_EMBEDDING_DIMENSIONS": "9"},
                "PANDECT_EMBEDDING_DIMENSIONS is set, but PANDECT_EMBEDDER=embedded has one model.",
            ),
            (
                {"PANDECT_NEXT_EMBEDDING_MODEL": "x"},
                "PANDECT_NEXT_EMBEDDING_MODEL is set, but PANDECT_NEXT_EMBEDDER is not. Set that too,",
            ),
            (
                OPENAI | {"PANDECT_CONTEXT_BATCH_FROM": "9"},
                "PANDECT_CONTEXT_BATCH_FROM is set, but PANDECT_CONTEXTUALIZER=openai hands in no batches.",
            ),
            (OPENAI | {"PANDECT_CONTEXT_MODEL": ""}, "PANDECT_CONTEXT_MODEL is not set. Name a model"),
            (OPENAI | {"PANDECT_CONTEXT_PRICES": ""}, "PANDECT_CONTEXT_PRICES: say what a million tokens"),
            (
                ANTHROPIC | {"PANDECT_CONTEXT_MODEL": "claude-opus"},
                "PANDECT_CONTEXT_PRICES: say what a million tokens",
            ),
            (
                OPENAI | {"PANDECT_CONTEXT_URL": "ftp://x:secret@y"},
                "PANDECT_CONTEXT_URL: expected an address",
            ),
            (EMBEDDER | {"PANDECT_EMBEDDING_URL": "x"}, "PANDECT_EMBEDDING_URL: expected an address"),
            (EMBEDDER | {"PANDECT_EMBEDDING_PRICE": "-1"}, "PANDECT_EMBEDDING_PRICE: '-1' is no amount."),
            (EMBEDDER | {"PANDECT_EMBEDDING_DIMENSIONS": "many"}, "expected a whole number"),
        ],
    )
    def test_say_which_variable_is_wrong_and_what_to_do(
        self, variables: dict[str, str], message: str
    ) -> None:
        refusal = self.refusal(**variables)
        assert message in refusal
        assert "secret" not in refusal

    @pytest.mark.parametrize(
        "prices", ["input=1", "output=1", "input=1 output=2 tea=3", "input=1 input=1 output=2"]
    )
    def test_refuse_prices_that_keep_no_budget(self, prices: str) -> None:
        refusal = self.refusal(**(OPENAI | {"PANDECT_CONTEXT_PRICES": prices}))
        assert "as in `input=1 output=5`" in refusal

    @pytest.mark.parametrize("amount", ["-0.01", "NaN", "Infinity", "twenty", "1,5"])
    def test_refuse_a_budget_that_is_no_amount(self, amount: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=r"PANDECT_MONTHLY_BUDGET: .* is no amount"):
            monthly_budget(Environment({"PANDECT_MONTHLY_BUDGET": amount}))

    @pytest.mark.parametrize(("amount", "expected"), [("", "20"), ("0", "0"), ("12.50", "12.50")])
    def test_have_a_monthly_budget(self, amount: str, expected: str) -> None:
        assert monthly_budget(Environment({"PANDECT_MONTHLY_BUDGET": amount})) == Decimal(expected)

    def test_rerank_by_whom_they_are_told_to(self) -> None:
        base = "search.backends.rerankers"
        assert "reranker" not in self.declared(PANDECT_RERANKER="none")
        assert self.declared(PANDECT_RERANKER="overlap")["reranker"] == {
            "BACKEND": f"{base}.overlap.OverlapReranker"
        }
        assert self.declared(PANDECT_RERANKER="cross-encoder", PANDECT_RERANKER_PATH="/models/minilm")[
            "reranker"
        ] == {
            "BACKEND": f"{base}.cross_encoder.CrossEncoderReranker",
            "OPTIONS": {"path": "/models/minilm"},
        }
        assert self.declared(**SERVICE)["reranker"] == {
            "BACKEND": f"{base}.http.HttpReranker",
            "OPTIONS": {"base_url": "https://rank.example.org/v2/rerank", "style": "cohere"},
        }
        full = SERVICE | {
            "PANDECT_RERANKER_MODEL": "m",
            "PANDECT_RERANKER_STYLE": "tei",
            "PANDECT_RERANKER_KEY": KEY,
            "PANDECT_RERANKER_PRICES": "search=2",
        }
        assert self.declared(**full)["reranker"]["OPTIONS"] == {
            "base_url": "https://rank.example.org/v2/rerank",
            "model": "m",
            "style": "tei",
            "api_key": KEY,
            "prices": {"search": Decimal(2)},
        }

    def test_rerank_by_chat_models(self) -> None:
        base = "search.backends.rerankers"
        assert self.declared(PANDECT_RERANKER="anthropic", ANTHROPIC_API_KEY=KEY)["reranker"] == {
            "BACKEND": f"{base}.anthropic.AnthropicReranker",
            "OPTIONS": {"api_key": KEY},
        }
        assert self.declared(**CHAT)["reranker"] == {
            "BACKEND": f"{base}.openai.OpenAIReranker",
            "OPTIONS": {
                "model": "small",
                "api_key": KEY,
                "prices": {"input": Decimal("0.4"), "output": Decimal("1.6")},
            },
        }
        own = CHAT | {
            "OPENAI_API_KEY": "",
            "PANDECT_RERANKER_PRICES": "",
            "PANDECT_RERANKER_URL": "http://127.0.0.1:11434/v1",
        }
        assert self.declared(**own)["reranker"]["OPTIONS"] == {
            "model": "small",
            "base_url": "http://127.0.0.1:11434/v1",
        }

    def test_declares_answerers(self) -> None:
        base = "search.backends.answerers"
        assert "answerer" not in self.declared()
        assert "answerer" not in self.declared(PANDECT_ANSWERER="none")
        assert self.declared(PANDECT_ANSWERER="extracts")["answerer"] == {
            "BACKEND": f"{base}.extracts.ExtractingAnswerer"
        }
        assert self.declared(PANDECT_ANSWERER="anthropic", ANTHROPIC_API_KEY=KEY)["answerer"] == {
            "BACKEND": f"{base}.anthropic.AnthropicAnswerer",
            "OPTIONS": {"api_key": KEY},
        }
        own = {
            "PANDECT_ANSWERER": "openai",
            "PANDECT_ANSWERER_MODEL": "small",
            "PANDECT_ANSWERER_URL": "http://127.0.0.1:11434/v1",
        }
        assert self.declared(**own)["answerer"] == {
            "BACKEND": f"{base}.openai.OpenAIAnswerer",
            "OPTIONS": {"model": "small", "base_url": "http://127.0.0.1:11434/v1"},
        }

    @pytest.mark.parametrize(
        ("variables", "message"),
        [
            ({"PANDECT_ANSWERER": "cohere"}, "PANDECT_ANSWERER=cohere: expected one of none, openai,"),
            (
                {"PANDECT_ANSWERER_MODEL": "x"},
                "PANDECT_ANSWERER_MODEL is set, but PANDECT_ANSWERER=none asks",
            ),
            ({"PANDECT_ANSWERER": "openai"}, "PANDECT_ANSWERER_MODEL is not set. Name a model"),
            ({"PANDECT_ANSWERER": "anthropic"}, "ANTHROPIC_API_KEY is not set. Make a key"),
        ],
    )
    def test_refuses_answerers_that_are_wrong(self, variables: dict[str, str], message: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=re.escape(message)):
            self.declared(**variables)

    @pytest.mark.parametrize(
        ("variables", "message"),
        [
            ({"PANDECT_RERANKER": "cohere"}, "PANDECT_RERANKER=cohere: expected one of none, http,"),
            ({"PANDECT_RERANKER_MODEL": "x"}, "PANDECT_RERANKER=none does not read it. Set PANDECT_RERANKER"),
            (
                SERVICE | {"PANDECT_RERANKER_PATH": "x"},
                "PANDECT_RERANKER_PATH is set, but",
            ),
            (
                SERVICE | {"PANDECT_RERANKER_URL": ""},
                "PANDECT_RERANKER_URL is not set. Give",
            ),
            (SERVICE | {"PANDECT_RERANKER_URL": "x:secret@y"}, "PANDECT_RERANKER_URL: expected an address"),
            (SERVICE | {"PANDECT_RERANKER_STYLE": "jina"}, "expected one of cohere, tei."),
            (SERVICE | {"PANDECT_RERANKER_KEY": f"{KEY} x"}, "PANDECT_RERANKER_KEY holds a character"),
            (SERVICE | {"PANDECT_RERANKER_PRICES": "output=1"}, "as in `search=2`"),
            (SERVICE | {"PANDECT_RERANKER_PRICES": "search=x"}, "'x' is no amount"),
            ({"PANDECT_RERANKER": "cross-encoder"}, "PANDECT_RERANKER_PATH is not set. Name the folder"),
            (CHAT | {"PANDECT_RERANKER_MODEL": ""}, "PANDECT_RERANKER_MODEL is not set. Name a model"),
            (CHAT | {"PANDECT_RERANKER_PRICES": ""}, "PANDECT_RERANKER_PRICES: say what a million tokens"),
            (CHAT | {"OPENAI_API_KEY": ""}, "OPENAI_API_KEY is not set. Make a key"),
            (CHAT | {"PANDECT_RERANKER_STYLE": "tei"}, "PANDECT_RERANKER=openai does not read it."),
        ],
    )
    def test_that_rerank_say_which_variable_is_wrong(self, variables: dict[str, str], message: str) -> None:
        refusal = self.refusal(**variables)
        assert message in refusal
        assert "secret" not in refusal

    def test_are_checked_without_showing_a_key(self, tmp_path: Path) -> None:
        for variables in (ANTHROPIC, OPENAI, EMBEDDER, CHAT, SERVICE | {"PANDECT_RERANKER_KEY": KEY}):
            finished = manage(tmp_path, "check", **variables)
            assert KEY not in finished.stdout + finished.stderr
            assert finished.returncode == 0, finished.stderr
        finished = manage(tmp_path, "diffsettings", **(ANTHROPIC | EMBEDDER))
        assert "SEARCH_BACKENDS" in finished.stdout
        assert KEY not in finished.stdout + finished.stderr


SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
WORKERS = ("worker", "contextualizer", "embedder", "sender")


def option_of(service: str, name: str) -> str:
    command = SERVICES[service]["command"]
    return str(command[command.index(name) + 1])


class TestQueues:
    def test_each_has_one_kind_of_worker(self) -> None:
        queues = [queue.name for queue in django_settings.CELERY_TASK_QUEUES]
        routed = {route["queue"] for route in django_settings.CELERY_TASK_ROUTES.values()}
        assert set(queues) == {"celery", *routed}
        read = [queue for service in WORKERS for queue in option_of(service, "--queues").split(",")]
        assert sorted(read) == sorted(queues)

    def test_receivers_that_hang_hold_up_threads_that_do_nothing_else(self) -> None:
        route = django_settings.CELERY_TASK_ROUTES["documents.tasks.deliver_next"]["queue"]
        assert (option_of("sender", "--queues"), option_of("sender", "--pool")) == (route, "threads")

    @pytest.mark.parametrize("service", WORKERS)
    def test_are_read_by_workers_whose_health_is_asked_of_themselves(self, service: str) -> None:
        assert option_of(service, "--hostname") == f"{service}@%h"
        assert f'-d "{service}@$$HOSTNAME"' in SERVICES[service]["healthcheck"]["test"][1]

    def test_are_read_by_processes_that_stay_and_keep_the_model(self) -> None:
        assert not [service for service in WORKERS if "--max-tasks-per-child" in SERVICES[service]["command"]]
        assert not hasattr(django_settings, "CELERY_WORKER_MAX_TASKS_PER_CHILD")


def test_everything_that_can_be_set_reaches_the_containers() -> None:
    text = (ROOT / "docs" / "settings.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z_]+)`", text, re.MULTILINE))
    given = set(SERVICES["web"]["environment"]) | set(SERVICES["migrate"]["environment"])
    assert documented - given == {"PANDECT_ENV", "PANDECT_HOME", "PANDECT_DEBUG"}


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
