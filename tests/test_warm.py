"""Models are loaded when a web process begins, beside it, and what cannot be loaded does not stop it."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from config.warm import THRESHOLDS, Warmed, settle
from search.backends.embedders.base import EmbedderMissing
from search.backends.embedders.hashed import HashedEmbedder
from search.backends.rerankers.overlap import OverlapReranker
from search.warm import load_models
from tests.agents import web_server

SECONDS = 120
LOADED: list[str] = []
MISSING = "The embedded model has no weights here. Install them."


class Loading(HashedEmbedder):
    def load(self) -> None:
        LOADED.append(self.model)


class Missing(HashedEmbedder):
    def load(self) -> None:
        raise EmbedderMissing(MISSING)


class LoadingReranker(OverlapReranker):
    def load(self) -> None:
        LOADED.append("reranker")


@pytest.fixture(autouse=True)
def nothing_loaded() -> None:
    LOADED.clear()


def declared(name: str, **options: Any) -> dict[str, Any]:
    return {"BACKEND": f"{__name__}.{name}", "OPTIONS": options}


def test_garbage_is_looked_for_less_often_once_all_is_there() -> None:
    before = gc.get_threshold()
    try:
        settle()
        assert gc.get_threshold() == THRESHOLDS
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


class TestModels:
    def test_of_every_declared_backend_are_loaded(self, settings: Any, caplog: Any) -> None:
        settings.SEARCH_BACKENDS = settings.SEARCH_BACKENDS | {
            "embedder": declared("Loading"),
            "next_embedder": declared("Loading", dimensions=32),
            "reranker": declared("LoadingReranker"),
        }
        load_models()
        assert LOADED == ["hashed-64", "hashed-32", "reranker"]
        assert [record.levelname for record in caplog.records if record.levelname == "WARNING"] == []

    def test_that_are_missing_are_named_and_the_others_loaded(self, settings: Any, caplog: Any) -> None:
        settings.SEARCH_BACKENDS = settings.SEARCH_BACKENDS | {
            "embedder": declared("Missing"),
            "reranker": declared("LoadingReranker"),
        }
        load_models()
        assert LOADED == ["reranker"]
        assert f"A model is not loaded: {MISSING}" in caplog.messages

    def test_that_are_declared_wrongly_are_named(self, settings: Any, caplog: Any) -> None:
        settings.SEARCH_BACKENDS = settings.SEARCH_BACKENDS | {"embedder": declared("Nobody")}
        load_models()
        (said,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert said.startswith("A model is not loaded: SEARCH_BACKENDS['embedder']: ")


class Application:
    """An application that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["type"])


async def nothing(*_: object) -> Any:
    raise AssertionError("Nothing is received or sent here.")


class TestServer:
    def test_begins_while_the_models_are_loaded(self) -> None:
        application, may_end, ended = Application(), threading.Event(), threading.Event()

        def load() -> None:
            assert may_end.wait(SECONDS)
            ended.set()

        asyncio.run(Warmed(application, load)({"type": "lifespan"}, nothing, nothing))
        assert application.asked == ["lifespan"]
        assert not ended.is_set()
        may_end.set()
        assert ended.wait(SECONDS)

    def test_loads_nothing_for_a_request(self) -> None:
        application = Application()
        asyncio.run(Warmed(application, lambda: LOADED.append("again"))({"type": "http"}, nothing, nothing))
        assert application.asked == ["http"]
        assert LOADED == []

    @pytest.mark.system
    @pytest.mark.django_db(transaction=True)
    def test_says_that_its_models_are_loaded_before_anybody_searches(self, tmp_path: Path) -> None:
        with web_server(tmp_path):
            deadline = time.monotonic() + SECONDS
            while "Models are loaded" not in (tmp_path / "web.log").read_text():
                assert time.monotonic() < deadline, (tmp_path / "web.log").read_text()
                time.sleep(0.1)
