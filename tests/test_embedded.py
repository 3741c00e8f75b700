"""The embedded servers: shared by processes, gone with the last of them, and clear when they cannot run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from redis import Redis

from config.embedded import EmbeddedError, postgres
from config.embedded import home as homes
from config.embedded.home import LONGEST_SOCKET_NAME, LONGEST_SOCKET_PATH, Home
from config.embedded.lease import Lease
from config.embedded.postgres import PostgresServer
from config.embedded.redis import RedisServer, socket_path
from config.secret import local_secret_key
from tests.processes import ROOT, environment


class Bell:
    """A server that only counts."""

    def __init__(self, *, broken: bool = False) -> None:
        self.running = False
        self.broken = broken
        self.events: list[str] = []

    def is_running(self) -> bool:
        return self.running

    def start(self) -> None:
        if self.broken:
            raise EmbeddedError("no")
        self.running = True
        self.events.append("start")

    def stop(self) -> None:
        self.running = False
        self.events.append("stop")


def interrupt() -> bool:
    raise KeyboardInterrupt


class TestLease:
    def test_starts_with_the_first_and_stops_with_the_last(self, tmp_path: Path) -> None:
        bell = Bell()
        one, other = Lease(bell, tmp_path, "bell"), Lease(bell, tmp_path, "bell")
        one.acquire()
        one.acquire()
        other.acquire()
        one.release()
        assert bell.events == ["start"]
        other.release()
        other.release()
        assert bell.events == ["start", "stop"]

    def test_takes_over_what_a_killed_process_left_running(self, tmp_path: Path) -> None:
        bell = Bell()
        bell.running = True
        lease = Lease(bell, tmp_path, "bell")
        lease.acquire()
        lease.release()
        assert bell.events == ["stop"]

    def test_keeps_nothing_when_the_server_does_not_start(self, tmp_path: Path) -> None:
        bell = Bell(broken=True)
        lease = Lease(bell, tmp_path, "bell")
        with pytest.raises(EmbeddedError):
            lease.acquire()
        assert bell.events == ["stop"]
        bell.broken = False
        bell.events.clear()
        other = Lease(bell, tmp_path, "bell")
        other.acquire()
        other.release()
        assert bell.events == ["start", "stop"]

    def test_that_cannot_be_written_is_one_clear_sentence(self, tmp_path: Path) -> None:
        bell = Bell()
        (tmp_path / "bell.gate").mkdir()
        with pytest.raises(
            EmbeddedError, match=r"Cannot write .*bell\.gate: Is a directory\. Set PANDECT_HOME"
        ):
            Lease(bell, tmp_path, "bell").acquire()
        assert bell.events == []

    def test_a_forked_child_keeps_the_server_when_its_parent_leaves(self, tmp_path: Path) -> None:
        bell = Bell()
        lease = Lease(bell, tmp_path, "bell")
        lease.acquire()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)  # Live until the parent says so.
            os._exit(0)
        os.close(reading)
        lease.release()
        assert bell.events == ["start"]
        os.close(writing)
        os.waitpid(child, 0)
        again = Lease(bell, tmp_path, "bell")
        again.acquire()
        again.release()
        assert bell.events == ["start", "stop"]

    def test_a_killed_process_leaves_no_lock(self, tmp_path: Path) -> None:
        script = (
            "import os, sys; from pathlib import Path; from config.embedded.lease import Lease;"
            "server = type('S', (), {'is_running': lambda s: True, 'stop': lambda s: None})();"
            "Lease(server, Path(sys.argv[1]), 'bell').acquire(); os.kill(os.getpid(), 9)"
        )
        killed = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, env=environment(tmp_path), check=False
        )
        assert killed.returncode == -9
        bell = Bell()
        lease = Lease(bell, tmp_path, "bell")
        lease.acquire()
        lease.release()
        assert bell.events == ["start", "stop"]


class TestHome:
    def test_keeps_sockets_inside_as_long_as_their_path_fits(self, tmp_path: Path) -> None:
        room = LONGEST_SOCKET_PATH - LONGEST_SOCKET_NAME - len("/run") - len(str(tmp_path)) - 1
        fits, too_long = Home(tmp_path / ("x" * room)), Home(tmp_path / ("x" * (room + 1)))
        assert fits.sockets == fits.path / "run"
        assert not too_long.sockets.is_relative_to(too_long.path)
        assert too_long.sockets.stat().st_mode & 0o777 == 0o700
        too_long.sockets.rmdir()

    @pytest.mark.parametrize("variable", ["/somewhere", "/" + "x" * 120])
    def test_is_found_by_processes_with_other_temporary_folders(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
    ) -> None:
        deep = Home(tmp_path / ("x" * 120))
        expected = deep.sockets
        monkeypatch.setattr(tempfile, "gettempdir", lambda: variable)
        assert deep.sockets == expected
        assert len(os.fsencode(expected)) + LONGEST_SOCKET_NAME <= LONGEST_SOCKET_PATH
        deep.tidy()
        assert not expected.exists()

    def test_takes_the_temporary_folder_of_the_system_where_the_shared_one_is_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(homes, "SHARED_TEMPORARY", tmp_path / "missing")
        monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
        assert Home(tmp_path / ("x" * 120)).sockets.parent == tmp_path

    def test_does_not_trust_a_folder_that_somebody_else_could_have_made(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(homes, "SHARED_TEMPORARY", tmp_path)
        deep = Home(tmp_path / ("x" * 120))
        expected = deep.sockets
        expected.rmdir()
        expected.symlink_to(tmp_path)
        with pytest.raises(EmbeddedError, match="belongs to somebody else"):
            _ = deep.sockets

    @pytest.mark.parametrize(("spare", "is_full"), [(0, False), (1, True)])
    def test_says_when_the_disk_is_full(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: int, is_full: bool
    ) -> None:
        usage = shutil.disk_usage(tmp_path)._replace(free=5 * 2**20)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
        monkeypatch.setattr(homes, "LEAST_FREE_BYTES", usage.free + spare)
        home = Home(tmp_path)
        if not is_full:
            home.require_usable()
            return
        with pytest.raises(EmbeddedError, match=r"is full \(5 MB free.*set PANDECT_HOME"):
            PostgresServer(home).start()
        assert not (tmp_path / "postgres").exists()

    def test_says_when_it_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(EmbeddedError, match=r"Cannot create .* Set PANDECT_HOME"):
            _ = Home(tmp_path / "file" / "home").logs


class TestPostgres:
    def test_says_which_version_made_the_data(self, tmp_path: Path) -> None:
        (tmp_path / "postgres").mkdir()
        (tmp_path / "postgres" / "PG_VERSION").write_text("17\n")
        with pytest.raises(EmbeddedError, match="was made by PostgreSQL 17, and this is 18"):
            PostgresServer(Home(tmp_path)).start()

    def test_finishes_what_a_killed_first_start_left_undone(self, tmp_path: Path) -> None:
        server = PostgresServer(Home(tmp_path))
        server.start()
        try:
            with server._connect("postgres") as connection:
                connection.execute("DROP DATABASE pandect")
            assert not server.is_running()
            server.start()
            assert server.is_running()
        finally:
            server.stop()
        assert not server.is_running()
        server.stop()

    def test_takes_an_empty_folder_for_a_new_one(self, tmp_path: Path) -> None:
        (tmp_path / "postgres").mkdir()
        server = PostgresServer(Home(tmp_path))
        server.start()
        try:
            assert server.is_running()
        finally:
            server.stop()

    def test_a_server_too_busy_to_answer_is_not_taken_for_gone(self, tmp_path: Path) -> None:
        server = PostgresServer(Home(tmp_path))
        server.start()
        oldest = int((server.data / "postmaster.pid").read_text().splitlines()[0])
        os.kill(oldest, signal.SIGSTOP)
        awake = threading.Timer(7, os.kill, [oldest, signal.SIGCONT])  # pg_isready gives up after 5 s.
        awake.start()
        try:
            assert server.is_running()
            assert not awake.is_alive()
        finally:
            awake.join()
            server.stop()
        assert not server.is_running()

    def test_says_why_it_does_not_start(self, tmp_path: Path) -> None:
        server = PostgresServer(Home(tmp_path))
        server._initialize()
        (server.data / "global" / "pg_control").unlink()
        with pytest.raises(EmbeddedError, match=r"failed \(pg_ctl\).*set DATABASE_URL"):
            server.start()

    @pytest.mark.parametrize(
        ("log", "sentence"),
        [
            ("FATAL: could not write: No space left on device", "is full. Free some space"),
            ("LOG: hello\nFATAL: something else", "FATAL: something else"),
            ("initdb: could not look up user", "could not look up user"),
            ("", "no reason given"),
        ],
    )
    def test_explains_itself(self, tmp_path: Path, log: str, sentence: str) -> None:
        server = PostgresServer(Home(tmp_path))
        assert sentence in server._explain("pg_ctl", log)


class TestRedis:
    def test_keeps_what_was_written_when_it_is_killed(self, tmp_path: Path) -> None:
        server = RedisServer(Home(tmp_path))
        server.start()
        with Redis(unix_socket_path=str(socket_path(server.home))) as client:
            client.set("key", "value")
            client.execute_command("WAITAOF", 1, 0, 5000)  # Until it is on disk.
        assert server.process is not None
        server.process.kill()
        server.process.wait()
        assert not server.is_running()
        server.start()
        with Redis(unix_socket_path=str(socket_path(server.home))) as client:
            assert client.get("key") == b"value"
        server.stop()
        assert not server.is_running()

    @pytest.mark.parametrize("is_known", [True, False])
    def test_is_stopped_before_it_listens(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_known: bool
    ) -> None:
        server = RedisServer(Home(tmp_path))
        monkeypatch.setattr(server, "is_running", interrupt)
        with pytest.raises(KeyboardInterrupt):
            server.start()
        if not is_known:  # The request to end came before the new process was noted.
            started, server.process = server.process, None
        server.stop()
        assert server._processes() == []
        if not is_known:
            assert started is not None
            started.wait(60)

    def test_is_known_by_its_socket(self, tmp_path: Path) -> None:
        server = RedisServer(Home(tmp_path))
        server.start()
        try:
            assert server.process is not None
            assert [one.pid for one in server._processes()] == [server.process.pid]
        finally:
            server.stop()
        assert server._processes() == []

    def test_says_when_it_does_not_start(self, tmp_path: Path) -> None:
        home = Home(tmp_path)
        (home.folder("redis") / "appendonlydir").write_text("in the way")
        with pytest.raises(EmbeddedError, match=r"The embedded Redis did not start.*REDIS_URL"):
            RedisServer(home).start()


class TestSecretKey:
    def test_is_made_once_and_for_its_owner_only(self, tmp_path: Path) -> None:
        home = Home(tmp_path)
        key = local_secret_key(home)
        assert local_secret_key(home) == key
        assert len(key) >= 50
        path = tmp_path / "keys" / "secret_key"
        assert path.stat().st_mode & 0o777 == 0o600
        assert list(path.parent.iterdir()) == [path]

    def test_that_cannot_be_read_is_one_clear_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "keys" / "secret_key").mkdir(parents=True)
        with pytest.raises(EmbeddedError, match=r"Cannot keep the secret key in .* set PANDECT_HOME"):
            local_secret_key(Home(tmp_path))

    def test_differs_between_installations(self, tmp_path: Path) -> None:
        assert local_secret_key(Home(tmp_path / "a")) != local_secret_key(Home(tmp_path / "b"))


class TestBuffers:
    @pytest.mark.parametrize(
        ("limit", "megabytes"),
        [("268435456", 128), ("536870912", 128), ("1073741824", 256), ("max", None), ("", None)],
    )
    def test_a_quarter_of_what_a_container_may_use_within_bounds(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, megabytes: int | None
    ) -> None:
        monkeypatch.setattr(postgres, "CONTAINER_LIMIT", tmp_path / "memory.max")
        (tmp_path / "memory.max").write_text(f"{limit}\n")
        chosen = postgres.choose_buffers()
        assert postgres.LEAST_BUFFERS <= chosen <= postgres.MOST_BUFFERS
        assert megabytes is None or chosen == megabytes
