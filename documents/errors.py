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


class BadDates(DocumentError):
    """Days on which a version applies that cannot be."""


class BadAddress(DocumentError):
    """An address to which nothing is sent. The message says why, and what to do."""


class NameTaken(DocumentError):
    """Another row has this name where names are unique."""


class NothingToDo(DocumentError):
    """What was asked does not apply to the state that it is in."""


class ChangedMeanwhile(DocumentError):
    """Somebody else has changed what was to be changed."""


class WrongOffset(DocumentError):
    """A part of a file that does not go on where the file ends so far."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"{offset:,} bytes have arrived. Go on from there.")
        self.offset = offset


class AnotherRequest(DocumentError):
    """A key that belongs to another request."""


class UnderWay(DocumentError):
    """The same request is being answered at this moment."""


class ReadContextRefused(DocumentError):
    """A read context that names nothing: which field is wrong, and what to write instead."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class KeptForGood(DocumentError):
    """A baseline holds it, so it can be neither changed nor deleted."""
