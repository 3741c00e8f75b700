"""The frame around all converters: formats, encodings, and the process that converts."""

from __future__ import annotations

import io
import json
import logging
import multiprocessing
import signal
import subprocess
import sys
import time
import zipfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.convert import EXTENSIONS, Converted, child, convert_file, convert_in_child
from documents.convert.formats import FORMATS, MAX_UNPACKED, detect_format
from documents.convert.text import convert_markdown, convert_text, decode
from documents.errors import ConversionError, Encrypted, NoText, OverLimit, Unreadable, Unsupported
from tests.processes import DATA, is_alive

NASTY = DATA / "nasty"
MANIFEST = NASTY / "manifest.jsonl"


def zipped(**members: bytes | str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


def office(folder: str) -> bytes:
    return zipped(**{"[Content_Types].xml": "<Types/>", f"{folder}/document.xml": "<x/>"})


FILES: list[tuple[str, bytes, str]] = [
    ("pdf", b"%PDF-1.7\n", "a.pdf"),
    ("pdf", b"\n\njunk%PDF-1.4\n", "a.bin"),
    ("docx", office("word"), "a.docx"),
    ("xlsx", office("xl"), "wrongly-named.docx"),
    ("pptx", office("ppt"), "a"),
    ("odt", zipped(mimetype="application/vnd.oasis.opendocument.text"), "a.zip"),
    ("epub", zipped(mimetype="application/epub+zip"), "a.epub"),
    ("rtf", b"{\\rtf1 text}", "letter.doc"),
    ("html", b"<!-- saved --><!DOCTYPE html><html><p>x", "page.doc"),
    ("html", b"\xef\xbb\xbf<html><p>x", "page.txt"),
    ("html", "<html><p>x".encode("utf-16"), "page"),
    ("html", b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', "a.xml"),
    ("html", b"<div>text</div>", "page"),
    ("md", b"<div align=center>\n\n# Title", "readme.md"),
    ("xml", b'<?xml version="1.0"?><act/>', "act.txt"),
    ("xml", b"<act><p>x</p></act>", "act.xml"),
    ("eml", b"From: a@b.c\nTo: d@e.f\nSubject: x\n\nbody", "message"),
    ("txt", b"From: a@b.c\nTo: d@e.f\nSubject: x\n\nbody", "message.txt"),
    ("json", b'{"a": 1}', "data"),
    ("txt", b'{"a": 1}', "data.txt"),
    ("csv", b"a,b\n1,2\n", "table.CSV"),
    ("txt", b"plain words", "notes"),
    ("txt", b"plain words", "notes.docx"),
    ("md", b"# Title", "a.b.markdown"),
]


@pytest.mark.parametrize(("expected", "content", "name"), FILES)
def test_a_format_is_decided_by_content_before_extension(expected: str, content: bytes, name: str) -> None:
    assert detect_format(content, name) is FORMATS[expected]


def test_every_extension_leads_to_a_format() -> None:
    assert {EXTENSIONS[name] for name in EXTENSIONS} == set(FORMATS)
    assert EXTENSIONS["htm"] == "html"


@pytest.mark.parametrize(
    ("content", "name", "kind", "words"),
    [
        (b"", "a.md", NoText, "The file is empty."),
        (b" \r\n\x00", "a.txt", NoText, "The file is empty."),
        (bytes(range(256)) * 8, "a", Unsupported, "not read here"),
        (b"\x89PNG\r\n" + bytes(range(32)) * 9, "a.png", Unsupported, "an image"),
        (bytes(range(32)) * 9, "a.docx", Unreadable, "not what its name says (Word)"),
        (office("word")[:60], "a.docx", Unreadable, "cut short"),
        (zipped(readme="x"), "a.zip", Unsupported, "an archive of other files"),
        (zipped(mimetype="application/vnd.oasis.opendocument.spreadsheet"), "a.ods", Unsupported, "xlsx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.doc", Unreadable, "damaged"),
    ],
)
def test_a_file_that_is_not_read_is_refused_with_reason(
    content: bytes, name: str, kind: type[ConversionError], words: str
) -> None:
    with pytest.raises(kind, match=words.replace("(", r"\(").replace(")", r"\)")):
        detect_format(content, name)


def test_an_archive_may_unpack_to_the_limit_and_not_beyond() -> None:
    allowed = MAX_UNPACKED - len("<Types/>")
    assert detect_format(sized(allowed), "a.docx") is FORMATS["docx"]
    with pytest.raises(OverLimit, match="unpacks to 256 MB"):
        detect_format(sized(allowed + 1), "a.docx")


def sized(size: int) -> bytes:
    """Claim a size in the directory of the archive without writing as much."""
    content = bytearray(office("word"))
    entry = content.rindex(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = size.to_bytes(4, "little")
    return bytes(content)


SAMPLES = {
    "utf-8": "§ 4.2 Größe — “quoted”",
    "utf-8-sig": "§ 4.2 Größe",
    "utf-16": "§ 4.2 Größe",
    "utf-16-le": "§ 4.2 The size of the fee",
    "utf-16-be": "§ 4.2 The size of the fee",
    "utf-32": "§ 4.2 Größe",
    "cp1252": "§ 4.2 Größe — “quoted”",
    "latin-1": "Article 5. Données à caractère personnel",
    "cp1250": "Artykuł 5. Przetwarzanie danych osobowych jest dopuszczalne, gdy wyrazi zgodę",
    "cp1251": "Статья 5. Обработка персональных данных",
    "koi8-r": "Статья 5. Обработка персональных данных",
    "cp866": "Статья 5. Обработка персональных данных",
    "cp1253": "Άρθρο 5. Η επεξεργασία δεδομένων προσωπικού χαρακτήρα",
    "cp1254": "Madde 5. Kişisel verilerin işlenme şartları açıkça belirtilmiştir",
    "cp1255": "סעיף 5. הגנת הפרטיות במידע אישי",
    "cp1256": "المادة الخامسة معالجة البيانات الشخصية",
    "cp932": "第五条　個人情報の取扱いに関する規定を定める。",
    "euc_jp": "第五条　個人情報の取扱いに関する規定を定める。",
    "gb18030": "第五条 处理个人信息应当遵循合法、正当、必要和诚信原则。",
    "big5": "第五條 個人資料之蒐集、處理或利用,應尊重當事人之權益",
    "euc_kr": "제5조 개인정보의 처리는 법률에 따라 이루어져야 한다.",
}


@pytest.mark.parametrize("encoding", SAMPLES)
def test_older_encodings_are_recognized(encoding: str) -> None:
    assert decode(SAMPLES[encoding].encode(encoding)) == SAMPLES[encoding]


def test_letters_that_two_alphabets_share_are_told_apart_by_language() -> None:
    text = (
        "A személyes adatok védelméről szóló törvény, amelyről a közgyűlés döntött. Az érintett "
        "hozzájárulása önkéntes, határozott és egyértelmű nyilvánítása az érintett akaratának, amellyel "
        "félreérthetetlen beleegyezését adja a rá vonatkozó személyes adatok teljes körű kezeléséhez."
    )
    assert decode(text.encode("cp1250")) == text


def test_utf_8_with_a_broken_place_stays_utf_8() -> None:
    text = "Größe, Öl, Übermaß, Äpfel, Straße, größer, süß"
    assert decode(text.encode() + b" \xff") == f"{text} \ufffd"


def test_line_ends_marks_and_controls_are_cleaned_away() -> None:
    content = b"\xef\xbb\xbfone\r\ntwo\rthree\x00\x07\tfour\n"
    assert convert_text(content, "a.txt").text == "one\ntwo\nthree\tfour\n"


def test_a_form_feed_at_a_line_end_begins_a_page() -> None:
    converted = convert_text(b"page one\n\fpage two\n\f\npage three\n\f", "a.txt")
    assert converted.text == "page one\npage two\n\npage three\n"
    assert converted.pages == (0, 9, 18)


def test_a_form_feed_inside_a_line_begins_no_page() -> None:
    assert convert_text(b"one\ftwo", "a.txt") == Converted(text="onetwo", is_markdown=False)


def test_markdown_and_plain_text_are_told_apart() -> None:
    assert convert_markdown(b"# A", "a.md").is_markdown
    assert not convert_text(b"# A", "a.txt").is_markdown


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff") | st.just("\n")))
def test_clean_text_keeps_its_offsets(text: str) -> None:
    if text.strip():
        assert convert_text(text.encode(), "a.txt").text == text
    else:
        with pytest.raises(NoText):
            convert_text(text.encode(), "a.txt")


@given(st.binary(max_size=300))
def test_any_bytes_become_text_or_a_reason(content: bytes) -> None:
    try:
        converted = convert_text(content, "a.txt")
    except (NoText, Unsupported):
        return
    assert not set(converted.text) & {"\x00", "\r", "\f"}
    assert list(converted.pages) == sorted(converted.pages)


def test_text_without_a_word_is_no_text() -> None:
    with pytest.raises(NoText, match="no words"):
        convert_file(b"--- ***", "a.md")


def test_more_characters_than_allowed_are_over_the_limit() -> None:
    assert convert_file(b"12345", "a.txt", characters=5).text == "12345"
    with pytest.raises(OverLimit, match="6 characters of text, which is more than the 5"):
        convert_file(b"123456", "a.txt", characters=5)


# The child process.


def test_a_child_returns_what_the_converter_does() -> None:
    content = "# Größe\n\n\U0001f600 text\n".encode()
    assert convert_in_child(content, "a.md") == convert_file(content, "a.md")


def test_a_child_reports_an_error_as_the_converter_does() -> None:
    with pytest.raises(NoText, match=r"^The file is empty\. Upload one with text in it\.$"):
        convert_in_child(b"", "a\x00\ud800.md")


def test_too_long_a_text_is_over_the_limit_of_the_child() -> None:
    with pytest.raises(OverLimit, match="more than the 5"):
        convert_in_child(b"123456", "a.txt", characters=5)


def test_time_is_bounded_by_the_clock() -> None:
    content = b"a,b\n" + b"1,2\n" * 1_000_000
    started = time.monotonic()
    with pytest.raises(OverLimit, match=r"took longer than 0\.5 seconds"):
        convert_in_child(content, "a.csv", seconds=0.5)
    assert time.monotonic() - started < 10


def test_memory_is_bounded() -> None:
    with pytest.raises(OverLimit, match="needs more than 100 MB"):
        convert_in_child(b"a,b\n" + b"1,2\n" * 1_000_000, "a.csv", megabytes=100)


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the program that runs in the child."""
    path = tmp_path / "runner.py"
    monkeypatch.setattr(child, "RUNNER", path)
    return path


GOOD = {"text": "x", "is_markdown": True, "pages": [0], "title": "", "warnings": []}


@pytest.mark.parametrize(
    "report",
    [
        "garbage",
        "",
        "[]",
        "3",
        json.dumps({"text": "x"}),
        json.dumps(GOOD | {"pages": ["x"]}),
        json.dumps(GOOD | {"pages": [5]}),
        json.dumps(GOOD | {"pages": [1, 0]}),
        json.dumps(GOOD | {"text": "x" * 200}),
        json.dumps({"error": "KeyError", "message": "x"}),
    ],
)
def test_a_report_that_is_not_one_makes_the_file_unreadable(runner: Path, report: str) -> None:
    runner.write_text(f"print({report!r}, end='')")
    with pytest.raises(Unreadable, match="cannot be read"):
        convert_in_child(b"x", "a.txt", characters=100)


def test_a_good_report_is_taken(runner: Path) -> None:
    runner.write_text(f"print({json.dumps(GOOD)!r})")
    assert convert_in_child(b"x", "a.txt") == Converted(text="x", pages=(0,))


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (signal.SIGSEGV, Unreadable),
        (signal.SIGABRT, Unreadable),
        (signal.SIGXCPU, OverLimit),
        (signal.SIGKILL, OverLimit),
    ],
)
def test_a_crash_is_explained(runner: Path, number: signal.Signals, kind: type[ConversionError]) -> None:
    runner.write_text(f"import os\nos.kill(os.getpid(), {int(number)})")
    with pytest.raises(kind):
        convert_in_child(b"x", "a.txt")


def test_an_unforeseen_error_is_logged_without_words_of_the_document(
    runner: Path, caplog: pytest.LogCaptureFixture
) -> None:
    runner.write_text("raise ValueError('secret words of the document')")
    with caplog.at_level(logging.WARNING), pytest.raises(Unreadable):
        convert_in_child(b"x", "a.txt")
    assert "status 1 ValueError" in caplog.text
    assert "runner.py" in caplog.text
    assert "secret" not in caplog.text


def test_endless_output_harms_nobody(runner: Path) -> None:
    runner.write_text("import sys\nfor _ in range(200): sys.stdout.write('x' * 100_000)")
    with pytest.raises(Unreadable):
        convert_in_child(b"x", "a.txt", characters=100)


def test_a_child_inherits_no_secret_and_leaves_nothing_behind(
    runner: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")
    seen = tmp_path / "seen.json"
    runner.write_text(
        "import json, os, pathlib, subprocess, sys\n"
        "pathlib.Path('left.txt').write_text('x')\n"
        "orphan = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(seen)!r}).write_text(json.dumps([dict(os.environ), os.getcwd(), orphan.pid]))\n"
    )
    with pytest.raises(Unreadable):
        convert_in_child(b"x", "a.txt")
    variables, folder, orphan = json.loads(seen.read_text())
    assert set(variables) == {"HOME", "TMPDIR", "LC_ALL", "OMP_NUM_THREADS", "MALLOC_ARENA_MAX"}
    assert not Path(folder).exists()
    assert ended(orphan)


def ended(process: int) -> bool:
    """Wait for the kernel to clear away a killed process."""
    try:
        orphan = psutil.Process(process)
    except psutil.NoSuchProcess:
        return True
    deadline = time.monotonic() + 30
    while is_alive(orphan) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_alive(orphan)


CONFINED = """
import importlib.util, os, resource, socket, subprocess, sys
spec = importlib.util.spec_from_file_location("runner", {runner!r})
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)
{before}
runner.confine(60, 512)
{attempt}
"""
CONNECT = "socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5)"
WITHOUT_HOOK = "sys.addaudithook = lambda hook: None"
WITHOUT_NAMESPACE = "runner.leave_network = lambda libc: False"


def run_confined(before: str, attempt: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    runner = str(Path(child.__file__).with_name("__main__.py"))
    script = CONFINED.format(runner=runner, before=before, attempt=attempt)
    return subprocess.run(
        [sys.executable, "-I", "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def listener() -> Any:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()


def test_without_confinement_the_listener_would_answer(listener: tuple[str, int]) -> None:
    before = "runner.confine = lambda *limits: None"
    assert run_confined(before, CONNECT, listener[0], str(listener[1])).returncode == 0


def test_a_connection_is_refused_where_the_kernel_gives_no_namespace(listener: tuple[str, int]) -> None:
    result = run_confined(WITHOUT_NAMESPACE, CONNECT, listener[0], str(listener[1]))
    assert "PermissionError: socket." in result.stderr


def test_a_connection_finds_no_network_inside_the_namespace(listener: tuple[str, int]) -> None:
    probe = "import ctypes; print(runner.leave_network(ctypes.CDLL(None, use_errno=True)))"
    if "True" not in run_confined("runner.confine = lambda *limits: None", probe).stdout:
        pytest.skip("the kernel gives no network namespace here")
    result = run_confined(WITHOUT_HOOK, CONNECT, listener[0], str(listener[1]))
    assert "OSError" in result.stderr or "unreachable" in result.stderr


@pytest.mark.parametrize(
    "attempt",
    [
        "subprocess.run(['true'])",
        "os.system('true')",
        "os.fork()",
        "socket.socket(socket.AF_UNIX)",
        "socket.getaddrinfo('localhost', 80)",
        "os.kill(1, 0)",
    ],
)
def test_a_confined_process_reaches_nothing(attempt: str) -> None:
    assert "PermissionError" in run_confined(WITHOUT_NAMESPACE, attempt).stderr


def test_limits_cannot_be_raised_again() -> None:
    attempt = "print([resource.getrlimit(kind) for kind in (resource.RLIMIT_DATA, resource.RLIMIT_CORE)])"
    assert run_confined("", attempt).stdout.strip() == f"[({512 * 1024**2}, {512 * 1024**2}), (0, 0)]"


def convert_for_parent(answer: Connection) -> None:
    answer.send(convert_in_child(b"# A", "a.md").text)


def test_a_daemonic_worker_can_convert() -> None:
    context = multiprocessing.get_context("fork")  # As Celery makes its workers.
    receiver, sender = context.Pipe(duplex=False)
    worker = context.Process(target=convert_for_parent, args=(sender,), daemon=True)
    worker.start()
    assert receiver.poll(60)
    assert receiver.recv() == "# A"
    worker.join(60)


# Hostile and odd files.


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (b"<html>" + b"<div>" * 10_000 + b"the text", "a.html", "the text"),
        (b"<p>" + b"<b><i>" * 10_000 + b"the text", "a.html", "the text"),
        (b"word " * 200_000, "a.txt", "word " * 200_000),
        (b"<html><p>a" + b" " * 1_000_000 + b"b", "a.html", "a b"),
        (b"<?xml version='1.0'?>" + b"<a>" * 5_000 + b"x", "a.xml", Unreadable),
        (b"<?xml version='1.0'?>" + b"<a>" * 600 + b"x" + b"</a>" * 600, "a.xml", Unreadable),
        (b"[" * 100_000, "a.json", Unreadable),
        (b"<html><div class=nav>" + b"a" * 1_000_000, "a.html", "a" * 1_000_000),
    ],
)
def test_extreme_files_are_read_or_refused_in_time(
    content: bytes, name: str, expected: str | type[ConversionError]
) -> None:
    if isinstance(expected, str):
        assert convert_in_child(content, name, seconds=30).text == expected
    else:
        with pytest.raises(expected):
            convert_in_child(content, name, seconds=30)


def rows() -> list[dict[str, str]]:
    if not MANIFEST.exists():
        return []
    lines = [json.loads(line) for line in MANIFEST.read_text().splitlines()]
    return [row for row in lines if row["file"].split("/")[0] in {"text", "synthetic", "legislation"}]


@pytest.mark.skipif(not MANIFEST.exists(), reason="the folder of nasty files is not here")
@pytest.mark.parametrize("row", rows(), ids=lambda row: row["file"])
def test_nasty_files_become_what_their_manifest_expects(row: dict[str, str]) -> None:
    content = (NASTY / row["file"]).read_bytes()
    if row["expect"] == "reject":
        with pytest.raises(Unsupported):
            convert_in_child(content, row["file"])
    elif content:
        assert len(convert_in_child(content, row["file"]).text) > 10
    else:
        with pytest.raises(NoText):
            convert_in_child(content, row["file"])


@pytest.mark.skipif(not MANIFEST.exists(), reason="the folder of nasty files is not here")
def test_an_encrypted_office_file_is_refused_as_such() -> None:
    with pytest.raises(Encrypted, match="Remove the password"):
        convert_in_child((NASTY / "office/tika_protected_normal_case.docx").read_bytes(), "a.docx")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", rb'{"a\u0000b": "words \u001b[2J here", "title": "x\u0007y"}'),
        ("a.eml", b"Subject: =?utf-8?q?a=00b?=\nFrom: a\x00b <a@example.org>\n\nWords.\n"),
        ("a.html", b"<title>He&#27;ad</title><h1>He&#27;[2J&#7;ad</h1><p>Words.</p>"),
    ],
)
def test_no_character_that_databases_refuse_or_terminals_obey_comes_through(
    name: str, content: bytes
) -> None:
    converted = convert_in_child(content, name)
    everything = converted.text + converted.title + "".join(converted.warnings)
    assert [char for char in everything if ord(char) < 32 and char not in "\n\t"] == []
