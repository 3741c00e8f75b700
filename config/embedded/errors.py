class EmbeddedError(Exception):
    """An embedded server cannot run; the message says why and what to do about it."""
