"""What can go wrong with definitions and references, in words that say what to do."""

from documents.errors import DocumentError


class DefinitionError(DocumentError):
    """The base of all errors of this application."""


class NotInText(DefinitionError):
    """Words, or a unit, that the current version does not have."""


class OutOfDate(DefinitionError):
    """What was asked is about something that has changed meanwhile."""
