"""The documents of a fictional port, which belong together and show what the product is for."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent

DEMO_FILES: tuple[Path, ...] = (
    FOLDER / "harbour-safety-act.md",
    FOLDER / "berth-licence.docx",
    FOLDER / "mooring-standard.pdf",
    FOLDER / "data-protection-policy.html",
    FOLDER / "pilotage-notice.txt",
)
