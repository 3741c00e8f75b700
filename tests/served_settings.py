"""The settings of the tests, for programs that they start: on the database that the tests have filled."""

import os

from tests.settings import *  # noqa: F403

DATABASES["default"]["NAME"] = os.environ["PANDECT_TEST_DATABASE"]  # noqa: F405
