class TenantError(Exception):
    """A rule of tenants refuses this; the message is for the person who tried."""


class LastAdmin(TenantError):
    """A tenant keeps at least one admin."""


class AlreadyMember(TenantError):
    """A person is a member once."""


class NoLongerMember(TenantError):
    """Somebody else was faster."""


class AlreadyCreated(TenantError):
    """The same form was sent again."""


class UnknownTenant(TenantError):
    """No tenant has this name."""
