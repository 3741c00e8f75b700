"""The formats that markitdown reads well enough as they are: old Excel workbooks and notebooks."""

from __future__ import annotations

import io
import warnings
from pathlib import PurePath

from markitdown import MarkItDown, StreamInfo
from markitdown._exceptions import MarkItDownException

from documents.convert.converted import Converted
from documents.errors import NoText, Unreadable


def convert_other(content: bytes, name: str) -> Converted:
    """Convert with markitdown, which knows the format by the extension."""
    extension = PurePath(name).suffix.lower() if name.lower().endswith(".ipynb") else ".xls"
    try:
        with warnings.catch_warnings(category=DeprecationWarning, action="ignore"):  # Of pandas, about xlrd.
            result = MarkItDown(enable_plugins=False).convert_stream(
                io.BytesIO(content), stream_info=StreamInfo(extension=extension, filename=name)
            )
    except MarkItDownException as error:
        raise Unreadable(
            "The file is damaged or was cut short. Save it again in the program that made it and upload that."
        ) from error
    text = result.markdown.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").strip()
    if not text:
        raise NoText("There are no words in the file. Upload one with text in it.")
    return Converted(f"{text}\n", title=(result.title or "").strip())
