"""One call of a guarded function: what people are shown of it, and whether that is still what would run."""

from __future__ import annotations

import inspect
import os
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from .canonical import action_digest, snapshot
from .errors import ArgumentsChanged, Cancelled, Denied, Expired, NotJson, NotVerified
from .models import Operand
from .operands import (
    PATH,
    AnyPath,
    Place,
    expect_same_places,
    expect_unchanged,
    hash_files,
    may_be_read,
    paths_in,
    places_of,
    without_paths,
)
from .receipts import Age, expect_recent
from .verdicts import Decision

Paths = Union[AnyPath, Iterable[AnyPath]]
Arguments = Tuple[Tuple[Any, ...], Dict[str, Any]]

_LINE = 300
"""Characters of what people are told of an exception."""


@dataclass(frozen=True)
class Terms:
    """What a guard was written with, besides the function."""

    tool: str
    prompt: str
    operands: Union[Paths, Callable[..., Paths]]
    hash_paths: bool
    max_age: Age
    key: Optional[Callable[..., str]]
    describe: Optional[Callable[[BaseException], str]]
    options: Mapping[str, Any]

    def told_of(self, error: BaseException) -> str:
        """What people are told of an exception: its type alone, unless the guard says more. A message may hold
        what is nobody's business.
        """
        kind = type(error)
        named = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        try:
            words = self.describe(error).split() if self.describe else [named]
        except Exception:
            words = [named]
        return " ".join(words)[:_LINE]


class GuardedCall:
    """Holds a copy of the arguments that nobody else has."""

    def __init__(self, terms: Terms, signature: inspect.Signature, args: Tuple[Any, ...], kwargs: Mapping[str, Any]):
        self._terms = terms
        self._bound = signature.bind(*args, **kwargs)
        self._bound.apply_defaults()
        self._copy = self._copied()
        self._operands: Tuple[Operand, ...] = ()
        self._places: Mapping[str, Place] = {}

    def question(self) -> Dict[str, Any]:
        """What to ask people, with the files as they are now. Raises ``OSError`` and ``ValueError`` for what
        cannot be an operand.
        """
        terms = self._terms
        named = self._named()
        self._places = places_of([*paths_in(self._copy), *named])
        self._operands = hash_files(self._files(named))
        args, kwargs = self._as_arguments()
        keyed = {} if terms.key is None else {"idempotency_key": terms.key(*args, **kwargs)}
        return {
            "prompt": terms.prompt,
            "tool": terms.tool,
            "arguments": without_paths(self._copy),
            "operands": self._operands,
            "max_age": terms.max_age,
            **terms.options,
            **keyed,
        }

    def released_by(self, decision: Decision, now: datetime) -> Arguments:
        """What to run the function with, if this decision allows it, and nothing has changed up to now."""
        receipt = decision.receipt
        if not decision or receipt is None:
            outcome = decision.outcome
            if outcome == "expired":
                raise Expired(decision.interaction)
            if outcome == "cancelled":
                raise Cancelled(decision.interaction)
            if outcome == "void":
                raise NotVerified("the server has an approval whose receipt does not hold, so nothing was approved")
            raise Denied(decision)
        expect_recent(receipt, self._terms.max_age, now)
        try:
            as_called = self._copied()
        except NotJson as cause:
            raise ArgumentsChanged(f"the arguments were changed since they were approved: {cause}") from cause
        if {self._digest(self._copy), self._digest(as_called)} != {receipt.action_digest}:
            raise ArgumentsChanged("the arguments are not those that were approved")
        expect_same_places(self._places)
        expect_unchanged(self._operands, self._files(self._named()))
        # Once more: it may have taken long to hash them.
        expect_same_places(self._places)
        return self._as_arguments()

    def _digest(self, copy: Mapping[str, Any]) -> str:
        files = self._terms.options.get("attachments") or ()
        return action_digest(self._terms.tool, without_paths(copy), self._operands, files)

    def _files(self, named: List[AnyPath]) -> List[AnyPath]:
        """What is hashed: the files among the arguments, and those that the guard names."""
        found = paths_in(self._copy) if self._terms.hash_paths else []
        return [*filter(may_be_read, found), *named]

    def _named(self) -> List[AnyPath]:
        named = self._terms.operands
        if callable(named):
            args, kwargs = self._as_arguments()
            named = named(*args, **kwargs)
        return [named] if isinstance(named, (str, os.PathLike)) else list(named)

    def _as_arguments(self) -> Arguments:
        run = inspect.BoundArguments(self._bound.signature, OrderedDict(self._copy))
        return run.args, run.kwargs

    def _copied(self) -> Dict[str, Any]:
        parameters = self._bound.signature.parameters
        named = {
            # Python hands over `*args` as a tuple, which is none of the caller's making.
            name: list(value) if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL else value
            for name, value in self._bound.arguments.items()
        }
        copied: Dict[str, Any] = snapshot(named, "arguments", keep=(PATH,))
        return copied
