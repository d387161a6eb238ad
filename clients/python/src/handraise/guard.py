"""`requires_approval`: a function that runs only when a person has approved this very call. Fails closed."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Generator, Iterator, Optional, TypeVar, Union, cast

from .asked import expect_unasked
from .client import AsyncHandraise, Handraise
from .exchange import log
from .guardable import expect_done, expect_guardable
from .guarded_call import Arguments, GuardedCall, Paths, Terms
from .options import put_options
from .receipts import MAX_AGE, Age
from .verdicts import Decision

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import Options

F = TypeVar("F", bound=Callable[..., Any])


def requires_approval(
    tool: Optional[str] = None,
    prompt: Optional[str] = None,
    client: Union[Handraise, AsyncHandraise, None] = None,
    *,
    operands: Union[Paths, Callable[..., Paths]] = (),
    hash_paths: bool = True,
    max_age: Age = MAX_AGE,
    key: Optional[Callable[..., str]] = None,
    describe: Optional[Callable[[BaseException], str]] = None,
    **options: Unpack[Options],
) -> Callable[[F], F]:
    """Has a person approve every call of a function, with its arguments, before it runs, once.

    People see ``tool`` (the function's name if left out) and all arguments by name, defaults included. The
    function gets a copy of exactly those, made before asking. ``client`` is a `Handraise` for functions and an
    `AsyncHandraise` for coroutine functions; without one each call makes its own from the environment.
    ``timeout`` (seconds) and the other options are those of `Options`.

    ``operands`` are files that the call reads or runs without having them as arguments: paths, or a function that
    makes them from the arguments. They are approved with their SHA-256, and so are the regular files that any
    `pathlib.Path` among the arguments names, unless ``hash_paths`` is ``False``. They are hashed again right
    before the function runs, and all of these paths, whatever ``hash_paths`` is, have to lead where they did when
    people were asked: no link on the way was set anew, and the working directory is the same if one is relative.

    Before it runs, the server's receipt is verified and the approval is used up; afterwards the server is told
    whether it returned (*done*) or raised (*failed*). Of an exception people see the type, or what ``describe``
    makes of it, as in ``describe=str``.

    ``key`` is a function that makes an idempotency key from the arguments. A program that crashed while it waited
    gets the same approval under the same key when it calls again; what was approved up to ``max_age`` seconds ago
    holds. If it had used the approval already, the call raises `AlreadyUsed`, and people are asked again only
    under another key. Without keys each call asks.

    A call raises, and does not run the function: `NotJson` before asking, when an argument is anything but
    ``None``, ``bool``, ``int``, ``float``, ``str``, ``list``, ``dict`` or a path; ``OSError`` or ``ValueError``
    before asking, when an operand is no file that can be read, or a path among the arguments names a pipe, a
    socket or a device (unless ``hash_paths`` is ``False``); `Denied`; `Expired`; `Cancelled`; `NotVerified`
    and `KeyChanged` when no receipt proves the approval; `ArgumentsChanged` when the arguments were changed since,
    or the server approved something else, and `OperandChanged`; `AlreadyUsed`; `Refused`, `Unauthorized`, and
    `Unreachable` with ``give_up_after``.

    A method has its object as an argument, which is no JSON: decorate the bound one,
    ``requires_approval()(account.close)``. A generator function asks at its first step. What would only begin its work
    when it is called is refused with ``TypeError`` where it is written: an async generator function, an object whose
    ``__call__`` is a generator or coroutine function, a context manager that is made of a generator. So is, after the
    call, a result that would work later, or has such a thing in its lists and dicts: a coroutine or another
    awaitable, a generator, such a context manager, a function, ``map`` and its like. The files of a guarded generator
    are looked at before its first step, not before the others.
    """
    if callable(tool):
        raise TypeError("write @requires_approval(), with parentheses")
    if "idempotency_key" in options:
        raise TypeError("an approval is good for one call: pass `key`, which makes an idempotency_key for each")
    put_options("approval", options)
    if not callable(operands) and isinstance(operands, Iterator):
        operands = tuple(operands)

    def decorate(function: F) -> F:
        expect_guardable(function)
        signature = inspect.signature(function)
        name = tool or function.__name__
        terms = Terms(
            tool=name,
            prompt=prompt or f"May this agent run `{name}`?",
            operands=operands,
            hash_paths=hash_paths,
            max_age=max_age,
            key=key,
            describe=describe,
            options=options,
        )

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            guarded = GuardedCall(terms, signature, args, kwargs)
            with _approved(guarded, terms, cast(Optional[Handraise], client)) as (given, named):
                return expect_done(name, function(*given, **named))

        @functools.wraps(function)
        def steps(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            guarded = GuardedCall(terms, signature, args, kwargs)
            with _approved(guarded, terms, cast(Optional[Handraise], client)) as (given, named):
                return expect_done(name, (yield from _done_steps(name, function(*given, **named))))

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            guarded = GuardedCall(terms, signature, args, kwargs)
            async with _approved_async(guarded, terms, cast(Optional[AsyncHandraise], client)) as (given, named):
                return expect_done(name, await function(*given, **named))

        is_async = inspect.iscoroutinefunction(function)
        fitting = AsyncHandraise if is_async else Handraise
        if client is not None and not isinstance(client, fitting):
            raise TypeError(f"{name} needs a client of the type {fitting.__name__}")
        if inspect.isgeneratorfunction(function):
            return cast(F, steps)
        return cast(F, call_async if is_async else call)

    return decorate


def _done_steps(name: str, steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """The steps of a guarded generator. What one of them hands out must not work later either."""
    try:
        step = next(steps)
        while True:
            expect_done(name, step)
            try:
                given = yield step
            except GeneratorExit:
                raise
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(given)
    except StopIteration as end:
        return end.value
    finally:
        steps.close()


def _now() -> datetime:
    return datetime.now(timezone.utc)


@contextlib.contextmanager
def _approved(call: GuardedCall, terms: Terms, client: Optional[Handraise]) -> Iterator[Arguments]:
    """Asks, verifies and consumes, lets the function run with what it gives, and reports."""
    expect_unasked(terms.tool)
    own = client or Handraise()
    try:
        decision = own.approve(**call.question())
        call.released_by(decision, _now())
        id = decision.interaction.id
        own.consume(id)
        _tell(terms, decision)
        try:
            # Once more: a server may have been away for long before it could be told.
            yield call.released_by(decision, _now())
        except GeneratorExit:
            # Nobody wants the other steps. Whether that is what was to be done is not known here.
            raise
        except BaseException as error:
            with _nothing_hidden():
                own.carry_out(own.calls.report_soon(id, "failed", terms.told_of(error)))
            raise
        with _nothing_hidden():
            own.carry_out(own.calls.report_soon(id, "done"))
    finally:
        if client is None:
            own.close()


@contextlib.asynccontextmanager
async def _approved_async(
    call: GuardedCall, terms: Terms, client: Optional[AsyncHandraise]
) -> AsyncIterator[Arguments]:
    """The same, awaited. Files are hashed beside the loop."""
    expect_unasked(terms.tool)
    own = client or AsyncHandraise()
    try:
        decision = await own.approve(**await asyncio.to_thread(call.question))
        await asyncio.to_thread(call.released_by, decision, _now())
        id = decision.interaction.id
        await own.consume(id)
        _tell(terms, decision)
        try:
            yield await asyncio.to_thread(call.released_by, decision, _now())
        except BaseException as error:
            with _nothing_hidden():
                await own.carry_out(own.calls.report_soon(id, "failed", terms.told_of(error)))
            raise
        with _nothing_hidden():
            await own.carry_out(own.calls.report_soon(id, "done"))
    finally:
        if client is None:
            await own.close()


def _tell(terms: Terms, decision: Decision) -> None:
    """Whoever runs the program was not asked where a standing approval or a rule covers it."""
    receipt = decision.receipt
    if receipt is not None and receipt.asked_nobody:
        log.info("%s: %s", receipt.approved_in_words, terms.tool)


@contextlib.contextmanager
def _nothing_hidden() -> Iterator[None]:
    """What became of the function counts, not whether the server could be told."""
    try:
        yield
    except Exception as error:
        log.warning("could not tell the server what came of it: %s", error)
