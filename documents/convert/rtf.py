"""Read RTF: printed numbers stand in the file as text, so what is shown is what is kept."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from documents.convert.blocks import MAX_HEADING
from documents.convert.converted import Converted
from documents.convert.docx.body import DEEPEST_HEADING, escape
from documents.convert.docx.inline import UNPRINTED_FIELDS, flatten, tidy
from documents.convert.docx.styles import BODY_TEXT, CONTENTS_NAME, HEADING_NAME
from documents.convert.docx.symbols import read_symbol
from documents.convert.docx.tables import write_table
from documents.errors import NoText, Unreadable

TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]+)(?P<number>-?\d+)? ?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])"
    r"|(?P<brace>[{}])|[\r\n]+|(?P<text>[^\\{}\r\n]+)|\\"
)
CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
SYMBOL_CHARSET = 2
CHARACTERS = {
    "tab": " ", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "\u200d",
    "zwnj": "\u200c", "nestcell": " ", "nestrow": " ", "page": " ", "column": " ", "~": " ", "_": "-",
    "-": "", "\\": "\\", "{": "{", "}": "}",
}  # fmt: skip
SKIPPED = {
    "colortbl", "pict", "objdata", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr",
    "footerf", "ftnsep", "ftnsepc", "aftnsep", "xe", "tc", "tcn", "annotation", "filetbl", "sp",
    "nonesttables", "listpicture", "nonshppict", "author", "operator", "keywords", "comment", "subject",
    "doccomm", "company", "category", "manager", "hlinkbase", "creatim", "revtim", "printim", "buptim",
    "atnid",
}  # fmt: skip
ENTERED = {"shpinst", "ud", "shppict", "fldinst", "footnote"}  # Those marked \* whose inside matters.
SILENT = {"skip", "shape", "alternatives"}
CUT_SHORT = "The file ends in the middle. What stands before that is complete; upload a whole copy."


@dataclass(frozen=True, slots=True)
class State:
    """What holds inside one group."""

    target: str = "text"
    font: int = -1
    fallback: int = 1
    hidden: bool = False
    style: int = 0
    base: int = -1
    outline: int | None = None
    in_table: bool = False


@dataclass(frozen=True, slots=True)
class Style:
    name: str = ""
    outline: int | None = None
    base: int = -1


@dataclass(slots=True)
class Font:
    name: str = ""
    encoding: str = ""
    is_symbol: bool = False


@dataclass(slots=True)
class Block:
    """The paragraphs, rows and cells that are being put together."""

    blocks: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)


class Reader:
    """Reads a file from its first token to its last."""

    def __init__(self, content: bytes) -> None:
        self._source = content.decode("latin-1")
        self._state = State()
        self._stack: list[State] = []
        self._out = Block()
        self._encoding = "cp1252"
        self._fonts: dict[int, Font] = {}
        self._default_font = -1
        self._styles: dict[int, Style] = {}
        self._texts: dict[str, list[str]] = {}
        self._bytes = bytearray()
        self._bytes_encoding = ""
        self._to_skip = 0
        self._notes: list[list[str]] = []
        self._note_kinds: list[bool] = []
        self._words: dict[str, Callable[[int | None], None]] = {
            "par": lambda _: self._end_paragraph(),
            "sect": lambda _: self._end_paragraph(),
            "cell": lambda _: self._end_cell(),
            "row": lambda _: self._end_row(),
            "pard": lambda _: self._set(style=0, outline=None, in_table=False),
            "plain": lambda _: self._set(hidden=False, font=self._default_font),
            "intbl": lambda _: self._set(in_table=True),
            "s": lambda n: self._set(style=n or 0),
            "sbasedon": lambda n: self._set(base=-1 if n is None else n),
            "outlinelevel": lambda n: self._set(outline=n),
            "v": lambda n: self._set(hidden=n != 0),
            "deleted": lambda n: self._set(hidden=n != 0),
            "uc": lambda n: self._set(fallback=max(0, n or 0)),
            "f": self._choose_font,
            "deff": self._choose_default_font,
            "u": self._read_unicode,
            "ansicpg": lambda n: self._choose_encoding(f"cp{n}"),
            "mac": lambda _: self._choose_encoding("mac_roman"),
            "pc": lambda _: self._choose_encoding("cp437"),
            "pca": lambda _: self._choose_encoding("cp850"),
            "fcharset": self._read_charset,
            "footnote": lambda _: self._begin_note(),
            "ftnalt": lambda _: self._mark_endnote(),
            "fldinst": lambda _: self._begin_instruction(),
            "fldrslt": lambda _: self._begin_result(),
            "listtext": lambda _: self._set(target="number"),
            "pntext": lambda _: self._set(target="number"),
            "shpinst": lambda _: self._set(target="shape"),
            "shptxt": lambda _: self._emerge("shape"),
            "upr": lambda _: self._set(target="alternatives"),
            "ud": lambda _: self._emerge("alternatives"),
            "fonttbl": lambda _: self._set(target="fonts"),
            "stylesheet": lambda _: self._set(target="styles"),
            "info": lambda _: self._set(target="info"),
            "title": lambda _: self._set(target="title"),
        }

    def read(self) -> Converted:
        position = 0
        while match := TOKEN.match(self._source, position):
            position = match.end() + self._take(match)
        self._end_paragraph()
        self._end_table()
        notes = self._write_notes()
        text = "\n\n".join([*self._out.blocks, *notes])
        warnings = (CUT_SHORT,) if self._stack else ()
        return Converted(
            text=text,
            title=flatten(_join_surrogates("".join(self._texts.get("title", [])))),
            warnings=warnings,
        )

    def _take(self, match: re.Match[str]) -> int:
        """Act on one token; return how many bytes of binary data follow it."""
        if match["brace"]:
            self._enter_or_leave(match["brace"])
        elif match["word"]:
            return self._take_word(match["word"], match["number"])
        elif match["hex"]:
            self._take_bytes(bytes([int(match["hex"], 16)]))
        elif match["sign"]:
            self._take_sign(match["sign"], match.end())
        elif match["text"]:
            self._take_bytes(match["text"].encode("latin-1"))
        return 0

    def _enter_or_leave(self, brace: str) -> None:
        self._flush()
        self._to_skip = 0
        if brace == "{":
            self._stack.append(self._state)
        elif self._stack:
            self._leave()

    def _leave(self) -> None:
        left, self._state = self._state, self._stack.pop()
        if left.target == "styles" and self._state.target == "styles":
            self._define_style(left)

    def _take_word(self, word: str, number: str | None) -> int:
        self._flush()
        value = None if number is None else int(number[:9])
        if word == "bin":
            return max(0, value or 0)
        if self._to_skip and word != "u":
            self._to_skip -= 1
        if word in SKIPPED:
            self._set(target="skip")
        elif word in self._words:
            self._words[word](value)
        elif word in CHARACTERS:
            self._write(CHARACTERS[word])
        return 0

    def _take_sign(self, sign: str, position: int) -> None:
        self._flush()
        if sign == "*":
            match = TOKEN.match(self._source, position)
            if match and match["word"] not in ENTERED:
                self._set(target="skip")
        elif sign in "\r\n":
            self._end_paragraph()
        elif sign in CHARACTERS:
            self._write(CHARACTERS[sign])

    def _take_bytes(self, raw: bytes) -> None:
        if self._state.target in SILENT:
            return
        skipped = min(self._to_skip, len(raw))
        self._to_skip -= skipped
        font = self._fonts.get(self._state.font, Font())
        if font.is_symbol and self._state.target in ("text", "number"):
            self._write("".join(read_symbol(font.name, f"{byte:x}") for byte in raw[skipped:]))
            return
        encoding = font.encoding or self._encoding
        if encoding != self._bytes_encoding:
            self._flush()
        self._bytes_encoding = encoding
        self._bytes += raw[skipped:]

    def _flush(self) -> None:
        """Decode the bytes gathered so far: two of them may be one character."""
        if self._bytes:
            raw, self._bytes = bytes(self._bytes), bytearray()
            self._write(raw.decode(self._bytes_encoding, errors="replace"))

    def _write(self, text: str) -> None:
        if self._state.target in SILENT or self._state.hidden:
            return
        if self._state.target == "fonts":
            self._fonts.setdefault(self._state.font, Font()).name += text.rstrip(";")
        elif self._state.target == "note":
            self._notes[-1].append(text)
        else:
            self._texts.setdefault(self._state.target, []).append(text)

    def _set(self, **changes: object) -> None:
        if self._state.target == "skip" and "target" in changes:
            return
        if self._state.target == "note" and changes.get("target") == "number":
            return
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]

    def _emerge(self, target: str) -> None:
        """Read the text inside of what is otherwise not printed."""
        if self._state.target == target:
            self._set(target="text")

    def _choose_encoding(self, name: str) -> None:
        try:
            self._encoding = codecs.lookup(name).name
        except LookupError:
            self._encoding = "cp1252"

    def _choose_font(self, number: int | None) -> None:
        self._set(font=number or 0)

    def _choose_default_font(self, number: int | None) -> None:
        self._default_font = number or 0
        self._set(font=self._default_font)

    def _read_charset(self, charset: int | None) -> None:
        font = self._fonts.setdefault(self._state.font, Font())
        font.encoding = CHARSETS.get(charset or 0, "")
        font.is_symbol = charset == SYMBOL_CHARSET

    def _read_unicode(self, number: int | None) -> None:
        self._write(chr((number or 0) % 0x10000))
        self._to_skip = self._state.fallback

    def _begin_note(self) -> None:
        if self._state.target != "text":
            self._set(target="skip")
            return
        self._notes.append([])
        self._note_kinds.append(False)
        self._write(f"[^note{len(self._notes)}]")
        self._set(target="note")

    def _mark_endnote(self) -> None:
        if self._note_kinds:
            self._note_kinds[-1] = True

    def _begin_instruction(self) -> None:
        self._texts["instruction"] = []
        self._set(target="instruction")

    def _begin_result(self) -> None:
        name = "".join(self._texts.pop("instruction", [])).split()[:1]
        if name and name[0].upper() in UNPRINTED_FIELDS:
            self._set(target="skip")

    def _define_style(self, state: State) -> None:
        name = "".join(self._texts.pop("styles", [])).strip().rstrip(";").lower()
        heading = HEADING_NAME.match(name)
        outline = int(heading[1]) - 1 if heading else state.outline
        self._styles[state.style] = Style(name, 0 if name == "title" else outline, state.base)

    def _outline(self) -> int | None:
        """Ask the paragraph, then its style and those it is based on."""
        if self._state.outline is not None:
            return self._state.outline
        number = self._state.style
        for _ in range(len(self._styles)):
            style = self._styles.get(number, Style())
            if style.outline is not None:
                return style.outline
            number = style.base
        return None

    def _end_paragraph(self) -> None:
        self._flush()
        if self._state.target == "note":
            self._notes[-1].append(" ")
            return
        if self._state.target != "text":
            return
        block = self._take_paragraph()
        if self._state.in_table:
            self._out.cell.append(re.sub(r"^#+ ", "", block))
            return
        self._end_table()
        if block:
            self._out.blocks.append(block)

    def _take_paragraph(self) -> str:
        text = tidy(_join_surrogates("".join(self._texts.pop("text", []))))
        number = flatten("".join(self._texts.pop("number", [])))
        if number:
            number = f"{number} " if any(map(str.isalnum, number)) else "- "
        outline = self._outline()
        if not text or CONTENTS_NAME.match(self._styles.get(self._state.style, Style()).name):
            return "" if number == "- " or text else number.strip()
        if outline is None or outline >= BODY_TEXT or len(text) > MAX_HEADING:
            return escape(number + text)
        return f"{'#' * min(outline + 1, DEEPEST_HEADING)} {number.removeprefix('- ')}{flatten(text)}"

    def _end_cell(self) -> None:
        if self._state.target == "text":
            self._out.cell.append(re.sub(r"^#+ ", "", self._take_paragraph()))
            self._out.cells.append(" ".join(self._out.cell))
            self._out.cell = []

    def _end_row(self) -> None:
        if self._state.target == "text":
            self._out.rows.append(self._out.cells)
            self._out.cells = []

    def _end_table(self) -> None:
        if self._out.cell or self._out.cells:
            self._out.rows.append([*self._out.cells, " ".join(self._out.cell)])
            self._out.cells, self._out.cell = [], []
        if self._out.rows:
            self._out.blocks += filter(None, [write_table(self._out.rows)])
            self._out.rows = []

    def _write_notes(self) -> list[str]:
        """Number the notes, each kind for itself, where they are referred to and where they stand."""
        counts, labels = [0, 0], {}
        for number, is_endnote in enumerate(self._note_kinds, start=1):
            counts[is_endnote] += 1
            labels[f"[^note{number}]"] = f"[^{'e' if is_endnote else ''}{counts[is_endnote]}]"
        self._out.blocks = [
            re.sub(r"\[\^note\d+\]", lambda m: labels.get(m[0], m[0]), block) for block in self._out.blocks
        ]
        texts = (flatten(_join_surrogates("".join(note))) for note in self._notes)
        pairs = sorted(zip(self._note_kinds, labels.values(), texts, strict=True), key=lambda pair: pair[0])
        return [f"{label}: {text}".rstrip() for _, label, text in pairs]


def convert_rtf(content: bytes, name: str) -> Converted:
    """Convert an RTF file."""
    if not content[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        raise Unreadable(
            "The file is not RTF. Give it the ending of its real format, or save it again as DOCX."
        )
    converted = Reader(content).read()
    if not converted.text:
        raise NoText(
            "There is no text in the RTF file. If it holds scanned pages, recognize their text first."
        )
    return converted


def _join_surrogates(text: str) -> str:
    """Join the halves that RTF writes as two numbers; a half without the other is dropped."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
