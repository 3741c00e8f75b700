"""The services of docker-compose.yml, run as they are there against servers that were set up by hand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from config.embedded.home import Home
from config.embedded.postgres import PostgresServer
from config.embedded.redis import RedisServer, socket_path
from tests.processes import ROOT, end, environment, free_port, manage

pytestmark = [pytest.mark.system, pytest.mark.timeout(900)]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
FROM_ENV_FILE = {
    "PANDECT_SECRET_KEY": "an-excellent-Secret_key-0123456789-of-fifty-or-more-characters",
    "PANDECT_HOSTS": "search.example.org",
    "PANDECT_TRUST_PROXY": "1",
}


def filled(text: str) -> str:
    """Fill in variables as compose does: given, or the default."""
    return re.sub(
        r"\$\{(\w+)(?::([-?])([^}]*))?\}",
        lambda m: FROM_ENV_FILE.get(m[1], m[3] if m[2] == "-" else "secret"),
        str(text),
    )


class Deployment:
    def __init__(self, home: Path) -> None:
        self.home = Home(home)
        self.port = free_port()
        self.processes: list[subprocess.Popen[bytes]] = []
        self.postgres, self.redis = PostgresServer(self.home), RedisServer(self.home)

    def start_servers(self) -> None:
        self.postgres.start()
        self.redis.start()
        with psycopg.connect(self.url("postgres", "postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE production")

    def url(self, user: str, database: str = "production") -> str:
        return f"postgresql://{user}@/{database}?host={self.home.sockets}"

    def variables(self, service: str) -> dict[str, str]:
        given = {name: filled(value) for name, value in COMPOSE["services"][service]["environment"].items()}
        for name, user in (
            ("DATABASE_URL", "pandect_shop"),
            ("DATABASE_OWNER_URL", "pandect_shop_owner"),
            ("DATABASE_ADMIN_URL", "postgres"),
        ):
            if name in given:
                given[name] = self.url(user)
        return given | {
            "PANDECT_ENV": "production",
            "REDIS_URL": f"redis+socket://{socket_path(self.home)}",
        }

    def run(self, service: str, command: list[str]) -> None:
        with (self.home.path / f"{service}.log").open("wb") as log:
            self.processes.append(
                subprocess.Popen(
                    [sys.executable, "-W", "ignore", "-m", *map(filled, command)],
                    env=environment(self.home.path, **self.variables(service)),
                    cwd=ROOT,
                    stdout=log,
                    stderr=log,
                )
            )

    def get(self, path: str, **headers: str) -> tuple[int, str, str]:
        """Status, location and body, without following redirects."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        opener = urllib.request.build_opener(NoRedirects)
        try:
            with opener.open(request, timeout=60) as response:
                return response.status, "", response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("Location", ""), error.read().decode()

    def stop(self) -> None:
        for process in self.processes:
            end(process)
        self.redis.stop()
        self.postgres.stop()


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    found = Deployment(tmp_path / "home")
    found.start_servers()
    yield found
    found.stop()


def await_ready(deployment: Deployment) -> dict[str, str]:
    deadline = time.monotonic() + 180
    body = ""
    while time.monotonic() < deadline:
        try:
            status, _, body = deployment.get("/readyz")
        except OSError as error:
            body = str(error)
        else:
            if status == 200:
                return dict(json.loads(body))
        time.sleep(0.3)
    raise AssertionError(body)


def test_the_services_of_the_compose_file_work_together(deployment: Deployment) -> None:
    home, services = deployment.home.path, COMPOSE["services"]

    steps = re.findall(r"python manage\.py ([^&]+)", services["migrate"]["command"][2])
    assert [step.split()[0] for step in steps] == ["prepare_database", "migrate", "check"]
    for step in steps:
        finished = manage(home, *step.split(), **deployment.variables("migrate"))
        assert (finished.returncode, finished.stderr) == (0, ""), step
    assert "DATABASE_OWNER_URL" not in deployment.variables("web")
    assert "DATABASE_ADMIN_URL" not in deployment.variables("worker")
    static = manage(home, "collectstatic", "--no-input", PANDECT_SECRET_KEY="build-only")
    assert static.returncode == 0

    docker = (ROOT / "Dockerfile").read_text()
    web = json.loads(re.findall(r"^CMD (\[.*\])$", docker, re.MULTILINE)[0])
    web[web.index("--host") + 1] = "127.0.0.1"
    web[web.index("8000")] = str(deployment.port)
    deployment.run("web", web)
    deployment.run("worker", services["worker"]["command"])
    deployment.run("beat", services["beat"]["command"])

    assert await_ready(deployment) == {"status": "ok", "database": "ok", "broker": "ok", "worker": "ok"}
    host = {"Host": "search.example.org"}
    assert deployment.get("/", **host)[:2] == (301, "https://search.example.org/")
    status, _, page = deployment.get("/", **host, **{"X-Forwarded-Proto": "https"})
    assert (status, "Find the paragraph" in page) == (200, True)
    assert deployment.get("/", **{"Host": "evil.example", "X-Forwarded-Proto": "https"})[0] == 400
    stylesheet = re.search(r'href="(/static/pandect\.[0-9a-f]{12}\.css)"', page)
    assert stylesheet is not None
    assert deployment.get(stylesheet[1], **host)[0] == 200


def test_a_role_that_steps_over_the_wall_is_refused(deployment: Deployment) -> None:
    home, variables = deployment.home.path, deployment.variables("migrate")
    for command in (["prepare_database"], ["migrate", "--no-input"]):
        assert manage(home, *command, **variables).returncode == 0
    finished = manage(
        home, "check", "--database", "default", **(variables | {"DATABASE_URL": deployment.url("postgres")})
    )
    assert finished.returncode == 1
    assert "connects as postgres, which row-level security does not hold" in finished.stderr


def test_preparing_says_what_it_needs(deployment: Deployment) -> None:
    home, variables = deployment.home.path, deployment.variables("migrate")
    for name in ("DATABASE_ADMIN_URL", "DATABASE_OWNER_URL"):
        finished = manage(home, "prepare_database", **(variables | {name: ""}))
        assert (finished.returncode, f"{name} is not set." in finished.stderr) == (1, True)
    wrong = variables | {"DATABASE_ADMIN_URL": deployment.url("postgres", "nowhere")}
    finished = manage(home, "prepare_database", **wrong)
    assert finished.returncode == 1
    assert 'database "nowhere" does not exist' in finished.stderr


def test_preparing_without_a_superuser_warns_about_slow_search(deployment: Deployment) -> None:
    """As on a managed server: a role that may create roles, and a database with the extension in it."""
    with psycopg.connect(deployment.url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE ROLE manager LOGIN CREATEROLE")
        connection.execute("CREATE ROLE pandect_shop_owner LOGIN")
        connection.execute("GRANT pandect_shop_owner TO manager WITH ADMIN OPTION")
        connection.execute("GRANT pandect_app, pandect_platform TO manager WITH ADMIN OPTION")
        connection.execute("ALTER DATABASE production OWNER TO manager")
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    variables = deployment.variables("migrate") | {"DATABASE_ADMIN_URL": deployment.url("manager")}
    finished = manage(deployment.home.path, "prepare_database", **variables)
    assert finished.returncode == 0, finished.stderr
    assert "keyword search will be slow" in finished.stderr
