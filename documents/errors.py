"""What can go wrong with documents, in words that their owner can act on."""


class DocumentError(Exception):
    """The base of all errors of this application."""


class ConversionError(DocumentError):
    """A file that cannot become text. Its message names the reason and the cure, in whole sentences."""


class Unreadable(ConversionError):
    """Broken, cut short, or not what its name says."""


class Unsupported(ConversionError):
    """A format that is not read here."""


class Encrypted(ConversionError):
    """Needs a password that we do not have."""


class NoText(ConversionError):
    """Read without error, and there is not a word in it."""


class OverLimit(ConversionError):
    """Needs more time or memory, or expands to more text, than a file may."""


class NotIndexed(DocumentError):
    """Read, but its vectors cannot be made. Its message names the reason and the cure."""


class BadName(DocumentError):
    """A name that cannot be kept or shown."""


class TooLarge(DocumentError):
    """More bytes than a file may have."""


class NameTaken(DocumentError):
    """Another row has this name where names are unique."""


class NothingToDo(DocumentError):
    """What was asked does not apply to the state that it is in."""
