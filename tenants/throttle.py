"""How often a key, or a person, may ask in a minute: counted in Redis, by all web processes together."""

from __future__ import annotations

import logging
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings
from redis import Redis, RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from tenants.authentication import Program

if TYPE_CHECKING:  # Its views look for throttles when they are imported.
    from rest_framework.views import APIView

logger = logging.getLogger(__name__)

MINUTE = 60


class ProgramThrottle(BaseThrottle):
    """Counts the minute that is running. Without Redis everybody may ask: an answer is worth more."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        return not isinstance(request.user, Program) or may_ask(request.user)

    def wait(self) -> float:
        return seconds_left()


def may_ask(program: Program) -> bool:
    """Count a request, whichever door it comes by, and tell whether it is one too many."""
    if not settings.API_RATE:
        return True
    minute = int(time.time()) // MINUTE
    return count(f"pandect:asked:{program.id}:{minute}") <= settings.API_RATE


def seconds_left() -> float:
    """Return for how long the minute goes on."""
    return MINUTE - time.time() % MINUTE


def count(name: str) -> int:
    """Count one more of a name, which is forgotten after a while; nothing if Redis does not answer."""
    try:
        with _redis(settings.API_RATE_REDIS_URL).pipeline() as pipeline:
            pipeline.incr(name)
            pipeline.expire(name, 2 * MINUTE)
            return int(pipeline.execute()[0])
    except RedisError as error:
        _tell(str(error), int(time.time()) // MINUTE)
        return 0


@lru_cache(maxsize=1)
def _tell(error: str, minute: int) -> None:
    """Log it once in a minute, which may have hundreds of requests."""
    logger.warning("Requests are not counted: %s", error)


@lru_cache(maxsize=1)
def _redis(url: str) -> Redis:
    return Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)
