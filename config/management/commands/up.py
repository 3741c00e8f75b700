"""Run the whole product on this machine."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psutil
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, connections, transaction

from config.celery import app
from config.database.settings import EMBEDDED
from config.embedded import postgres, redis
from config.supervise import Child, stop
from documents.load_demo import load_demo_documents
from search.backends import BackendError, contextualizer
from tenants import demo
from tenants.models import User

READY_SECONDS = 300  # On a busy machine; a program that ends meanwhile is noticed at once.
LOOKS_PER_CHECK = 10
READING_PROCESSES = 2
ASKING_PROCESSES = 2  # They wait for a provider, not for this machine.
SENDING_THREADS = 4  # They wait for receivers of webhooks, in one process.
MOST_EMBEDDING_PROCESSES = 4  # Each holds the model in its memory.


class Stopped(BaseException):
    """Somebody pressed Ctrl-C, or the system asked us to end.

    No `Exception`: raised in the middle of anything, it must not be taken for an error of that.
    """


class End:
    """Whether we were asked to end. Python drops what is raised inside a callback, so it is kept here too."""

    was_asked = False

    @classmethod
    def ask(cls, *_: object) -> None:
        cls.was_asked = True
        raise Stopped

    @classmethod
    def look(cls) -> None:
        if cls.was_asked:
            raise Stopped


class Command(BaseCommand):
    help = "Start PostgreSQL, Redis, the workers, their scheduler and the web server; Ctrl-C stops them."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        if settings.IS_PRODUCTION:
            raise CommandError(
                "`up` is for trying things out on one machine. In production run the services of "
                "docker-compose.yml."
            )
        with only_one(address(host, port)):
            require_free_port(host, port)
            os.environ["PANDECT_HOME"] = str(settings.HOME.path)  # Children start in another folder.
            children = [*workers(), self.beat(), self.web(host, port)]
            listen_for_end()
            try:
                self.prepare()
                self.start(children, host, port)
                self.watch(children)
            except Stopped:
                self.stdout.write("\nStopping.")
            finally:
                ignore_signals()
                stop(children)

    def prepare(self) -> None:
        with self.step("PostgreSQL"):
            connection.ensure_connection()
        with self.step("Redis"), app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1)
        with self.step("Migrations"):
            call_command("migrate", verbosity=0, interactive=False)
        with self.step("Demo"), transaction.atomic():
            if not User.objects.exists():  # What somebody has deleted stays away.
                list(demo.load_demo())
                list(load_demo_documents())
        with self.step("Static files"):
            call_command("collectstatic", verbosity=0, interactive=False)

    def start(self, children: list[Child], host: str, port: int) -> None:
        with self.step("Workers and web server"):
            for child in children:
                child.start()
            self.await_ready(children, address(host, port) + "readyz")
        self.stdout.write(welcome(address(host, port)))
        self.stdout.flush()
        connections.close_all()  # From here on the children do the work.

    def await_ready(self, children: list[Child], url: str) -> None:
        deadline = time.monotonic() + READY_SECONDS
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # Never through a proxy.
        answer = "no answer"
        while time.monotonic() < deadline:
            self.require_alive(children)
            try:
                with opener.open(url, timeout=30):
                    return
            except urllib.error.HTTPError as error:
                answer = error.read().decode(errors="replace")
            except OSError as error:
                answer = str(error)
            time.sleep(0.2)
        raise CommandError(f"Not ready after {READY_SECONDS} s: {answer}. See {settings.HOME.logs}.")

    def watch(self, children: list[Child]) -> None:
        while True:
            for _ in range(LOOKS_PER_CHECK):
                self.require_alive(children)
                time.sleep(0.5)
            require_servers()

    def require_alive(self, children: list[Child]) -> None:
        End.look()
        for child in children:
            if (status := child.status()) is not None:
                require_servers()  # A child that ended for want of one is not the one to name.
                raise CommandError(
                    f"The {child.name} ended by itself (status {status}). "
                    f"{child.log} says:\n{child.last_words()}"
                )

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self.stdout.write(f"  {name:<24}", ending="")
        self.stdout.flush()
        begun = time.monotonic()
        try:
            yield
        except BaseException:
            self.stdout.write("")
            raise
        End.look()
        self.stdout.write(f"{time.monotonic() - begun:5.1f} s")
        self.stdout.flush()

    def beat(self) -> Child:
        """Run the scheduler by itself: inside the worker it would outlive a worker that is killed."""
        return Child(
            "scheduler",
            [sys.executable, "-m", "celery", "-A", "config", "beat", "--loglevel", "INFO", "--pidfile="],
            log=settings.HOME.logs / "beat.log",
            folder=settings.BASE_DIR,
        )

    def web(self, host: str, port: int) -> Child:
        return Child(
            "web server",
            [
                *(sys.executable, "-m", "config.serve", "config.asgi:application"),
                *("--host", host, "--port", str(port), "--lifespan", "on"),
                *("--workers", str(settings.WEB_PROCESSES), "--timeout-worker-healthcheck", "30"),
                "--no-access-log",  # Addresses of search pages hold what people asked.
                "--no-proxy-headers",  # Anybody here could forge them.
            ],
            log=settings.HOME.logs / "web.log",
            folder=settings.BASE_DIR,
        )


def workers() -> list[Child]:
    """Keep apart what reads, what asks a provider, what embeds and what sends: none waits behind another."""
    reading = ["celery", "convert"]
    if is_provider_asked():
        asking = [worker("contextualizer", ["contextualize"], ASKING_PROCESSES)]
    else:
        reading.append("contextualize")  # What may be left of a time when it was.
        asking = []
    embedding = min(len(os.sched_getaffinity(0)), MOST_EMBEDDING_PROCESSES)
    return [
        worker("worker", reading, READING_PROCESSES),
        *asking,
        worker("embedder", ["embed"], embedding),
        worker("sender", ["deliver"], SENDING_THREADS, "--pool", "threads"),
    ]


def is_provider_asked() -> bool:
    try:
        return not contextualizer().is_local
    except BackendError as error:
        raise CommandError(str(error)) from error


def worker(name: str, queues: list[str], at_once: int, *options: str) -> Child:
    """Make a worker for some queues. Its processes stay: each would have to load the model anew."""
    return Child(
        name,
        [
            *(sys.executable, "-m", "celery", "-A", "config", "worker"),
            *("--hostname", f"{name}@%h", "--queues", ",".join(queues)),
            *("--loglevel", "INFO", "--concurrency", str(at_once), *options),
        ],
        log=settings.HOME.logs / f"{name}.log",
        folder=settings.BASE_DIR,
    )


def welcome(url: str) -> str:
    roles = {
        "ada@example.org": "admin of Harbour Authority, reader of Meridian Standards",
        "edgar@example.org": "editor of Harbour Authority",
        "rosa@example.org": "reader of Harbour Authority",
        "mina@example.org": "admin of Meridian Standards",
        demo.OPERATOR: f"operator: {url}admin/",
    }
    present = set(User.objects.filter(email__in=roles, is_active=True).values_list("email", flat=True))
    people = [f"    {email:<22}{role}" for email, role in roles.items() if email in present]
    password = f"\n  Log in with the password {demo.PASSWORD}, unless you have changed it, as"
    return "\n".join(
        [
            f"\nPandect runs at {url}",
            *([password, *people] if people else []),
            f"\n  Logs are in {settings.HOME.logs}. Ctrl-C stops everything.\n",
        ]
    )


def address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def require_servers() -> None:
    """An embedded server that somebody has killed would leave the rest half alive."""
    if settings.DATABASES["default"]["ENGINE"] == EMBEDDED and not postgres.is_running(settings.HOME):
        raise CommandError(f"PostgreSQL ended by itself. {settings.HOME.logs / 'postgres.log'} may say why.")
    if settings.EMBEDDED_REDIS and not redis.is_running(settings.HOME):
        raise CommandError(f"Redis ended by itself. {settings.HOME.logs / 'redis.log'} may say why.")


@contextmanager
def only_one(url: str) -> Iterator[None]:
    """Refuse to run twice from one folder. The lock goes with the process, however it ends."""
    path = settings.HOME.locks / "up"
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise CommandError(
                f"Pandect runs from this folder already, at {file.read().strip()}. Stop that one first, "
                "or set PANDECT_HOME to another folder."
            ) from error
        file.truncate(0)
        file.write(url)
        file.flush()
        yield


def require_free_port(host: str, port: int) -> None:
    if port not in range(1, 65536):
        raise CommandError(f"There is no port {port}: choose one from 1 to 65535.")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CommandError(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
            raise CommandError(
                f"Port {port} is taken{taken_by(port)}. Stop that program, or choose another port: "
                f"`make up PORT={port + 1}`."
            ) from error


def taken_by(port: int) -> str:
    """Say by which program, if we may know."""
    with suppress(psutil.Error):
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port and found.pid:
                return f" by {psutil.Process(found.pid).name()} (process {found.pid})"
    return ""


def listen_for_end() -> None:
    set_handlers(End.ask)


def ignore_signals() -> None:
    """A second Ctrl-C must not leave half of it running."""
    signal.setitimer(signal.ITIMER_REAL, 0)  # Of manage.py, which may have been asked before us.
    set_handlers(signal.SIG_IGN)


def set_handlers(handler: Callable[..., None] | signal.Handlers) -> None:
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # As nohup leaves it.
        signal.signal(signal.SIGHUP, handler)
