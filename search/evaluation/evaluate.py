"""Measure whatever a folder has the truth of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from search.evaluation.manifest import measure_manifest, surprises
from search.evaluation.measures import Measure, read_records
from search.evaluation.scratch import fill_collection, newest_versions, scratch_tenant
from search.evaluation.sections import find_units, measure_sections
from tenants.models import Tenant

FORMS = ("md", "txt")


def has_truth(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("sections.jsonl", "manifest.jsonl"))


def evaluate_set(
    folder: Path,
    *,
    forms: tuple[str, ...] = FORMS,
    is_fresh: bool = False,
    tell: Callable[[str], None] = print,
) -> Iterator[Measure]:
    """Read the documents of a set into its scratch tenant and yield what can be measured on them."""
    tenant = scratch_tenant(folder)
    for form in forms:
        if (folder / f"corpus_{form}").is_dir():
            yield from evaluate_form(folder, form, tenant, is_fresh=is_fresh)
    if (folder / "manifest.jsonl").is_file():
        yield from evaluate_manifest(folder, tenant, is_fresh=is_fresh, tell=tell)


def evaluate_form(folder: Path, form: str, tenant: Tenant, *, is_fresh: bool) -> Iterator[Measure]:
    files = {path.name: path for path in sorted((folder / f"corpus_{form}").iterdir()) if path.is_file()}
    collection = fill_collection(tenant, form, files, is_fresh=is_fresh)
    if (folder / "sections.jsonl").is_file():
        truth = list(read_records(folder / "sections.jsonl"))
        yield from measure_sections(find_units(collection), truth, form)


def evaluate_manifest(
    folder: Path, tenant: Tenant, *, is_fresh: bool, tell: Callable[[str], None]
) -> Iterator[Measure]:
    truth = list(read_records(folder / "manifest.jsonl"))
    files = {
        record["file"]: folder / record["file"] for record in truth if (folder / record["file"]).is_file()
    }
    versions = dict(newest_versions(fill_collection(tenant, "files", files, is_fresh=is_fresh)))
    for surprise in surprises(versions, truth):
        tell(surprise)
    yield from measure_manifest(versions, truth)
