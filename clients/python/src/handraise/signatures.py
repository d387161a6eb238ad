"""Ed25519 signatures over the RFC 8785 form of a JSON object, all of it but the member ``signature``."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Mapping, Optional

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .canonical import canonical_json
from .errors import NotJson

_KEY = 32


def public_key(text: object) -> Optional[str]:
    """A public key in base64, as it is written everywhere; ``None`` when it is none."""
    key = _decoded(text)
    return None if key is None or len(key) != _KEY else base64.b64encode(key).decode()


def is_signed(document: Mapping[str, Any], key: str) -> bool:
    """Whether the document's ``signature`` is that of this key over all the rest of it."""
    signed = {name: value for name, value in document.items() if name != "signature"}
    secret_half_of, signature = _decoded(key), _decoded(document.get("signature"))
    if secret_half_of is None or signature is None:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(secret_half_of).verify(signature, canonical_json(signed))
    except (InvalidSignature, NotJson, ValueError):
        return False
    return True


def _decoded(text: object) -> Optional[bytes]:
    if not isinstance(text, str):
        return None
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
