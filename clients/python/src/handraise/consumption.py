"""Whether the server has noted that an approval is used by this run. Fails closed.

A receipt says what was decided, not to whom it is shown, so whoever answers in the server's place could show a
genuine one again. A run has a name that nobody had before: what the server signs about it was made for it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Mapping

from . import reading
from .errors import NotVerified
from .receipts import CLOCKS_DIFFER
from .signatures import is_signed, public_key

_STATEMENT = {"version": 1, "statement": "handraise consumption"}
_FIELDS = ("at", "run", "public_key", "signature")


def signer_of(consumed: Any, run: str) -> str:
    """The key that the server says it has signed this run with. Raises `NotVerified` if it is about another one."""
    if not isinstance(consumed, Mapping) or not all(isinstance(consumed.get(name), str) for name in _FIELDS):
        raise NotVerified("nothing may run: the server lacks a signed note of the run that this approval is used by")
    if consumed["run"] != run:
        raise NotVerified(f"nothing may run: the server says that the run {consumed['run']} has this approval")
    key = public_key(consumed["public_key"])
    if key is None:
        raise NotVerified("nothing may run: the public key of the server's note is none")
    return key


def expect_noted(consumed: Mapping[str, Any], id: str, key: str, now: datetime) -> None:
    """Raises `NotVerified` unless this key, which is trusted already, has signed that this was used just now."""
    signed = {**_STATEMENT, "interaction_id": id, **{name: consumed[name] for name in _FIELDS}}
    if not is_signed(signed, key):
        raise NotVerified("nothing may run: the signature of the server's note is not over this run")
    try:
        at = reading.consumed(consumed).at
    except ValueError as cause:
        raise NotVerified(f"nothing may run: the server's note cannot be read: {cause}") from cause
    if abs(now - at) > CLOCKS_DIFFER:
        raise NotVerified(f"nothing may run: this approval was used at {at}, and here it is {now}")
