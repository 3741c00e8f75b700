"""Where a webhook may lead, and where not."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from documents.errors import BadAddress
from documents.webhooks.address import Target, is_public, read_address, require_public

PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "93.184.215.14", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0"),
    *("169.253.255.255", "169.255.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0"),
    *("223.255.255.255", "168.63.129.15", "168.63.129.17", "11.0.0.0", "9.255.255.255", "126.255.255.255"),
    *("2606:4700::1111", "2a00:1450::1", "2001:200::1", "2001:4860:4860::8888"),
    *("::ffff:8.8.8.8", "64:ff9b::8.8.8.8"),
]
PRIVATE = [
    # This machine, and any.
    *("127.0.0.1", "127.255.255.255", "0.0.0.0", "0.255.255.255", "::", "::1"),  # noqa: S104
    # Private networks, and those of providers.
    *("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"),
    *("100.64.0.0", "100.127.255.255", "fc00::1", "fd12:3456::1", "fec0::1"),
    # Link-local, and the metadata of clouds (AWS, Google and Azure; ECS; IPv6 of AWS; Alibaba; Azure's own).
    *("169.254.0.1", "169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"),
    *("fe80::1", "fe80::1%1", "febf::1"),
    # Multicast, broadcast and reserved.
    *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "ff02::1", "ff0e::1"),
    # For protocols, documents and benchmarks.
    *("192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255"),
    *("198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "100::1", "5f00::1"),
    # IPv4 inside IPv6: mapped, compatible, translated, NAT64 (also the local one), 6to4, Teredo.
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::8.8.8.8"),
    *("::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254"),
    *("64:ff9b:1::8.8.8.8", "2002:7f00:1::", "2002:808:808::", "2001:0:7f00:1::1", "2001:1::1"),
    *("4000::1", "1fff::1"),
]


@pytest.mark.parametrize("text", PUBLIC)
def test_the_public_internet_may_be_reached(text: str) -> None:
    assert is_public(ip_address(text))


@pytest.mark.parametrize("text", PRIVATE)
def test_what_is_not_the_public_internet_may_not(text: str) -> None:
    assert not is_public(ip_address(text))
    with pytest.raises(BadAddress, match="not on the public internet"):
        require_public("example.org", [ip_address("8.8.8.8"), ip_address(text)])


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.org", Target("https", "example.org", 443, "/")),
        ("http://example.org", Target("http", "example.org", 80, "/")),
        ("HTTPS://Example.ORG:8443/Hook?a=B&c", Target("https", "example.org", 8443, "/Hook?a=B&c")),
        ("https://xn--mnchen-3ya.example/%C3%A9", Target("https", "xn--mnchen-3ya.example", 443, "/%C3%A9")),
        ("https://a_b.example.org./x", Target("https", "a_b.example.org.", 443, "/x")),
        ("https://8.8.8.8/", Target("https", "8.8.8.8", 443, "/")),
        ("https://[2606:4700::1111]:444/", Target("https", "2606:4700::1111", 444, "/")),
    ],
)
def test_addresses_are_read(url: str, target: Target) -> None:
    assert read_address(url) == target


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "without blanks"),
        ("example.org/hook", "begins with https://"),
        ("//example.org/hook", "begins with https://"),
        ("ftp://example.org/", "begins with https://"),
        ("file:///etc/passwd", "begins with https://"),
        ("gopher://example.org/", "begins with https://"),
        ("https://", "This is no address"),
        ("https:///hook", "This is no address"),
        ("https://:443/", "This is no address"),
        ("https://example.org:0/", "This is no address"),
        ("https://example.org:65536/", "This is no address"),
        ("https://example.org:x/", "This is no address"),
        ("https://[::1/", "This is no address"),
        ("https://[example.org]/", "This is no address"),
        ("https://exa..mple.org/", "This is no address"),
        ("https://-example.org/", "This is no address"),
        (f"https://{'a' * 64}.org/", "This is no address"),
        (f"https://{'a.' * 126}aa/", "This is no address"),
        # Other ways to write 127.0.0.1, which the system's resolver would take.
        ("https://127.1/", "This is no address"),
        ("https://2130706433/", "This is no address"),
        ("https://0x7f000001/", "This is no address"),
        ("https://0177.0.0.1/", "This is no address"),
        ("https://ada@example.org/", "user name and password"),
        ("https://ada:secret@example.org/", "user name and password"),
        ("https://@example.org/", "user name and password"),
        ("https://example.org/#part", "begins with #"),
        ("https://example.org/#", "begins with #"),
        ("https://example.org/a b", "without blanks"),
        ("https://example.org/\r\nHost: x", "without blanks"),
        ("https://example.org\\@10.0.0.1/", "without blanks"),
        ("https://münchen.example/", "without blanks"),
        (f"https://example.org/{'a' * 500}", "500 are allowed"),
        ("http://localhost/", "localhost is a name of a private network"),
        ("http://LOCALHOST.:8000/", "is a name of a private network"),
        ("http://db.internal/", "is a name of a private network"),
        ("http://printer.local/", "is a name of a private network"),
        ("http://127.0.0.1/", "127.0.0.1 leads to 127.0.0.1, which is not on the public internet"),
        ("http://[::1]/", "not on the public internet"),
        ("http://[::ffff:169.254.169.254]/latest/", "not on the public internet"),
        ("http://169.254.169.254/latest/meta-data/", "not on the public internet"),
    ],
)
def test_other_addresses_are_refused_with_the_reason(url: str, said: str) -> None:
    with pytest.raises(BadAddress) as error:
        read_address(url)
    assert said in str(error.value)


@pytest.mark.parametrize("url", ["http://localhost:8000/", "http://127.0.0.1/", "http://[::1]/x"])
def test_whoever_runs_the_installation_can_allow_private_ones(url: str) -> None:
    assert read_address(url, is_private_allowed=True).scheme == "http"


def test_allowing_private_ones_allows_nothing_else() -> None:
    for url in ("file:///etc/passwd", "http://ada@localhost/", "http://127.1/"):
        with pytest.raises(BadAddress):
            read_address(url, is_private_allowed=True)
