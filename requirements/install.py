"""Make the virtualenv and install what is pinned: `python3 requirements/install.py base|dev`.

Runs before anything is installed, so it needs the standard library only. Does nothing when the pins
have not changed since the last time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
OLDEST_PYTHON = (3, 11)
NEEDED_BYTES = {"base": 700 * 2**20, "dev": 1500 * 2**20}

# What pip says, and what that means for whoever reads it.
CURES = [
    (
        "NewConnectionError|Connection (refused|reset|aborted)|Failed to resolve|timed out|unreachable",
        "The package index cannot be reached. Connect to the network once for the first installation.",
    ),
    ("No space left on device", "The disk is full. Free some space and run this again."),
    (
        "THESE PACKAGES DO NOT MATCH THE HASHES",
        "A package differs from the one that was pinned. Do not use it; check your package index.",
    ),
    (
        "require a different python version|Requires-Python",
        (
            "A package needs a newer Python than this one. Say which to use, as in "
            "`make up PYTHON=/usr/bin/python3.12`."
        ),
    ),
    (
        "No matching distribution found",
        (
            "The package index has no ready-made package for this machine. If it is not a network problem, "
            "install a compiler (Debian: `apt-get install build-essential python3-dev`) and run "
            "this again with PANDECT_BUILD=1."
        ),
    ),
    (
        "Failed to build|Failed building wheel|command '.*cc'",
        (
            "A package has to be compiled, and that failed. Install a compiler "
            "(Debian: `apt-get install build-essential python3-dev`) and run this again."
        ),
    ),
    ("Permission denied", f"{VENV} belongs to another user. Delete it, or run this as that user."),
]


def main() -> None:
    pins = sys.argv[1] if len(sys.argv) > 1 else "base"
    requirements = ROOT / "requirements" / f"{pins}.txt"
    stamp = VENV / f".installed-{pins}"
    wanted = fingerprint(requirements)
    if has_working_python() and stamp.is_file() and stamp.read_text() == wanted:
        return
    require_python()
    require_space(pins)
    make_virtualenv()
    for old in VENV.glob(".installed-*"):  # Half an installation is none, and one set changes the other.
        old.unlink()
    install(requirements)
    require_consistency()
    stamp.write_text(wanted)


def fingerprint(requirements: Path) -> str:
    """Name what is installed: the pins and the Python that they are installed for."""
    return f"{hashlib.sha256(requirements.read_bytes()).hexdigest()} {sys.version}\n"


def has_working_python() -> bool:
    if not PYTHON.exists():
        return False
    probe = subprocess.run([PYTHON, "-c", "import pip"], capture_output=True, check=False)  # noqa: S603
    return probe.returncode == 0


def require_python() -> None:
    if sys.version_info < OLDEST_PYTHON:
        fail(
            f"Python {'.'.join(map(str, OLDEST_PYTHON))} or later is needed, and this is "
            f"{sys.version.split()[0]}. Name another one: `make PYTHON=python3.11 …`."
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        fail("Python's venv module is missing. Install it (Debian: `apt-get install python3-venv`).")


def require_space(pins: str) -> None:
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES[pins] and not VENV.exists():
        fail(
            f"The disk of {ROOT} is full: {free // 2**20} MB free, {NEEDED_BYTES[pins] // 2**20} MB needed. "
            "Free some space and run this again."
        )


def make_virtualenv() -> None:
    if has_working_python():
        return
    say("Making the virtualenv .venv")
    made = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "venv", "--clear", str(VENV)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        explain(made.stdout + made.stderr, f"Cannot make the virtualenv {VENV}.")


def install(requirements: Path) -> None:
    total = len(re.findall(r"^[a-z0-9].*==", requirements.read_text(), re.MULTILINE))
    say(f"Installing {total} packages")
    command = [PYTHON, "-m", "pip", "install", "--require-hashes", "--no-deps", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar", "off", "-r", requirements]
    if not os.environ.get("PANDECT_BUILD"):
        command += ["--only-binary", ":all:"]
    said = []
    with subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None  # noqa: S101
        done = 0
        for line in pip.stdout:
            said.append(line)
            if line.startswith(("Collecting", "Requirement already satisfied")):
                done += 1
                show_progress(f"{done}/{total}", line.split("==")[0].split()[-1], is_step=done % 20 == 0)
            elif line.startswith("Installing"):
                show_progress("unpacking", "", is_step=True)
    if pip.returncode:
        explain("".join(said[-40:]), "The installation failed.")
    show_progress("done", "", is_step=True)
    print(end="\n" if sys.stdout.isatty() else "", flush=True)


def require_consistency() -> None:
    """Pins are installed without looking at what packages ask for on this very Python."""
    check = subprocess.run([PYTHON, "-m", "pip", "check"], capture_output=True, text=True, check=False)  # noqa: S603
    if check.returncode:
        fail("The pinned packages do not fit this Python. Please report this.", check.stdout)


def show_progress(state: str, package: str, *, is_step: bool) -> None:
    """One line that changes on a terminal; now and then a line elsewhere."""
    if sys.stdout.isatty():
        print(f"\r\033[K  {state} {package}", end="", flush=True)
    elif is_step:
        print(f"  {state}", flush=True)


def explain(said: str, otherwise: str) -> None:
    for pattern, cure in CURES:
        if re.search(pattern, said):
            fail(cure, said)
    fail(otherwise, said)


def say(text: str) -> None:
    print(f"→ {text}", flush=True)


def fail(sentence: str, said: str = "") -> None:
    if said:
        sys.stderr.write("\n" + "\n".join(said.strip().splitlines()[-5:]) + "\n\n")
    sys.exit(f"pandect: {sentence}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        explain(str(error), f"{error}.")
