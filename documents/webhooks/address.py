"""Where a webhook may lead. A tenant types the address, and this machine is inside somebody's network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from documents.errors import BadAddress
from documents.translatable import gettext_noop as _

LONGEST = 500
PLAIN = re.compile(r"[!-\[\]-~]+")  # Printable ASCII without the backslash; the rest has to be escaped.
LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
NAME = re.compile(rf"(?:{LABEL}\.)*(?![0-9]){LABEL}\.?", re.IGNORECASE)  # No top level begins with a digit.
LONGEST_NAME = 253
PORTS = {"http": 80, "https": 443}
LOCAL_NAMES = ("localhost", "local", "internal", "localdomain", "home.arpa")

Address = IPv4Address | IPv6Address

# What is not the public internet, by the registries of IANA for special purposes, and what is public by its
# number and still tells secrets to whoever asks from inside: Azure's 168.63.129.16.
REFUSED_IPV4 = tuple(
    IPv4Network(text)
    for text in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
        *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"),
    )
)
GLOBAL_IPV6 = IPv6Network("2000::/3")  # All that is given out as global unicast; nothing else is public.
REFUSED_IPV6 = tuple(  # Tunnels (Teredo, 6to4), overlays, and what documents use.
    IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
LEADING_TO_IPV4 = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))  # Mapped, and by NAT64.

NO_ADDRESS = _("This is no address. Write one such as https://example.org/hook.")
CURE = "Give one that the internet knows, or ask whoever runs this installation to allow private addresses."


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of an address that a request needs."""

    scheme: str
    host: str
    port: int
    path: str


def read_address(url: str, *, is_private_allowed: bool = False) -> Target:
    """Return the parts of an address, or say what is wrong with it. No name is looked up."""
    if len(url) > LONGEST:
        raise BadAddress(f"The address has {len(url)} characters. {LONGEST} are allowed.")
    if PLAIN.fullmatch(url) is None:
        raise BadAddress(_("Write the address without blanks, and what is not ASCII as %xx or xn--…."))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadAddress(NO_ADDRESS) from error
    if parts.scheme not in PORTS:
        raise BadAddress(_("Write an address that begins with https:// or http://."))
    if "@" in parts.netloc:
        raise BadAddress(_("Leave user name and password out of the address: messages are signed instead."))
    if "#" in url:
        raise BadAddress(_("Leave out what begins with #: it is never sent."))
    if port == 0 or not is_host(host):
        raise BadAddress(NO_ADDRESS)
    if not is_private_allowed:
        refuse_local(host)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port or PORTS[parts.scheme], path)


def is_host(host: str) -> bool:
    is_name = len(host) <= LONGEST_NAME and NAME.fullmatch(host) is not None
    return is_name or literal(host) is not None


def literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def refuse_local(host: str) -> None:
    """Refuse what needs no look-up to be refused."""
    name = host.rstrip(".").lower()
    if any(name == local or name.endswith(f".{local}") for local in LOCAL_NAMES):
        raise BadAddress(f"{host} is a name of a private network. {CURE}")
    if (address := literal(host)) is not None:
        require_public(host, [address])


def require_public(host: str, addresses: Iterable[Address]) -> None:
    """Refuse a host if any of its addresses is not on the public internet."""
    for address in addresses:
        if not is_public(address):
            raise BadAddress(f"{host} leads to {address}, which is not on the public internet. {CURE}")


def is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in REFUSED_IPV4)
    if any(address in network for network in LEADING_TO_IPV4):
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in GLOBAL_IPV6 and not any(address in network for network in REFUSED_IPV6)
