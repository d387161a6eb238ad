"""What the tests share: a server, tokens, and each client in turn."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Protocol, cast

import pytest
from proxy import Proxy
from serving import PATIENCE, Desk, Server

from handraise import AsyncHandraise, Handraise

# They need the frameworks: `requirements-adapters.txt`.
collect_ignore = [] if os.environ.get("HANDRAISE_ADAPTERS") else ["adapters"]

OwnServer = Callable[..., Server]
DeskOf = Callable[[Server], Desk]


class InLoop:
    """An `AsyncHandraise` that is called like a `Handraise`: a loop in a thread of its own awaits."""

    def __init__(self, **settings: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client = AsyncHandraise(**settings)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return asyncio.run_coroutine_threadsafe(method(*args, **kwargs), self._loop).result(2 * PATIENCE)

        return call

    def stop(self) -> None:
        self.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Connect(Protocol):
    """Makes a client of the kind that the test runs with."""

    def __call__(self, url: str, token: str, give_up_after: Optional[float] = None) -> Handraise: ...


@pytest.fixture(scope="session", autouse=True)
def known_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Notes keys where nobody else does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HANDRAISE_KNOWN_SERVERS", str(tmp_path_factory.mktemp("known") / "servers"))
        patch.delenv("HANDRAISE_PUBLIC_KEY", raising=False)
        yield


@pytest.fixture(autouse=True)
def own_known_servers(known_servers: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test's own servers may have the address of another's."""
    monkeypatch.setenv("HANDRAISE_KNOWN_SERVERS", str(tmp_path / "known_servers"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all who leave it running."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


@pytest.fixture
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Starts servers with settings of their own, for this test to kill."""
    servers: List[Server] = []

    def start(port: int = 0, **settings: str) -> Server:
        servers.append(Server(tmp_path_factory.mktemp("own"), port, **settings))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def desk_of() -> Iterator[DeskOf]:
    desks: List[Desk] = []

    def open_desk(server: Server) -> Desk:
        desks.append(Desk(server))
        desks[-1].catch_up()
        return desks[-1]

    yield open_desk
    for desk in desks:
        desk.close()


@pytest.fixture(scope="session")
def token(server: Server) -> str:
    return server.token("agent", "backend")


@pytest.fixture(scope="session")
def whole_desk(server: Server) -> Iterator[Desk]:
    desk = Desk(server)
    yield desk
    desk.close()


@pytest.fixture
def desk(whole_desk: Desk) -> Desk:
    """Somebody who answers what this test asks on the shared server."""
    whole_desk.catch_up()
    return whole_desk


class Clients:
    """Clients of one kind."""

    def __init__(self, is_async: bool) -> None:
        self._is_async = is_async
        self._blocking: List[Handraise] = []
        self._awaited: List[InLoop] = []

    def connect(self, url: str, token: str, give_up_after: Optional[float] = None) -> Handraise:
        if self._is_async:
            self._awaited.append(InLoop(url=url, token=token, give_up_after=give_up_after))
            return cast("Handraise", self._awaited[-1])
        self._blocking.append(Handraise(url, token, give_up_after=give_up_after))
        return self._blocking[-1]

    def close(self) -> None:
        for client in self._blocking:
            client.close()
        for wrapped in self._awaited:
            wrapped.stop()


@pytest.fixture(scope="session", params=["blocking", "async"])
def is_async(request: pytest.FixtureRequest) -> bool:
    """Each test that takes this, or a client, runs with both kinds."""
    return bool(request.param == "async")


@pytest.fixture
def connect(is_async: bool) -> Iterator[Connect]:
    clients = Clients(is_async)
    yield clients.connect
    clients.close()


@pytest.fixture(scope="session")
def people(is_async: bool, server: Server, token: str) -> Iterator[Handraise]:
    """A client of the shared server."""
    clients = Clients(is_async)
    yield clients.connect(server.url, token)
    clients.close()


@pytest.fixture
def proxy_to() -> Iterator[Callable[[Server], Proxy]]:
    proxies: List[Proxy] = []

    def start(server: Server) -> Proxy:
        proxies.append(Proxy(server.port))
        return proxies[-1]

    yield start
    for proxy in proxies:
        proxy.close()


class Meanwhile(Protocol):
    """Calls a function in another thread."""

    def __call__(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]: ...


@pytest.fixture
def meanwhile() -> Meanwhile:
    def call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def run() -> None:
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        # No pool: that would wait for calls that a failed test has left waiting for ever.
        threading.Thread(target=run, daemon=True).start()
        return future

    return call
