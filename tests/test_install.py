"""The first step on a bare machine: what can go wrong is said in one sentence."""

from __future__ import annotations

import builtins
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.processes import ROOT


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, working in an empty folder."""
    spec = importlib.util.spec_from_file_location("install", ROOT / "requirements" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "base.txt").write_text("")
    monkeypatch.setattr(sys, "argv", ["install.py", "base"])
    return module


def sentence_of(stopped: pytest.ExceptionInfo[SystemExit]) -> str:
    return str(stopped.value.code)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk is full."),
        ("ERROR: No matching distribution found for psycopg-binary==3.3.8", "install a compiler"),
        (
            "ERROR: Ignored versions that require a different python version: 4.1 Requires-Python >=3.11.5",
            "newer Python",
        ),
        ("error: command 'gcc' failed: No such file or directory", "Install a compiler"),
        ("ERROR: Failed to build installable wheels", "Install a compiler"),
        ("NewConnectionError: Failed to establish a new connection", "Connect to the network once"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "Do not use it"),
        ("[Errno 13] Permission denied: '.venv'", "belongs to another user"),
        ("something nobody thought of", "It failed."),
    ],
)
def test_what_pip_says_becomes_one_sentence(install: ModuleType, said: str, sentence: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        install.explain(said, "It failed.")
    assert sentence in sentence_of(stopped)
    assert sentence_of(stopped).startswith("pandect: ")


def test_an_old_python_is_named(install: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "OLDEST_PYTHON", (9, 1))
    with pytest.raises(SystemExit) as stopped:
        install.main()
    assert "Python 9.1 or later is needed" in sentence_of(stopped)
    assert not install.VENV.exists()


def test_a_missing_venv_module_is_named(install: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_ensurepip(name: str, *rest: Any) -> Any:
        if name == "ensurepip":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_ensurepip)
    with pytest.raises(SystemExit) as stopped:
        install.main()
    assert "apt-get install python3-venv" in sentence_of(stopped)


def test_a_full_disk_is_noticed_before_it_starts(
    install: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "NEEDED_BYTES", {"base": 2**60})
    with pytest.raises(SystemExit) as stopped:
        install.main()
    assert "Free some space" in sentence_of(stopped)
    assert not install.VENV.exists()


def test_it_installs_once_and_again_only_when_the_pins_change(
    install: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    install.main()
    assert "Making the virtualenv" in capsys.readouterr().out
    assert install.has_working_python()
    install.main()
    assert capsys.readouterr().out == ""
    (install.ROOT / "requirements" / "base.txt").write_text("# changed\n")
    install.main()
    assert capsys.readouterr().out.startswith("→ Installing 0 packages")


def test_a_broken_virtualenv_is_made_again(install: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    install.PYTHON.parent.mkdir(parents=True)
    install.PYTHON.symlink_to("/nowhere/python3.9")
    install.main()
    assert install.has_working_python()


@pytest.mark.parametrize("name", ["base", "dev"])
def test_every_package_is_pinned_by_hash(name: str) -> None:
    lines = (ROOT / "requirements" / f"{name}.txt").read_text().splitlines()
    packages = [line for line in lines if line and line[0].isalnum()]
    assert packages
    assert all("==" in package and package.endswith("\\") for package in packages)
    assert not [line for line in lines if "://" in line]
