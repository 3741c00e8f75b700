#!/usr/bin/env python3
"""Django's command line."""

import os
import signal
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line
        from django.db import ProgrammingError
        from psycopg.errors import UndefinedTable

        from config.embedded import EmbeddedError
    except ImportError as error:
        sys.exit(f"manage.py: {error}. Run `make install`, then `.venv/bin/python manage.py …`.")
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGALRM, leave)
    try:
        execute_from_command_line(sys.argv)
    except EmbeddedError as error:
        sys.exit(f"manage.py: {error}")
    except ProgrammingError as error:
        if not isinstance(error.__cause__, UndefinedTable):
            raise
        sys.exit("manage.py: The database has no tables yet. Run `manage.py migrate`, or `make up`.")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def leave(*_: object) -> None:
    """Leave properly, so that an embedded server that only we use is stopped.

    Python drops what is raised inside a callback, as while modules load: try again if we are still here.
    """
    signal.setitimer(signal.ITIMER_REAL, 1)
    sys.exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    main()
