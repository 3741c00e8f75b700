"""The version that a correction is about, held while it is made."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from definitions.correct import Page
from definitions.errors import NotInText, OutOfDate
from definitions.link import lock_references
from definitions.outlines import StoredOutline, load_head_outline, load_outline
from definitions.record import rewrite_findings
from documents.errors import NothingToDo
from documents.models import Document, Version
from documents.services.intake import lock_document


@dataclass(frozen=True, slots=True)
class Current:
    """A document, locked, with its current version and the outline of that."""

    document: Document
    version: Version
    outline: StoredOutline

    @property
    def page(self) -> Page:
        return Page(self.version.text, self.outline.units, self.outline.labels)

    def label_of(self, section_id: UUID) -> str:
        """Return the label by which a unit is known; the document itself has none."""
        try:
            return self.outline.labels[self.outline.ids.index(section_id)]
        except ValueError:
            raise OutOfDate(
                f"That is in an older version of {self.document.name}. Correct it in the current one."
            ) from None

    def unit_of(self, label: str) -> int:
        return require_unit(self.outline, label, self.document)

    def renew(self) -> None:
        """Let a correction take effect."""
        rewrite_findings(self.version)


def hold_current(document: Document) -> Current:
    """Lock a document and the references of its collection, in the order in which publishing does."""
    locked = lock_document(document)
    lock_references(locked.collection_id)
    version = Version.objects.readable().filter(document=locked, superseded_at=None).first()
    if version is None:
        raise NothingToDo(f"{document.name} has no text yet. Correct it once it is ready.")
    version.document = locked
    return Current(locked, version, load_outline(version.pk))


def require_unit(outline: StoredOutline, label: str, document: Document) -> int:
    unit = outline.by_label.get(label)
    if unit is None:
        raise NotInText(
            f"There is no “{label}” in {document.name}. `manage.py outline` prints the labels there are."
        )
    return unit


def require_target(document: Document, label: str) -> None:
    """Refuse a label that the current version of a document does not have."""
    outline = load_head_outline(document.pk)
    if not outline.units:
        raise NothingToDo(f"{document.name} has no text yet. Point to it once it is ready.")
    require_unit(outline, label, document)
