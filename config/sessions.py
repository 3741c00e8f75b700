"""Sessions in the database, whose keys are what we make: letters and digits."""

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    def _validate_session_key(self, key: str | None) -> bool:
        """Refuse what a browser could never have got from us; a NUL would not even reach the table."""
        return bool(super()._validate_session_key(key)) and str(key).isalnum()  # type: ignore[misc]
