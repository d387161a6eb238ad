"""Operands: the files that an action names without containing them, and whether they are still what they were."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

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
    # What is no file may hold whoever opens it for ever, and a device may do something.
    _expect_regular(name, os.stat(name))
    opened = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _expect_regular(name, os.fstat(opened))
        digest, size = hashlib.sha256(), 0
        while chunk := os.read(opened, _CHUNK):
            digest.update(chunk)
            size += len(chunk)
    finally:
        os.close(opened)
    return Operand(name=snapshot(name, "operands"), sha256=digest.hexdigest(), size=size)


def _expect_regular(name: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{name} is no regular file, and nothing else can be an operand")


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


@dataclass(frozen=True)
class Place:
    """Where a path leads."""

    folder: str
    """The working directory, if the path is relative; empty otherwise."""
    target: str
    """Without the links on the way, whether anything is there or not."""
    link: Optional[str]
    """What its last part says, if that is a link: what is put in its place goes elsewhere than what is written through
    it."""
    what: Tuple[int, ...]
    """Nothing if nothing is there; its kind; and of a folder which one, since another may be put in its place."""


def places_of(paths: Iterable[AnyPath]) -> Dict[str, Place]:
    """Where each leads now. Raises ``OSError`` when that cannot be known."""
    return {name: _place_of(name) for name in (os.fspath(path) for path in paths)}


def expect_same_places(before: Mapping[str, Place]) -> None:
    """Raises `OperandChanged` when a path leads elsewhere: what runs would open another file than was shown."""
    for name, place in before.items():
        try:
            now = _place_of(name)
        except OSError as cause:
            raise OperandChanged(name, f"where it leads cannot be known any more: {cause}") from cause
        if now.folder != place.folder:
            raise OperandChanged(name, f"the working directory was {place.folder}, and is {now.folder}")
        if now.target != place.target:
            raise OperandChanged(name, f"it led to {place.target}, and leads to {now.target}")
        if now.link != place.link:
            raise OperandChanged(name, "another link, or none, is in its place")
        if now.what != place.what:
            raise OperandChanged(name, "something else is in its place")


def _place_of(name: str) -> Place:
    folder = "" if os.path.isabs(name) else os.getcwd()
    return Place(folder, os.path.realpath(name), _link_of(name), _what_is_at(name))


def _link_of(name: str) -> Optional[str]:
    try:
        return os.readlink(name)
    except (OSError, ValueError):
        return None


def _what_is_at(name: str) -> Tuple[int, ...]:
    try:
        status = os.stat(name)
    except OSError:
        return ()
    kind = stat.S_IFMT(status.st_mode)
    return (kind, status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else (kind,)


def may_be_read(path: AnyPath) -> bool:
    """Whether something else than a folder is there, which `hash_file` refuses if it is no file: what will come out
    of a pipe or a device cannot be approved. What cannot be looked at may be anything.
    """
    try:
        return not stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


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
