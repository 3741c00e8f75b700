"""Where the embedded servers keep their files."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from config.embedded.errors import EmbeddedError

LONGEST_SOCKET_PATH = 103  # sockaddr_un holds 108 bytes on Linux and 104 on macOS, with the final NUL.
LONGEST_SOCKET_NAME = len("/.s.PGSQL.5432.lock")
# A broker's URL and PostgreSQL's list of socket folders read these as their own.
SPECIAL_IN_SOCKET_PATHS = set('%#?,\\"')
# pg_ctl passes paths through a shell.
REFUSED_IN_PATHS = set('"\\$`\n')
SHARED_TEMPORARY = Path("/tmp")  # noqa: S108
LEAST_FREE_BYTES = 200 * 1024 * 1024


@dataclass(frozen=True)
class Home:
    """The folder of one installation: data, logs, sockets and locks."""

    path: Path

    @property
    def logs(self) -> Path:
        return self._folder(self.path / "log")

    @property
    def locks(self) -> Path:
        return self._folder(self.path / "lock")

    @property
    def sockets(self) -> Path:
        """A folder whose path is short and plain enough for a Unix socket."""
        folder = self.path / "run"
        is_short = len(os.fsencode(folder)) + LONGEST_SOCKET_NAME <= LONGEST_SOCKET_PATH
        if is_short and not SPECIAL_IN_SOCKET_PATHS & set(str(folder)):
            return self._folder(folder)
        digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:12]
        folder = self._folder(temporary_folder() / f"pandect-{os.getuid()}-{digest}")
        self._refuse_foreign(folder)
        return folder

    def folder(self, name: str) -> Path:
        return self._folder(self.path / name)

    def tidy(self) -> None:
        """Remove the folder of the sockets if it is outside; whoever still uses it keeps it."""
        if not self.sockets.is_relative_to(self.path):
            with suppress(OSError):
                self.sockets.rmdir()

    def require_usable(self) -> None:
        if found := REFUSED_IN_PATHS & set(str(self.path)):
            raise EmbeddedError(
                f"The path {self.path} contains {' '.join(sorted(found))}, which PostgreSQL's tools "
                "cannot take. "
                "Set PANDECT_HOME to a folder with a plainer name."
            )
        free = shutil.disk_usage(self._folder(self.path)).free
        if free < LEAST_FREE_BYTES:
            raise EmbeddedError(
                f"The disk of {self.path} is full ({free // 2**20} MB free, {LEAST_FREE_BYTES // 2**20} MB "
                "needed). Free some space, or set PANDECT_HOME to a folder on another disk."
            )

    def _folder(self, path: Path) -> Path:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise EmbeddedError(
                f"Cannot create {path}: {error.strerror}. Set PANDECT_HOME to a folder that you may write to."
            ) from error
        return path

    def _refuse_foreign(self, folder: Path) -> None:
        """Another user could have put a folder of this guessable name into the temporary folder."""
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise EmbeddedError(f"{folder} belongs to somebody else. Set PANDECT_HOME to a shorter path.")
        folder.chmod(0o700)


def temporary_folder() -> Path:
    """The same for every process, whatever TMPDIR each was given: they would not meet elsewhere."""
    return SHARED_TEMPORARY if os.access(SHARED_TEMPORARY, os.W_OK) else Path(tempfile.gettempdir())
