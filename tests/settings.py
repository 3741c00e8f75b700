"""The product's own settings, on scratch services that the tests start and throw away."""

import os
import tempfile

# Never somebody's real data or money, nor a setting of theirs: whatever the environment says, tests bring
# their own. What a test gives to a program that it starts on its database holds there.
THEIRS: tuple[str, ...] = ("ANTHROPIC_", "DATABASE_", "OPENAI_", "OTEL_", "REDIS_", "WEB_CONCURRENCY")
if "PANDECT_TEST_DATABASE" not in os.environ:
    THEIRS += ("PANDECT_",)
OURS = ("PANDECT_TEST_", "PANDECT_DATA", "PANDECT_QUERIES", "PANDECT_RECORD")  # What is said to the tests.
for name in [name for name in os.environ if name.startswith(THEIRS) and not name.startswith(OURS)]:
    del os.environ[name]
# The first process chooses the folder, and the parallel ones that it starts share it.
if "PANDECT_TEST_HOME" not in os.environ:
    os.environ["PANDECT_TEST_HOME"] = tempfile.mkdtemp(prefix="pandect-test-")
os.environ |= {"PANDECT_HOME": os.environ["PANDECT_TEST_HOME"], "PANDECT_SCRATCH": "1"}

from config.settings import *  # noqa: E402, F403

# Parallel processes share one Redis, and each has a numbered database of its own in it.
NUMBER = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
CELERY_BROKER_URL += f"?virtual_host={NUMBER}"  # noqa: F405

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
SEARCH_BACKENDS = {
    "contextualizer": {"BACKEND": "search.backends.contextualizers.structural.StructuralContextualizer"},
    "embedder": {
        "BACKEND": "search.backends.embedders.hashed.HashedEmbedder",
        "OPTIONS": {"dimensions": 64},
    },
    "keyword_index": {"BACKEND": "search.backends.keyword_indexes.postgres.PostgresKeywordIndex"},
}
