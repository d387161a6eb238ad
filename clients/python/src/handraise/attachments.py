"""Files that go with a question: pictures, texts and differences, sent before it."""

from __future__ import annotations

import hashlib
import os
from typing import Optional, Tuple, Union
from urllib.parse import urlencode

from .errors import HandraiseError
from .exchange import Request
from .models import Attachment

AnyFile = Union[str, "os.PathLike[str]"]

LARGEST = 5 * 1024 * 1024
"""Bytes."""

_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
)


def read_file(path: AnyFile) -> Tuple[str, bytes]:
    """The name of a file without its path, and its bytes. Raises ``OSError``, ``ValueError``."""
    place = os.fspath(path)
    # So that a large one is not in memory before it is refused.
    size = os.stat(place).st_size
    if size > LARGEST:
        raise ValueError(f"{place} has {size} bytes, at most {LARGEST} can be attached")
    with open(place, "rb") as file:
        return os.path.basename(place), file.read(LARGEST + 1)


def media_type_of(name: str, content: bytes) -> str:
    """What a file is, by what is in it. Raises ``ValueError`` for what people cannot be shown."""
    for begins, media_type in _PICTURES:
        if content.startswith(begins):
            return media_type
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    try:
        content.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{name} is neither a picture that people can be shown nor a text in UTF-8") from None
    return "text/x-diff" if name.endswith((".diff", ".patch")) else "text/plain"


def sending(name: str, content: bytes, media_type: Optional[str] = None) -> Request:
    """The request that sends a file."""
    given = media_type or media_type_of(name, content)
    return Request("POST", "/attachments?" + urlencode({"name": name}), content, {"Content-Type": given})


def expect_kept(kept: Attachment, name: str, content: bytes) -> Attachment:
    """What the server keeps of it. A text stays as it is; a picture is encoded anew, so nobody can compare it. Raises
    `HandraiseError` when it is something else.
    """
    is_same = kept.sha256 == hashlib.sha256(content).hexdigest()
    if kept.name != name or not (is_same or kept.type.startswith("image/")):
        raise HandraiseError(f"the server keeps something else than {name}, so it is not attached")
    return kept
