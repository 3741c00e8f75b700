"""Web requests share a few threads, first come, first served, and each of these keeps its connection."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any

import pytest
from django.db import connection, connections
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from config.threads import ThreadedHandler

THREADS, SECONDS = 3, 60
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
Handler = Callable[[HttpRequest], HttpResponse]


class Held:
    """Requests to `/wait` wait until they are let go. Of each it is known when it got its thread."""

    began: list[str]
    let_go: threading.Event


def tell(request: HttpRequest) -> JsonResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid() FROM pg_sleep(0.01)")
        (server,) = cursor.fetchone()
    return JsonResponse({"thread": threading.current_thread().name, "server": server})


def wait(request: HttpRequest) -> JsonResponse:
    Held.began.append(request.GET["number"])
    assert Held.let_go.wait(SECONDS)
    return JsonResponse({})


def say_threads(get_response: Handler) -> Handler:
    """Say in which threads a middleware was before and after the view."""

    def middleware(request: HttpRequest) -> HttpResponse:
        before = threading.current_thread().name
        response = get_response(request)
        response["Threads"] = f"{before} {threading.current_thread().name}"
        return response

    return middleware


urlpatterns = [path("tell", tell), path("wait", wait)]


def make_handler(threads: int) -> Iterator[ThreadedHandler]:
    Held.began, Held.let_go = [], threading.Event()
    handler = ThreadedHandler(threads)
    yield handler
    together = threading.Barrier(threads)  # So that each thread has one of the calls.

    def close(_: int) -> None:
        together.wait(SECONDS)
        connections.close_all()

    list(handler.threads.map(close, range(threads)))
    handler.threads.shutdown()
    handler.beside.shutdown()


@pytest.fixture
def handler(settings: Any) -> Iterator[ThreadedHandler]:
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = []
    yield from make_handler(THREADS)


@pytest.fixture
def narrow(settings: Any) -> Iterator[ThreadedHandler]:
    """With one thread, and with middlewares of Django's own."""
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = [
        f"{__name__}.say_threads",
        "django.middleware.security.SecurityMiddleware",
        "django.middleware.common.CommonMiddleware",
    ]
    settings.ALLOWED_HOSTS = ["testserver"]
    yield from make_handler(1)


async def ask(
    handler: ThreadedHandler, address: str = "/tell", *, leaves: asyncio.Event | None = None
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the headers and the body of an answer; nothing to a client that leaves before it."""
    place, _, asked = address.partition("?")
    scope: dict[str, Any] = {"type": "http", "method": "GET", "path": place, "query_string": asked.encode()}
    scope["headers"] = [(b"host", b"testserver")]
    messages: list[Mapping[str, Any]] = []
    bodies: list[dict[str, Any]] = [{"type": "http.request", "body": b""}]

    async def receive() -> dict[str, Any]:
        if bodies:
            return bodies.pop()
        await (asyncio.Future() if leaves is None else leaves.wait())
        return {"type": "http.disconnect"}

    async def send(message: Mapping[str, Any]) -> None:
        messages.append(message)

    await handler(scope, receive, send)
    if leaves is not None and not messages:
        return {}, {}
    start, body = messages
    assert start["status"] == 200
    return {name.decode(): value.decode() for name, value in start["headers"]}, json.loads(body["body"])


def ask_often(handler: ThreadedHandler, times: int) -> list[dict[str, Any]]:
    async def all_at_once() -> list[dict[str, Any]]:
        return [body for _, body in await asyncio.gather(*(ask(handler) for _ in range(times)))]

    return asyncio.run(all_at_once())


def test_requests_beyond_the_threads_wait_and_are_answered(handler: ThreadedHandler) -> None:
    answers = ask_often(handler, 20)
    assert len(answers) == 20
    assert len({one["thread"] for one in answers}) <= THREADS
    assert len({one["server"] for one in answers}) <= THREADS


def test_whoever_came_first_is_answered_first(narrow: ThreadedHandler) -> None:
    numbers = [str(number) for number in range(20)]

    async def one_after_the_other() -> None:
        asked = [asyncio.create_task(ask(narrow, f"/wait?number={number}")) for number in numbers]
        await until(lambda: Held.began == ["0"] and waiting(narrow) == 19)
        Held.let_go.set()
        await asyncio.gather(*asked)

    run(one_after_the_other())
    assert Held.began == numbers


def test_whoever_leaves_the_line_takes_no_thread(narrow: ThreadedHandler) -> None:
    async def leave() -> None:
        leaves = [asyncio.Event() for _ in range(3)]
        asked = [
            asyncio.create_task(ask(narrow, f"/wait?number={number}", leaves=leaves[number]))
            for number in range(3)
        ]
        await until(lambda: Held.began == ["0"] and waiting(narrow) == 2)
        leaves[1].set()
        assert await asked[1] == ({}, {})
        Held.let_go.set()
        await asyncio.gather(*asked)

    run(leave())
    assert Held.began == ["0", "2"]


def test_a_request_is_in_one_thread_from_the_first_middleware_to_the_last(narrow: ThreadedHandler) -> None:
    headers, body = asyncio.run(ask(narrow))
    assert headers["Threads"] == f"{body['thread']} {body['thread']}"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert body["thread"].startswith("web")


def test_that_it_lives_is_said_when_all_threads_are_busy(narrow: ThreadedHandler) -> None:
    async def ask_meanwhile() -> dict[str, Any]:
        busy = asyncio.create_task(ask(narrow, "/wait?number=0"))
        await until(lambda: Held.began == ["0"])
        _, body = await ask(narrow, "/healthz")
        assert not busy.done()
        Held.let_go.set()
        await busy
        return body

    assert run(ask_meanwhile()) == {"status": "ok"}


def run(going: Coroutine[Any, Any, Any]) -> Any:
    """Run to the end, and let go of what waits whatever happens."""
    try:
        return asyncio.run(asyncio.wait_for(going, SECONDS))
    finally:
        Held.let_go.set()


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110  (Threads change it.)
        await asyncio.sleep(0.005)


def waiting(handler: ThreadedHandler) -> int:
    return handler.threads._work_queue.qsize()


# A thread counts as free only a moment after its answer is known, so with several another one might begin.
def test_the_next_request_has_the_connection_of_the_last(narrow: ThreadedHandler) -> None:
    first, second = ask_often(narrow, 1), ask_often(narrow, 1)
    assert first == second


def test_a_connection_that_was_dropped_is_made_anew(narrow: ThreadedHandler) -> None:
    (first,) = ask_often(narrow, 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [first["server"]])  # Waits for its end.
        assert cursor.fetchone() == (True,)
    (second,) = ask_often(narrow, 1)
    assert second["thread"] == first["thread"]
    assert second["server"] != first["server"]
