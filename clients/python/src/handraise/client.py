"""The two clients: the loops that carry out the flows of `calls`, blocking and async."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import time
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Coroutine, Dict, Optional, Type, TypeVar

import httpx

from .calls import Calls
from .errors import HandraiseError
from .exchange import LONGEST_REPLY, Flow, Lost, Pause, Reply, Request
from .keys import Keys
from .known_servers import address_of
from .options import known_options
from .version import __version__

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")

DEFAULT_URL = "http://127.0.0.1:3000"
"""Where `handraise serve` listens unless it is told otherwise."""

_CONNECTING = 10.0
"""Seconds after which a server that does not take the connection counts as away."""


class _Server:
    """Where to send requests, and as whom."""

    def __init__(self, url: Optional[str], token: Optional[str]) -> None:
        self._base = (url or os.environ.get("HANDRAISE_URL") or DEFAULT_URL).strip().rstrip("/")
        token = (token or os.environ.get("HANDRAISE_TOKEN") or "").strip()
        # Which httpx may write as %5C, and is a slash elsewhere.
        if "\\" in self._base:
            raise HandraiseError(f"the URL of the server has no backslashes, unlike {self._base!r}")
        try:
            parsed = httpx.URL(self._base)
            host = parsed.host
        except (httpx.InvalidURL, UnicodeError) as cause:
            raise HandraiseError(f"{self._base!r} is no URL: {cause}") from cause
        if parsed.scheme not in ("http", "https") or not host:
            raise HandraiseError(f"the URL of the server begins with http:// or https://, unlike {self._base!r}")
        if parsed.userinfo:
            raise HandraiseError("the URL of the server has no place for a password: pass the token as `token`")
        if not token:
            raise HandraiseError(
                "no token: pass `token` or set HANDRAISE_TOKEN; "
                "`handraise token create --kind agent --name NAME` makes one"
            )
        self.address = address_of(parsed)
        if not token.isascii() or not token.isprintable():
            raise HandraiseError("the token has characters that no token has")
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            # Of a short text a long one could come.
            "Accept-Encoding": "identity",
            "User-Agent": f"handraise-python/{__version__}",
        }

    def as_arguments(self, request: Request) -> Dict[str, Any]:
        """A request as httpx takes it."""
        return {
            "method": request.method,
            "url": f"{self._base}/api/v1{request.path}",
            "content": request.body,
            "headers": {**self._headers, **request.headers},
            "timeout": httpx.Timeout(
                request.within, connect=_CONNECTING, read=request.within + request.hold, pool=None
            ),
            "follow_redirects": False,
        }

    def __repr__(self) -> str:
        return self._base


class _Body:
    """The body of a reply while it comes in: not for ever, and never more than a server of ours may say."""

    def __init__(self, request: Request) -> None:
        self._ends = monotonic() + request.within + request.hold
        self._parts = bytearray()

    def add(self, part: bytes) -> bool:
        """Whether to read on. Raises `httpx.ReadTimeout`."""
        self._parts += part
        if monotonic() > self._ends:
            raise httpx.ReadTimeout("the reply did not end in time")
        return len(self._parts) <= LONGEST_REPLY

    def of(self, response: httpx.Response) -> Reply:
        return Reply(response.status_code, response.headers, bytes(self._parts))


def blocking(flow: Callable[Concatenate[Calls, P], Flow[T]]) -> Callable[Concatenate[Handraise, P], T]:
    """The method that carries out this flow and returns its result."""

    @functools.wraps(flow)
    def method(client: Handraise, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return client.carry_out(flow(client.calls, *args, **kwargs))

    _sign(method, flow)
    return method


def awaiting(
    flow: Callable[Concatenate[Calls, P], Flow[T]],
) -> Callable[Concatenate[AsyncHandraise, P], Coroutine[Any, Any, T]]:
    """The coroutine method that carries out this flow and returns its result."""

    @functools.wraps(flow)
    async def method(client: AsyncHandraise, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await client.carry_out(flow(client.calls, *args, **kwargs))

    _sign(method, flow)
    return method


def _sign(method: Any, flow: Callable[..., Any]) -> None:
    """Lets ``help()`` show what the method takes, option by option, and what it returns."""
    signature = inspect.signature(flow)
    kept = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    if len(kept) < len(signature.parameters):
        for name in known_options("notification" if flow.__name__ == "notify" else ""):
            kept.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=...))
    returned = str(signature.return_annotation)
    if returned.startswith("Flow["):
        returned = returned[len("Flow[") : -1]
    method.__signature__ = signature.replace(parameters=kept, return_annotation=returned)


class Handraise:
    """Asks people, and blocks until they answer. May be shared by threads.

    ``url`` and ``token`` are by default HANDRAISE_URL (else ``http://127.0.0.1:3000``) and HANDRAISE_TOKEN.
    While the server cannot be reached, every call tries again: for ever, or until there was no reply for
    ``give_up_after`` seconds. It says so once, on the logger ``handraise``. ``http_client`` is for TLS and proxies
    of your own; whoever passes one closes it.

    What the server says was approved is believed by its receipt alone, signed with ``public_key`` (one or several,
    separated by commas; by default HANDRAISE_PUBLIC_KEY), else with the key that this server had at the first
    contact, which is noted in the file of known servers.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        public_key: Optional[str] = None,
        give_up_after: Optional[float] = None,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        self._server = _Server(url, token)
        self.calls = Calls(Keys.of(self._server.address, public_key), give_up_after)
        self._http = http_client or httpx.Client(limits=httpx.Limits(max_connections=None))
        self._is_mine = http_client is None

    ask = blocking(Calls.ask)
    attach = blocking(Calls.attach)
    choose = blocking(Calls.choose)
    approve = blocking(Calls.approve)
    acknowledge = blocking(Calls.acknowledge)
    verify = blocking(Calls.verify)
    consume = blocking(Calls.consume)
    report = blocking(Calls.report)
    review_plan = blocking(Calls.review_plan)
    form = blocking(Calls.form)
    notify = blocking(Calls.notify)
    open = blocking(Calls.open)
    get = blocking(Calls.get)
    wait = blocking(Calls.wait)
    collect = blocking(Calls.collect)
    cancel = blocking(Calls.cancel)
    end_session = blocking(Calls.end_session)
    list = blocking(Calls.list)

    def carry_out(self, flow: Flow[T]) -> T:
        """Does what a flow wants done until it is over."""
        try:
            step = next(flow)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = flow.send(None)
                else:
                    step = flow.send(self._send(step))
        except StopIteration as over:
            result: T = over.value
            return result

    def _send(self, request: Request) -> Any:
        body = _Body(request)
        try:
            with self._http.stream(**self._server.as_arguments(request)) as response:
                for part in response.iter_bytes():
                    if not body.add(part):
                        break
                return body.of(response)
        except httpx.RequestError as cause:
            return Lost(cause)

    def close(self) -> None:
        """Closes its connections. Nothing that was asked is taken back."""
        if self._is_mine:
            self._http.close()

    def __enter__(self) -> Handraise:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Handraise({self._server!r})"


class AsyncHandraise:
    """As `Handraise`, for asyncio: the same calls, to be awaited. Belongs to one event loop.

    Cancelling a call leaves what was asked as it is; `cancel` takes it back.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        public_key: Optional[str] = None,
        give_up_after: Optional[float] = None,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._server = _Server(url, token)
        self.calls = Calls(Keys.of(self._server.address, public_key), give_up_after)
        self._http = http_client or httpx.AsyncClient(limits=httpx.Limits(max_connections=None))
        self._is_mine = http_client is None

    ask = awaiting(Calls.ask)
    attach = awaiting(Calls.attach)
    choose = awaiting(Calls.choose)
    approve = awaiting(Calls.approve)
    acknowledge = awaiting(Calls.acknowledge)
    verify = awaiting(Calls.verify)
    consume = awaiting(Calls.consume)
    report = awaiting(Calls.report)
    review_plan = awaiting(Calls.review_plan)
    form = awaiting(Calls.form)
    notify = awaiting(Calls.notify)
    open = awaiting(Calls.open)
    get = awaiting(Calls.get)
    wait = awaiting(Calls.wait)
    collect = awaiting(Calls.collect)
    cancel = awaiting(Calls.cancel)
    end_session = awaiting(Calls.end_session)
    list = awaiting(Calls.list)

    async def carry_out(self, flow: Flow[T]) -> T:
        """Does what a flow wants done until it is over."""
        try:
            step = next(flow)
            while True:
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                    step = flow.send(None)
                else:
                    step = flow.send(await self._send(step))
        except StopIteration as over:
            result: T = over.value
            return result

    async def _send(self, request: Request) -> Any:
        body = _Body(request)
        try:
            async with self._http.stream(**self._server.as_arguments(request)) as response:
                async for part in response.aiter_bytes():
                    if not body.add(part):
                        break
                return body.of(response)
        except httpx.RequestError as cause:
            return Lost(cause)

    async def close(self) -> None:
        """Closes its connections. Nothing that was asked is taken back."""
        if self._is_mine:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncHandraise:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncHandraise({self._server!r})"
