"""Load the models that searches need, before the first one asks for them."""

from __future__ import annotations

import logging
import time

from search.backends import BackendError, embedder, next_embedder, reranker
from search.backends.embedders.base import EmbedderError
from search.backends.rerankers.base import RerankerError

logger = logging.getLogger(__name__)


def load_models() -> None:
    """Load what is declared. What cannot be loaded is said: searches go on without, and say so too."""
    began = time.monotonic()
    for declared in (embedder, next_embedder, reranker):
        try:
            if (found := declared()) is not None:
                found.load()
        except (BackendError, EmbedderError, RerankerError) as error:
            logger.warning("A model is not loaded: %s", error)
    logger.info("Models are loaded after %.1f s.", time.monotonic() - began)
