"""Ask the API everything that its description allows, and much that it does not.

`python -m tests.fuzzing --examples 200` starts the product with its demo in a temporary folder, lets it read
that, and asks its web server alone: what is made up here as the address of a webhook is told nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

from tests.processes import ROOT, Up, end, environment, free_port, manage

# Whether everything that the description allows is taken is not asked: it says no more than JSON Schema can.
CHECKS = """\
[checks]
positive_data_acceptance.enabled = false
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422]

[[operations]]
include-operation-id = "append_part"  # Of a media type that schemathesis cannot write.
enabled = false
"""
Ids = Mapping[str, Sequence[str]]


def write_configuration(path: Path, ids: Ids) -> None:
    """Let most requests name something that is there; of what is nowhere there is little to ask."""
    parts = [CHECKS]
    parts += [f"[dictionaries.{kind}]\nvalues = {json.dumps(list(known))}\n" for kind, known in ids.items()]
    for kind in ids:
        binding = f'{{"path.id" = {{dictionary = "{kind}", probability = 0.7}}}}'
        parts.append(f'[[operations]]\ninclude-path-regex = "^/api/v1/{kind}/"\nparameters = {binding}\n')
    path.write_text("\n".join(parts))


def fuzz(url: str, key: str, ids: Ids, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run schemathesis against a server; the same requests each time."""
    with urllib.request.urlopen(f"{url}/api/v1/schema", timeout=60):  # noqa: S310
        pass  # The first to ask waits until it is made.
    configuration = folder / "schemathesis.toml"
    write_configuration(configuration, ids)
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration)),
        *("run", f"{url}/api/v1/schema", "--header", f"Authorization: Bearer {key}"),
        *("--generation-deterministic", "--continue-on-failure"),
        *("--no-color", "--suppress-health-check", "all", "--request-timeout", "60", *options),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


class Asker:
    """A program with a key, without Django."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key

    def ask(self, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/api/v1/{path}", data, headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            return json.load(response)

    def await_ready(self, seconds: float = 300) -> None:
        """Wait until everything that came in has been read."""
        deadline = time.monotonic() + seconds
        while self.ask("jobs")["jobs"]:
            assert time.monotonic() < deadline
            time.sleep(0.5)

    def gather_ids(self) -> dict[str, list[str]]:
        """Return ids of what there is, and make what there is none of."""
        documents = self.ask("documents")["documents"]
        collection = documents[0]["document"]["collection_id"]
        versions = [one["version"]["id"] for one in documents]
        baseline = self.ask(f"collections/{collection}/baselines", {"name": f"Edition {time.time()}"})
        events = {"url": "https://example.org/hook", "events": ["version.ready"]}
        begun = self.ask(f"collections/{collection}/uploads", {"name": "order.md", "size": 10_000})
        return {
            "collections": [collection],
            "documents": [one["document"]["id"] for one in documents],
            "versions": versions,
            "baselines": [baseline["id"]],
            "webhooks": [self.ask("webhooks", events)["id"]],
            "jobs": versions,
            "chunks": [one["id"] for one in self.ask(f"versions/{versions[0]}/chunks")["chunks"]],
            "uploads": [begun["id"]],
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=50, help="requests of each kind for each address")
    examples = parser.parse_args().examples
    with tempfile.TemporaryDirectory(prefix="pandect-fuzz-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        key, ids = read_demo(home)
        with serving(home) as url:
            asked = fuzz(url, key, ids, Path(folder), "--max-examples", str(examples))
            sys.stdout.write(asked.stdout + asked.stderr)
            sys.exit(asked.returncode)


def read_demo(home: Path) -> tuple[str, dict[str, list[str]]]:
    """Let the whole product read its demo; return a key, and ids of what there is."""
    up = Up(home, free_port(), PANDECT_API_RATE="0")
    try:
        up.await_welcome()
        key = create_key(home)
        asker = Asker(up.url, key)
        asker.await_ready()
        return key, asker.gather_ids()
    finally:
        up.end()


def create_key(home: Path) -> str:
    scopes = [part for scope in ("read", "write", "manage") for part in ("--scope", scope)]
    made = manage(home, "create_api_key", f"Fuzzing {time.time()}", "--tenant", "harbour", *scopes)
    found = re.search(r"pandect_[0-9a-f]{32}_[\w-]{43}", made.stdout)
    assert found, made.stderr
    return found[0]


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """Run the web server alone, as `manage.py up` does."""
    port = free_port()
    command = [sys.executable, "-m", "config.serve", "config.asgi:application", "--port", str(port)]
    options = ["--lifespan", "off", "--no-access-log", "--no-proxy-headers"]
    with (home / "web.txt").open("w") as log:
        process = subprocess.Popen(
            [*command, *options],
            cwd=ROOT,
            env=environment(home, PANDECT_API_RATE="0"),
            stdout=log,
            stderr=log,
        )
    try:
        await_answer(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(process)


def await_answer(url: str, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert process.poll() is None
        with suppress(OSError), urllib.request.urlopen(f"{url}/healthz", timeout=5):  # noqa: S310
            return
        time.sleep(0.1)
    raise TimeoutError(url)


if __name__ == "__main__":
    main()
