"""Operands: the files that an action names without containing them, and whether they are still what they were."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Any, Iterable, List, Sequence, Tuple, Union

from .canonical import snapshot
from .errors import OperandChanged
from .models import Operand

AnyPath = Union[str, "os.PathLike[str]"]

PATH: type = type(Path())
"""What a path is on this system. Subclasses are refused with all others: see `snapshot`."""

_CHUNK = 1 << 20


def hash_file(path: AnyPath) -> Operand:
    """What a regular file holds now, to be shown and approved with an action.

    Raises ``OSError`` when it cannot be read, and ``ValueError`` when it is something else.
    """
    name = os.fspath(path)
    # What is no file may hold whoever opens it for ever.
    opened = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise ValueError(f"{name} is no regular file, and nothing else can be an operand")
        digest, size = hashlib.sha256(), 0
        while chunk := os.read(opened, _CHUNK):
            digest.update(chunk)
            size += len(chunk)
    finally:
        os.close(opened)
    return Operand(name=snapshot(name, "operands"), sha256=digest.hexdigest(), size=size)


def hash_files(paths: Iterable[AnyPath]) -> Tuple[Operand, ...]:
    """`hash_file` of each, and of each once."""
    return tuple(hash_file(name) for name in dict.fromkeys(os.fspath(path) for path in paths))


def expect_unchanged(before: Sequence[Operand], paths: Iterable[AnyPath]) -> None:
    """Raises `OperandChanged` when these are not the same files, with the same content."""
    known = {one.name: one for one in before}
    names = list(dict.fromkeys(os.fspath(path) for path in paths))
    for name in names:
        if name not in known:
            raise OperandChanged(name, "it was no file then")
    for name, one in known.items():
        if name not in names:
            raise OperandChanged(name, "it is no file any more")
        try:
            now = hash_file(name)
        except (OSError, ValueError) as cause:
            raise OperandChanged(name, f"it cannot be read any more: {cause}") from cause
        if now != one:
            raise OperandChanged(name, f"its SHA-256 was {one.sha256}, and is {now.sha256}")


def paths_in(value: Any) -> List[Path]:
    """The paths anywhere in a copy made by `snapshot`."""
    if isinstance(value, PATH):
        return [Path(value)]  # type: ignore[arg-type]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [path for part in parts for path in paths_in(part)]


def without_paths(value: Any) -> Any:
    """A copy made by `snapshot`, with paths as the text that people see."""
    if isinstance(value, PATH):
        return str(value)
    if isinstance(value, list):
        return [without_paths(part) for part in value]
    if isinstance(value, dict):
        return {key: without_paths(part) for key, part in value.items()}
    return value
