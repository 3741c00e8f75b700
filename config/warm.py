"""Load what takes long when the web server begins, beside it: whoever asks first need not wait."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, MutableMapping
from threading import Thread
from typing import Any

THRESHOLDS = (50_000, 20, 100)  # New objects until the young are looked at, and how often the older.
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


def settle() -> None:
    """Look for garbage less often, and never again at what was there when the process began.

    A search makes tens of thousands of objects and hardly a cycle, and looking took a tenth of its time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


class Warmed:
    """Begins to load with the lifespan of the process, which commands and workers do not have."""

    def __init__(self, application: Application, load: Callable[[], None]) -> None:
        self.application = application
        self.load = load

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            Thread(target=self.load, name="warm").start()
        await self.application(scope, receive, send)
