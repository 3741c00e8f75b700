"""Run one conversion: a request on standard input, a report on standard output, and nothing else."""

from __future__ import annotations

import ctypes
import json
import math
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
EXIT_MEMORY = 77
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
REFUSED = frozenset({
    "socket.__new__", "socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo",
    "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.kill",
    "os.killpg",
})  # fmt: skip


def main() -> int:
    head = json.loads(sys.stdin.buffer.readline())
    report = take_stdout()
    sys.path.insert(0, str(ROOT))
    confine(head["seconds"], head["megabytes"])
    try:
        report.write(answer(sys.stdin.buffer.read(), head))
        report.flush()
    except MemoryError:
        os._exit(EXIT_MEMORY)
    return 0


def take_stdout() -> IO[bytes]:
    """Keep the way out for the report and send everything that libraries print to the log."""
    report = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return report


def answer(content: bytes, head: dict[str, Any]) -> bytes:
    """Return a picture as it is, and anything else as JSON."""
    told = (
        draw(content, **head["draw"])
        if "draw" in head
        else convert(content, head["name"], head["characters"])
    )
    return told if isinstance(told, bytes) else json.dumps(told, ensure_ascii=False).encode("utf-8")


def draw(content: bytes, page: int, width: int) -> bytes | dict[str, Any]:
    """Draw a page of a PDF, or say why not."""
    from documents.convert.pdf.picture import draw_page
    from documents.errors import ConversionError

    try:
        return draw_page(content, page, width)
    except ConversionError as error:
        return {"error": type(error).__name__, "message": str(error)}


def convert(content: bytes, name: str, characters: int) -> dict[str, Any]:
    """Convert and put the result, or the reason why there is none, into plain data."""
    from documents.convert import convert_file
    from documents.errors import ConversionError

    try:
        converted = convert_file(content, name, characters=characters)
    except ConversionError as error:
        return {"error": type(error).__name__, "message": str(error)}
    except RecursionError:
        return {"error": "Unreadable", "message": "The parts of the file are nested too deeply. Simplify it."}
    return {
        "text": converted.text,
        "is_markdown": converted.is_markdown,
        "pages": converted.pages,
        "title": converted.title,
        "warnings": converted.warnings,
    }


def confine(seconds: float, megabytes: int) -> None:
    """Give up what a converter does not need, for good; ends with this process's parent."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    leave_network(libc)
    sys.addaudithook(refuse_reach)
    limit_resources(seconds, megabytes * 1024**2)


def leave_network(libc: ctypes.CDLL) -> bool:
    """Move to a network of nothing where the kernel lets us; the audit hook stands everywhere."""
    return any(libc.unshare(flags) == 0 for flags in (CLONE_NEWUSER | CLONE_NEWNET, CLONE_NEWNET))


def refuse_reach(event: str, arguments: tuple[object, ...]) -> None:
    if event in REFUSED:
        raise PermissionError(f"{event} is not allowed while a file is read")


def limit_resources(seconds: float, size: int) -> None:
    """Bound what is written to; the address space is wider, for libraries that map more than they use."""
    processor = math.ceil(seconds) + 1
    for kind, limit in (
        (resource.RLIMIT_DATA, size),
        (resource.RLIMIT_AS, size * 4),
        (resource.RLIMIT_CPU, processor),
        (resource.RLIMIT_FSIZE, max(size, 64 * 1024**2)),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (bound, bound))


if __name__ == "__main__":
    sys.exit(main())
