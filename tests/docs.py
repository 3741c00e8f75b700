"""Run the examples of the documentation."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from tests.processes import ROOT


@cache
def example(name: str) -> dict[str, Any]:
    """Run all Python of a page, and return what it defines."""
    blocks = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "docs" / name).read_text(), re.DOTALL | re.MULTILINE
    )
    defined: dict[str, Any] = {}
    exec("\n".join(blocks), defined)  # noqa: S102
    return defined
