"""A node of LangGraph that runs more than one call."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from handraise import AsyncHandraise, Handraise, HandraiseError

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from serving import Desk, Server

THREAD: Any = {"configurable": {"thread_id": "1"}}
CALLS = [{"id": f"call_{to}", "name": "pay", "args": {"to": to}} for to in ("Ana", "Bob")]


@pytest.fixture
def adapter() -> Any:
    """Other tests import it anew."""
    return importlib.import_module("handraise.adapters.langgraph")


@pytest.fixture
def people(server: Server, token: str) -> Iterator[Handraise]:
    with Handraise(server.url, token) as client:
        yield client


def graph_of(node: Callable[[Dict[str, Any]], Any]) -> Any:
    return (
        StateGraph(dict)
        .add_node("act", node)
        .add_edge(START, "act")
        .add_edge("act", END)
        .compile(checkpointer=InMemorySaver())
    )


def resumed(adapter: Any, graph: Any, server: Server, token: str) -> Any:
    async def resume() -> Any:
        async with AsyncHandraise(server.url, token) as client:
            return await adapter.resume(graph, THREAD, client)

    return asyncio.run(resume())


def test_it_stops_once_for_all_of_them_and_runs_each_once(
    adapter: Any, people: Handraise, server: Server, token: str, desk: Desk
) -> None:
    paid: List[str] = []

    def act(state: Dict[str, Any]) -> Dict[str, Any]:
        adapter.stop_for(CALLS, client=people)
        for one in CALLS:
            try:
                with adapter.approving(one["name"], one["args"], call_id=one["id"], client=people) as given:
                    paid.append(given["to"])
            except adapter.NotApproved as refusal:
                paid.append(str(refusal))
        return {}

    graph = graph_of(act)
    graph.invoke({"begun": True}, THREAD)
    assert paid == []
    first, second = desk.next(), desk.next()
    desk.answer(second["id"], approved=False, text="Bob was paid already")
    desk.answer(first["id"], approved=True)
    resumed(adapter, graph, server, token)
    assert paid[0] == "Ana"
    assert "Bob was paid already" in paid[1]
    assert len(paid) == 2
    assert desk.get(first["id"])["report"]["outcome"] == "done"


def test_one_that_would_begin_anew_after_its_first_call_ran_says_so_and_asks_no_more(
    adapter: Any, people: Handraise, server: Server, token: str, desk: Desk
) -> None:
    paid: List[str] = []

    def act(state: Dict[str, Any]) -> Dict[str, Any]:
        for one in CALLS:
            given = adapter.approved(one["name"], one["args"], call_id=one["id"], durable=True, client=people)
            paid.append(given["to"])
        return {}

    graph = graph_of(act)
    graph.invoke({"begun": True}, THREAD)
    desk.answer_next(approved=True)
    with pytest.raises(HandraiseError, match=r"asks about pay as well.*stop_for"):
        resumed(adapter, graph, server, token)
    assert paid == ["Ana"]
    assert [one for one in desk.all() if one["state"] == "pending"] == []


def test_two_calls_with_one_id_are_an_error(adapter: Any, people: Handraise, desk: Desk) -> None:
    graph = graph_of(lambda _: adapter.stop_for([CALLS[0], CALLS[0]], client=people))
    with pytest.raises(HandraiseError, match="two calls have the id 'call_Ana'"):
        graph.invoke({"begun": True}, THREAD)


def test_an_async_node_asks_in_a_thread(
    adapter: Any, people: Handraise, server: Server, token: str, desk: Desk
) -> None:
    paid: List[str] = []

    async def act(state: Dict[str, Any]) -> Dict[str, Any]:
        given = await asyncio.to_thread(adapter.approved, "pay", {"to": "Ana"}, durable=True, client=people)
        paid.append(given["to"])
        return {}

    graph = graph_of(act)
    asyncio.run(graph.ainvoke({"begun": True}, THREAD))
    desk.answer_next(approved=True)
    resumed(adapter, graph, server, token)
    assert paid == ["Ana"]
