"""An agent of LangChain that pays."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, List

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from ledger import CALLS, FOLDER, SECRET, TERMS, pay, told

from handraise.adapters.langchain import ApprovalMiddleware, resume


class Scripted(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: List[Any], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        heard = {one.tool_call_id: str(one.content) for one in messages if isinstance(one, ToolMessage)}
        if heard:
            message = AIMessage("done")
            told(heard)
        else:
            calls = [{"id": c["id"], "name": "pay", "args": {"to": c["to"], "amount": c["amount"]}} for c in CALLS]
            message = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


async def main(mode: str) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(FOLDER / "thread.db")) as saver:
        asking = ApprovalMiddleware("pay", durable=mode == "durable", **TERMS)
        agent: Any = create_agent(Scripted(), tools=[pay], middleware=[asking], checkpointer=saver)
        config = {"configurable": {"thread_id": str(FOLDER), "api_key": SECRET}}
        if not (await agent.aget_state(config)).values:
            await agent.ainvoke({"messages": [("user", "Pay them")]}, config)
        await resume(agent, config)


asyncio.run(main(sys.argv[1]))
