"""The API of a running product: by the commands of its page, and by a client made from its description."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.fuzzing import Asker, create_key
from tests.processes import ROOT, Up, environment, free_port

pytestmark = [pytest.mark.system, pytest.mark.timeout(1200)]  # Seconds: the first to ask waits for the demo.
PAGE = (ROOT / "docs" / "api.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    home = tmp_path_factory.mktemp("api") / "home"
    home.mkdir()
    up = Up(home, free_port(), PANDECT_API_RATE="0")
    try:
        up.await_welcome()
        yield up
    finally:
        up.end()


@pytest.fixture(scope="module")
def key(product: Up) -> str:
    made = create_key(product.home)
    Asker(product.url, made).await_ready()
    return made


def test_the_commands_of_the_page_lead_from_nothing_to_a_checked_citation(product: Up) -> None:
    script = "\n".join(["set -eu -o pipefail", *blocks("sh")]).replace("http://127.0.0.1:8000", product.url)
    shell = environment(
        product.home, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8"
    )
    script = script.replace(".venv/bin/python", sys.executable)
    done = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=shell, capture_output=True, text=True, timeout=480, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert '"slug":"lighthouse"' in done.stdout
    assert "mooring plan" in done.stdout
    assert done.stdout.endswith("True\nstands\n"), done.stdout[-300:]


@pytest.fixture(scope="module")
def client(product: Up, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client, generated as the page says; any warning is a failure."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "client.yaml").write_text(blocks("yaml")[0])
    with urllib.request.urlopen(f"{product.url}/api/v1/schema", timeout=60) as response:  # noqa: S310
        (folder / "schema.json").write_bytes(response.read())
    generator = Path(sys.executable).with_name("openapi-python-client")
    done = subprocess.run(
        [
            *(str(generator), "generate", "--path", "schema.json", "--config", "client.yaml"),
            *("--meta", "none", "--fail-on-warning"),
        ],
        cwd=folder,
        env={**os.environ, "PATH": f"{generator.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield importlib.import_module("pandect_client")
    sys.path.remove(str(folder))


def test_a_generated_client_searches_and_reads(product: Up, key: str, client: Any) -> None:
    defined: dict[str, Any] = {}
    exec(blocks("python")[0], defined)  # noqa: S102
    unit = defined["first_result"](product.url, key)
    assert "pilot" in unit.text.lower()
    assert unit.document.name in {"harbour-safety-act.md", "pilotage-notice.txt"}


def test_a_generated_client_uploads(product: Up, key: str, client: Any) -> None:
    models, types = (
        importlib.import_module("pandect_client.models"),
        importlib.import_module("pandect_client.types"),
    )
    create = importlib.import_module("pandect_client.api.collections.create_collection")
    upload = importlib.import_module("pandect_client.api.collections.upload_documents")
    asked = models.CollectionRequest(name="acts", description="Acts.")
    file = types.File(payload=BytesIO(b"# Act\n\n## Section 1. Ports\n\nKeep clear.\n"), file_name="act.md")
    with client.AuthenticatedClient(base_url=product.url, token=key) as program:
        made = create.sync(client=program, body=asked)
        taken = upload.sync(id=made.id, client=program, body=models.FormRequest(files=[file]))
    assert [(one.name, one.outcome) for one in taken.files] == [("act.md", "added")]


def test_a_generated_client_is_told_what_is_wrong(product: Up, key: str, client: Any) -> None:
    section = importlib.import_module("pandect_client.api.documents.read_section")
    with client.AuthenticatedClient(base_url=product.url, token=key) as program:
        problem = section.sync(client=program, document="harbour-safety-act.md", label="Section 99")
    assert (problem.status, problem.title) == (404, "Not Found")
    assert problem.detail == "Section 99 does not exist in any document here."
    assert json.loads(json.dumps(problem.to_dict()))["detail"]
