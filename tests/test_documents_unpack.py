"""Zips, folders and names, as they come from strangers."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import unpack
from documents.errors import BadName
from documents.names import MOST_CHARACTERS, clean_name
from documents.unpack import Incoming, expand_upload, read_folder, read_path

LARGEST = 1_000_000


def zipped(files: dict[str, bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def expand(name: str, content: bytes, largest: int = LARGEST) -> list[Incoming]:
    return list(expand_upload(name, content, largest=largest))


class TestNames:
    @pytest.mark.parametrize(
        ("given", "kept"),
        [
            ("act.md", "act.md"),
            (" acts / harbour.docx ", "acts/harbour.docx"),
            ("acts\\harbour.docx", "acts/harbour.docx"),
            ("/acts//./harbour.docx", "acts/harbour.docx"),
            ("Cafe\u0301.txt", "Caf\u00e9.txt"),
            ("条例.pdf", "条例.pdf"),
            ("x" * MOST_CHARACTERS, "x" * MOST_CHARACTERS),
            ("a..b", "a..b"),
        ],
    )
    def test_have_one_spelling(self, given: str, kept: str) -> None:
        assert clean_name(given) == kept

    @pytest.mark.parametrize(
        "name",
        ["", " ", "/", ".", "..", "../act.md", "a/../b", "a\\..\\b", "a\0b", "a\nb", "a\x7fb", "a\ud800b"],
    )
    def test_that_cannot_be_kept_are_refused(self, name: str) -> None:
        with pytest.raises(BadName, match=r"\.$"):
            clean_name(name)

    @pytest.mark.parametrize("name", ["act\u202efdp.exe", "act\u2028.md", "x" * (MOST_CHARACTERS + 1)])
    def test_that_deceive_or_overflow_are_refused(self, name: str) -> None:
        with pytest.raises(BadName):
            clean_name(name)

    @given(st.text(max_size=50))
    def test_stay_as_they_are_once_cleaned(self, name: str) -> None:
        try:
            cleaned = clean_name(name)
        except BadName:
            return
        assert clean_name(cleaned) == cleaned
        assert not cleaned.startswith("/")
        cleaned.encode()


class TestZips:
    def test_yield_their_files_in_the_order_of_names(self) -> None:
        content = zipped({"b.md": b"B", "acts/a.md": b"A", "acts/": b""})
        assert expand("laws.zip", content) == [Incoming("acts/a.md", b"A"), Incoming("b.md", b"B")]

    def test_leave_out_what_systems_put_there(self) -> None:
        names = ["__MACOSX/._a.md", ".DS_Store", "a/.git/config", "Thumbs.db", "a/real.md"]
        assert [file.name for file in expand("x.zip", zipped(dict.fromkeys(names, b"x")))] == ["a/real.md"]

    @pytest.mark.parametrize("part", ["[Content_Types].xml", "mimetype"])
    def test_that_are_documents_are_not_opened(self, part: str) -> None:
        content = zipped({part: b"", "word/document.xml": b"<w/>"})
        assert expand("contract.zip", content) == [Incoming("contract.zip", content)]

    @pytest.mark.parametrize("name", ["contract.docx", "sheet.xlsx", "slides.pptx", "book.epub", "text.odt"])
    def test_are_known_by_their_name_too(self, name: str) -> None:
        content = zipped({"a.md": b"A"})
        assert expand(name, content) == [Incoming(name, content)]

    @pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", zipped({"a.md": b"A"})[:30]])
    def test_that_are_none_come_as_they_are(self, content: bytes) -> None:
        assert expand("laws.zip", content) == [Incoming("laws.zip", content)]

    @pytest.mark.parametrize("name", ["/etc/passwd", "../up.md", "a/../../up.md", "C:/x.md", "..\\up.md"])
    def test_never_lead_out(self, name: str) -> None:
        bad, good = expand("laws.zip", zipped({name: b"x", "~good.md": b"G"}))
        assert (bad.content, bad.problem.split(".")[0]) == (b"", "Its path leads out of the archive")
        assert good == Incoming("~good.md", b"G")

    def test_are_read_only_as_far_as_a_file_may_go(self) -> None:
        content = zipped({"at.txt": os.urandom(1000), "over.txt": os.urandom(1001)})
        at, over = expand("laws.zip", content, largest=1000)
        assert (len(at.content), at.problem) == (1000, "")
        assert (over.content, over.problem[:12]) == (b"", "The file has")

    def test_that_lie_about_their_sizes_are_read_no_further(self) -> None:
        content = bytearray(zipped({"big.txt": os.urandom(5000)}))
        for offset in (content.rfind(b"PK\x01\x02") + 24, 22):
            content[offset : offset + 4] = (10).to_bytes(4, "little")
        (found,) = expand("laws.zip", bytes(content), largest=1000)
        assert found.content == b""
        assert found.problem

    def test_that_blow_up_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(unpack, "SMALL", 1000)
        flat, blown = expand("laws.zip", zipped({"a": b"0" * 1000, "b": b"0" * 900_000}))
        assert (len(flat.content), flat.problem) == (1000, "")
        assert "unpacks to far more than it seems" in blown.problem

    def test_hold_a_limited_number_of_files(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(unpack, "MOST_FILES", 3)
        exactly = expand("x.zip", zipped({f"{n}.md": b"x" for n in range(3)}))
        assert [file.problem for file in exactly] == [""] * 3
        over = expand("x.zip", zipped({f"{n}.md": b"x" for n in range(5)}))
        assert [bool(file.problem) for file in over] == [False, False, False, True]
        assert over[-1].problem == "The archive holds 5 files, and 3 is the most. Split it."

    def test_hold_a_limited_amount_in_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(unpack, "MOST_TOTAL", 2000)
        found = expand("x.zip", zipped({f"{n}.md": os.urandom(900) for n in range(4)}))
        assert [len(file.content) for file in found] == [900, 900, 0, 0]
        assert found[2].problem.startswith("The archive unpacks to more than")

    def test_in_zips_stay_closed(self) -> None:
        inner, after = expand("x.zip", zipped({"inner.zip": zipped({"a": b"A"}), "z.md": b"Z"}))
        assert inner.problem == "An archive inside an archive is not opened. Unpack it and upload its files."
        assert after == Incoming("z.md", b"Z")

    def test_with_a_damaged_file_yield_the_others(self) -> None:
        content = bytearray(zipped({"a.md": b"A" * 100, "b.md": b"B"}))
        content[35:40] = b"\xff" * 5
        damaged, sound = expand("x.zip", bytes(content))
        assert damaged.problem.startswith("It is damaged in the archive.")
        assert sound == Incoming("b.md", b"B")

    def test_with_a_password_say_so(self) -> None:
        content = bytearray(zipped({"a.md": b"A"}))
        for start in (6, content.rfind(b"PK\x01\x02") + 8):
            content[start] |= 1
        (found,) = expand("x.zip", bytes(content))
        assert found.problem.startswith("It is protected by a password.")

    def test_keep_names_in_any_script(self) -> None:
        assert [file.name for file in expand("x.zip", zipped({"条例/ä.md": b"x"}))] == ["条例/ä.md"]
        unflagged = zipfile.ZipInfo("x")
        unflagged.filename = "ä.md".encode().decode("cp437")
        assert unpack.entry_name(unflagged) == "ä.md"
        unflagged.filename = b"\x84.md".decode("cp437")
        assert unpack.entry_name(unflagged) == "ä.md"

    @given(st.binary(max_size=200), st.integers(0, 150), st.integers(0, 255))
    def test_never_raise_whatever_their_bytes(self, noise: bytes, place: int, byte: int) -> None:
        content = bytearray(zipped({"a.md": b"A" * 50, "b/c.md": noise}))
        content[place % len(content)] = byte
        for found in expand("x.zip", bytes(content)):
            assert found.problem or isinstance(found.content, bytes)


class TestFolders:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        for name in ("b.md", "acts/a.md", ".hidden", ".git/config", "__MACOSX/x"):
            path = tmp_path / "corpus" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(name.encode())
        return tmp_path / "corpus"

    def test_yield_their_files_by_relative_names(self, folder: Path) -> None:
        found = list(read_folder(folder, largest=LARGEST))
        assert found == [Incoming("b.md", b"b.md"), Incoming("acts/a.md", b"acts/a.md")]

    def test_open_the_zips_in_them(self, folder: Path) -> None:
        (folder / "more.zip").write_bytes(zipped({"c.md": b"C"}))
        found = {file.name: file.content for file in read_folder(folder, largest=LARGEST)}
        assert found["more.zip/c.md"] == b"C"

    def test_are_not_left_by_links(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "secret.md").write_text("secret")
        (folder / "link.md").symlink_to(tmp_path / "secret.md")
        (folder / "up").symlink_to(tmp_path)
        os.mkfifo(folder / "pipe.md")
        assert [file.name for file in read_folder(folder, largest=LARGEST)] == ["b.md", "acts/a.md"]

    def test_say_which_file_is_too_large_without_reading_it(self, folder: Path) -> None:
        (folder / "at.bin").write_bytes(b"x" * 10)
        (folder / "over.bin").write_bytes(b"x" * 11)
        found = {file.name: file for file in read_folder(folder, largest=10)}
        assert found["at.bin"].content == b"x" * 10
        assert found["over.bin"].problem.startswith("The file has 0.0 MB, and 0 MB is the most.")

    def test_say_which_file_cannot_be_opened(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(self: Path, *args: object, **kwargs: object) -> object:
            if self.name == "b.md":
                raise PermissionError(13, "Permission denied")
            return original(self, *args, **kwargs)

        original: Callable[..., object] = Path.open
        monkeypatch.setattr(Path, "open", refuse)
        bad, good = read_folder(folder, largest=LARGEST)
        assert bad.problem == "It cannot be opened: Permission denied. Check its permissions."
        assert good == Incoming("acts/a.md", b"acts/a.md")

    @pytest.mark.parametrize(("name", "expected"), [("b.md", ["b.md"]), ("", ["b.md", "acts/a.md"])])
    def test_and_files_are_told_apart(self, folder: Path, name: str, expected: list[str]) -> None:
        assert [file.name for file in read_path(folder / name, largest=LARGEST)] == expected

    def test_a_zip_alone_yields_the_names_inside(self, tmp_path: Path) -> None:
        (tmp_path / "laws.zip").write_bytes(zipped({"a/b.md": b"B"}))
        assert list(read_path(tmp_path / "laws.zip", largest=LARGEST)) == [Incoming("a/b.md", b"B")]
