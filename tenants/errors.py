class TenantError(Exception):
    """A rule of tenants refuses this; the message is for the person who tried."""


class LastAdmin(TenantError):
    """A tenant keeps at least one admin."""


class UnknownTenant(TenantError):
    """No tenant has this name."""
