"""PostgreSQL and Redis that come with the package, for whoever has none of their own.

Both run from files under one folder and listen on Unix sockets only. Whatever needs one calls its
`ensure()`; the first process to do so starts the server, the last one to leave stops it.
"""

from config.embedded.errors import EmbeddedError

__all__ = ["EmbeddedError"]
