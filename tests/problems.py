"""What the API says is wrong."""

from __future__ import annotations

from typing import Any


def fields_of(problem: dict[str, Any]) -> list[str]:
    """Return the fields that a problem names, each once, without what is below them."""
    return list(dict.fromkeys(error["field"].partition(".")[0] for error in problem.get("errors", ())))


def messages_of(problem: dict[str, Any]) -> list[str]:
    return [error["message"] for error in problem["errors"]]
