"""Whose signature counts for a server: the keys that are named, else those pinned at the first contact."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Tuple

from .errors import HandraiseError, KeyChanged
from .exchange import log
from .known_servers import KnownServers, default_path
from .signatures import is_signed, public_key

_STATEMENT = {"version", "statement", "old", "new", "at", "signature"}
"""All that a statement has: one with more may say something else."""

_MOST_ROTATIONS = 1_000
"""More than any server has had. Longer lists are somebody's attempt to keep a client busy."""


@dataclass(frozen=True)
class Announced:
    """What a server says about its keys, which proves nothing by itself."""

    keys: Tuple[str, ...]
    """Its own, and those of the other nodes."""
    rotations: Tuple[Mapping[str, Any], ...]


def announced(body: Any) -> Announced:
    """Reads what ``GET /keys`` returns; raises as the functions of `reading` do."""
    texts = [body["public_key"], *(body.get("trusted") or ())]
    keys = tuple(key for key in map(public_key, texts) if key is not None)
    if len(keys) < len(texts):
        raise ValueError(f"not all of {texts!r} are public keys")
    rotations = tuple(one for one in body.get("rotations") or () if isinstance(one, Mapping))
    return Announced(keys, rotations)


class Keys:
    """The keys of one server."""

    def __init__(self, address: str, known: KnownServers, named: Tuple[str, ...] = ()) -> None:
        self.address = address
        self._known = known
        self._named = named

    @classmethod
    def of(cls, address: str, named: Optional[str] = None) -> Keys:
        """With the keys of the argument or of HANDRAISE_PUBLIC_KEY, separated by commas, else those pinned. An
        empty variable counts as none; anything else that holds no key is a fault, and no first contact.
        """
        text = named if named is not None else os.environ.get("HANDRAISE_PUBLIC_KEY") or None
        keys = []
        for part in map(str.strip, [] if text is None else text.split(",")):
            key = public_key(part)
            if key is None:
                raise HandraiseError(f"{part!r} is no public key, which is 32 bytes in base64")
            keys.append(key)
        return cls(address, KnownServers(default_path()), tuple(keys))

    def trusted(self) -> Tuple[str, ...]:
        """What counts now; nothing before the first contact."""
        return self._named or self._known.find(self.address)

    def pin(self, first: Announced) -> None:
        """Trusts what the server says at the first contact."""
        self._known.add(self.address, first.keys)
        log.warning(
            "%s is met for the first time; its key %s is believed from now on (%s)",
            self.address,
            first.keys[0],
            self._known.path,
        )

    @property
    def may_change(self) -> bool:
        """Whether a statement of the server may change what is trusted. What is named is all that is."""
        return not self._named

    def follow(self, rotations: Iterable[Mapping[str, Any]], key: str) -> None:
        """Trusts this key instead of its predecessor, if a chain of statements leads to it, each signed with the
        key before.
        """
        rotations = tuple(rotations)[:_MOST_ROTATIONS]
        for old in self.trusted():
            if self.may_change and _leads_to(key, old, rotations):
                self._known.replace(self.address, old, key)
                log.warning(
                    "%s has a new key, %s, which the one that was trusted has announced; it is believed from now on",
                    self.address,
                    key,
                )
                return

    def expect(self, key: str) -> None:
        """Raises `KeyChanged` unless this key is trusted."""
        trusted = self.trusted()
        if key not in trusted:
            raise KeyChanged(self.address, trusted, key, named=bool(self._named))


def _leads_to(key: str, old: str, rotations: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the statements, in their order, go from the old key to this one."""
    reached = old
    for one in rotations:
        successor = public_key(one.get("new"))
        if successor is not None and public_key(one.get("old")) == reached and _holds(one, reached):
            reached = successor
        if reached == key:
            return True
    return False


def _holds(rotation: Mapping[str, Any], old: str) -> bool:
    version = rotation.get("version")
    return (
        set(rotation) == _STATEMENT
        and (type(version), version) == (int, 1)
        and rotation["statement"] == "handraise key rotation"
        and is_signed(rotation, old)
    )
