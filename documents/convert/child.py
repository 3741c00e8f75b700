"""Convert a file in a process of its own, which can neither outgrow its limits nor reach anything."""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from documents import errors
from documents.convert.converted import Converted, clean_converted, clean_text

logger = logging.getLogger(__name__)
T = TypeVar("T")

RUNNER = Path(__file__).with_name("__main__.py")
MAX_CHARACTERS = 50_000_000
EXIT_MEMORY = 77  # Said by the runner when it has no memory left to say it in words.
REPORTED = {
    kind.__name__: kind
    for kind in (errors.Unreadable, errors.Unsupported, errors.Encrypted, errors.NoText, errors.OverLimit)
}
DAMAGED = (
    "The file cannot be read: it is damaged, or written in a way that is not understood here. "
    "Save it again in the program that made it, or as PDF, and upload that."
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one conversion may use."""

    seconds: float
    megabytes: int
    characters: int


def convert_in_child(
    content: bytes,
    name: str,
    *,
    seconds: float = 60,
    megabytes: int = 1024,
    characters: int = MAX_CHARACTERS,
) -> Converted:
    """Convert in a fresh process without network, secrets or more than the given time and memory."""
    limits = Limits(seconds, megabytes, characters)
    return ask_child({"name": name, "characters": characters}, content, limits, read_answer)


def ask_child(
    asked: dict[str, Any], content: bytes, limits: Limits, read: Callable[[IO[bytes], Limits], T]
) -> T:
    """Have something done with a file in a process of its own, and read what it answers."""
    with (
        tempfile.TemporaryDirectory(prefix="convert-", ignore_cleanup_errors=True) as scratch,
        tempfile.TemporaryFile() as request,
        tempfile.TemporaryFile() as answer,
        tempfile.TemporaryFile() as noise,
    ):
        write_request(request, content, asked, limits)
        status = run_child(scratch, request, answer, noise, limits)
        if status == 0:
            return read(answer, limits)
        log_failure(noise, status)
        raise explain_status(status, limits)


def write_request(request: IO[bytes], content: bytes, asked: dict[str, Any], limits: Limits) -> None:
    head = {**asked, "seconds": limits.seconds, "megabytes": limits.megabytes}
    request.write(json.dumps(head).encode() + b"\n")
    request.write(content)
    request.seek(0)


def run_child(
    scratch: str, request: IO[bytes], answer: IO[bytes], noise: IO[bytes], limits: Limits
) -> int | None:
    """Start the runner in a session of its own and end that whole session, whatever happens here."""
    command = [sys.executable, "-I", "-B", "-X", "utf8", str(RUNNER)]
    child = subprocess.Popen(  # noqa: S603
        command, stdin=request, stdout=answer, stderr=noise, cwd=scratch, env=environment(scratch),
        start_new_session=True, close_fds=True,
    )  # fmt: skip
    try:
        in_time = has_ended(child.pid, limits.seconds)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        status = child.wait()
    return status if in_time else None


def has_ended(process: int, seconds: float) -> bool:
    """Wait without taking the process off the kernel's list: until then nobody else can get its number."""
    watched = os.pidfd_open(process)
    try:
        poller = select.poll()
        poller.register(watched, select.POLLIN)
        return bool(poller.poll(seconds * 1000))
    finally:
        os.close(watched)


def environment(scratch: str) -> dict[str, str]:
    """Hand down no variable of ours: they hold addresses and keys."""
    return {
        "HOME": scratch,
        "TMPDIR": scratch,
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }


def read_answer(answer: IO[bytes], limits: Limits) -> Converted:
    answer.seek(0)
    try:
        report: dict[str, Any] = json.loads(answer.read(limits.characters * 4 + 100_000))
        if "error" in report:
            raise REPORTED[report["error"]](clean_text(str(report["message"])))
        return as_converted(report, limits)
    except (ValueError, KeyError, TypeError) as error:
        raise errors.Unreadable(DAMAGED) from error


def as_converted(report: dict[str, Any], limits: Limits) -> Converted:
    """Check what came back: the process that wrote it had read a file of a stranger."""
    text, pages = str(report["text"]), tuple(int(page) for page in report["pages"])
    if len(text) > limits.characters:
        raise ValueError("longer than allowed")
    if list(pages) != sorted(pages) or any(not 0 <= page <= len(text) for page in pages):
        raise ValueError("pages out of order")
    converted = Converted(
        text=text,
        is_markdown=bool(report["is_markdown"]),
        pages=pages,
        title=str(report["title"]),
        warnings=tuple(str(warning) for warning in report["warnings"]),
    )
    return clean_converted(converted)


def explain_status(status: int | None, limits: Limits) -> errors.ConversionError:
    if status is None or status == -signal.SIGXCPU:
        return errors.OverLimit(
            f"Reading the file took longer than {limits.seconds:g} seconds. Split it and upload the parts."
        )
    if status in {EXIT_MEMORY, -signal.SIGKILL}:
        return errors.OverLimit(
            f"Reading the file needs more than {limits.megabytes:,} MB of memory. "
            "Split it, or leave out what is not text, and upload that."
        )
    return errors.Unreadable(DAMAGED)


def log_failure(noise: IO[bytes], status: int | None) -> None:
    """Say where the reader broke, without a word of the document: messages of errors may quote it."""
    size = noise.seek(0, os.SEEK_END)
    noise.seek(max(0, size - 20_000))
    lines = noise.read().decode("utf-8", "replace").splitlines()
    places = [line.strip() for line in lines if line.startswith('  File "')][-3:]
    kind = lines[-1].partition(":")[0][:80] if places else ""
    logger.warning("A converter ended with status %s %s %s", status, kind, "; ".join(places))
