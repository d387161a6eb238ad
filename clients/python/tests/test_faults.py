"""What goes wrong on the way: killed servers, lost replies, refused connections, limits."""

from __future__ import annotations

import itertools
import logging
import signal
import threading
import uuid
from typing import Callable, Iterator

import httpx
import pytest
from conftest import Connect, DeskOf, Meanwhile, OwnServer
from proxy import Proxy
from serving import PATIENCE, Desk, Server

from handraise import Handraise, HandraiseError, Refused, Unauthorized, Unreachable
from handraise.exchange import LONGEST_REPLY, REPLYING

OPEN = "POST /api/v1/interactions HTTP"
POLL = "GET /api/v1/interactions/"

ProxyTo = Callable[[Server], Proxy]


class Heard(logging.Handler):
    """Knows when the client says that something goes wrong."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.trouble = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if "trying again" in record.getMessage():
            self.trouble.set()


@pytest.fixture
def heard() -> Iterator[Heard]:
    heard = Heard()
    logging.getLogger("handraise").addHandler(heard)
    yield heard
    logging.getLogger("handraise").removeHandler(heard)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_goes_away_while_the_agent_waits(
    how: signal.Signals,
    connect: Connect,
    own_server: OwnServer,
    desk_of: DeskOf,
    proxy_to: ProxyTo,
    meanwhile: Meanwhile,
) -> None:
    server = own_server()
    proxy, desk = proxy_to(server), desk_of(server)
    people = connect(proxy.url, server.token("agent", "backend"))
    asking = meanwhile(people.ask, "Which port?")
    asked = desk.next()
    proxy.await_request(POLL)
    server.kill(how)
    server.start()
    # An answer that comes before the agent is back waits for it.
    desk.answer(asked["id"], text="80")
    assert asking.result(PATIENCE) == "80"
    assert [one["id"] for one in desk.all()] == [asked["id"]]
    assert desk.get(asked["id"])["collected_at"] is not None


def test_a_server_that_is_killed_before_it_says_that_it_has_the_question(
    connect: Connect, own_server: OwnServer, desk_of: DeskOf, proxy_to: ProxyTo, meanwhile: Meanwhile, heard: Heard
) -> None:
    server = own_server()
    proxy, desk = proxy_to(server), desk_of(server)
    people = connect(proxy.url, server.token("agent", "backend"))
    proxy.lose_reply(OPEN, then=server.kill)
    asking = meanwhile(people.approve, "Deploy?", "shell", {"command": "make"})
    assert heard.trouble.wait(PATIENCE)
    server.start()
    asked = desk.answer_next(approved=True)
    assert asking.result(PATIENCE)
    assert [one["id"] for one in desk.all()] == [asked["id"]]
    assert proxy.count(OPEN) >= 2


@pytest.mark.parametrize("start", [OPEN, POLL, "POST /api/v1/interactions/"])
def test_a_reply_that_is_lost_on_the_way(
    connect: Connect, server: Server, token: str, desk: Desk, proxy_to: ProxyTo, meanwhile: Meanwhile, start: str
) -> None:
    question = uuid.uuid4().hex
    proxy = proxy_to(server)
    people = connect(proxy.url, token)
    proxy.lose_reply(start)
    asking = meanwhile(people.ask, question, timeout=60)
    desk.answer_next(text="80")
    assert asking.result(PATIENCE) == "80"
    assert proxy.count(start) >= 2
    assert desk.count(question) == 1


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 7\r\n\r\n<html/>",
        b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
        b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"id": "0',
        b"",
    ],
)
def test_replies_that_are_none(
    connect: Connect, server: Server, token: str, desk: Desk, proxy_to: ProxyTo, meanwhile: Meanwhile, reply: bytes
) -> None:
    proxy = proxy_to(server)
    people = connect(proxy.url, token)
    for start in (OPEN, POLL, "POST /api/v1/interactions/"):
        proxy.forge_reply(start, reply)
    asking = meanwhile(people.ask, "Which port?")
    desk.answer_next(text="80")
    assert asking.result(PATIENCE) == "80"
    assert proxy.count(OPEN) == 2


def test_a_cancel_whose_reply_is_lost_is_done(connect: Connect, server: Server, token: str, proxy_to: ProxyTo) -> None:
    proxy = proxy_to(server)
    people = connect(proxy.url, token)
    asked = people.open("question", "Which port?")
    proxy.lose_reply(f"POST /api/v1/interactions/{asked.id}/cancel")
    assert people.cancel(asked.id).state == "cancelled"


def test_an_agent_may_ask_before_the_server_runs(
    connect: Connect, own_server: OwnServer, desk_of: DeskOf, meanwhile: Meanwhile, heard: Heard
) -> None:
    server = own_server()
    token = server.token("agent", "backend")
    desk = desk_of(server)
    server.kill()
    asking = meanwhile(connect(server.url, token).ask, "Which port?")
    assert heard.trouble.wait(PATIENCE)
    server.start()
    desk.answer_next(text="80")
    assert asking.result(PATIENCE) == "80"


def test_who_gives_up_learns_how_to_go_on(connect: Connect, own_server: OwnServer) -> None:
    server = own_server()
    token = server.token("agent", "backend")
    server.kill()
    people = connect(server.url, token, give_up_after=0.5)
    with pytest.raises(Unreachable) as caught:
        people.ask("Which port?")
    key = caught.value.idempotency_key
    assert key and caught.value.interaction_id is None
    with pytest.raises(Unreachable) as caught:
        people.wait("019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa", timeout=0.2)
    assert caught.value.interaction_id == "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa"
    for call in (people.get, people.collect, people.cancel):
        with pytest.raises(Unreachable):
            call("019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa")


def test_too_many_requests_are_sent_later(
    connect: Connect, own_server: OwnServer, desk_of: DeskOf, meanwhile: Meanwhile
) -> None:
    server = own_server(HANDRAISE_RATE_LIMIT_PER_MINUTE="60")
    desk = desk_of(server)
    token = server.token("agent", "backend")
    impatient = connect(server.url, token, give_up_after=0.01)
    with pytest.raises(Unreachable, match="429 rate_limited"):
        for _ in range(200):
            impatient.list()
    asking = meanwhile(connect(server.url, token).ask, "Which port?")
    desk.answer_next(text="80")
    assert asking.result(PATIENCE) == "80"


def test_a_wrong_token_is_not_tried_again(connect: Connect, server: Server, desk: Desk) -> None:
    people = connect(server.url, "hr_agent_guess")
    with pytest.raises(Unauthorized) as caught:
        people.ask("Which port?")
    assert (caught.value.status, caught.value.code) == (401, "bad_token")
    assert isinstance(caught.value, Refused)
    assert "hr_agent_guess" not in repr(people) + str(caught.value)


def test_others_know_nothing_of_what_an_agent_asks(connect: Connect, server: Server, people: Handraise) -> None:
    asked = people.open("question", "Which port?")
    other = connect(server.url, server.token("agent", "devops"))
    for id in (asked.id, "nonsense/../x"):
        with pytest.raises(Refused) as caught:
            other.get(id)
        assert caught.value.status == 404


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<html/>", "not JSON"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "not one of Handraise"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "not one of Handraise"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{}" + b" " * LONGEST_REPLY, "longer than"),
        (b"HTTP/1.1 301 Moved\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n", "elsewhere"),
    ],
)
def test_another_program_at_this_address_is_recognised(
    connect: Connect, server: Server, token: str, proxy_to: ProxyTo, reply: bytes, told: str
) -> None:
    proxy = proxy_to(server)
    people = connect(proxy.url, token)
    proxy.forge_reply(POLL, reply)
    with pytest.raises(HandraiseError, match=told):
        people.get("019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa")
    proxy.forge_reply(POLL, b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope")
    with pytest.raises(Refused) as caught:
        people.get("019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa")
    assert (caught.value.status, caught.value.code) == (404, None)


def test_a_reply_that_never_ends_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count()
    monkeypatch.setattr("handraise.client.monotonic", lambda: next(seconds))

    def drip() -> Iterator[bytes]:
        while True:
            yield b" "

    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=drip()))
    with httpx.Client(transport=transport) as http_client:
        people = Handraise("http://127.0.0.1:3000", "hr_x", give_up_after=0, http_client=http_client)
        with pytest.raises(Unreachable, match="did not end in time"):
            people.get("019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa")
    assert REPLYING < next(seconds) < REPLYING + 5
