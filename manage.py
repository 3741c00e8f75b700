#!/usr/bin/env python3
"""Django's command line."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line

        from config.embedded import EmbeddedError
    except ImportError as error:
        sys.exit(f"manage.py: {error}. Run `make install`, then `.venv/bin/python manage.py …`.")
    try:
        execute_from_command_line(sys.argv)
    except EmbeddedError as error:
        sys.exit(f"manage.py: {error}")


if __name__ == "__main__":
    main()
