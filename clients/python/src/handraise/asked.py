"""Which tool an adapter asks about and runs right now, so that a guard on the same function does not ask once more."""

from __future__ import annotations

import contextvars
from contextlib import contextmanager
from typing import FrozenSet, Iterator

from .errors import HandraiseError

_tools: contextvars.ContextVar[FrozenSet[str]] = contextvars.ContextVar("handraise_tools", default=frozenset())


class AskedTwice(HandraiseError):
    """Two parts of a program ask about one call: a mistake in it, and not for the model."""


@contextmanager
def asking(tool: str) -> Iterator[None]:
    """For an adapter, around the question and the run."""
    token = _tools.set(_tools.get() | {tool})
    try:
        yield
    finally:
        _tools.reset(token)


def expect_unasked(tool: str) -> None:
    """For a guard. Raises `AskedTwice` while an adapter runs a call of this tool, which was approved already."""
    if tool in _tools.get():
        raise AskedTwice(f"an adapter and requires_approval both ask about {tool}: remove one of them")
