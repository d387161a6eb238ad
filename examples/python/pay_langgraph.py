"""LangGraph: a graph stops at an interrupt, which may outlive its process, and is resumed with the answer."""

import asyncio
import uuid
from typing import Any, TypedDict

from handraise.adapters.langgraph import NotApproved, approving, resume
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    said: str


def pay(state: State) -> State:
    try:
        with approving("pay", {"to": "Ana", "amount": 12.5}, prompt="Pay this?", durable=True) as given:
            return {"said": f"paid {given['amount']} to {given['to']}"}
    except NotApproved as refusal:
        return {"said": str(refusal)}


async def main() -> None:
    graph: Any = StateGraph(State).add_node("pay", pay).add_edge(START, "pay").add_edge("pay", END)
    # One that writes to a file or a database instead lets the process end here.
    compiled = graph.compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": f"example-{uuid.uuid4()}"}}
    await compiled.ainvoke({"said": ""}, thread)
    print("stopped")
    print((await resume(compiled, thread))["said"])


asyncio.run(main())
