"""What a guard can hold back: a function whose work is done when it returns. What is returned and works later would run
after everything was checked, and maybe more than once.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import itertools
from typing import Any, Callable, Dict, Optional, Tuple

_LATER: Dict[str, Tuple[type, ...]] = {
    "a context manager": (contextlib._GeneratorContextManager, contextlib._AsyncGeneratorContextManager),
    "a lazy iterator": (
        map,
        filter,
        zip,
        enumerate,
        reversed,
        type(iter(int, 0)),
        *(kind for kind in vars(itertools).values() if isinstance(kind, type)),
    ),
    "a function": (functools.partial, functools.partialmethod),
}
_CONTAINERS: Tuple[type, ...] = (
    list,
    tuple,
    dict,
    set,
    frozenset,
    collections.deque,
    type({}.values()),
    type({}.items()),
)
# How deep in what is returned it looks.
_DEPTH = 50


def expect_guardable(function: Callable[..., Any]) -> None:
    """Raises ``TypeError`` for a function that only begins its work when it is called."""
    function = _inner(function)
    if inspect.isasyncgenfunction(function):
        raise TypeError("an async generator cannot wait for an approval before its first step")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return
    begun = None if inspect.isroutine(function) or inspect.isclass(function) else type(function).__call__
    later = _kind_of(begun) or _kind_of_wrapped(function)
    if later is not None:
        raise TypeError(
            f"calling it makes {later}, which would run after everything was checked: "
            "guard the function that does the work"
        )


def expect_done(name: str, result: Any) -> Any:
    """What a guarded function has returned. Raises ``TypeError`` if it, or something in it, works later."""
    _expect_done(name, result, 0)
    return result


def _expect_done(name: str, result: Any, depth: int) -> None:
    later = None
    if inspect.iscoroutine(result) or inspect.isgenerator(result):
        # Nobody shall run it, or miss that it was not.
        result.close()
        later = "a coroutine" if inspect.iscoroutine(result) else "a generator"
    elif inspect.isasyncgen(result):
        later = "an async generator"
    elif inspect.isawaitable(result):
        later = "an awaitable"
    elif inspect.isroutine(result):
        later = "a function"
    else:
        later = next((what for what, kinds in _LATER.items() if isinstance(result, kinds)), None)
    if later is not None:
        raise TypeError(f"{name} returned {later}, which would run after everything was checked")
    if isinstance(result, _CONTAINERS):
        if depth == _DEPTH:
            raise TypeError(f"{name} returned more lists in each other than can be looked through")
        parts: Any = itertools.chain(result.keys(), result.values()) if isinstance(result, dict) else result
        for part in parts:
            _expect_done(name, part, depth + 1)


def _inner(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _kind_of(function: Any) -> Optional[str]:
    if inspect.iscoroutinefunction(function):
        return "a coroutine"
    if inspect.isgeneratorfunction(function):
        return "a generator"
    return "an async generator" if inspect.isasyncgenfunction(function) else None


def _kind_of_wrapped(function: Any) -> Optional[str]:
    """Of `contextlib.contextmanager` and its like. A wrapper of a coroutine function may well run it to its end."""
    seen = 0
    while hasattr(function, "__wrapped__") and seen < 100:
        function, seen = _inner(function.__wrapped__), seen + 1
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            return "what steps of a generator make, as a context manager is"
    return None
