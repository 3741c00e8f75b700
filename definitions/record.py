"""Write what was found in a version, in the transaction that publishes it; then mend what waited for it."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID, uuid4

from definitions.correct import (
    DefinitionFix,
    Goal,
    Page,
    ReferenceFix,
    correct_definitions,
    correct_references,
)
from definitions.extract.names import document_key
from definitions.gather import Findings, gather_findings
from definitions.link import lock_references
from definitions.mend import mend_references
from definitions.models import (
    DOCUMENT_KEY,
    NAME,
    CrossReference,
    Definition,
    DefinitionCorrection,
    DocumentName,
    ReferenceCorrection,
    TermForm,
)
from definitions.outlines import StoredOutline, load_outline
from definitions.rows import definition_rows, form_rows, reference_rows
from documents.models import Version
from documents.publish import Row, insert_rows


def record_findings(version_id: UUID, text: str, findings: Findings) -> None:
    """Write the definitions and references of a version that is just being published."""
    version = Version.objects.without_text().select_related("document").get(pk=version_id)
    lock_references(version.document.collection_id)
    outline = load_outline(version_id)
    if version.is_current:
        renew_names(version, findings.names)
    write_findings(version, text, outline, findings)
    if version.is_current:
        mend_references(version.document, outlines={version.document_id: outline}, own_version=version_id)


def rewrite_findings(version: Version) -> Findings:
    """Find anew what a version with its text says, under the corrections that hold now.

    What was extracted once stays so, even if the collection asks for it no longer.
    """
    collection = version.document.collection
    definitions = Definition.objects.filter(version=version)
    references = CrossReference.objects.filter(version=version)
    outline = load_outline(version.pk)
    findings = gather_findings(
        version.text,
        outline.units,
        title=version.title,
        file_name=version.file_name,
        has_definitions=collection.extract_definitions or definitions.exists(),
        has_references=collection.extract_cross_references or references.exists(),
    )
    definitions.delete()
    references.delete()
    write_findings(version, version.text, outline, findings)
    return findings


def renew_names(version: Version, names: Iterable[str]) -> None:
    """Replace the names that were found in an earlier version; those that people gave stay."""
    own = DocumentName.objects.filter(document=version.document_id)
    own.filter(is_given=False).delete()
    taken = set(own.values_list("key", flat=True))
    rows = []
    for name in names:
        key = document_key(name)[:DOCUMENT_KEY]
        if key.strip() and key not in taken:
            taken.add(key)
            rows.append(_name_row(version, name[:NAME], key))
    insert_rows(DocumentName, rows)


def _name_row(version: Version, name: str, key: str) -> Row:
    return {
        "id": uuid4(),
        "tenant_id": version.tenant_id,
        "document_id": version.document_id,
        "name": name,
        "key": key,
        "is_given": False,
    }


def write_findings(version: Version, text: str, outline: StoredOutline, findings: Findings) -> None:
    page = Page(text, outline.units, outline.labels)
    definitions = correct_definitions(page, findings.definitions, load_definition_fixes(version))
    rows = list(definition_rows(version, outline, definitions))
    insert_rows(Definition, rows)
    insert_rows(TermForm, form_rows(rows))
    references = correct_references(page, findings.references, load_reference_fixes(version))
    insert_rows(CrossReference, reference_rows(version, text, outline, references))


def load_definition_fixes(version: Version) -> list[DefinitionFix]:
    return [
        DefinitionFix(
            label=one.label,
            key=one.key,
            is_rejected=one.is_rejected,
            is_added=one.is_added,
            term=one.term,
            variants=None if one.variants is None else tuple(one.variants),
            scope_label=one.scope_label,
            meaning=one.meaning,
        )
        for one in DefinitionCorrection.objects.filter(document=version.document_id)
    ]


def load_reference_fixes(version: Version) -> list[ReferenceFix]:
    return [
        ReferenceFix(
            label=one.label,
            text=one.text,
            occurrence=one.occurrence,
            goal=Goal(one.target_document_id, one.target_label),
            is_rejected=one.is_rejected,
            is_added=one.is_added,
        )
        for one in ReferenceCorrection.objects.filter(document=version.document_id)
    ]
