"""Find definitions and references anew: the rules have improved, or a document is older than they are."""

from __future__ import annotations

from definitions.mend import mend_references
from definitions.record import renew_names, rewrite_findings
from definitions.services.current import hold_current
from documents.models import Document
from tenants.audit import Actor, record
from tenants.scope import tenant_scope


def refresh_findings(*, document: Document, actor: Actor) -> None:
    """Replace what was found in the current version; its text, sections and corrections stay."""
    with tenant_scope(document.tenant_id):
        current = hold_current(document)
        findings = rewrite_findings(current.version)
        renew_names(current.version, findings.names)
        mend_references(current.document, own_version=current.version.pk)
        record(
            tenant=current.document.tenant,
            actor=actor,
            action="document.refreshed",
            target=current.document.name,
        )
