"""Decide which converter reads a file: by what is in it first, by its extension second."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath

import olefile  # type: ignore[import-untyped]

from documents.convert.converted import Converted
from documents.errors import Encrypted, NoText, OverLimit, Unreadable, Unsupported

Converter = Callable[[bytes, str], Converted]

MAX_UNPACKED = 256 * 1024 * 1024
SNIFFED = 8192


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file: what people call it, how its files end, and who reads it."""

    title: str
    extensions: tuple[str, ...]
    path: str

    def load(self) -> Converter:
        """Import the converter only now: each child pays for one of them."""
        module, _, name = self.path.partition(":")
        converter: Converter = getattr(import_module(module), name)
        return converter


FORMATS = {
    "pdf": Format("PDF", ("pdf",), "documents.convert.pdf:convert_pdf"),
    "docx": Format("Word", ("docx", "docm", "dotx", "dotm"), "documents.convert.docx:convert_docx"),
    "doc": Format("Word 97", ("doc", "dot"), "documents.convert.doc:convert_doc"),
    "odt": Format("OpenDocument text", ("odt", "ott", "fodt"), "documents.convert.odt:convert_odt"),
    "rtf": Format("Rich Text", ("rtf",), "documents.convert.rtf:convert_rtf"),
    "md": Format("Markdown", ("md", "markdown", "mdown", "mkd"), "documents.convert.text:convert_markdown"),
    "txt": Format("plain text", ("txt", "text"), "documents.convert.text:convert_text"),
    "html": Format("web page", ("html", "htm", "xhtml"), "documents.convert.hypertext:convert_html"),
    "xml": Format("XML", ("xml",), "documents.convert.markup:convert_xml"),
    "epub": Format("EPUB", ("epub",), "documents.convert.epub:convert_epub"),
    "eml": Format("e-mail", ("eml", "mht", "mhtml"), "documents.convert.eml:convert_eml"),
    "msg": Format("Outlook message", ("msg",), "documents.convert.outlook:convert_msg"),
    "xlsx": Format("Excel", ("xlsx", "xlsm", "xltx"), "documents.convert.sheets:convert_xlsx"),
    "xls": Format("Excel 97", ("xls", "xlt"), "documents.convert.others:convert_other"),
    "ipynb": Format("notebook", ("ipynb",), "documents.convert.others:convert_other"),
    "csv": Format("table in text", ("csv", "tsv", "tab"), "documents.convert.sheets:convert_csv"),
    "pptx": Format("PowerPoint", ("pptx", "pptm", "ppsx", "potx"), "documents.convert.slides:convert_pptx"),
    "json": Format("JSON", ("json", "jsonl", "ndjson"), "documents.convert.structured:convert_json"),
}
EXTENSIONS = {extension: key for key, known in FORMATS.items() for extension in known.extensions}
TEXTUAL = frozenset({"md", "txt", "html", "xml", "eml", "csv", "json", "ipynb"})
READABLE = ", ".join(f"{known.title} (.{known.extensions[0]})" for known in FORMATS.values())

PACKAGES = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
MIMETYPES = (
    ("application/epub+zip", "epub"),
    ("application/vnd.oasis.opendocument.text", "odt"),
)
OTHER_OFFICE = {
    "PowerPoint Document": ("an old PowerPoint presentation", "Save it as .pptx"),
}
UNKNOWN = "in a format that is not read here"
IMAGE = ("an image, in which no text is read", "Recognize its text with a scanner program")
ARCHIVE = ("an archive", "Unpack it")
MEDIA = ("a recording", "Write down what it says")
PROGRAM = ("a program", "Take a document instead")
MAGIC = (
    (b"\x89PNG\r\n", IMAGE), (b"\xff\xd8\xff", IMAGE), (b"GIF8", IMAGE), (b"II*\x00", IMAGE),
    (b"MM\x00*", IMAGE), (b"BM", IMAGE), (b"RIFF", MEDIA), (b"\x1f\x8b", ARCHIVE), (b"BZh", ARCHIVE),
    (b"7z\xbc\xaf", ARCHIVE), (b"Rar!\x1a", ARCHIVE), (b"\xfd7zXZ", ARCHIVE), (b"ID3", MEDIA),
    (b"OggS", MEDIA), (b"\x7fELF", PROGRAM), (b"MZ", PROGRAM),
    (b"SQLite format 3\x00", ("a database", "Export it as CSV")),
)  # fmt: skip
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

PREAMBLE = re.compile(rb"(?:\s+|<!--.*?-->|<\?.*?\?>|<!(?!doctype)[^>]*>)*", re.DOTALL | re.IGNORECASE)
HTML_START = re.compile(rb"<(?:!doctype\s+html|html[\s>/])", re.IGNORECASE)
HTML_BLOCK = re.compile(
    rb"<(?:head|body|script|style|title|meta|div|table|p|h[1-6]|center|font|[uo]l|article)\b", re.IGNORECASE
)
XML_START = re.compile(rb"\s*<\?xml[\s?]", re.IGNORECASE)
MAIL_HEADER = re.compile(
    rb"^(?:from|to|date|subject|mime-version|message-id|received|return-path|content-type):",
    re.MULTILINE | re.IGNORECASE,
)
CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"


def detect_format(content: bytes, name: str) -> Format:
    """Name the format of a file, or say why it cannot be read."""
    if not content.strip(b"\x00 \t\r\n\v\f"):
        raise NoText("The file is empty. Upload one with text in it.")
    return FORMATS[sniff_package(content) or sniff_text(content, extension_of(name))]


def extension_of(name: str) -> str:
    return PurePath(name).suffix.lower().lstrip(".")


def sniff_package(content: bytes) -> str | None:
    """Recognize the formats that announce themselves in their first bytes."""
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if content.startswith(b"PK") and content[2:4] in {b"\x03\x04", b"\x05\x06", b"\x07\x08"}:
        return sniff_zip(content)
    if content.startswith(OLE_MAGIC):
        return sniff_ole(content)
    if content[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        return "rtf"
    return None


def sniff_zip(content: bytes) -> str:
    with open_zip(content) as archive:
        names = archive.namelist()
        refuse_bomb(archive)
        mimetype = read_mimetype(archive) if "mimetype" in names else ""
    found = next((key for start, key in MIMETYPES if mimetype.startswith(start)), None)
    if found is None and "[Content_Types].xml" in names:
        found = next((key for folder, key in PACKAGES if any(n.startswith(folder) for n in names)), None)
    if found is None and mimetype.startswith("application/vnd.oasis.opendocument"):
        raise unsupported("an OpenDocument file other than text", "Save it as .xlsx or .pptx")
    if found is None:
        raise unsupported("an archive of other files", "Unpack it")
    return found


def open_zip(content: bytes) -> zipfile.ZipFile:
    """Open what begins like a zip archive."""
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Unreadable(
            "The file is damaged or was cut short. Save it again in the program that made it and upload that."
        ) from error


def refuse_bomb(archive: zipfile.ZipFile) -> None:
    """Add up what the parts claim to be, which is also the most that reading them can give."""
    size = sum(part.file_size for part in archive.infolist() if not part.filename.startswith(MEDIA_FOLDERS))
    if size > MAX_UNPACKED:
        raise OverLimit(
            f"The file unpacks to {size // 1024**2:,} MB of text and markup, which is more than the "
            f"{MAX_UNPACKED // 1024**2} MB that are read. Split it and upload the parts."
        )


MEDIA_FOLDERS = ("word/media/", "ppt/media/", "xl/media/", "Pictures/")


def read_mimetype(archive: zipfile.ZipFile) -> str:
    try:
        with archive.open("mimetype") as member:
            return member.read(200).decode("ascii", "replace").strip()
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError):
        return ""


def sniff_ole(content: bytes) -> str:
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as storage:
            streams = {parts[0] for parts in storage.listdir()}
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise Unreadable(
            "The file is damaged or was cut short. Save it again in the program that made it and upload that."
        ) from error
    if streams & {"EncryptedPackage", "EncryptionInfo"}:
        raise Encrypted("The file is protected by a password. Remove the password and upload it again.")
    if streams & {"Workbook", "Book"}:
        return "xls"
    for stream, (kind, cure) in OTHER_OFFICE.items():
        if stream in streams:
            raise unsupported(kind, cure)
    if any(stream.startswith("__properties") for stream in streams):
        return "msg"
    if "WordDocument" not in streams:
        raise unsupported(UNKNOWN, "Save it in another format")
    return "doc"


def unsupported(kind: str, cure: str) -> Unsupported:
    return Unsupported(f"The file is {kind}. {cure} and upload the result; what is read: {READABLE}.")


def sniff_text(content: bytes, extension: str) -> str:
    """Tell apart the formats that are text; a plain first line outweighs the extension."""
    named = EXTENSIONS.get(extension)
    if is_binary(content):
        raise refuse_binary(content, named)
    start = as_single_bytes(content)
    body = start[PREAMBLE.match(start).end() :]  # type: ignore[union-attr]  # It also matches nothing.
    if HTML_START.match(body) or (body.startswith(b"<") and b"<html" in body[:512].lower()):
        return "html" if named != "eml" else "eml"
    if XML_START.match(start) and named != "html":
        return "odt" if b"opendocument" in start and named == "odt" else "xml"
    if named in TEXTUAL:
        return named
    return next(guess_text(start, body), "txt")


def guess_text(start: bytes, body: bytes) -> Iterator[str]:
    """Yield what text of no known extension could be, the surest first."""
    if HTML_BLOCK.match(body):
        yield "html"
    head = re.split(rb"\r?\n\r?\n", start.lstrip(), maxsplit=1)[0]
    if MAIL_HEADER.match(head) and len(MAIL_HEADER.findall(head)) > 2:  # noqa: PLR2004
        yield "eml"
    if re.match(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])", start):
        yield "json"


def as_single_bytes(content: bytes) -> bytes:
    """Cut off the start of a text, in one byte per character whatever its encoding."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content[:SNIFFED].decode("utf-16", "replace").encode("latin-1", "replace")
    return content[: SNIFFED * 8].removeprefix(b"\xef\xbb\xbf")


def is_binary(content: bytes) -> bool:
    """Count control bytes; text in wide encodings has its own marks and is told apart by them."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")) or wide_encoding(content):
        return False
    start = content[: SNIFFED * 8]
    controls = len(start) - len(start.translate(None, CONTROLS))
    high = len(start.translate(None, bytes(range(128))))
    return controls * 50 > len(start) and (controls > 8 or high * 4 > len(start))  # noqa: PLR2004


def wide_encoding(content: bytes) -> str | None:
    """Recognize UTF-16 without its mark: every second byte of Western text is zero."""
    start = content[: SNIFFED - SNIFFED % 2]
    even, odd = start[::2].count(0), start[1::2].count(0)
    if len(start) < 4 or max(even, odd) * 4 < len(start) // 2 or min(even, odd) * 20 > max(even, odd):  # noqa: PLR2004
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def refuse_binary(content: bytes, named: str | None) -> Unreadable | Unsupported:
    for magic, (kind, cure) in MAGIC:
        if content.startswith(magic):
            return unsupported(kind, cure)
    if named is None:
        return unsupported(UNKNOWN, "Save it in another format")
    return Unreadable(
        f"The file is not what its name says ({FORMATS[named].title}), or it is damaged. "
        "Save it again in the program that made it and upload that."
    )
