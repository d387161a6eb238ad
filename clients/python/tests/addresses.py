"""URLs of servers, and the address by which the file of known servers has each."""

from __future__ import annotations

from typing import List, Tuple

ADDRESSES: List[Tuple[str, str]] = [
    ("HTTP://LocalHost:80/", "http://localhost"),
    ("https://h.example/desk/", "https://h.example/desk"),
    ("https://H.example:443", "https://h.example"),
    ("https://h.example:8443//", "https://h.example:8443"),
    ("http://[::1]:3000", "http://[::1]:3000"),
    ("http://h.example/a?b=c#d", "http://h.example/a"),
    ("https://b\u00fccher.example", "https://xn--bcher-kva.example"),
    ("http://127.0.0.1:47006", "http://127.0.0.1:47006"),
    ("http://255.255.255.255", "http://255.255.255.255"),
    ("http://[::0001]", "http://[::1]"),
    ("http://[0:0:0:0:0:0:0:1]:3000/desk/", "http://[::1]:3000/desk"),
    ("http://[FE80::ABCD]", "http://[fe80::abcd]"),
    ("http://[1:0:0:2:0:0:0:3]", "http://[1:0:0:2::3]"),
    ("http://[1:0:0:2:0:0:3:4]", "http://[1::2:0:0:3:4]"),
    ("http://[1:0:2:3:4:5:6:7]", "http://[1:0:2:3:4:5:6:7]"),
    ("http://[::127.0.0.1]", "http://[::7f00:1]"),
    ("http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]"),
    ("http://[::ffff:0:1]", "http://[::ffff:0:1]"),
    ("http://[64:ff9b::1.2.3.4]", "http://[64:ff9b::102:304]"),
    # Names that only look like numbers.
    ("http://1e3", "http://1e3"),
    ("http://h.1a", "http://h.1a"),
    ("http://h.0xg", "http://h.0xg"),
    ("http://1.h", "http://1.h"),
    ("http://h.example.", "http://h.example."),
    ("http://h_x.example", "http://h_x.example"),
    ("http://h/a/../b", "http://h/b"),
    ("http://h//a//b", "http://h//a//b"),
    ("http://h/%5Cb", "http://h/%5Cb"),
    ("http://h/...", "http://h/..."),
    ("http://h/a%2eb", "http://h/a%2eb"),
]
"""The URL, and its address."""

AMBIGUOUS: List[Tuple[str, str]] = [
    # `handraise trust add` reads these as http://127.0.0.1.
    ("http://127.1:47006", "IPv4"),
    ("http://0x7f.1", "IPv4"),
    ("http://0X7F.0.0.1", "IPv4"),
    ("http://2130706433", "IPv4"),
    ("http://017700000001", "IPv4"),
    ("http://127.0.0.1.", "IPv4"),
    ("http://127.0.0.01", "IPv4"),
    # These as others, or as none.
    ("http://0", "IPv4"),
    ("http://0x", "IPv4"),
    ("http://1.2.3", "IPv4"),
    ("http://1.2.3.256", "IPv4"),
    ("http://1.2.3.4.5", "IPv4"),
    ("http://99999999999", "IPv4"),
    ("http://h.1", "IPv4"),
    ("http://h.0x1f.", "IPv4"),
    ("http://[fe80::1%25eth0]", "characters"),
    ("http://%68.example", "characters"),
    ("http://h%2eexample", "characters"),
    ("http://h%5cx", "characters"),
    ("http://h x", "characters"),
    ("http://h|x", "characters"),
    ("http://h/a\\b", "backslash"),
    ("http://h/a\\..\\b", "backslash"),
    ("http://h\\x", "backslash"),
    ("http:\\\\h", "backslash"),
    ("http://h/a?b\\c", "backslash"),
    ("http://h/a/%2e%2E/b", "dots"),
    ("http://h/.%2e", "dots"),
    ("http://h/%2e", "dots"),
    ("http://xn--zzzzzzzzzzz.example", "no URL"),
]
"""The URL that `httpx` and the command line read differently, and what is said of it."""
