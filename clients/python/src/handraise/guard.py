"""`requires_approval`: a function that runs only when a person has approved this very call. Fails closed."""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar, Union, cast

from .canonical import action_digest, snapshot
from .client import AsyncHandraise, Handraise
from .errors import ArgumentsChanged, Cancelled, Denied, Expired, NotJson
from .options import put_options
from .verdicts import Decision

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import Options

F = TypeVar("F", bound=Callable[..., Any])


def requires_approval(
    tool: Optional[str] = None,
    prompt: Optional[str] = None,
    client: Union[Handraise, AsyncHandraise, None] = None,
    **options: Unpack[Options],
) -> Callable[[F], F]:
    """Has a person approve every call of a function, with its arguments, before it runs.

    People see ``tool`` (the function's name if left out) and all arguments by name, defaults included. The
    function gets a copy of exactly those, made before asking. ``client`` is a `Handraise` for functions and an
    `AsyncHandraise` for coroutine functions; without one each call makes its own from the environment.
    ``timeout`` (seconds) and the other options are those of `Options`, but for ``idempotency_key``: an approval
    is good for one call.

    A call raises, and does not run the function: `NotJson` before asking, when an argument is anything but
    ``None``, ``bool``, ``int``, ``float``, ``str``, ``list`` or ``dict`` of these; `Denied`; `Expired`;
    `Cancelled`; `ArgumentsChanged` when the arguments were changed since, or the server approved something
    else; `Refused`, `Unauthorized`, and `Unreachable` with ``give_up_after``.

    A method has its object as an argument, which is no JSON: decorate the bound one,
    ``requires_approval()(account.close)``.
    """
    if callable(tool):
        raise TypeError("write @requires_approval(), with parentheses")
    if "idempotency_key" in options:
        raise TypeError("an approval is good for one call: no idempotency_key here")
    put_options("approval", options)

    def decorate(function: F) -> F:
        if inspect.isasyncgenfunction(function):
            raise TypeError("an async generator cannot wait for an approval before its first step")
        signature = inspect.signature(function)
        name = tool or function.__name__
        question = prompt or f"May this agent run `{name}`?"

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            bound = _Call(name, signature, args, kwargs)
            own = cast(Handraise, client) if client is not None else Handraise()
            try:
                decision = own.approve(question, name, bound.arguments, **options)
            finally:
                if client is None:
                    own.close()
            args, kwargs = bound.released_by(decision)
            return function(*args, **kwargs)

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            bound = _Call(name, signature, args, kwargs)
            own = cast(AsyncHandraise, client) if client is not None else AsyncHandraise()
            try:
                decision = await own.approve(question, name, bound.arguments, **options)
            finally:
                if client is None:
                    await own.close()
            args, kwargs = bound.released_by(decision)
            return await function(*args, **kwargs)

        is_async = inspect.iscoroutinefunction(function)
        fitting = AsyncHandraise if is_async else Handraise
        if client is not None and not isinstance(client, fitting):
            raise TypeError(f"{name} needs a client of the type {fitting.__name__}")
        return cast(F, call_async if is_async else call)

    return decorate


class _Call:
    """One call of a guarded function: what it was called with, and a copy of it as JSON."""

    def __init__(
        self, tool: str, signature: inspect.Signature, args: Tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        self._tool = tool
        self._bound = signature.bind(*args, **kwargs)
        self._bound.apply_defaults()
        self.arguments = self._as_json()

    def released_by(self, decision: Decision) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        """What to run the function with, if this decision allows it."""
        if not decision:
            outcome = decision.outcome
            if outcome == "expired":
                raise Expired(decision.interaction)
            if outcome == "cancelled":
                raise Cancelled(decision.interaction)
            raise Denied(decision)
        try:
            now = self._as_json()
        except NotJson as cause:
            raise ArgumentsChanged(f"the arguments were changed since they were approved: {cause}") from cause
        digests = {action_digest(self._tool, arguments) for arguments in (self.arguments, now)}
        if digests != {decision.interaction.action_digest}:
            raise ArgumentsChanged("the arguments are not those that were approved")
        run = inspect.BoundArguments(self._bound.signature, OrderedDict(self.arguments))
        return run.args, run.kwargs

    def _as_json(self) -> Dict[str, Any]:
        parameters = self._bound.signature.parameters
        named = {
            # Python hands over `*args` as a tuple, which is none of the caller's making.
            name: list(value) if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL else value
            for name, value in self._bound.arguments.items()
        }
        copied: Dict[str, Any] = snapshot(named, "arguments")
        return copied
