"""Rebuild the Word and the PDF file from their sources: `python -m documents.demo.build`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from documents.demo import FOLDER
from documents.demo.write_docx import write_docx
from documents.demo.write_pdf import write_pdf

WRITERS: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "berth-licence.docx": ("berth-licence.txt", write_docx),
    "mooring-standard.pdf": ("mooring-standard.md", write_pdf),
}


def build_file(name: str) -> bytes:
    """Return what the file of that name holds when it is built from its source."""
    source, write = WRITERS[name]
    return write((FOLDER / "sources" / source).read_text(encoding="utf-8"))


def build_demo(folder: Path = FOLDER) -> None:
    """Write every file that has a source into the folder."""
    for name in WRITERS:
        (folder / name).write_bytes(build_file(name))


if __name__ == "__main__":
    build_demo()
