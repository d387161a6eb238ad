"""Tells the server what came of a call that ran. The tool's result counts, not whether the server could be told."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from typing import AsyncIterator, Iterator, Literal, Optional, Tuple, Type

from ..client import AsyncHandraise, Handraise
from ..exchange import log
from .tool_calls import Verdict


@contextmanager
def reporting(
    verdict: Verdict, client: Optional[Handraise] = None, stops: Tuple[Type[BaseException], ...] = ()
) -> Iterator[None]:
    """While an approved call runs. ``stops`` are what a framework raises to go on later: nothing has come of it yet."""
    try:
        yield
    except stops:
        raise
    except Exception as error:
        report_one(verdict, error, client)
        raise
    report_one(verdict, None, client)


@asynccontextmanager
async def reporting_async(
    verdict: Verdict, client: Optional[AsyncHandraise] = None, stops: Tuple[Type[BaseException], ...] = ()
) -> AsyncIterator[None]:
    """`reporting`, awaited."""
    try:
        yield
    except stops:
        raise
    except Exception as error:
        await report(verdict, error, client)
        raise
    await report(verdict, None, client)


def report_one(verdict: Verdict, failed: Optional[object], client: Optional[Handraise] = None) -> None:
    """``failed`` is what was raised, of which people see the type, or words."""
    try:
        own = client or Handraise()
        try:
            own.carry_out(own.calls.report_soon(verdict.interaction_id, *_came_of_it(failed)))
        finally:
            if client is None:
                own.close()
    except Exception as error:
        _not_told(verdict, error)


async def report(verdict: Verdict, failed: Optional[object], client: Optional[AsyncHandraise] = None) -> None:
    """`report_one`, awaited."""
    try:
        own = client or AsyncHandraise()
        try:
            await own.carry_out(own.calls.report_soon(verdict.interaction_id, *_came_of_it(failed)))
        finally:
            if client is None:
                await own.close()
    except Exception as error:
        _not_told(verdict, error)


def _came_of_it(failed: Optional[object]) -> Tuple[Literal["done", "failed"], Optional[str]]:
    if failed is None:
        return "done", None
    # A message may hold what is for the agent alone.
    return "failed", failed if isinstance(failed, str) else type(failed).__qualname__


def _not_told(verdict: Verdict, error: Exception) -> None:
    log.warning("could not tell the server what came of %s: %s", verdict.interaction_id, error)
