"""People give documents the names by which others mention them."""

from __future__ import annotations

from definitions.errors import DefinitionError
from definitions.extract.names import document_key
from definitions.link import lock_references
from definitions.mend import mend_references
from definitions.models import DOCUMENT_KEY, DocumentName
from documents.models import Document
from documents.services.intake import lock_document
from tenants.audit import Actor, record
from tenants.scope import tenant_scope


def name_document(*, document: Document, name: str, actor: Actor) -> DocumentName:
    """Give a document a name; references that use it point there at once. Again, it changes nothing."""
    name = " ".join(name.split())
    key = document_key(name)[:DOCUMENT_KEY]
    if not key.strip():
        raise DefinitionError("Type the name, number or abbreviation by which other documents mention it.")
    with tenant_scope(document.tenant_id):
        current = lock_document(document)
        lock_references(current.collection_id)
        own = DocumentName.objects.filter(document=current, key=key).first()
        if own is not None and own.is_given:
            return own
        own = own or DocumentName(tenant=current.tenant, document=current, key=key)
        own.name, own.is_given = name, True
        own.full_clean(exclude=["tenant", "document"], validate_constraints=False)
        own.save()
        mend_references(current)
        record(tenant=current.tenant, actor=actor, action="document.named", target=current.name, name=name)
    return own


def remove_name(*, name: DocumentName, actor: Actor) -> None:
    """Take a name back that a person gave. Doing so again changes nothing."""
    with tenant_scope(name.tenant_id):
        current = lock_document(name.document)
        lock_references(current.collection_id)
        own = DocumentName.objects.filter(pk=name.pk).first()
        if own is None:
            return
        if not own.is_given:
            raise DefinitionError(
                f"“{own.name}” was found in {current.name} and would come back with its next version. "
                "Give the name to the document that is meant: that one is preferred."
            )
        own.delete()
        mend_references(current, keys=(own.key,))
        record(
            tenant=current.tenant, actor=actor, action="document.unnamed", target=current.name, name=own.name
        )
