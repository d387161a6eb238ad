"""Functions that run only when a person has approved this very call."""

from __future__ import annotations

import asyncio
import functools
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, Optional, Type

import httpx
import pytest
from conftest import Meanwhile
from serving import PATIENCE, Desk, Server

from handraise import (
    ArgumentsChanged,
    AsyncHandraise,
    Cancelled,
    Denied,
    Expired,
    Handraise,
    NotJson,
    Unauthorized,
    Unreachable,
    action_digest,
    requires_approval,
)

Settings = Dict[str, Any]
Transport = Optional[httpx.MockTransport]


class Guard:
    """Guards functions, or coroutine functions that call them, with a client of the kind that fits."""

    def __init__(self, is_async: bool, url: str, token: str) -> None:
        self.is_async = is_async
        self.settings: Settings = {"url": url, "token": token}
        self.options: Settings = {}
        self.transport: Transport = None

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self.is_async:
            return asyncio.run(self._awaited(function, *args, **kwargs))
        http = httpx.Client(transport=self.transport) if self.transport else None
        with Handraise(**self.settings, http_client=http) as client:
            return requires_approval(client=client, **self.options)(function)(*args, **kwargs)

    async def _awaited(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        @functools.wraps(function)
        async def coroutine(*given: Any, **named: Any) -> Any:
            return function(*given, **named)

        http = httpx.AsyncClient(transport=self.transport) if self.transport else None
        async with AsyncHandraise(**self.settings, http_client=http) as client:
            return await requires_approval(client=client, **self.options)(coroutine)(*args, **kwargs)


@pytest.fixture
def guard(is_async: bool, server: Server, token: str) -> Guard:
    return Guard(is_async, server.url, token)


class Ledger:
    """What was run."""

    def __init__(self) -> None:
        self.runs: List[Any] = []

    def pay(self, to: str, amount: float, *, notes: Optional[List[str]] = None, dry: bool = False) -> str:
        self.runs.append((to, amount, notes, dry))
        return f"paid {to}"

    def gather(self, first: Any, *rest: Any, **named: Any) -> None:
        self.runs.append((first, rest, named))


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def test_an_approved_call_runs(guard: Guard, ledger: Ledger, desk: Desk, meanwhile: Meanwhile) -> None:
    guard.options = {"tool": "bank.pay", "prompt": "Pay the rent?", "session_id": "p11", "urgent": True}
    calling = meanwhile(guard, ledger.pay, "Ana", amount=0.1)
    asked = desk.answer_next(approved=True)
    assert calling.result(PATIENCE) == "paid Ana"
    assert ledger.runs == [("Ana", 0.1, None, False)]
    arguments = {"to": "Ana", "amount": 0.1, "notes": None, "dry": False}
    assert asked["action"] == {"tool": "bank.pay", "arguments": arguments}
    assert asked["action_digest"] == action_digest("bank.pay", arguments)
    assert (asked["prompt"], asked["session_id"], asked["priority"]) == ("Pay the rent?", "p11", "urgent")


def test_all_ways_to_pass_arguments_are_shown(guard: Guard, ledger: Ledger, desk: Desk, meanwhile: Meanwhile) -> None:
    calling = meanwhile(guard, ledger.gather, [1], "a", {"b": None}, c=2.5)
    asked = desk.answer_next(approved=True)
    calling.result(PATIENCE)
    assert ledger.runs == [([1], ("a", {"b": None}), {"c": 2.5})]
    assert asked["action"] == {
        "tool": "gather",
        "arguments": {"first": [1], "rest": ["a", {"b": None}], "named": {"c": 2.5}},
    }


def test_a_denied_call_does_not_run(guard: Guard, ledger: Ledger, desk: Desk, meanwhile: Meanwhile) -> None:
    calling = meanwhile(guard, ledger.pay, "Ana", 1)
    desk.answer_next(approved=False, text="not on a Friday")
    with pytest.raises(Denied, match="not on a Friday") as caught:
        calling.result(PATIENCE)
    assert caught.value.decision.outcome == "denied"
    assert ledger.runs == []


def test_an_expired_or_cancelled_approval_runs_nothing(
    guard: Guard, ledger: Ledger, desk: Desk, meanwhile: Meanwhile
) -> None:
    calling = meanwhile(guard, ledger.pay, "Ana", 1)
    desk.cancel(desk.next()["id"])
    with pytest.raises(Cancelled):
        calling.result(PATIENCE)
    guard.options = {"timeout": 1}
    with pytest.raises(Expired):
        guard(ledger.pay, "Ana", 1)
    assert ledger.runs == []


@pytest.mark.parametrize("added", ["and the car", object()])
def test_arguments_that_change_while_people_look_at_them_are_refused(
    guard: Guard, ledger: Ledger, desk: Desk, meanwhile: Meanwhile, added: Any
) -> None:
    notes: List[Any] = ["the rent"]
    calling = meanwhile(guard, ledger.pay, "Ana", 1, notes=notes)
    asked = desk.next()
    notes.append(added)
    desk.answer(asked["id"], approved=True)
    with pytest.raises(ArgumentsChanged):
        calling.result(PATIENCE)
    assert ledger.runs == []


def test_the_function_gets_a_copy_of_what_was_approved(
    guard: Guard, ledger: Ledger, desk: Desk, meanwhile: Meanwhile
) -> None:
    notes = ["the rent"]
    calling = meanwhile(guard, ledger.pay, "Ana", 1, notes=notes)
    desk.answer_next(approved=True)
    calling.result(PATIENCE)
    notes.append("and the car")
    assert ledger.runs[0][2] == ["the rent"]


@pytest.mark.parametrize("value", [("a", "b"), object(), float("nan"), 2**60, {1: 2}, b"x"])
def test_arguments_that_are_no_json_are_refused_before_asking(guard: Guard, ledger: Ledger, value: Any) -> None:
    # Nobody is there to be asked.
    guard.settings.update(url="http://127.0.0.1:9", give_up_after=0.01)
    with pytest.raises(NotJson, match=r"arguments\.notes"):
        guard(ledger.pay, "Ana", 1, notes=value)
    with pytest.raises(TypeError, match="amount"):
        guard(ledger.pay, "Ana")
    with pytest.raises(Unreachable):
        guard(ledger.pay, "Ana", 1)
    assert ledger.runs == []


def test_a_fault_runs_nothing(guard: Guard, ledger: Ledger) -> None:
    guard.settings["token"] = "hr_agent_guess"
    with pytest.raises(Unauthorized):
        guard(ledger.pay, "Ana", 1)
    assert ledger.runs == []


OTHER = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("when", "lie", "raised"),
    [
        ("opened", {"action_digest": OTHER}, ArgumentsChanged),
        ("opened", {"action_digest": None}, ArgumentsChanged),
        ("closed", {"action_digest": OTHER}, ArgumentsChanged),
        ("closed", {"action_digest": None}, ArgumentsChanged),
        ("closed", {"approved": "true"}, Denied),
        ("closed", {"approved": 1}, Denied),
        ("closed", {"approved": None}, Denied),
        ("closed", {"outcome": "denied"}, Denied),
        ("closed", {"outcome": "approved_by_default"}, Denied),
        ("closed", {"outcome": "fallback", "state": "expired"}, Denied),
        ("closed", {"state": "expired"}, Denied),
        ("closed", {"kind": "question"}, Denied),
    ],
)
def test_a_server_that_contradicts_itself_runs_nothing(
    guard: Guard,
    ledger: Ledger,
    server: Server,
    desk: Desk,
    meanwhile: Meanwhile,
    when: str,
    lie: Settings,
    raised: Type[Exception],
) -> None:
    def lying(request: httpx.Request) -> httpx.Response:
        request.read()
        with httpx.Client(timeout=PATIENCE) as real:
            reply = real.send(request)
        body = reply.json()
        # Keys and receipts have no state.
        if "state" in body and (when == "opened" or body["state"] != "pending"):
            body.update(lie)
        return httpx.Response(reply.status_code, json=body)

    guard.transport = httpx.MockTransport(lying)
    calling = meanwhile(guard, ledger.pay, "Ana", 1)
    desk.answer_next(approved=True)
    with pytest.raises(raised):
        calling.result(PATIENCE)
    assert ledger.runs == []


def test_without_a_client_it_takes_that_of_the_environment(
    server: Server, token: str, desk: Desk, meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAISE_URL", server.url + "/")
    monkeypatch.setenv("HANDRAISE_TOKEN", f"{token}\n")

    @requires_approval()
    def double(n: int) -> int:
        """Doubles."""
        return 2 * n

    @requires_approval()
    async def triple(n: int) -> int:
        return 3 * n

    doubling = meanwhile(double, 2)
    desk.answer_next(approved=True)
    assert doubling.result(PATIENCE) == 4
    tripling = meanwhile(lambda: asyncio.run(triple(2)))
    desk.answer_next(approved=True)
    assert tripling.result(PATIENCE) == 6
    assert (double.__name__, double.__doc__) == ("double", "Doubles.")


def test_what_cannot_be_guarded_is_refused_where_it_is_written(server: Server, token: str) -> None:
    def run() -> None: ...

    async def run_async() -> None: ...

    async def steps() -> AsyncIterator[int]:
        yield 1

    with pytest.raises(TypeError, match="parentheses"):
        requires_approval(run)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="one call"):
        requires_approval(idempotency_key="k")
    with pytest.raises(TypeError, match="colour"):
        requires_approval(colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="generator"):
        requires_approval()(steps)
    with Handraise(server.url, token) as client, pytest.raises(TypeError, match="AsyncHandraise"):
        requires_approval(client=client)(run_async)
    with pytest.raises(TypeError, match="Handraise"):
        requires_approval(client=AsyncHandraise(server.url, token))(run)


def test_steps_of_a_generator_run_after_the_approval(
    ledger: Ledger, server: Server, token: str, desk: Desk, meanwhile: Meanwhile
) -> None:
    with Handraise(server.url, token) as client:

        @requires_approval(client=client)
        def steps(n: int) -> Iterator[int]:
            ledger.runs.append("begun")
            yield from range(n)

        calling = meanwhile(lambda: list(steps(3)))
        desk.answer_next(approved=False)
        with pytest.raises(Denied):
            calling.result(PATIENCE)
    assert ledger.runs == []
