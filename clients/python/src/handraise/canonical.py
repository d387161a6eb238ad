"""The one form of a JSON value (RFC 8785), and the digest of an action.

Small enough to be read: what runs an approved action relies on it.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from .errors import NotJson
from .models import Attachment, Operand

EXACT = 2**53 - 1
"""Numbers beyond this are not the same number in every JSON parser; the server refuses them in actions."""

_DEEPEST = 100
"""Far more than the server takes, and far less than Python's stack: whoever is here contains itself."""


def canonical_json(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value.

    Raises `NotJson` for what JSON cannot hold: other types, NaN, infinities, half a surrogate pair.
    """
    return _written(snapshot(value)).encode()


def action_digest(
    tool: str,
    arguments: Mapping[str, Any],
    operands: Sequence[Operand] = (),
    attachments: Sequence[Attachment] = (),
) -> str:
    """``sha256:`` and the hex of SHA-256 over the canonical form of the action, as the server makes it.

    Raises `NotJson` as `canonical_json` does.
    """
    action: Dict[str, Any] = {"tool": tool, "arguments": arguments}
    if operands:
        action["operands"] = [asdict(one) for one in operands]
    if attachments:
        action["attachments"] = [_kept(one) for one in attachments]
    return _digest(canonical_json(action))


def plan_digest(plan: str) -> str:
    """``sha256:`` and the hex of SHA-256 over the plan's bytes."""
    return _digest(plan.encode())


def attachments_digest(attachments: Sequence[Attachment]) -> Optional[str]:
    """``sha256:`` and the hex of SHA-256 over the canonical form of their list; ``None`` of none."""
    return _digest(canonical_json([_kept(one) for one in attachments])) if attachments else None


def _kept(one: Attachment) -> Dict[str, Any]:
    """What is decided of it: not its id, which another try would change."""
    return {"name": one.name, "type": one.type, "size": one.size, "sha256": one.sha256}


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def snapshot(value: Any, path: str = "$", keep: Tuple[type, ...] = ()) -> Any:
    """A copy that nobody else holds, of plain JSON types alone, and of the immutable ones in ``keep``.

    Subclasses are refused with the rest: a ``str`` or a ``dict`` with a mind of its own would be shown as
    one thing and run as another. Raises `NotJson`, with the place of what is none.
    """
    return _copied(value, path, keep, 0)


def _copied(value: Any, path: str, keep: Tuple[type, ...], depth: int) -> Any:
    if depth > _DEEPEST:
        raise NotJson(f"{path} is nested too deeply, or contains itself")
    kind = type(value)
    if value is None or kind is bool or kind in keep:
        return value
    if kind is str:
        return _text(value, path)
    if kind is int:
        if abs(value) > EXACT:
            raise NotJson(f"{path}: {value} is 2^53 or beyond and not the same number everywhere; make it a string")
        return value
    if kind is float:
        if not math.isfinite(value):
            raise NotJson(f"{path}: JSON has no {value}")
        return value
    if kind is list:
        return [_copied(item, f"{path}[{n}]", keep, depth + 1) for n, item in enumerate(value)]
    if kind is dict:
        copy: Dict[str, Any] = {}
        for key, item in list(value.items()):
            if type(key) is not str:
                raise NotJson(f"{path} has the key {key!r}; JSON has strings as keys")
            copy[_text(key, path)] = _copied(item, f"{path}.{key}", keep, depth + 1)
        return copy
    hint = "; make it a list" if kind in (tuple, set, frozenset) else ""
    raise NotJson(f"{path} is of the type {kind.__qualname__}, which JSON does not have{hint}")


def _text(text: str, path: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotJson(f"{path}: half a surrogate pair is no character") from None
    return text


def _written(value: Any) -> str:
    if isinstance(value, dict):
        # RFC 8785, section 3.2.3: by UTF-16 code units, which is not the order of characters.
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{_quoted(key)}:{_written(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return _quoted(value)
    return json.dumps(value)


def _quoted(text: str) -> str:
    # What json escapes of its own accord is what section 3.2.2.2 asks for.
    return json.dumps(text, ensure_ascii=False)


def _number(value: float) -> str:
    """As ECMAScript writes it. Python finds the same shortest digits, and puts the point elsewhere."""
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or "0")
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        rest = f".{digits[1:]}" if digits[1:] else ""
        text = f"{digits[0]}{rest}e{point - 1:+d}"
    return f"-{text}" if value < 0 else text
