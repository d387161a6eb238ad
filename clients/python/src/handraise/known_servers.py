"""The file of known servers: the keys that each had at the first contact, or has announced since.

`docs/receipts.md` says what is in it. All of our programs write it, so whoever changes it holds the lock beside it.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

import httpx

from .errors import HandraiseError
from .signatures import public_key

try:
    import fcntl
except ImportError:  # Windows has no such lock.
    fcntl = None  # type: ignore[assignment]

_USUAL_PORTS = {"http": 80, "https": 443}
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
"""Whoever may put a link in the place of a file would have us open, or make, another one."""
_IN_NO_HOST = re.compile(r"[%|\\]")
"""What httpx leaves in the name of a host, or writes there by its number, and a browser decodes or refuses."""
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""What makes an IPv4 address of a name that ends in it."""


def default_path() -> Path:
    """HANDRAISE_KNOWN_SERVERS, else ``handraise/known_servers`` where this user has settings."""
    named = os.environ.get("HANDRAISE_KNOWN_SERVERS")
    if named:
        return Path(named)
    settings = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    # The specification of these folders has relative ones ignored.
    return (settings if settings.is_absolute() else Path.home() / ".config") / "handraise" / "known_servers"


def address_of(url: httpx.URL) -> str:
    """The normal form of a server's URL, by which the file knows it.

    The other programs read URLs as browsers do (https://url.spec.whatwg.org). Raises `HandraiseError` for what they
    would read as another address than httpx does: a server would have a line for each of them.
    """
    port = "" if url.port in (None, _USUAL_PORTS.get(url.scheme)) else f":{url.port}"
    path = url.raw_path.decode("ascii").partition("?")[0].rstrip("/")
    _expect_plain_path(path)
    return f"{url.scheme}://{_host_of(url)}{port}{path}"


def _host_of(url: httpx.URL) -> str:
    host = url.raw_host.decode("ascii").lower()
    if _IN_NO_HOST.search(host):
        raise HandraiseError(f"the host {host!r} has characters that the address of a server must not have")
    if ":" in host:
        return f"[{_ipv6(host)}]"
    # It may be an address in one of many forms, of which httpx leaves each as it is.
    if _NUMBER.fullmatch(host.removesuffix(".").rpartition(".")[2]) and not _is_plain_ipv4(host):
        raise HandraiseError(f"the host {host!r} is read as an IPv4 address: write it as four numbers, like 127.0.0.1")
    return host


def _ipv6(host: str) -> str:
    address = ipaddress.IPv6Address(host)
    if address.ipv4_mapped is None:
        return address.compressed
    # Newer versions of Python write the last part of these as four decimal numbers.
    high, low = divmod(int(address.ipv4_mapped), 1 << 16)
    return f"::ffff:{high:x}:{low:x}"


def _is_plain_ipv4(host: str) -> bool:
    try:
        return str(ipaddress.IPv4Address(host)) == host
    except ValueError:
        return False


def _expect_plain_path(path: str) -> None:
    if "\\" in path:
        raise HandraiseError(f"the path {path!r} has a backslash: write a slash")
    for part in path.lower().split("/"):
        if part.replace("%2e", ".") in (".", ".."):
            raise HandraiseError(f"the path {path!r} has dots for another path: write that one")


def _is_normal(address: str) -> bool:
    try:
        url = httpx.URL(address)
        return bool(url.host) and address_of(url) == address
    except (httpx.InvalidURL, ValueError, HandraiseError):
        return False


def _expect_own(path: Path, status: os.stat_result) -> None:
    """Raises `HandraiseError` when this is another user's, who may write there whatever its mode is now."""
    own = getattr(os, "geteuid", None)
    if own is not None and status.st_uid not in (0, own()):
        raise HandraiseError(
            f"{path} belongs to another user ({status.st_uid}), so what is pinned there is not believed"
        )


class KnownServers:
    """A line is an address, a space, and a key in base64. An address may have several."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, address: str) -> Tuple[str, ...]:
        """The keys of a server. Raises `HandraiseError` when the file cannot be read, understood or believed."""
        pins = map(self._pin, self._lines())
        return tuple(pin[1] for pin in pins if pin is not None and pin[0] == address)

    def add(self, address: str, keys: Sequence[str]) -> None:
        """Pins keys at the first contact, unless another program was faster."""

        def change(lines: List[str]) -> List[str]:
            if any(pin is not None and pin[0] == address for pin in map(self._pin, lines)):
                return lines
            return lines + [f"{address} {key}" for key in dict.fromkeys(keys)]

        self._change(change)

    def replace(self, address: str, old: str, new: str) -> None:
        """Pins the successor of a key; nothing is changed if another program has done so meanwhile."""

        def change(lines: List[str]) -> List[str]:
            pins = [self._pin(line) for line in lines]
            if (address, old) not in pins:
                return lines
            kept = [line for line, pin in zip(lines, pins) if pin != (address, new)]
            return [f"{address} {new}" if self._pin(line) == (address, old) else line for line in kept]

        self._change(change)

    def _pin(self, line: str) -> Optional[Tuple[str, str]]:
        """Address and key; ``None`` for an empty line and a comment."""
        line = line.rstrip()
        if not line or line.startswith("#"):
            return None
        address, _, text = line.partition(" ")
        key = public_key(text)
        if key is None or not _is_normal(address):
            # What was pinned here may be lost, so nothing is known.
            raise HandraiseError(f"{self.path} has a line that is no address and its public key: {line!r}")
        return address, key

    def _lines(self) -> List[str]:
        try:
            folder = self.path.parent.stat()
            _expect_own(self.path.parent, folder)
            # Whoever may write there puts another file in the place of ours, but where the sticky bit is set.
            if fcntl is not None and folder.st_mode & _OTHERS_MAY_WRITE and not folder.st_mode & stat.S_ISVTX:
                raise HandraiseError(
                    f"others may write into {self.path.parent}: look at what is in it, and `chmod go-w` it"
                )
            with self.path.open(encoding="utf-8") as file:
                _expect_own(self.path, os.fstat(file.fileno()))
                if fcntl is not None and os.fstat(file.fileno()).st_mode & _OTHERS_MAY_WRITE:
                    raise HandraiseError(f"others may write {self.path}: `chmod go-w` it, and look at what is in it")
                lines = [line.rstrip("\n") for line in file]
        except FileNotFoundError as cause:
            if self.path.is_symlink():
                # What was pinned may be back tomorrow.
                raise HandraiseError(f"cannot read {self.path}: it is a link that leads nowhere") from cause
            return []
        except (OSError, ValueError) as cause:
            raise HandraiseError(f"cannot read {self.path}: {cause}") from cause
        for line in lines:
            self._pin(line)
        return lines

    def _change(self, change: Callable[[List[str]], List[str]]) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._locked():
                lines = self._lines()
                changed = change(lines)
                if changed != lines:
                    self._write(changed)
        except OSError as cause:
            raise HandraiseError(f"cannot note the key of the server in {self.path}: {cause}") from cause

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | _NO_LINKS, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _write(self, lines: Sequence[str]) -> None:
        # For its owner alone, never through a link, and put in its place whole.
        draft, name = tempfile.mkstemp(prefix=".known_servers.", dir=self.path.parent)
        try:
            with os.fdopen(draft, "w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
