"""Where a client finds its server and its token."""

from __future__ import annotations

import inspect
from typing import Any, Type, Union

import httpx
import pytest
from conftest import Meanwhile
from serving import PATIENCE, Desk, Server

from handraise import AsyncHandraise, Handraise, HandraiseError

Clients = Union[Type[Handraise], Type[AsyncHandraise]]


@pytest.fixture(params=[Handraise, AsyncHandraise])
def client(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("HANDRAISE_URL", raising=False)
    monkeypatch.delenv("HANDRAISE_TOKEN", raising=False)
    return request.param


@pytest.mark.parametrize(
    ("url", "token", "told"),
    [
        (None, None, "HANDRAISE_TOKEN"),
        (None, " ", "HANDRAISE_TOKEN"),
        (None, "hr_agent\nX: y", "characters"),
        ("127.0.0.1:3000", "t", "http://"),
        ("ftp://127.0.0.1", "t", "http://"),
        ("http://", "t", "http://"),
        ("http://127.0.0.1:port", "t", "no URL"),
        ("http://ana:secret@127.0.0.1", "t", "password"),
    ],
)
def test_what_cannot_work_is_said_at_once(client: Clients, url: Any, token: Any, told: str) -> None:
    with pytest.raises(HandraiseError, match=told) as caught:
        client(url, token)
    assert "secret" not in str(caught.value)


def test_the_server_is_the_one_on_this_machine_unless_it_is_told(client: Clients) -> None:
    assert repr(client(token="t")).endswith("(http://127.0.0.1:3000)")
    assert repr(client("https://handraise.example/agents/", "t")).endswith("(https://handraise.example/agents)")


def test_help_shows_what_a_call_takes(client: Clients) -> None:
    names = list(inspect.signature(client.ask).parameters)
    assert names[:3] == ["self", "prompt", "fallback"]
    assert {"timeout", "session_id", "mode", "idempotency_key"} < set(names)
    assert not {"timeout", "mode"} & set(inspect.signature(client.notify).parameters)
    assert inspect.signature(client.approve).return_annotation == "Decision"
    assert "fallback" in (client.ask.__doc__ or "")


def test_a_client_of_your_own_making_is_yours_to_close(
    server: Server, token: str, desk: Desk, meanwhile: Meanwhile
) -> None:
    with httpx.Client(headers={"X-Team": "blue"}) as own:
        for _ in range(2):
            with Handraise(server.url, token, http_client=own) as people:
                asking = meanwhile(people.ask, "Which port?")
                desk.answer_next(text="80")
                assert asking.result(PATIENCE) == "80"
        assert not own.is_closed
