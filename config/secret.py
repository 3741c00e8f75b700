"""A secret key for whoever runs this on their own machine and has set none."""

from __future__ import annotations

import os
import secrets

from config.embedded.errors import EmbeddedError
from config.embedded.home import Home


def local_secret_key(home: Home) -> str:
    """Return the key of this installation, made on first use and readable by its owner only."""
    path = home.folder("keys") / "secret_key"
    if not path.exists():
        new = path.with_suffix(f".{os.getpid()}")
        new.touch(mode=0o600)
        new.write_text(secrets.token_urlsafe(50))
        try:
            os.link(new, path)  # Two first starts at once agree on one key.
        except FileExistsError:
            pass
        finally:
            new.unlink()
    try:
        return path.read_text()
    except PermissionError as error:
        raise EmbeddedError(
            f"{home.path} belongs to another user. Run this as that user, or set PANDECT_HOME to a folder "
            "of your own."
        ) from error
