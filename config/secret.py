"""A secret key for whoever runs this on their own machine and has set none."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from config.embedded.errors import EmbeddedError
from config.embedded.home import Home


def local_secret_key(home: Home) -> str:
    """Return the key of this installation, made on first use and readable by its owner only."""
    path = home.folder("keys") / "secret_key"
    try:
        if not path.exists():
            _write_once(path, secrets.token_urlsafe(50))
        return path.read_text()
    except OSError as error:
        raise EmbeddedError(
            f"Cannot keep the secret key in {path}: {error.strerror}. Run this as the user that {home.path} "
            "belongs to, free some space, or set PANDECT_HOME to another folder."
        ) from error


def _write_once(path: Path, text: str) -> None:
    """Two first starts at once agree on one key."""
    new = path.with_suffix(f".{os.getpid()}")
    try:
        new.touch(mode=0o600)
        new.write_text(text)
        os.link(new, path)
    except FileExistsError:
        pass
    finally:
        new.unlink(missing_ok=True)
