"""One command runs it: as a person starts it, uses it, stops it, and as accidents end it."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import signal
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from config.embedded.home import Home
from tests.processes import Up, free_port, is_alive, kill_all, manage, manage_from, running_from

pytestmark = [pytest.mark.system, pytest.mark.timeout(1200)]  # Seconds: a start alone may take 300.
THREADS, WORKERS = 8, 16  # At most: of the web process, and processes of workers on a machine of two cores.


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "home"
    folder.mkdir()
    yield folder
    kill_all(running_from(folder))


@pytest.fixture
def up(home: Path) -> Iterator[Up]:
    product = Up(home, free_port())
    yield product
    product.end()


class Browser:
    """As much of a browser as logging in takes."""

    def __init__(self, url: str, **headers: str) -> None:
        self.url = url
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar)
        self.opener.addheaders = list(headers.items())

    def get(self, path: str) -> str:
        with self.opener.open(self.url + path, timeout=60) as response:
            return str(response.read().decode())

    def log_in(self, email: str, password: str) -> str:
        """Log in; return where that leads."""
        with self.send_login(email, password) as response:
            return str(response.geturl())

    def log_in_page(self, email: str, password: str) -> str:
        with self.send_login(email, password) as response:
            return str(response.read().decode())

    def send_login(self, email: str, password: str) -> Any:
        token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', self.get("/account/login/"))
        assert token is not None
        form = {"csrfmiddlewaretoken": token[1], "username": email, "password": password}
        return self.opener.open(
            self.url + "/account/login/", urllib.parse.urlencode(form).encode(), timeout=60
        )


def await_ready(browser: Browser, seconds: float = 60) -> str:
    """Return what it says of itself once it is ready: workers that are busy may answer late."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return browser.get("/readyz")
        except urllib.error.HTTPError as error:
            if error.code != 503 or time.monotonic() > deadline:
                raise
        time.sleep(0.2)


def await_gone(home: Path, seconds: float = 60) -> list[psutil.Process]:
    deadline = time.monotonic() + seconds
    while (left := running_from(home)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def still_alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    _, left = psutil.wait_procs(processes, timeout=60)
    return [process for process in left if is_alive(process)]


def test_it_starts_serves_and_stops_without_a_trace(up: Up, home: Path) -> None:
    up.await_welcome()
    browser = Browser(up.url)
    assert "Find the paragraph" in browser.get("/")
    assert json.loads(await_ready(browser)) == {
        "status": "ok",
        "database": "ok",
        "broker": "ok",
        "worker": "ok",
    }
    assert browser.log_in("rosa@example.org", "pandect-demo") == f"{up.url}/t/harbour/"
    stylesheet = re.search(r'href="(/static/pandect\.[0-9a-f]{12}\.css)"', browser.get("/"))
    assert stylesheet is not None
    with browser.opener.open(up.url + stylesheet[1], timeout=60) as response:
        assert "immutable" in response.headers["Cache-Control"]
    assert up.interrupt() == 0
    assert await_gone(home) == []
    assert "Traceback" not in up.said() + (home / "log" / "web.log").read_text()


def test_each_step_has_a_worker_of_its_own(up: Up, home: Path) -> None:
    up.await_welcome()
    cores = min(len(os.sched_getaffinity(0)), 4)
    assert options_of_workers(up) == {
        "worker@%h": ("celery,convert,contextualize", "2"),
        "embedder@%h": ("embed", str(cores)),
        "sender@%h": ("deliver", "4"),
    }
    for name in ("worker", "embedder", "sender"):
        assert f"{name}@" in await_log(home / "log" / f"{name}.log", "ready.")


def test_asking_a_provider_has_a_worker_of_its_own(home: Path) -> None:
    key = "sk-very-secret"
    up = Up(home, free_port(), PANDECT_CONTEXTUALIZER="anthropic", ANTHROPIC_API_KEY=key)
    try:
        up.await_welcome()
        found = options_of_workers(up)
        assert found["worker@%h"][0] == "celery,convert"
        assert found["contextualizer@%h"] == ("contextualize", "2")
    finally:
        up.end()
    logs = [path.read_text() for path in (home / "log").glob("*.log")]
    assert not [log for log in [up.said(), *logs] if key in log]


def test_a_key_that_is_missing_is_named_before_anything_starts(home: Path) -> None:
    finished = manage(home, "up", PANDECT_CONTEXTUALIZER="anthropic")
    assert finished.returncode == 1
    assert "ANTHROPIC_API_KEY is not set." in finished.stderr
    assert not (home / "postgres").exists()


def options_of_workers(up: Up) -> dict[str, tuple[str, str]]:
    """Queues and number of processes by the name of the worker, of those that `up` has started itself."""
    commands = [command_of(child) for child in psutil.Process(up.process.pid).children()]
    return {
        option(command, "--hostname"): (option(command, "--queues"), option(command, "--concurrency"))
        for command in commands
        if "worker" in command
    }


def command_of(process: psutil.Process) -> list[str]:
    """Nothing of one that has just ended, as those that ask a server whether it is there do all the time."""
    with suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def await_log(path: Path, words: str, seconds: float = 120) -> str:
    deadline = time.monotonic() + seconds
    while words not in path.read_text() and time.monotonic() < deadline:
        time.sleep(0.2)
    return path.read_text()


@pytest.mark.parametrize(
    "script", ["trap '' INT; exec \"$@\"", "trap '' HUP; exec \"$@\""], ids=["background job", "nohup"]
)
def test_it_stops_when_told_wherever_it_was_started(home: Path, script: str) -> None:
    up = Up(home, free_port(), "sh", "-c", script, "sh")
    up.await_welcome()
    if "HUP" in script:
        up.process.send_signal(signal.SIGHUP)
        time.sleep(1)
        assert "Find the paragraph" in Browser(up.url).get("/")
    assert up.interrupt() == 0
    assert await_gone(home) == []


def test_what_was_there_is_there_after_a_kill_of_everything(home: Path) -> None:
    first = Up(home, free_port(), PANDECT_SCRATCH="0")  # As people run it: what is committed is on disk.
    first.await_welcome()
    assert manage(home, "create_tenant", "saved", "Saved for Later").returncode == 0
    servers = [p for p in running_from(home) if re.search("postgres|valkey", p.info["name"])]
    assert len(servers) >= 2
    first.kill()
    kill_all(servers)
    second = Up(home, first.port, PANDECT_SCRATCH="0")
    try:
        second.await_welcome()
        assert (
            "There are: harbour, meridian, saved."
            in manage(home, "create_api_key", "x", "--tenant", "none").stderr
        )
        assert Browser(second.url).log_in("rosa@example.org", "pandect-demo") == f"{second.url}/t/harbour/"
    finally:
        second.end()
    assert await_gone(home) == []


def test_after_a_kill_of_the_group_alone_it_takes_over_the_servers(home: Path) -> None:
    first = Up(home, free_port())
    first.await_welcome()
    first.kill()
    assert {p.info["name"] for p in running_from(home)} >= {"postgres", "valkey-server"}
    second = Up(home, first.port)
    try:
        second.await_welcome()
    finally:
        second.end()
    assert await_gone(home) == []


def test_when_only_the_command_is_killed_everything_ends_with_it(home: Path) -> None:
    up = Up(home, free_port())
    up.await_welcome()
    children = psutil.Process(up.process.pid).children(recursive=True)
    assert len(children) >= 2
    up.process.send_signal(signal.SIGKILL)
    up.process.wait()
    assert still_alive(children) == []
    assert await_gone(home) == []
    assert "harbour" in manage(home, "create_api_key", "x", "--tenant", "none").stderr


@pytest.mark.parametrize("name", ['a"b', "a$b", "a\\b"])
def test_a_folder_that_the_tools_cannot_take_is_refused(tmp_path: Path, name: str) -> None:
    home = tmp_path / name
    home.mkdir()
    finished = manage(home, "migrate")
    assert finished.returncode == 1
    assert "Set PANDECT_HOME to a folder with a plainer name." in finished.stderr
    assert "Traceback" not in finished.stderr


def test_a_command_before_the_first_migration_says_what_to_do(home: Path) -> None:
    finished = manage(home, "create_api_key", "x", "--tenant", "harbour")
    assert finished.returncode == 1
    assert finished.stderr == (
        "manage.py: The database has no tables yet. Run `manage.py migrate`, or `make up`.\n"
    )
    assert await_gone(home) == []


def test_a_stale_process_id_of_another_program_does_not_matter(home: Path) -> None:
    assert manage(home, "migrate").returncode == 0
    stale = home / "postgres" / "postmaster.pid"
    stale.write_text(f"{psutil.Process().pid}\n{home}/postgres\n0\n5432\n\n\n")
    finished = manage(home, "check", "--database", "default")
    assert finished.returncode == 0, finished.stderr
    assert not stale.exists()


def test_a_half_made_cluster_is_made_again(home: Path) -> None:
    (home / "postgres.new" / "base").mkdir(parents=True)
    assert manage(home, "migrate").returncode == 0
    assert not (home / "postgres.new").exists()


def test_a_second_one_in_the_same_folder_is_refused(up: Up, home: Path) -> None:
    up.await_welcome()
    finished = manage(home, "up", "--port", str(free_port()))
    assert finished.returncode == 1
    assert f"Pandect runs from this folder already, at {up.url}/." in finished.stderr
    assert "Find the paragraph" in Browser(up.url).get("/")


def test_a_taken_port_is_named_with_its_owner(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        finished = manage(home, "up", "--port", str(port))
    assert finished.returncode == 1
    owner = psutil.Process()
    assert finished.stderr.strip() == (
        f"CommandError: Port {port} is taken by {owner.name()} (process {owner.pid}). Stop that program, or "
        f"choose another port: `make up PORT={port + 1}`."
    )
    assert not (home / "postgres").exists()


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_does_not_exist_is_said_so(home: Path, port: str) -> None:
    finished = manage(home, "up", f"--port={port}")
    assert (finished.returncode, f"There is no port {port}" in finished.stderr) == (1, True)


def test_a_child_that_ends_by_itself_ends_the_rest_with_its_last_words(home: Path) -> None:
    up = Up(home, free_port(), WEB_CONCURRENCY="2")
    up.await_welcome()
    web = next(
        p for p in psutil.Process(up.process.pid).children(recursive=True) if "config.serve" in command_of(p)
    )
    processes = [p for p in web.children() if any("spawn_main" in part for part in command_of(p))]
    assert len(processes) == 2
    web.kill()
    assert up.process.wait(120) == 1
    assert "The web server ended by itself (status -9)." in up.said()
    assert await_gone(home) == []
    assert still_alive(processes) == []


@pytest.mark.parametrize(
    ("step", "moment"),
    [("", 0.4), ("PostgreSQL", 0), ("PostgreSQL", 0.6), ("Redis", 0), ("Migrations", 0), ("Demo", 0)],
)
def test_stopped_in_the_middle_of_the_first_start_it_leaves_nothing_running(
    home: Path, step: str, moment: float
) -> None:
    up = Up(home, free_port())
    deadline = time.monotonic() + 120
    while step not in up.said():
        assert up.process.poll() is None, up.said()
        assert time.monotonic() < deadline, up.said()
        time.sleep(0.01)
    time.sleep(moment)
    up.process.terminate()
    up.process.wait(120)
    assert await_gone(home) == []
    assert "Traceback" not in up.said()
    assert manage(home, "migrate").returncode == 0
    assert manage(home, "check", "--database", "default").returncode == 0


@pytest.mark.parametrize(("server", "name"), [("postgres", "PostgreSQL"), ("valkey-server", "Redis")])
def test_a_server_that_is_killed_ends_the_rest_with_its_name(
    up: Up, home: Path, server: str, name: str
) -> None:
    up.await_welcome()
    oldest = min((p for p in running_from(home) if p.info["name"] == server), key=lambda p: p.create_time())
    oldest.kill()
    assert up.process.wait(120) == 1
    assert f"CommandError: {name} ended by itself." in up.said()
    assert "Traceback" not in up.said()
    assert await_gone(home) == []


def test_it_does_not_ask_a_proxy_for_itself(home: Path) -> None:
    up = Up(home, free_port(), http_proxy="http://127.0.0.1:9")
    try:
        up.await_welcome()
        assert up.process.poll() is None
    finally:
        up.end()


def test_what_somebody_deleted_stays_away(home: Path) -> None:
    delete = (
        "from tenants.models import User\nfrom tenants.scope import platform_scope\n"
        "with platform_scope():\n    User.objects.exclude(email__startswith='rosa').delete()"
    )
    for _ in range(2):
        up = Up(home, free_port())
        try:
            up.await_welcome()
            assert manage(home, "shell", "-c", delete).returncode == 0
        finally:
            up.end()
    assert "rosa@example.org" in up.said()
    assert "ada@example.org" not in up.said()


def test_a_hundred_requests_are_answered_by_few_connections(up: Up, home: Path) -> None:
    up.await_welcome()
    browser = Browser(up.url)
    browser.log_in("rosa@example.org", "pandect-demo")

    def get(path: str) -> None:
        try:
            browser.get(path)
        except urllib.error.HTTPError as error:  # The workers read the demo, and one may answer too late.
            if (path, error.code) != ("/readyz", 503):
                raise

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(get, ["/t/harbour/", "/readyz", "/"] * 40))
    with psycopg.connect(host=str(Home(home).sockets), user="postgres", dbname="postgres") as connection:
        open_now = connections_of_ours(connection)
    assert len(open_now) <= THREADS + WORKERS


def connections_of_ours(connection: psycopg.Connection[Any]) -> list[Any]:
    connection.rollback()
    return connection.execute(
        "SELECT usename, state, query FROM pg_stat_activity WHERE usename LIKE 'pandect%'"
    ).fetchall()


def test_forged_addresses_are_not_believed(up: Up) -> None:
    up.await_welcome()
    pages = [
        Browser(up.url, **{"X-Forwarded-For": f"10.0.0.{number}"}).log_in_page("rosa@example.org", "wrong")
        for number in range(6)
    ]
    assert ["Too many failed attempts" in page for page in pages] == [False] * 5 + [True]


def test_when_the_database_cuts_connections_in_use_the_next_pages_come(up: Up, home: Path) -> None:
    up.await_welcome()
    browser = Browser(up.url)
    browser.log_in("rosa@example.org", "pandect-demo")
    cut = 0
    with (
        ThreadPoolExecutor(4) as pool,
        psycopg.connect(host=str(Home(home).sockets), user="postgres", dbname="postgres") as connection,
    ):
        pages = [pool.submit(browser.get, "/t/harbour/") for _ in range(60)]
        while not all(page.done() for page in pages):
            connection.rollback()
            cut += len(
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'pandect_web'"
                ).fetchall()
            )
    assert cut >= 1
    assert [page for page in pages if page.exception() is not None] != []  # It did hurt.
    for _ in range(20):
        assert "Harbour Authority" in browser.get("/t/harbour/")


def test_it_is_not_for_production(home: Path) -> None:
    finished = manage(
        home,
        "up",
        PANDECT_ENV="production",
        PANDECT_SECRET_KEY="x" * 60,
        PANDECT_HOSTS="search.example.org",
        DATABASE_URL="postgresql://x@localhost/x",
        REDIS_URL="redis://localhost",
    )
    assert finished.returncode == 1
    assert "docker-compose.yml" in finished.stderr


def test_any_command_works_by_itself_from_any_folder_and_leaves_nothing_running(
    home: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    assert manage_from(elsewhere, home, "migrate").returncode == 0
    finished = manage_from(elsewhere, home, "load_demo")
    assert "Made the tenant Harbour Authority." in finished.stdout
    finished = manage_from(elsewhere, home, "create_api_key", "robot", "--tenant", "harbour")
    assert re.fullmatch(r"pandect_[0-9a-f]{32}_[\w-]{43}", finished.stdout.strip())
    assert await_gone(home) == []


@pytest.mark.parametrize("name", ["deep " * 20 + "öfter", "100%25", "a#b?c,d", "it's @ 5:00"])
def test_an_odd_folder_is_no_problem(tmp_path: Path, name: str) -> None:
    """A Unix socket's path has at most 107 bytes, and some characters mean something else in it."""
    home = tmp_path / name
    home.mkdir(parents=True)
    finished = manage(home, "migrate")
    assert finished.returncode == 0, finished.stderr
    assert await_gone(home) == []
