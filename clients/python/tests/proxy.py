"""A TCP proxy that sees each request and can lose or forge its reply."""

from __future__ import annotations

import socket
import threading
from typing import Callable, List, Optional, Tuple

from serving import PATIENCE

Rule = Tuple[str, Optional[bytes], Callable[[], None]]


class Proxy:
    """Passes on one request a connection. What it does to replies is said beforehand, request by request."""

    def __init__(self, upstream: int) -> None:
        self._upstream = upstream
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._rules: List[Rule] = []
        self._changed = threading.Condition()
        self.requests: List[str] = []
        """Heads of the requests, in the order they came."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def lose_reply(self, start: str, then: Callable[[], None] = lambda: None) -> None:
        """The next request that begins like this is done, and its reply lost; ``then`` happens in between."""
        self._rules.append((start, None, then))

    def forge_reply(self, start: str, reply: bytes) -> None:
        """The next request that begins like this is not passed on, and gets this reply."""
        self._rules.append((start, reply, lambda: None))

    def count(self, start: str) -> int:
        return sum(request.startswith(start) for request in self.requests)

    def await_request(self, start: str, count: int = 1) -> None:
        """Returns when so many requests that begin like this have come."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.count(start) >= count, PATIENCE), self.requests

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                request = _whole(client)
                if request:
                    self._pass_on(client, request)
            except OSError:
                # One of the two is gone; the other sees it by its closed connection.
                return

    def _pass_on(self, client: socket.socket, request: bytes) -> None:
        head = request.split(b"\r\n\r\n")[0].decode()
        rule = next((rule for rule in self._rules if head.startswith(rule[0])), None)
        if rule:
            self._rules.remove(rule)
        with self._changed:
            self.requests.append(head)
            self._changed.notify_all()
        if rule and rule[1] is not None:
            client.sendall(rule[1])
            return
        with socket.create_connection(("127.0.0.1", self._upstream)) as upstream:
            # So that the end of its reply is the end of the connection.
            closing = request.replace(b"Connection: keep-alive\r\n", b"", 1)
            upstream.sendall(closing.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
            if rule:
                while upstream.recv(65536):
                    pass
                rule[2]()
                return
            chunk = upstream.recv(65536)
            while chunk:
                client.sendall(chunk)
                chunk = upstream.recv(65536)


def _whole(client: socket.socket) -> bytes:
    """One request; empty when the client has gone."""
    request = b""
    while b"\r\n\r\n" not in request:
        chunk = client.recv(65536)
        if not chunk:
            return b""
        request += chunk
    head, _, body = request.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        chunk = client.recv(65536)
        if not chunk:
            return b""
        body += chunk
    return head + b"\r\n\r\n" + body
