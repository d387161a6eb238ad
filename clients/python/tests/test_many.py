"""Many questions at once, and calls that are given up by the program itself."""

from __future__ import annotations

import asyncio
from typing import Dict, List

import pytest
from conftest import Meanwhile
from serving import PATIENCE, Desk, Server

from handraise import AsyncHandraise, Handraise

MANY = 110
"""More than httpx keeps connections for, unless it is told otherwise."""


def answer_all(desk: Desk) -> None:
    """Answers nothing before all of them wait."""
    asked: Dict[str, str] = {}
    while len(asked) < MANY:
        one = desk.next()
        asked[one["id"]] = one["prompt"]
    for id, prompt in asked.items():
        desk.answer(id, text=f"to {prompt}")


def test_threads_share_a_client(server: Server, token: str, desk: Desk, meanwhile: Meanwhile) -> None:
    with Handraise(server.url, token) as people:
        asking = [meanwhile(people.ask, f"question {n}") for n in range(MANY)]
        answer_all(desk)
        assert [one.result(PATIENCE) for one in asking] == [f"to question {n}" for n in range(MANY)]


def test_a_loop_goes_on_while_it_waits(server: Server, token: str, desk: Desk, meanwhile: Meanwhile) -> None:
    async def ask() -> List[str]:
        async with AsyncHandraise(server.url, token) as people:
            return await asyncio.gather(*(people.ask(f"question {n}") for n in range(MANY)))

    answering = meanwhile(answer_all, desk)
    assert asyncio.run(ask()) == [f"to question {n}" for n in range(MANY)]
    answering.result(PATIENCE)


def test_a_call_that_is_given_up_leaves_its_question(
    server: Server, token: str, desk: Desk, meanwhile: Meanwhile
) -> None:
    async def ask() -> None:
        async with AsyncHandraise(server.url, token) as people:
            asking = asyncio.ensure_future(people.ask("Which port?"))
            asked = await asyncio.get_running_loop().run_in_executor(None, desk.next)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert (await people.get(asked["id"])).is_pending

    asyncio.run(ask())
