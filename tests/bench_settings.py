"""The product's own settings, with an embedder that knows the vectors of the questions already."""

from config.settings import *  # noqa: F403

SEARCH_BACKENDS = {
    **SEARCH_BACKENDS,  # noqa: F405
    "embedder": {"BACKEND": "tests.bench_fill.GivenEmbedder", "OPTIONS": {"folder": str(HOME.path)}},  # noqa: F405
}
