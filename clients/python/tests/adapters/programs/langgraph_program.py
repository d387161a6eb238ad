"""A graph whose nodes pay, one for each call, side by side."""

from __future__ import annotations

import asyncio
import operator
import sys
from typing import Annotated, Any, Dict, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from ledger import CALLS, FOLDER, SECRET, TERMS, pay, told

from handraise.adapters.langgraph import NotApproved, approving, resume

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "integer"}}}


class State(TypedDict):
    heard: Annotated[Dict[str, str], operator.or_]


async def main(mode: str) -> None:
    def act(call: Dict[str, Any]) -> Dict[str, Any]:
        arguments = {"to": call["to"], "amount": call["amount"]}
        try:
            with approving("pay", arguments, schema=SCHEMA, durable=mode == "durable", **TERMS) as given:
                heard = pay(**given)
        except NotApproved as refusal:
            heard = str(refusal)
        return {"heard": {call["id"]: heard}}

    def begin(state: State) -> Dict[str, Any]:
        return {"heard": {}}

    graph: Any = StateGraph(State)
    graph.add_node("begin", begin)
    graph.add_node("act", act)
    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", lambda _: [Send("act", call) for call in CALLS], ["act"])
    graph.add_edge("act", END)
    async with AsyncSqliteSaver.from_conn_string(str(FOLDER / "thread.db")) as saver:
        compiled = graph.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": str(FOLDER), "api_key": SECRET}}
        if not (await compiled.aget_state(config)).next:
            await compiled.ainvoke({"heard": {}}, config)
        told((await resume(compiled, config))["heard"])


asyncio.run(main(sys.argv[1]))
