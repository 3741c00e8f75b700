"""A secret key for whoever runs this on their own machine and has set none."""

from __future__ import annotations

import os
import secrets

from config.embedded.home import Home


def local_secret_key(home: Home) -> str:
    """Return the key of this installation, made on first use and readable by its owner only."""
    path = home.folder("keys") / "secret_key"
    if not path.exists():
        new = path.with_suffix(f".{os.getpid()}")
        with open(os.open(new, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(new, path)  # Two first starts at once agree on one key.
        except FileExistsError:
            pass
        finally:
            new.unlink()
    return path.read_text()
